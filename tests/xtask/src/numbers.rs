//! Command lines of tasks that take numbers: `--minutes 10`, `--minutes=10`, and names.

/// The numbers of the options that are known, in their order, and the names beside them.
///
/// # Errors
///
/// What is wrong with it, for the person who wrote it: an option that is not known, or a value that is no whole number from 1.
pub(crate) fn read<'a, const N: usize>(
    task: &str,
    known: [&str; N],
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
        let place = known.iter().position(|known| *known == option);
        let number = place.and_then(|place| numbers.get_mut(place));
        let Some(number) = number else { return Err(format!("`{task}` knows no `{option}`")) };
        let value = value.or_else(|| rest.next()).unwrap_or_default();
        let read = value.parse().ok().filter(|read| *read > 0);
        *number = Some(read.ok_or_else(|| format!("`{option}` takes a whole number from 1, not `{value}`"))?);
    }
    Ok((numbers, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<([Option<u64>; 2], Vec<String>), String> {
        let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        read("soak", ["--minutes", "--calls"], &arguments)
            .map(|(numbers, names)| (numbers, names.into_iter().map(str::to_owned).collect()))
    }

    #[test]
    fn numbers_stand_behind_their_options_and_names_anywhere() {
        assert_eq!(of(""), Ok(([None, None], vec![])));
        assert_eq!(of("a --calls=7 b --minutes 60"), Ok(([Some(60), Some(7)], vec!["a".into(), "b".into()])));
    }

    #[test]
    fn anything_else_is_told() {
        for (line, message) in [
            ("--hours 1", "`soak` knows no `--hours`"),
            ("--calls", "`--calls` takes a whole number from 1, not ``"),
            ("--calls 0", "`--calls` takes a whole number from 1, not `0`"),
            ("--calls -1", "`--calls` takes a whole number from 1, not `-1`"),
            ("--minutes=1.5", "`--minutes` takes a whole number from 1, not `1.5`"),
        ] {
            assert_eq!(of(line), Err(message.to_owned()), "{line}");
        }
    }
}
