//! Arguments of tasks that take numbers: `--minutes 10`, `--minutes=10`, and names.

use std::ops::RangeInclusive;

/// Returns the numbers of the known options, in their order, and the names. Each option has a range.
///
/// # Errors
///
/// The reason why an argument is invalid, for the person who wrote it: an unknown option, or a value that is no whole
/// number in the range.
pub(crate) fn read<'a, const N: usize>(
    task: &str,
    known: [(&str, RangeInclusive<u64>); N],
    arguments: &'a [String],
) -> Result<([Option<u64>; N], Vec<&'a str>), String> {
    let (mut numbers, mut names) = ([None; N], Vec::new());
    let mut rest = arguments.iter().map(String::as_str);
    while let Some(argument) = rest.next() {
        if !argument.starts_with('-') {
            names.push(argument);
            continue;
        }
        let (option, value) = argument.split_once('=').map_or((argument, None), |(a, b)| (a, Some(b)));
        let place = numbers.iter_mut().zip(&known).find(|(_, (known, _))| *known == option);
        let Some((number, (_, range))) = place else { return Err(format!("`{task}` knows no `{option}`")) };
        let value = value.or_else(|| rest.next()).unwrap_or_default();
        let read = value.parse().ok().filter(|read| range.contains(read));
        *number = Some(read.ok_or_else(|| {
            let end = if *range.end() == u64::MAX { String::new() } else { format!(" to {}", range.end()) };
            format!("`{option}` takes a whole number from {}{end}, not `{value}`", range.start())
        })?);
    }
    Ok((numbers, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<([Option<u64>; 2], Vec<String>), String> {
        let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        read("soak", [("--minutes", 0..=u64::MAX), ("--calls", 4..=9)], &arguments)
            .map(|(numbers, names)| (numbers, names.into_iter().map(str::to_owned).collect()))
    }

    #[test]
    fn numbers_follow_their_options_and_names_stand_anywhere() {
        assert_eq!(of(""), Ok(([None, None], vec![])));
        assert_eq!(of("a --calls=7 b --minutes 60"), Ok(([Some(60), Some(7)], vec!["a".into(), "b".into()])));
        assert_eq!(of("--minutes 0"), Ok(([Some(0), None], vec![])));
    }

    #[test]
    fn other_values_are_errors() {
        for (line, message) in [
            ("--hours 1", "`soak` knows no `--hours`"),
            ("--calls", "`--calls` takes a whole number from 4 to 9, not ``"),
            ("--calls 3", "`--calls` takes a whole number from 4 to 9, not `3`"),
            ("--calls 10", "`--calls` takes a whole number from 4 to 9, not `10`"),
            ("--minutes -1", "`--minutes` takes a whole number from 0, not `-1`"),
            ("--minutes=1.5", "`--minutes` takes a whole number from 0, not `1.5`"),
        ] {
            assert_eq!(of(line), Err(message.to_owned()), "{line}");
        }
    }
}
