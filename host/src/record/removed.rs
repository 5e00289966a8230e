//! The texts that were redacted in an input, to redact them in the answer.

use std::{collections::BTreeSet, sync::LazyLock};

use adjudicate_core::{
    document::{Describe, definitions},
    evaluate::Envelope,
};

/// The words of the format: the envelope's field names and their enumerated values. They reveal nothing, even if an object that
/// contains them is redacted.
static WORDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let definitions = definitions(&Envelope::describe());
    definitions.into_iter().flat_map(|definition| definition.words()).chain(OTHER_WORDS).collect()
});

/// The words of the format that no type declares: those of calls, JSON, transcripts and policy events.
const OTHER_WORDS: [&str; 13] = [
    "agent", "artifact", "critical", "debug", "envelope", "evaluate", "false", "info", "intent", "null",
    "policy", "true", "warning",
];

/// Shorter texts are not searched for, because they occur in every answer.
const SHORTEST_ECHO: usize = 4;

/// True if a redacted text reveals something about the input.
pub(super) fn is_telling(text: &str) -> bool {
    text.len() >= SHORTEST_ECHO && !WORDS.contains(text)
}

/// The texts that were redacted in an input.
#[derive(Debug, Default)]
pub(super) struct Removed {
    /// Sorted. No text begins with another one. So the greatest text that is not above a candidate is the only one with which the
    /// candidate can begin.
    texts: Vec<String>,
}

impl Removed {
    pub(super) fn new(texts: BTreeSet<String>) -> Self {
        let mut kept: Vec<String> = Vec::new();
        for text in texts {
            if kept.last().is_none_or(|last| !text.starts_with(last.as_str())) {
                kept.push(text);
            }
        }
        Self { texts: kept }
    }

    /// True if the text contains a redacted text.
    pub(super) fn is_in(&self, text: &str) -> bool {
        !self.texts.is_empty()
            && text.char_indices().any(|(at, _)| self.begins(text.get(at..).unwrap_or_default()))
    }

    fn begins(&self, text: &str) -> bool {
        let above = self.texts.partition_point(|removed| removed.as_str() <= text);
        let candidate = above.checked_sub(1).and_then(|at| self.texts.get(at));
        candidate.is_some_and(|removed| text.starts_with(removed.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_format_reveal_nothing() {
        for word in
            ["status", "completed", "RUN_VALIDATION", "rationale", "action", "item", "warning", "true"]
        {
            assert!(!is_telling(word), "{word}");
        }
        assert!(is_telling("deploy-key") && !is_telling("key"));
        assert!(OTHER_WORDS.iter().all(|word| word.len() >= SHORTEST_ECHO));
    }

    #[test]
    fn redacted_texts_are_found_wherever_they_occur() {
        let texts = ["abcd", "abcde", "abce", "bbbb", "日本語"].map(str::to_owned);
        let removed = Removed::new(texts.iter().cloned().collect());
        let letters = ["a", "b", "c", "d", "e", "日", "本語"];
        // All texts of six of these letters.
        for number in 0..letters.len().pow(6) {
            let text: String =
                (0..6).map(|place| letters[number / letters.len().pow(place) % letters.len()]).collect();
            assert_eq!(removed.is_in(&text), texts.iter().any(|removed| text.contains(removed)), "{text}");
        }
    }
}
