//! JSON as a tree of values that borrow from the text.

use alloc::{borrow::Cow, vec::Vec};

/// A JSON value. Strings without escapes borrow from the input. Numbers are kept as texts, so they are never rounded.
///
/// ```
/// use adjudicate_guest::Value;
/// let list = Value::List(vec![Value::Number("1"), Value::Null]);
/// assert_eq!(list.items().len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as its text.
    Number(&'a str),
    /// A string, unescaped.
    Text(Cow<'a, str>),
    /// A list.
    List(Vec<Self>),
    /// An object: its fields in document order, none twice.
    Object(Vec<(Cow<'a, str>, Self)>),
}

impl<'a> Value<'a> {
    /// The string, if the value is one.
    ///
    /// ```
    /// use adjudicate_guest::Value;
    /// assert_eq!(Value::Text("a".into()).as_str(), Some("a"));
    /// assert_eq!(Value::Number("1").as_str(), None);
    /// ```
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The whole number, if the value's text is one (no fraction, no exponent) and it fits.
    ///
    /// ```
    /// use adjudicate_guest::Value;
    /// assert_eq!(Value::Number("-7").as_i64(), Some(-7));
    /// assert_eq!(Value::Number("7.0").as_i64(), None);
    /// ```
    #[inline(never)]
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        let text = self.integer()?;
        match text.strip_prefix('-') {
            Some(digits) => 0_i64.checked_sub_unsigned(number(digits)?),
            None => number(text)?.try_into().ok(),
        }
    }

    /// The whole number of 0 or more, if the value's text is one and it fits.
    ///
    /// ```
    /// use adjudicate_guest::Value;
    /// assert_eq!(Value::Number("7").as_u64(), Some(7));
    /// assert_eq!(Value::Number("-7").as_u64(), None);
    /// ```
    #[inline(never)]
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        number(self.integer()?)
    }

    /// A decimal number times ten to the power of `places`, if that is a whole number that fits. Use it to compare
    /// amounts exactly, for example in cents, instead of in floating point. Numbers with an exponent return `None`.
    ///
    /// ```
    /// use adjudicate_guest::Value;
    /// assert_eq!(Value::Number("12.5").scaled(2), Some(1250));
    /// assert_eq!(Value::Number("-3").scaled(0), Some(-3));
    /// assert_eq!(Value::Number("0.125").scaled(2), None); // a fraction of a cent
    /// assert_eq!(Value::Number("1e3").scaled(2), None);
    /// ```
    #[must_use]
    pub fn scaled(&self, places: usize) -> Option<i64> {
        let Self::Number(text) = self else { return None };
        let (is_negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, *text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let fraction = fraction.trim_end_matches('0');
        let missing = places.checked_sub(fraction.len())?;
        let mut sum: i64 = 0;
        let zeros = core::iter::repeat_n(b'0', missing);
        for digit in whole.bytes().chain(fraction.bytes()).chain(zeros) {
            let digit = char::from(digit).to_digit(10)?;
            sum = sum.checked_mul(10)?.checked_add(i64::from(digit))?;
        }
        Some(if is_negative { -sum } else { sum })
    }

    /// The text of a whole number. `-0` does not count, because no whole number is negative and zero.
    fn integer(&self) -> Option<&'a str> {
        match self {
            Self::Number(text)
                if *text != "-0" && text.bytes().all(|byte| matches!(byte, b'-' | b'0'..=b'9')) =>
            {
                Some(text)
            }
            _ => None,
        }
    }

    /// The items of a list; none for other values.
    ///
    /// ```
    /// use adjudicate_guest::Value;
    /// assert_eq!(Value::List(vec![Value::Null]).items(), [Value::Null]);
    /// assert!(Value::Null.items().is_empty());
    /// ```
    #[must_use]
    pub fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// The fields of an object, in document order; none for other values.
    ///
    /// ```
    /// use adjudicate_guest::Value;
    /// let object = Value::Object(vec![("a".into(), Value::Bool(true))]);
    /// assert_eq!(object.members()[0].0, "a");
    /// ```
    #[must_use]
    pub fn members(&self) -> &[(Cow<'a, str>, Self)] {
        match self {
            Self::Object(members) => members,
            _ => &[],
        }
    }

    /// The field of that name, if the value is an object that has it.
    ///
    /// ```
    /// use adjudicate_guest::Value;
    /// let object = Value::Object(vec![("a".into(), Value::Bool(true))]);
    /// assert_eq!((object.member("a"), object.member("b")), (Some(&Value::Bool(true)), None));
    /// ```
    // Not inlined, because every read of a field calls it.
    #[inline(never)]
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Self> {
        self.members().iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }
}

/// Returns the number that digits stand for, if it fits.
#[inline(never)]
fn number(digits: &str) -> Option<u64> {
    digits.bytes().try_fold(0_u64, |sum, digit| {
        let digit = u64::from(char::from(digit).to_digit(10)?);
        sum.checked_mul(10)?.checked_add(digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_those_that_fit() {
        for text in [
            "0",
            "-0",
            "7",
            "-7",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775808",
            "-9223372036854775809",
            "18446744073709551615",
            "18446744073709551616",
            "1.0",
            "1e3",
        ] {
            let (signed, unsigned) = (text.parse().ok(), text.parse().ok());
            let expected = if text == "-0" { (None, None) } else { (signed, unsigned) };
            assert_eq!((Value::Number(text).as_i64(), Value::Number(text).as_u64()), expected, "{text}");
        }
    }
}
