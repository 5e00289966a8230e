//! The retention of the modules in a slot's history.

use std::{str::FromStr, time::Duration};

use adjudicate_core::Error;
use jiff::{Span, SpanRelativeTo};

use crate::codes;

/// The part of each slot's history whose modules are kept. [`Store::uninstall`](crate::Store::uninstall) does not remove these
/// modules, and [`Store::collect`](crate::Store::collect) leaves them.
///
/// A store always keeps the modules of a slot's current entry, and of the entries that a rollback from it would try first.
///
/// ```
/// use std::time::Duration;
/// use adjudicate_host::Retention;
/// assert_eq!("36h".parse(), Ok(Retention::Age(Duration::from_secs(36 * 3600))));
/// assert_eq!("5".parse(), Ok(Retention::Entries(5)));
/// assert_eq!(Retention::default(), "30d".parse()?);
/// assert_eq!("soon".parse::<Retention>().unwrap_err().code().as_str(), "wrong_usage");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retention {
    /// The entries that a slot was in within this time.
    Age(Duration),
    /// This many of a slot's latest entries, 1 or more.
    Entries(u32),
}

impl Retention {
    /// The time for which an unused module stays after its installation, if the retention is a number of entries. So no collection
    /// removes a module before its activation. If the retention is an age, that age applies instead.
    pub const GRACE: Duration = Duration::from_secs(24 * 3600);

    /// The time, in milliseconds since 1970, since when installed modules are kept.
    pub(crate) fn installed_since(self, now: i64) -> i64 {
        let grace = match self {
            Self::Age(age) => age,
            Self::Entries(_) => Self::GRACE,
        };
        before(now, grace)
    }
}

/// The time that is `age` before `now`, both in milliseconds since 1970.
pub(crate) fn before(now: i64, age: Duration) -> i64 {
    now.saturating_sub(i64::try_from(age.as_millis()).unwrap_or(i64::MAX))
}

impl Default for Retention {
    /// 30 days.
    fn default() -> Self {
        Self::Age(Duration::from_secs(30 * 24 * 3600))
    }
}

impl FromStr for Retention {
    type Err = Error;

    /// Parses an age such as `36h` or `30d` (a day is 24 hours), or a number of entries.
    ///
    /// # Errors
    ///
    /// [`wrong_usage`](crate::codes::WRONG_USAGE) for any other text.
    fn from_str(text: &str) -> Result<Self, Error> {
        let entries = || text.parse().ok().filter(|entries| *entries > 0).map(Self::Entries);
        let age = || {
            let span = text.parse::<Span>().ok()?;
            let age = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
            Duration::try_from(age).ok().map(Self::Age)
        };
        entries().or_else(age).ok_or_else(|| {
            let shown: String = text.chars().take(64).collect();
            let message = format!(
                "`{shown}` is not a retention: expected an age such as `30d` or `36h`, or a number of entries, 1 or more"
            );
            Error::new(codes::WRONG_USAGE, message)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retention_is_an_age_or_a_number_of_entries() {
        let hours = |hours: u64| Ok(Retention::Age(Duration::from_secs(hours * 3600)));
        for (text, expected) in
            [("1h30m", Ok(Retention::Age(Duration::from_secs(5400)))), ("7d", hours(168)), ("0s", hours(0))]
        {
            assert_eq!(text.parse(), expected, "{text}");
        }
        assert_eq!("4294967295".parse(), Ok(Retention::Entries(u32::MAX)));
        for bad in ["", "0", "-1", "-2h", "4294967296", "1 month", "P1Y", "\u{202e}", "2026-11-21", " 5"] {
            let code = bad.parse::<Retention>().map_err(|error| error.code());
            assert_eq!(code, Err(codes::WRONG_USAGE), "{bad}");
        }
    }

    #[test]
    fn times_before_the_beginning_are_the_beginning() {
        assert_eq!(Retention::Age(Duration::MAX).installed_since(0), -i64::MAX);
        assert_eq!(Retention::Entries(1).installed_since(86_400_001), 1);
    }
}
