//! Times in text form.

use adjudicate_core::{Error, schema::is_date_time};
use jiff::Timestamp;

use crate::codes;

const SECONDS: &str = "0000-00-00T00:00:00";
const NANOSECONDS: &str = ".000000000";

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
/// use adjudicate_trust::parse_time;
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

fn read(text: &str) -> Option<Timestamp> {
    let text = text.replacen(' ', "T", 1);
    // The library also accepts other forms, which other programs may read differently.
    if !is_date_time(&text) {
        return None;
    }
    let (seconds, fraction) = text.split_at(SECONDS.len());
    let offset = fraction.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    let digits = fraction.get(..fraction.len() - offset.len())?;
    let digits = digits.get(..NANOSECONDS.len()).unwrap_or(digits);
    // The library rejects only times beyond its range.
    Some([seconds, digits, offset].concat().parse().unwrap_or(Timestamp::MAX))
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
