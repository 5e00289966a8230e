//! Commit subjects: `area: imperative`, at most 72 characters.

use super::{Rule, Violation};

/// The arguments of git that list the commits. Those before this day were written under other rules.
pub(super) const LOG: [&str; 5] = ["log", "--no-merges", "--since", "2026-11-25T00:00:00Z", "--format=%h %s"];

/// Adds each commit whose subject breaks the form.
pub(super) fn judge(log: &str, violations: &mut Vec<Violation>) {
    for line in log.lines() {
        let (commit, subject) = line.split_once(' ').unwrap_or((line, ""));
        if let Some(fault) = fault(subject) {
            let text = format!("{subject} ({fault})");
            violations.push(Violation { rule: Rule::Commit, location: commit.to_owned(), text });
        }
    }
}

fn fault(subject: &str) -> Option<&'static str> {
    let Some((area, deed)) = subject.split_once(": ") else { return Some("no `area: `") };
    if area.is_empty() || area.contains(char::is_whitespace) {
        return Some("the area is one word");
    }
    if subject.chars().count() > 72 {
        return Some("over 72 characters");
    }
    if deed.ends_with('.') {
        return Some("a full stop at the end");
    }
    let first = deed.split_whitespace().next().unwrap_or_default();
    let is_verb = first.chars().all(|sign| sign.is_ascii_lowercase() || sign == '-');
    // A noun or a participle of other words may pass; these forms are never imperatives.
    let is_other = ["the", "a", "an", "what", "who", "that", "this", "no"].contains(&first)
        || first.ends_with("ing") && !["bring", "ring", "string"].contains(&first);
    (!is_verb || is_other).then_some("it begins with no imperative")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects() {
        assert_eq!(fault("slots: test that a partial change keeps concurrent changes"), None);
        for subject in [
            "Fix a typo",
            "slots, trust: name things",
            "slots: What changes one thing",
            "slots: fixing a typo",
            "slots: the table of words",
            "slots: fix a typo.",
            "",
        ] {
            assert!(fault(subject).is_some(), "{subject}");
        }
        assert!(fault(&format!("slots: fix {}", "x".repeat(70))).is_some());
    }
}
