//! The texts of an answer that stay in the record of a redacted call.

use std::{collections::BTreeSet, sync::LazyLock};

use adjudicate_core::{
    RuleCode,
    check::CheckCode,
    document::definitions,
    json::{self, Kind, Node, Pointer},
    plan::PlanCode,
    schemas,
};

/// The words of all formats: names of fields, enumerated values, and the codes of rules and of static findings. They reveal nothing,
/// even if a redacted value contains them.
static WORDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let described = schemas::all().flat_map(|document| definitions(&(document.describe)()));
    let words = described.flat_map(|definition| definition.words().collect::<Vec<_>>());
    let rules = RuleCode::ALL.iter().map(|code| code.row());
    let rules = rules.flat_map(|rule| [Some(rule.name), rule.flag, rule.blocker]).flatten();
    let checks = CheckCode::ALL.iter().map(|code| code.as_str());
    let plans = PlanCode::ALL.iter().map(|code| code.as_str());
    words.chain(rules).chain(checks).chain(plans).collect()
});

/// The name in the replacement for redacted values.
const REDACTED: &str = "x-redacted";

/// The length in bytes from which a text is compared. Shorter texts stay, because they occur in every answer.
const SHORTEST: usize = 4;

/// The length in bytes up to which a text of an answer can stay. Longer texts are removed: an answer has names and paths whole, and
/// cuts longer texts. So a crafted text costs little time.
pub(super) const LONGEST: usize = 256;

/// The texts of an answer that stay if values of the input were redacted. [`input`](super::input) returns them for
/// [`answer`](super::answer).
///
/// An answer tells of the input in messages, in lines, with escapes, cut, and in forms that only its module knows. So a text of the
/// answer stays only if it is known to reveal nothing.
#[derive(Debug)]
pub struct KnownTexts {
    /// Texts outside of the redacted values.
    kept: BTreeSet<String>,
    /// Texts in the redacted values, cut to [`LONGEST`], sorted. None begins with another one. So the greatest text that is not above a candidate is the
    /// only one with which the candidate can begin.
    removed: Vec<String>,
}

impl KnownTexts {
    pub(super) fn new(kept: BTreeSet<String>, redacted: BTreeSet<String>) -> Self {
        let is_telling = |text: &String| text.len() >= SHORTEST && !WORDS.contains(text.as_str());
        let mut removed: Vec<String> = Vec::new();
        for mut text in redacted.into_iter().filter(is_telling) {
            text.truncate(text.floor_char_boundary(LONGEST));
            if removed.last().is_none_or(|last| !text.starts_with(last.as_str())) {
                removed.push(text);
            }
        }
        Self { kept, removed }
    }

    /// True if no redacted value has a text that is compared.
    pub(super) const fn is_empty(&self) -> bool {
        self.removed.is_empty()
    }

    /// Adds the places of the values that contain a text of the redacted values, and of the objects with such a name: at most `most`.
    pub(super) fn places(&self, node: Node<'_>, path: &Pointer, most: usize, places: &mut Vec<String>) {
        if places.len() >= most {
            return;
        }
        let mut names = node.members().map(|(name, _)| name).filter(|name| *name != REDACTED);
        if text_of(node).is_some_and(|text| self.is_in(&text)) || names.any(|name| self.is_in(name)) {
            places.push(path.clone().into_string());
            return;
        }
        for (index, item) in node.items().enumerate() {
            self.places(item, &path.clone().index(index), most, places);
        }
        for (name, member) in node.members() {
            self.places(member, &path.clone().key(name), most, places);
        }
    }

    /// True if a value of an answer is neither a list nor an object, and may reveal a redacted value.
    pub(super) fn bars(&self, node: Node<'_>) -> bool {
        match node.kind() {
            Kind::Integer | Kind::Float => !self.allows(&json::canonical(node)),
            _ => node.as_str().is_some_and(|text| !self.allows(text)),
        }
    }

    /// True if a text is short, a word of a format, a whole text of the input outside of the redacted values, or a JSON Pointer.
    pub(super) fn allows(&self, text: &str) -> bool {
        self.is_known(text) || text.len() <= LONGEST && !self.is_in(text) && self.is_pointer(text)
    }

    /// True if a text is a pointer that begins with a word. The path of a file may have only short names, so such names must be
    /// known, too, or be indices.
    fn is_pointer(&self, text: &str) -> bool {
        let mut segments = text.split('/').map(json::unescape_segment);
        let is_index = |segment: &str| segment.bytes().all(|byte| byte.is_ascii_digit());
        segments.next().is_some_and(|before| before.is_empty())
            && segments.next().is_some_and(|first| WORDS.contains(first.as_str()))
            && segments.all(|segment| match segment.len() < SHORTEST {
                true => is_index(&segment) || self.kept.contains(&segment),
                false => self.is_known(&segment),
            })
    }

    fn is_known(&self, text: &str) -> bool {
        text.len() < SHORTEST
            || WORDS.contains(text)
            || (is_searched(text) && self.kept.contains(text) && !self.is_in(text))
    }

    /// True if the text contains a text of the redacted values.
    fn is_in(&self, text: &str) -> bool {
        text.char_indices().any(|(at, _)| {
            let rest = text.get(at..).unwrap_or_default();
            let above = self.removed.partition_point(|removed| removed.as_str() <= rest);
            let candidate = above.checked_sub(1).and_then(|at| self.removed.get(at));
            candidate.is_some_and(|removed| rest.starts_with(removed.as_str()))
        })
    }
}

/// A text, or the canonical form of a number.
pub(super) fn text_of(node: Node<'_>) -> Option<String> {
    match node.kind() {
        Kind::Integer | Kind::Float => Some(json::canonical(node)),
        _ => node.as_str().map(str::to_owned),
    }
}

const fn is_searched(text: &str) -> bool {
    text.len() >= SHORTEST && text.len() <= LONGEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_formats_stay() {
        let secret = ["completed", "deploy-key"].map(str::to_owned);
        let known = KnownTexts::new(BTreeSet::new(), secret.into());
        for word in ["status", "completed", "review_issue", "rationale", "no", "/evidence/validation/17"] {
            assert!(known.allows(word), "{word}");
        }
        for text in [
            "/etc/ssh/key",
            "/12/05/99",
            "/evidence/a",
            "deploy-key",
            "completed with a message",
            "/evidence/deploy-key",
            "/evidence/elsewhere",
        ] {
            assert!(!known.allows(text), "{text}");
        }
    }

    #[test]
    fn redacted_texts_are_found_wherever_they_occur() {
        let texts = ["abcd", "abcde", "abce", "bbbb", "日本語"].map(str::to_owned);
        let letters = ["a", "b", "c", "d", "e", "日", "本語"];
        // All texts of six of these letters.
        let all: BTreeSet<String> = (0..letters.len().pow(6))
            .map(|number| {
                (0..6).map(|place| letters[number / letters.len().pow(place) % letters.len()]).collect()
            })
            .collect();
        let known = KnownTexts::new(all.clone(), texts.iter().cloned().collect());
        for text in all {
            assert_eq!(known.allows(&text), !texts.iter().any(|removed| text.contains(removed)), "{text}");
        }
    }
}
