//! Rules for one sentence: its opening, its words and its length.

use super::{Rule, Violation};

/// A sentence of a comment, of documentation or of a message.
pub(super) struct Sentence {
    /// The path of the file, and the line in which the sentence begins.
    pub(super) path: String,
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) kind: SentenceKind,
}

/// The place of a sentence in its file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SentenceKind {
    /// A comment, or the text of a page.
    Prose,
    /// A string literal. Its length is not checked.
    Literal,
}

/// The most words of a sentence.
pub(super) const LONGEST: usize = 30;

/// First words of a sentence that leave its subject unnamed, or make a clause its subject.
const OPENINGS: [&str; 9] = ["What", "Who", "Whoever", "Whether", "That", "How", "Where", "Why", "Which"];

/// Each word of the old dialect with the field's term.
const TERMS: [(&str, &str); 39] = [
    ("gravest", "most severe"),
    ("graver", "more severe"),
    ("gravity", "severity"),
    ("anew", "again"),
    ("but for", "except"),
    ("all the same", "still"),
    ("a stranger", "an unauthenticated client"),
    ("strangers", "unauthenticated clients"),
    ("nobody", "name the absent thing"),
    ("somebody", "name the person or program"),
    ("anybody", "name the person or program"),
    ("whoever", "name the person or program"),
    ("a person", "a human"),
    ("in force", "active"),
    ("made up", "invalid or forged"),
    ("knows better", "name the component and its knowledge"),
    ("is told as", "is reported as"),
    ("are told as", "are reported as"),
    ("told", "reported or returned"),
    ("said", "reported or set"),
    ("is heard", "is received"),
    ("goes back", "rolls back"),
    ("is lent", "is staged"),
    ("handed", "passed or returned"),
    ("beside", "next to or in addition to"),
    ("besides", "in addition"),
    ("member", "field"),
    ("members", "fields"),
    ("verb", "command"),
    ("verbs", "commands"),
    ("front door", "entry"),
    ("behind either door", "with either interface"),
    ("build server", "CI"),
    ("which is none", "which is invalid"),
    ("that is none", "that is invalid"),
    (", for it", "because it"),
    (", for they", "because they"),
    ("thereof", "of it"),
    ("wherefrom", "the source"),
];

/// Correct uses of terms: the term, a part of the path or of the sentence, and the reason.
const EXCEPTIONS: [(&str, &str, &str); 6] = [
    ("member", "compos", "a composition has members"),
    ("member", "host/src/slot/", "a composition has members"),
    ("member", "host/src/history/state.rs", "a composition has members"),
    ("member", "wasm/src/js.rs", "a composition has members"),
    ("member", "workspace", "a workspace has members"),
    ("member", "tests/xtask/", "a workspace has members"),
];

/// Adds the places that break a rule.
pub(super) fn judge(sentences: &[Sentence], violations: &mut Vec<Violation>) {
    for sentence in sentences {
        let prose = without_code(&sentence.text);
        let words = words(&prose);
        let location = format!("{}:{}", sentence.path, sentence.line);
        let mut add = |rule, text: &str| {
            violations.push(Violation { rule, location: location.clone(), text: text.to_owned() });
        };
        for (term, instead) in terms(sentence, &prose, &words) {
            add(Rule::Term, &format!("{} (not `{term}`: {instead})", sentence.text));
        }
        if words.len() > 1 && has_unnamed_subject(&sentence.text) {
            add(Rule::Opening, &sentence.text);
        }
        if words.len() > LONGEST && sentence.kind == SentenceKind::Prose {
            add(Rule::LongSentence, &sentence.text);
        }
    }
}

/// Returns the terms of a sentence that the glossary replaces, with their replacements, except correct uses. `words` are its words in lower case.
fn terms<'s>(
    sentence: &'s Sentence,
    prose: &'s str,
    words: &[String],
) -> impl Iterator<Item = &'static (&'static str, &'static str)> + use<'s> {
    let text = format!(" {} ", words.join(" "));
    let is_allowed = |term: &str| {
        EXCEPTIONS.iter().any(|(allowed, place, _)| {
            term.strip_suffix('s').unwrap_or(term) == *allowed
                && (sentence.path.contains(place) || sentence.text.contains(place))
        })
    };
    TERMS.iter().filter(move |(term, _)| {
        let is_there = match term.starts_with(',') {
            true => prose.contains(&format!("{term} ")),
            false => text.contains(&format!(" {term} ")),
        };
        is_there && !is_allowed(term)
    })
}

/// Returns whether a sentence begins with a word of [`OPENINGS`] and is not a question.
fn has_unnamed_subject(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    !first.contains('`')
        && OPENINGS.contains(&plain(first))
        && !text.trim_end_matches([')', '*', '_', '"']).ends_with('?')
}

/// Returns the text without its code, which is between backticks.
pub(super) fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// Returns the words of a text in lower case, without the signs around them; signs alone are no word.
pub(super) fn words(text: &str) -> Vec<String> {
    let words = text.split_whitespace().map(plain);
    words.filter(|word| word.contains(char::is_alphabetic)).map(str::to_lowercase).collect()
}

pub(super) fn plain(word: &str) -> &str {
    word.trim_matches(|sign: char| !sign.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<Rule> {
        let mut violations = Vec::new();
        let kind = SentenceKind::Prose;
        let sentence = Sentence { path: String::new(), line: 1, text: text.to_owned(), kind };
        judge(&[sentence], &mut violations);
        violations.into_iter().map(|violation| violation.rule).collect()
    }

    #[test]
    fn a_sentence_names_its_subject() {
        assert_eq!(rules("What the module answers."), [Rule::Opening]);
        assert_eq!(rules("**Who** pins a file pins its digest."), [Rule::Opening]);
        assert_eq!(rules("*Whoever pins a file.*"), [Rule::Term, Rule::Opening]);
        assert_eq!(rules("Where a module fails, the host answers."), [Rule::Opening]);
        assert_eq!(rules("How the module answers."), [Rule::Opening]);
        assert_eq!(rules("What does the module answer?"), []);
        assert_eq!(rules("**Why?**"), []);
        assert_eq!(rules("Why"), []);
        assert_eq!(rules("Whatever the module answers."), []);
        assert_eq!(rules("`What` is a type."), []);
        assert_eq!(rules("The answer of the module."), []);
    }

    #[test]
    fn words_of_the_glossary_are_found_whole() {
        assert_eq!(rules("Every part, but for the last, is read anew."), [Rule::Term, Rule::Term]);
        assert_eq!(rules("It waits, for it is busy."), [Rule::Term]);
        assert_eq!(rules("It renews the lease, and waits for it."), []);
        assert_eq!(rules("The members of an object."), [Rule::Term]);
        assert_eq!(rules("The members of a composition."), []);
    }

    #[test]
    fn code_does_not_make_a_sentence_long() {
        assert_eq!(rules(&"word ".repeat(30)), []);
        assert_eq!(rules(&"word ".repeat(31)), [Rule::LongSentence]);
        assert_eq!(rules(&"`code in words` ".repeat(50)), []);
    }
}
