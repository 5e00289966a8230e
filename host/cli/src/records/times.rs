//! Ranges of time on the command line.

use adjudicate_core::Error;
use clap::Args;
use jiff::{Span, SpanRelativeTo, Timestamp, civil::Date, tz::TimeZone};

use crate::codes;

/// A range of time.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct TimeRange {
    /// Only records from this time on, such as 2026-11-21T12:00:00Z, 2026-11-21 or 36h
    ///
    /// A date is midnight in UTC. An age such as 36h or 7d counts back from now.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) since: Option<i64>,
    /// Only records before this time
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) until: Option<i64>,
}

/// Parses a time: a point in time, a day, or an age. Returns milliseconds since 1970.
fn time(text: &str) -> Result<i64, Error> {
    let instant = text.parse::<Timestamp>().ok();
    // The length excludes a time of day without a zone, which would parse as its day.
    let day = || {
        text.parse::<Date>()
            .ok()
            .filter(|_| text.len() == 10)?
            .to_zoned(TimeZone::UTC)
            .ok()
            .map(|day| day.timestamp())
    };
    let age = || {
        // A day is 24 hours, independent of any time zone.
        let age = text.parse::<Span>().ok().filter(|age| !age.is_negative())?;
        let age = age.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
        Timestamp::now().checked_sub(age).ok()
    };
    let time = instant.or_else(day).or_else(age).map(Timestamp::as_millisecond);
    time.ok_or_else(|| {
        let message = format!(
            "`{text}` is no time: expected for instance `2026-11-21T12:00:00Z`, `2026-11-21` or `36h`"
        );
        Error::new(codes::WRONG_USAGE, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_points_days_and_ages() {
        assert_eq!(time("2026-11-21T12:00:00+02:00"), Ok(1_795_255_200_000));
        assert_eq!(time("2026-11-21"), Ok(1_795_219_200_000));
        // `now` is read second: in the other order, a millisecond could pass in between and make the age too small.
        let age_of = |text: &str| {
            let then = time(text).unwrap();
            Timestamp::now().as_millisecond() - then
        };
        let age = age_of("1h30m");
        assert!((5_400_000..5_500_000).contains(&age), "{age}");
        let age = age_of("7d");
        assert!((604_800_000..604_900_000).contains(&age), "{age}");
        for bad in ["", "yesterday", "2026-13-01", "-2h", "12", "2026-11-21T12:00:00"] {
            assert!(time(bad).is_err(), "{bad}");
        }
    }
}
