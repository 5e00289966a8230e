//! Patterns that match no usual name, because they use special characters of other dialects, which are literal here
//! (docs/reference/text-formats.md).

mod test_lists;

use alloc::{
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_lang::{
    Steps, is_hidden,
    json::Pointer,
    logic::{Operator, Value},
    paths::{Glob, alternatives},
};

use super::{
    candidates::glob_example, finding::CheckFindings, inputs::Checked, routes, subject::Subject,
    verifier::Verifier,
};
use crate::documents::{check_code::CheckCode, check_finding::CheckFinding, policy::Outside};

/// The budget for all patterns; beyond it, the remaining ones are not checked.
const STEPS: u64 = 20_000_000;

/// The names that patterns match.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Matched {
    /// Paths below the root.
    Paths,
    /// Paths, also outside of the root.
    AllPaths,
    /// Ids of tests, which may have any characters.
    Ids,
}

/// The problem of a pattern, and its correction.
struct Fault {
    message: &'static str,
    hint: &'static str,
    /// The pattern that was probably meant.
    meant: Option<String>,
}

/// Reports such patterns in every list of the policy and in the conditions of its rules.
pub(super) fn check<'p>(checked: Checked<'p>, verifier: &mut Verifier<'p>, findings: &mut CheckFindings) {
    let policy = checked.policy;
    let mut steps = Steps::new(STEPS);
    // If outside paths are allowed, a pattern may match them.
    let changed = if policy.outside() == Outside::Allow { Matched::AllPaths } else { Matched::Paths };
    for (list, globs) in routes::path_lists(policy) {
        let are_changes = matches!(list, "/forbidden_paths" | "/protected_paths" | "/allowed_paths");
        let matched = if are_changes { changed } else { Matched::Paths };
        in_list(&Pointer::new(list), globs, matched, &mut steps, &mut |finding, meant| {
            let path = meant.filter(|_| are_changes).map(|meant| glob_example(&meant));
            let witness = path.and_then(|path| routes::changed(policy, &path, verifier));
            let is_allowed = list == "/allowed_paths";
            let witness = witness.filter(|witness| routes::is_noticed(witness) == is_allowed);
            findings.push(finding.shown_by(witness));
        });
    }
    for (role, globs) in policy.routes() {
        let list = Pointer::new("/routes").key(role.as_str());
        in_list(&list, globs, Matched::Paths, &mut steps, &mut |finding, _| findings.push(finding));
    }
    test_lists::check(policy, &mut steps, findings);
    for (place, rule) in policy.rules().iter().enumerate() {
        in_rule(&Subject::new(checked, place, rule), changed, &mut steps, findings);
    }
}

/// Passes a finding for each problem in a list to `found`, with the pattern that was probably meant.
fn in_list(
    list: &Pointer,
    globs: &[Glob],
    matched: Matched,
    steps: &mut Steps,
    found: &mut dyn FnMut(CheckFinding, Option<String>),
) {
    for (index, glob) in globs.iter().enumerate() {
        let Some(fault) = fault(glob.text(), matched, steps) else { continue };
        found(finding(list.clone().index(index).into_string(), glob.text(), &fault), fault.meant);
    }
}

/// Checks the patterns among the constants of a condition.
fn in_rule(subject: &Subject<'_>, matched: Matched, steps: &mut Steps, findings: &mut CheckFindings) {
    let mut pending = Vec::from([subject.rule.condition().root()]);
    while let Some(part) = pending.pop() {
        pending.extend(part.operands().rev());
        if part.operator() != Some(Operator::Glob) {
            continue;
        }
        let Some(pattern) = part.operands().nth(1) else { continue };
        let Some(text) = pattern.constant().and_then(Value::as_text) else { continue };
        if let Some(fault) = fault(text, matched, steps) {
            let path = subject.path("/when") + &pattern.pointer();
            findings.push(finding(path, text, &fault).about(subject.rule.id()));
        }
    }
}

fn finding(path: String, pattern: &str, fault: &Fault) -> CheckFinding {
    let message = format!("`{pattern}` {}", fault.message);
    let finding = CheckFinding::new(CheckCode::UnmatchablePattern, path, message);
    match &fault.meant {
        Some(meant) => finding.hint(format!("{} `{meant}`", fault.hint)),
        None => finding.hint(fault.hint),
    }
}

