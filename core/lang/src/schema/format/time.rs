//! Dates, times and durations (RFC 3339).

/// Parses exactly `count` digits at the start. Returns the number and the rest.
fn number(text: &str, count: usize) -> Option<(u32, &str)> {
    let (digits, rest) = text.split_at_checked(count)?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| Some((digits.parse().ok()?, rest))).flatten()
}

pub(super) fn is_date(text: &str) -> bool {
    date(text) == Some("")
}

pub(super) fn is_time(text: &str) -> bool {
    time(text).is_some()
}

/// Returns true for a time of RFC 3339, section 5.6, with a date and an offset.
///
/// ```
/// use adjudicate_lang::schema::is_date_time;
/// assert!(is_date_time("2026-11-21T19:30:00Z") && is_date_time("2016-12-31T23:59:60.5+00:00"));
/// assert!(!is_date_time("2026-11-21T19:30:00") && !is_date_time("2026-02-29T00:00:00Z"));
/// ```
#[must_use]
pub fn is_date_time(text: &str) -> bool {
    date(text).and_then(|rest| time(rest.strip_prefix(['T', 't'])?)).is_some()
}

/// Parses a date. Returns the rest.
fn date(text: &str) -> Option<&str> {
    let (year, rest) = number(text, 4)?;
    let (month, rest) = number(rest.strip_prefix('-')?, 2)?;
    let (day, rest) = number(rest.strip_prefix('-')?, 2)?;
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(is_leap),
        _ => 0,
    };
    (1..=days).contains(&day).then_some(rest)
}

/// Returns `Some` for a time with an offset.
fn time(text: &str) -> Option<()> {
    let (hour, rest) = number(text, 2)?;
    let (minute, rest) = number(rest.strip_prefix(':')?, 2)?;
    let (second, mut rest) = number(rest.strip_prefix(':')?, 2)?;
    if let Some(fraction) = rest.strip_prefix('.') {
        rest = fraction.trim_start_matches(|character: char| character.is_ascii_digit());
        (rest.len() < fraction.len()).then_some(())?;
    }
    // The offset of local time from UTC, in minutes.
    let ahead = match rest {
        "Z" | "z" => 0,
        _ => {
            let (hours, minutes) = number(rest.strip_prefix(['+', '-'])?, 2)?;
            let (minutes, end) = number(minutes.strip_prefix(':')?, 2)?;
            (hours < 24 && minutes < 60 && end.is_empty()).then_some(())?;
            let ahead = (hours * 60 + minutes).cast_signed();
            if rest.starts_with('-') { -ahead } else { ahead }
        }
    };
    let of_day = (hour * 60 + minute).cast_signed() - ahead;
    // A leap second ends a day in UTC.
    let is_leap = second == 60 && of_day.rem_euclid(24 * 60) == 24 * 60 - 1;
    (hour < 24 && minute < 60 && (second < 60 || is_leap)).then_some(())
}

pub(super) fn is_duration(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('P') else { return false };
    let (date, time) = rest.split_once('T').map_or((rest, None), |(date, time)| (date, Some(time)));
    match time {
        None => is_run(date, "YMD") || is_run(date, "W"),
        Some(time) => (date.is_empty() || is_run(date, "YMD")) && is_run(time, "HMS"),
    }
}

/// Returns whether a text is a list of numbers with consecutive units.
fn is_run(text: &str, mut units: &str) -> bool {
    let mut rest = text;
    let mut is_first = true;
    while !rest.is_empty() {
        let unit = rest.trim_start_matches(|character: char| character.is_ascii_digit());
        let Some((letter, next)) = unit.split_at_checked(1).filter(|_| unit.len() < rest.len()) else {
            return false;
        };
        match units.find(letter) {
            Some(at) if at == 0 || is_first => units = units.get(at + 1..).unwrap_or_default(),
            _ => return false,
        }
        (rest, is_first) = (next, false);
    }
    !is_first
}
