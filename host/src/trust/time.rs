//! Times in text form.

use adjudicate_core::Error;
use jiff::Timestamp;

use crate::codes;

/// Parses a time in the form of RFC 3339, section 5.6: `2026-11-21T19:30:00Z`, optionally with fractions of a second or an offset
/// such as `+01:00`.
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
    // The library also accepts other forms, which other programs may read differently.
    let time = if has_form(text) { text.parse().ok() } else { None };
    time.ok_or_else(|| {
        let message = "expected a time in the form of RFC 3339, such as `2026-11-21T19:30:00Z`";
        Error::new(codes::INVALID_VALUE, message)
    })
}

fn has_form(text: &str) -> bool {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let Some(rest) = shape.strip_prefix("0000-00-00T00:00:00") else { return false };
    let offset = match rest.strip_prefix('.') {
        // Nine digits are nanoseconds, which no clock exceeds.
        Some(fraction) => {
            let offset = fraction.trim_start_matches('0');
            let digits = fraction.len() - offset.len();
            if digits == 0 || digits > 9 {
                return false;
            }
            offset
        }
        None => rest,
    };
    matches!(offset, "Z" | "+00:00" | "-00:00")
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
            ("2026-01-01 00:00:00Z", None),
            ("2026-01-01t00:00:00z", None),
            ("2026-01-01T00:00Z", None),
            ("20260101T000000Z", None),
            ("2026-01-01T00:00:00.Z", None),
            ("2026-01-01T00:00:00.0000000000Z", None),
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