/// The first problem of a pattern.
fn fault(pattern: &str, matched: Matched, steps: &mut Steps) -> Option<Fault> {
    let (takes_outside, is_path) = (matched != Matched::Paths, matched != Matched::Ids);
    let fault = |message, hint, meant| Some(Fault { message, hint, meant });
    steps.spend(pattern.len()).ok()?;
    if pattern.chars().any(|character| character.is_ascii_control()) {
        let message = "has a line end or another control character, which is matched as it is";
        return fault(message, "write each pattern as an entry of its own", None);
    }
    if let Some(meant) = without_spaces_in_braces(pattern) {
        return fault("has a space inside of its braces, which is part of the name", "write", Some(meant));
    }
    let texts = alternatives(pattern, steps).ok()?;
    let any = |is_it: fn(&str) -> bool| texts.iter().any(|text| is_it(text));
    if any(|text| text.trim() != text) {
        let meant = Some(pattern.trim().to_string()).filter(|meant| meant != pattern);
        let hint = if meant.is_some() { "write" } else { "leave the white space out" };
        return fault("begins or ends with white space, which is part of the name", hint, meant);
    }
    if is_path && any(|text| text.starts_with('!')) {
        let hint = "remove the pattern, and list what it is an exception of by narrower patterns";
        return fault("begins with `!`, which is part of the name and makes no exception", hint, None);
    }
    let from_root = "write the path from the root of the workspace";
    if !takes_outside && any(|text| text.starts_with('~') && text.contains('/')) {
        return fault("begins with `~`, which is part of the name and no home directory", from_root, None);
    }
    if !takes_outside && any(has_drive) {
        return fault("begins with a drive letter, and paths begin at the workspace", from_root, None);
    }
    if !takes_outside && pattern.contains('\\') {
        let message = "has a backslash, which neither separates names nor escapes a character";
        return fault(message, "separate names by `/`:", Some(pattern.replace('\\', "/")));
    }
    if !takes_outside && any(has_scheme) {
        return fault("begins with a scheme, and paths begin at the workspace", from_root, None);
    }
    if any(|text| text.starts_with(is_hidden) || text.ends_with(is_hidden)) {
        let meant = Some(pattern.trim_matches(is_hidden).to_string());
        return fault(
            "begins or ends with an invisible character, which is part of the name",
            "write",
            meant,
        );
    }
    let is_quoted =
        pattern.contains('"') || pattern.starts_with(['\'', '`']) || pattern.ends_with(['\'', '`']);
    if is_path && is_quoted {
        let meant = pattern.trim_matches(['"', '\'', '`']);
        let meant = (!meant.contains('"')).then(|| meant.to_string());
        let hint = if meant.is_some() { "write" } else { "leave the quotes out" };
        return fault("has quotes, which are part of the name", hint, meant);
    }
    if let Some((meant, _)) = pattern.split_once(" #").filter(|_| is_path) {
        let meant = Some(meant.trim_end().to_string());
        return fault("has ` #`, which begins no comment and is part of the name", "write", meant);
    }
    if let Some((_, meant)) = pattern.split_once(':').filter(|(dialect, _)| DIALECTS.contains(dialect)) {
        let hint = "write the pattern alone, with `*`, `**`, `?` and `{a,b}`:";
        return fault(
            "begins with the name of a dialect, which is part of the name",
            hint,
            Some(meant.to_string()),
        );
    }
    if !is_path {
        return None;
    }
    if pattern.contains("@(") || pattern.contains("+(") {
        let hint = "write alternatives as `{a,b}`";
        return fault("has a group of another dialect, which is matched as it is", hint, None);
    }
    let own = "write each pattern as an entry of its own";
    let parts = top_level_parts(pattern);
    if parts.len() > 1 && parts.iter().all(|part| part.contains(['*', '/'])) {
        return fault("has a comma between two patterns, which is part of the name", own, None);
    }
    let mut words = pattern.split_whitespace();
    if words.clone().count() > 1 && words.all(|word| word.contains('*')) {
        return fault("has white space between two patterns, which is part of the name", own, None);
    }
    if any(has_class) {
        let hint = "write alternatives as `{a,b}`, and any one character as `?`";
        return fault("has a class of characters, which is matched as it is, brackets included", hint, None);
    }
    None
}

/// Prefixes by which other programs name the dialect of a pattern.
const DIALECTS: [&str; 5] = ["regex", "regexp", "re", "glob", "path"];

