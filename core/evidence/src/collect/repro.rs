//! Commands that run one case again.

use alloc::{borrow::Cow, format, string::String};

use crate::CaseResult;

/// Returns a word as the POSIX shell reads it back.
///
/// ```
/// use adjudicate_evidence::collect::quote;
/// assert_eq!(quote("src/cart.rs"), "src/cart.rs");
/// assert_eq!(quote("it's $HOME"), r"'it'\''s $HOME'");
/// ```
#[must_use]
pub fn quote(word: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:=@%+,".contains(&byte);
    match !word.is_empty() && word.bytes().all(is_plain) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(format!("'{}'", word.replace('\'', r"'\''"))),
    }
}

/// Fills in a template. Returns `None` if the case has no value for one of its placeholders.
pub(super) fn fill(template: &str, case: &CaseResult) -> Option<String> {
    let mut filled = String::new();
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        let (before, from) = rest.split_at(start);
        filled.push_str(before);
        let file = || Some(case.location.as_ref()?.file.clone());
        let line = || Some(format!("{}", case.location.as_ref()?.line?));
        let (value, length) = match from {
            _ if from.starts_with("{case}") => (case.id.clone(), 6),
            _ if from.starts_with("{file}") => (file()?, 6),
            _ if from.starts_with("{line}") => (line()?, 6),
            _ => {
                filled.push('{');
                rest = from.get(1..).unwrap_or_default();
                continue;
            }
        };
        filled.push_str(&quote(&value));
        rest = from.get(length..).unwrap_or_default();
    }
    filled.push_str(rest);
    Some(filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CaseStatus, Location};

    #[test]
    fn templates_are_filled_in() {
        let place = Location { file: "a b.py".into(), line: Some(3) };
        let case = |location| CaseResult {
            id: "x; rm -rf /".into(),
            status: CaseStatus::Failed,
            message: None,
            file: None,
            location,
            duration_ms: None,
        };
        let with = case(Some(place));
        for (template, expected) in [
            ("pytest {file} -k {case}", "pytest 'a b.py' -k 'x; rm -rf /'"),
            ("go {line}{line}", "go 33"),
            ("awk '{print}' {", "awk '{print}' {"),
            ("{{case}}", "{'x; rm -rf /'}"),
        ] {
            assert_eq!(fill(template, &with).as_deref(), Some(expected), "{template}");
        }
        assert_eq!(fill("pytest {file}", &case(None)), None);
    }
}
