//! Times in text form.

use adjudicate_core::Error;
use jiff::{
    Timestamp,
    civil::{Date, DateTime, Time},
    tz::Offset,
};

use crate::codes;

/// Parses a time in the form of RFC 3339, section 5.6: `2026-11-21T19:30:00Z`, optionally with fractions of a second or an offset
/// such as `+01:00`. `T` may be `t` or a space, and `Z` may be `z`. Digits beyond nanoseconds are cut.
///
/// A leap second counts as the second before it. A time beyond the range of a [`Timestamp`], such as `9999-12-31T23:59:59Z`, is the
/// last one.
///
/// # Errors
///
/// [`codes::INVALID_VALUE`] for any other form, for example a date alone, or a time without an offset.
///
/// ```
/// use adjudicate_host::trust::parse_time;
/// let time = parse_time("2026-11-21T20:30:00+01:00")?;
/// assert_eq!(time, parse_time("2026-11-21T19:30:00Z")?);
/// assert!(parse_time("2026-11-21").is_err());
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn parse_time(text: &str) -> Result<Timestamp, Error> {
    read(text).ok_or_else(|| {
        let message = "expected a time in the form of RFC 3339, such as `2026-11-21T19:30:00Z`";
        Error::new(codes::INVALID_VALUE, message)
    })
}

/// Reads a time. The library would also accept other forms, which other programs may read differently.
fn read(text: &str) -> Option<Timestamp> {
    let [year, month, day] = numbers(text.get(..10)?, "0000-00-00")?;
    let [hour, minute, second] = numbers(text.get(11..19)?, "00:00:00")?;
    if !matches!(text.get(10..11)?, "T" | "t" | " ") {
        return None;
    }
    let (nanoseconds, offset) = fraction(text.get(19..)?)?;
    let ahead = match offset {
        "Z" | "z" => 0,
        _ => {
            let [hours, minutes] = numbers(offset.get(1..)?, "00:00")?;
            let minutes = (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)?;
            match offset.get(..1)? {
                "+" => minutes,
                "-" => -minutes,
                _ => return None,
            }
        }
    };
    // A leap second ends a day in UTC.
    let is_leap = second == 60 && (hour * 60 + minute - ahead).rem_euclid(24 * 60) == 24 * 60 - 1;
    let small = |number: i32| i8::try_from(number).ok();
    let date = Date::new(i16::try_from(year).ok()?, small(month)?, small(day)?).ok()?;
    let second = if is_leap { 59 } else { second };
    let time = Time::new(small(hour)?, small(minute)?, small(second)?, nanoseconds).ok()?;
    let offset = Offset::from_seconds(ahead * 60).ok()?;
    Some(offset.to_timestamp(DateTime::from_parts(date, time)).unwrap_or(Timestamp::MAX))
}

/// The numbers of a text in which digits stand exactly where they stand in the form.
fn numbers<const COUNT: usize>(text: &str, form: &str) -> Option<[i32; COUNT]> {
    let fits = |(digit, place): (u8, u8)| if place == b'0' { digit.is_ascii_digit() } else { digit == place };
    if text.len() != form.len() || !text.bytes().zip(form.bytes()).all(fits) {
        return None;
    }
    let numbers = text.split(['-', ':']).map(|number| number.parse().ok());
    numbers.collect::<Option<Vec<i32>>>()?.try_into().ok()
}

/// Reads the fraction of a second, if there is one, as nanoseconds. Returns the rest of the text.
fn fraction(text: &str) -> Option<(i32, &str)> {
    let Some(fraction) = text.strip_prefix('.') else { return Some((0, text)) };
    let rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = fraction.get(..fraction.len() - rest.len()).filter(|digits| !digits.is_empty())?;
    let nanoseconds = digits.bytes().chain([b'0'; 9]).take(9);
    Some((nanoseconds.fold(0, |sum, digit| sum * 10 + i32::from(digit - b'0')), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_form_of_rfc_3339_is_accepted() {
        let ms = |text| parse_time(text).map(Timestamp::as_millisecond).ok();
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("1970-01-01T01:00:00.5+01:00", Some(500)),
            ("1969-12-31T23:30:00-00:30", Some(0)),
            ("2028-02-29T00:00:00.123456789Z", Some(1_835_395_200_123)),
            ("2026-02-29T00:00:00Z", None),
            ("2026-13-01T00:00:00Z", None),
            ("2026-01-01T24:00:00Z", None),
            ("2026-01-01T00:00:00", None),
            ("1970-01-01 00:00:01Z", Some(1_000)),
            ("1970-01-01t00:00:01z", Some(1_000)),
            ("1970-01-01T00:00:00.0019999999999999Z", Some(1)),
            ("1970-01-01T23:59:00+23:59", Some(0)),
            ("1970-01-01T00:00:00+24:00", None),
            ("1970-01-01T00:00:00+00:60", None),
            ("1970-01-01T10:00:60Z", None),
            ("2016-12-31T23:59:60Z", Some(1_483_228_799_000)),
            ("2017-01-01T00:59:60+01:00", Some(1_483_228_799_000)),
            ("2016-12-31T23:59:61Z", None),
            ("0000-01-01T00:00:00Z", Some(-62_167_219_200_000)),
            ("9999-12-31T23:59:59Z", Some(Timestamp::MAX.as_millisecond())),
            ("9999-12-31T23:59:59-23:59", Some(Timestamp::MAX.as_millisecond())),
            ("1970-01-01_00:00:00Z", None),
            ("1970-01-01T00:00:00*01:00", None),
            ("2026-01-01T00:00Z", None),
            ("20260101T000000Z", None),
            ("2026-01-01T00:00:00.Z", None),
            ("2026-01-01T00:00:00+0100", None),
            ("2026-01-01T00:00:00+01:00[Europe/Paris]", None),
            ("+002026-01-01T00:00:00Z", None),
            ("2026-01-01", None),
            (" 2026-01-01T00:00:00Z", None),
            ("٢026-01-01T00:00:00Z", None),
            ("", None),
        ] {
            assert_eq!(ms(text), expected, "{text}");
        }
    }
}