/// The parts of a pattern between commas outside of braces.
fn top_level_parts(pattern: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let is_comma = |character| {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0
    };
    pattern.split(is_comma).collect()
}

/// Returns true if a pattern begins with a scheme, such as `file://`.
fn has_scheme(pattern: &str) -> bool {
    pattern.split_once("://").is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'))
    })
}

/// The pattern without white space next to braces and their commas; `None` if there is none.
fn without_spaces_in_braces(pattern: &str) -> Option<String> {
    let mut kept = String::new();
    let mut depth = 0_usize;
    for character in pattern.chars() {
        if depth > 0 && character.is_whitespace() && kept.ends_with(['{', ',']) {
            continue;
        }
        if depth > 0 && matches!(character, '}' | ',') {
            kept.truncate(kept.trim_end().len());
        }
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        kept.push(character);
    }
    (kept != pattern).then_some(kept)
}

/// Returns true if a pattern begins with a drive letter: `C:`, alone or before a slash or a wildcard.
fn has_drive(pattern: &str) -> bool {
    let mut characters = pattern.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && characters.next() == Some(':')
        && matches!(characters.next(), None | Some('/' | '\\' | '*'))
}

/// Returns true if a segment has a non-empty `[...]`.
fn has_class(pattern: &str) -> bool {
    pattern.split('/').any(|segment| {
        let inner = segment.split_once('[').and_then(|(_, rest)| rest.rsplit_once(']'));
        inner.is_some_and(|(inner, _)| !inner.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_other_dialects_have_a_fault_and_those_of_this_one_have_none() {
        let mut steps = Steps::default();
        let mut fault = |pattern, matched| fault(pattern, matched, &mut steps).map(|fault| fault.meant);
        for (pattern, meant) in [
            (" src/**", Some("src/**")),
            ("src/**\u{a0}", Some("src/**")),
            ("src/**\n", None),
            ("a\r\nb", None),
            ("src/{a, b }", Some("src/{a,b}")),
            ("{ {a , b},c}/x", Some("{{a,b},c}/x")),
            (r"src\**", Some("src/**")),
            ("[ab].rs", None),
            ("src/[!a-z]*", None),
            ("!src/**", None),
            ("{src,!docs}/**", None),
            ("~/x", None),
            ("~me/x", None),
            ("C:/x", None),
            (r"c:\x", None),
            ("C:", None),
            ("file:///repo/deploy/**", None),
            ("\u{200b}src/**", Some("src/**")),
            ("src/**\u{feff}", Some("src/**")),
            ("\"src/**\"", Some("src/**")),
            ("'src/**'", Some("src/**")),
            ("src/\"a\"/**", None),
            ("secrets/** # all", Some("secrets/**")),
            ("regex:^src", Some("^src")),
            ("glob:src/*", Some("src/*")),
            ("@(a|b)/**", None),
            ("src/+(a|b)", None),
            ("*.pem, *.key", None),
            ("secrets/**,deploy/**", None),
            ("src/** docs/**", None),
        ] {
            assert_eq!(fault(pattern, Matched::Paths), Some(meant.map(String::from)), "{pattern:?}");
        }
        for pattern in [
            "my notes/**",
            "{my notes,x}/a",
            "a, b",
            "a,b/c",
            "{a/*,b/*}",
            "don't.txt",
            "a#b",
            "docs/My Notes/x",
            "notes: x",
            "*(copy)*",
            "http:/x",
            "a!",
            "~backup",
            "src/~/x",
            "c:x",
            "src/C:/x",
            "a[",
            "a]b[",
            "[]",
            "a[/b]",
            "{a,b}[0",
        ] {
            assert_eq!(fault(pattern, Matched::Paths), None, "{pattern:?}");
        }
        for pattern in ["~/x", "C:/x", r"src\x"] {
            assert_eq!(fault(pattern, Matched::AllPaths), None, "{pattern:?}");
        }
        for pattern in [" x", "a\n", "{a, b}", "regex:^a", "a\u{feff}"] {
            assert!(fault(pattern, Matched::AllPaths).is_some(), "{pattern:?}");
            assert!(fault(pattern, Matched::Ids).is_some(), "{pattern:?}");
        }
        for pattern in
            ["test_a[1-2]", "!a", "a, b/*", "says \"a\"", "a #1", r"App\Tests::*", "f+(x)", "* > *"]
        {
            assert_eq!(fault(pattern, Matched::Ids), None, "{pattern:?}");
        }
    }
}
