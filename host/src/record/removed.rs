//! Texts that were taken out of an input, so that an answer does not tell them again.

use std::collections::BTreeSet;

use super::words::WORDS;

/// Texts shorter than this are not looked for in answers: they are in every one.
const SHORTEST_ECHO: usize = 4;

/// Whether a text that is taken out tells anything of what it was taken from.
pub(super) fn is_telling(text: &str) -> bool {
    text.len() >= SHORTEST_ECHO && WORDS.binary_search(&text).is_err()
}

/// The texts that were taken out of an input, so that an answer does not tell them again.
#[derive(Debug, Default)]
pub(super) struct Removed {
    /// Sorted; none begins with another, so the greatest that is not above a text is the only one that it may begin with.
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

    /// Whether one of the texts is in this one.
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
    fn words_are_sorted_to_be_found() {
        assert!(WORDS.is_sorted() && WORDS.iter().all(|word| word.len() >= SHORTEST_ECHO));
    }

    #[test]
    fn texts_are_found_by_the_only_one_that_may_begin_there() {
        let texts = ["abcd", "abcde", "abce", "bbbb", "日本語"].map(str::to_owned);
        let removed = Removed::new(texts.iter().cloned().collect());
        let letters = ["a", "b", "c", "d", "e", "日", "本語"];
        // All texts of six letters over these.
        for number in 0..letters.len().pow(6) {
            let text: String =
                (0..6).map(|place| letters[number / letters.len().pow(place) % letters.len()]).collect();
            assert_eq!(removed.is_in(&text), texts.iter().any(|removed| text.contains(removed)), "{text}");
        }
    }
}
