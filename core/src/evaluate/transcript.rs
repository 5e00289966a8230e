//! Intent and claims from the transcript summary (docs/reference/text-formats.md).
//!
//! Reads a JSON object, or lines `key: value, value`. Only the keys `intent` and `claims` count, with the words that the types
//! know; everything else is ignored.

use alloc::vec::Vec;

use adjudicate_lang::json::{self, Node, ReadLimits};

use crate::documents::evidence::{Claim, Intent};

/// The intent and claims of a transcript; `None` is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Transcript {
    /// The purpose of the step; also unknown if the transcript contradicts itself.
    pub intent: Option<Intent>,
    /// The claims, in the order given; unknown without a known word.
    pub claims: Option<Vec<Claim>>,
}

impl Transcript {
    /// Reads a summary.
    pub(super) fn read(text: &str) -> Self {
        let mut words = Words::default();
        if text.trim_start().starts_with('{')
            && let Ok(tape) = json::read(text.as_bytes(), ReadLimits::DOCUMENT)
        {
            for (key, value) in tape.root().members() {
                words.member(key.trim(), value);
            }
        } else {
            for (key, values) in text.lines().filter_map(|line| line.split_once(':')) {
                words.list(key.trim(), values);
            }
        }
        words.finish()
    }
}

/// The known words found so far.
#[derive(Default)]
struct Words {
    intents: Vec<Intent>,
    claims: Vec<Claim>,
}

impl Words {
    /// Reads a field of the JSON form: a text like a line's, or a list of texts.
    fn member(&mut self, key: &str, value: Node<'_>) {
        if let Some(text) = value.as_str() {
            self.list(key, text);
        }
        for item in value.items().filter_map(Node::as_str) {
            self.word(key, item.trim());
        }
    }

    fn list(&mut self, key: &str, values: &str) {
        for value in values.split(',') {
            self.word(key, value.trim());
        }
    }

    fn word(&mut self, key: &str, word: &str) {
        match key {
            "intent" => self.intents.extend(intent(word)),
            "claims" => self.claims.extend(claim(word)),
            _ => {}
        }
    }

    fn finish(self) -> Transcript {
        let first = self.intents.first().copied();
        let intent = first.filter(|first| self.intents.iter().all(|intent| intent == first));
        let claims = (!self.claims.is_empty()).then_some(self.claims);
        Transcript { intent, claims }
    }
}

fn intent(word: &str) -> Option<Intent> {
    Some(match word {
        "implement" => Intent::Implement,
        "fix" => Intent::Fix,
        "review" => Intent::Review,
        "investigate" => Intent::Investigate,
        "document" => Intent::Document,
        "other" => Intent::Other,
        _ => return None,
    })
}

fn claim(word: &str) -> Option<Claim> {
    Some(match word {
        "implemented" => Claim::Implemented,
        "fixed" => Claim::Fixed,
        "tests_passed" => Claim::TestsPassed,
        "error_reported" => Claim::ErrorReported,
        "no_change_needed" => Claim::NoChangeNeeded,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms() {
        use Claim::{Fixed, Implemented, TestsPassed};
        type Case<'c> = (&'c str, Option<Intent>, Option<&'c [Claim]>);
        let cases: &[Case<'_>] = &[
            ("", None, None),
            ("All done, tests pass: claims are fine.", None, None),
            (
                "intent: implement\nclaims: implemented , tests_passed\n",
                Some(Intent::Implement),
                Some(&[Implemented, TestsPassed]),
            ),
            (" claims :fixed\r\nclaims: implemented, shiny", None, Some(&[Fixed, Implemented])),
            ("intent: fix\nintent: fix", Some(Intent::Fix), None),
            ("intent: fix, implement", None, None),
            ("Intent: fix\nCLAIMS: fixed", None, None),
            ("intent: Fix", None, None),
            (
                r#"{"intent": "fix", "claims": ["fixed", " tests_passed ", 3], "note": {}}"#,
                Some(Intent::Fix),
                Some(&[Fixed, TestsPassed]),
            ),
            (
                r#" {"intent": ["fix"], "claims": "fixed, implemented"}"#,
                Some(Intent::Fix),
                Some(&[Fixed, Implemented]),
            ),
            (r#"{"claims": []}"#, None, None),
            ("{\"claims\": [\"fixed\"\nclaims: implemented", None, Some(&[Implemented])),
            (r#"["intent"]"#, None, None),
        ];
        for (text, intent, claims) in cases {
            let expected = Transcript { intent: *intent, claims: claims.map(Vec::from) };
            assert_eq!(Transcript::read(text), expected, "{text:?}");
        }
    }
}
