//! Durations: from the decimal text of a number to whole milliseconds, without floats.

/// The unit of a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Seconds,
    Milliseconds,
}

/// Returns a duration in whole milliseconds, rounded half up, or `None` if the text is not a number of 0 or more. Commas between
/// digits are ignored, because some tools group thousands.
pub(crate) fn milliseconds(text: &str, unit: Unit) -> Option<u64> {
    let text = text.trim();
    let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let shift = if unit == Unit::Seconds { 3 } else { 0 };
    let whole = whole.bytes().filter(|byte| *byte != b',');
    // The number of digits before the decimal point of the milliseconds.
    let point = whole.clone().count() as i64 + i64::from(exponent.parse::<i32>().ok()?) + shift;
    let (mut value, mut is_up, mut count) = (0_u64, false, 0_i64);
    for byte in whole.chain(fraction.bytes()) {
        let digit = char::from(byte).to_digit(10)?;
        if count < point {
            value = value.checked_mul(10)?.checked_add(digit.into())?;
        } else if count == point {
            is_up = digit >= 5;
        }
        count += 1;
    }
    if count == 0 {
        return None;
    }
    while count < point && value > 0 {
        value = value.checked_mul(10)?;
        count += 1;
    }
    value.checked_add(is_up.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_rounded_to_milliseconds() {
        for (text, expected) in [
            ("0", Some(0)),
            ("0.130", Some(130)),
            ("1.2345", Some(1235)),
            ("0.0004", Some(0)),
            ("0.0005", Some(1)),
            ("1.2e-3", Some(1)),
            ("6E-4", Some(1)),
            ("6e-5", Some(0)),
            ("1,234.5", Some(1_234_500)),
            ("12", Some(12_000)),
            ("2e3", Some(2_000_000)),
            ("0e999999999", Some(0)),
            ("1e999999999", None),
            ("99999999999999999999", None),
            ("-1", None),
            ("", None),
            (".", None),
            ("1.x", None),
        ] {
            assert_eq!(milliseconds(text, Unit::Seconds), expected, "{text}");
        }
        assert_eq!(milliseconds("1.2046469999999943", Unit::Milliseconds), Some(1));
    }
}
