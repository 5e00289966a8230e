//! Rules for one sentence: its opening, its words and its length.

use std::{fmt, ops::AddAssign};

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
    /// A string literal. Its length is not checked, and it is not counted.
    Literal,
}

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

/// Counts of one file or of many.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    sentences: usize,
    words: usize,
    long: usize,
    openings: usize,
    who: usize,
    you: usize,
    passives: usize,
}

impl Counts {
    pub(super) const HEADINGS: &str =
        "sentences  over 30 words  openings   of 1,000 words: what/who  you  passive";

    pub(super) fn add(&mut self, other: Self) {
        for (sum, more) in [
            (&mut self.sentences, other.sentences),
            (&mut self.words, other.words),
            (&mut self.long, other.long),
            (&mut self.openings, other.openings),
            (&mut self.who, other.who),
            (&mut self.you, other.you),
            (&mut self.passives, other.passives),
        ] {
            sum.add_assign(more);
        }
    }

    fn per_thousand(self, count: usize) -> f64 {
        1000.0 * count as f64 / self.words.max(1) as f64
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = 100.0 * self.long as f64 / self.sentences.max(1) as f64;
        write!(f, "{:>9} {:>13} {:>9}", self.sentences, format!("{share:.1} %"), self.openings)?;
        let [who, you, passives] = [self.who, self.you, self.passives].map(|count| self.per_thousand(count));
        write!(f, " {who:>25.1} {you:>4.1} {passives:>8.1}")
    }
}

/// Counts the sentences, and adds the places that break a rule.
pub(super) fn judge(sentences: &[Sentence], violations: &mut Vec<Violation>) -> Counts {
    let mut counts = Counts::default();
    for sentence in sentences {
        let prose = without_code(&sentence.text);
        let words: Vec<&str> = prose.split_whitespace().filter(|word| is_word(word)).collect();
        let lower: Vec<String> = words.iter().map(|word| plain(word).to_lowercase()).collect();
        let mut broken = Vec::new();
        if words.len() > 1 && has_unnamed_subject(&sentence.text) {
            broken.push(Rule::Opening);
        }
        broken.extend(terms(sentence, &prose, &lower).map(|_| Rule::Term));
        if sentence.kind == SentenceKind::Prose {
            if words.len() > 30 {
                broken.push(Rule::LongSentence);
            }
            let is_one_of =
                |words: &'static [&str]| lower.iter().filter(|word| words.contains(&word.as_str()));
            counts.add(Counts {
                sentences: 1,
                words: words.len(),
                long: usize::from(words.len() > 30),
                openings: usize::from(broken.contains(&Rule::Opening)),
                who: is_one_of(&["what", "who", "whoever"]).count(),
                you: is_one_of(&["you", "your", "yours"]).count(),
                passives: passives(&lower),
            });
        }
        violations.extend(broken.into_iter().map(|rule| Violation {
            rule,
            location: format!("{}:{}", sentence.path, sentence.line),
            text: sentence.text.clone(),
        }));
    }
    counts
}

/// Returns the terms of a sentence that the glossary replaces, except correct uses. `words` are its words in lower case.
fn terms<'s>(
    sentence: &'s Sentence,
    prose: &'s str,
    words: &[String],
) -> impl Iterator<Item = &'static str> + use<'s> {
    let text = format!(" {} ", words.join(" "));
    let is_allowed = |term: &str| {
        EXCEPTIONS.iter().any(|(allowed, place, _)| {
            term.strip_suffix('s').unwrap_or(term) == *allowed
                && (sentence.path.contains(place) || sentence.text.contains(place))
        })
    };
    TERMS.iter().map(|(term, _)| *term).filter(move |term| {
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
fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// Returns whether a part of a text between spaces is a word: signs are none.
fn is_word(part: &str) -> bool {
    plain(part).chars().any(char::is_alphabetic)
}

fn plain(word: &str) -> &str {
    word.trim_matches(|sign: char| !sign.is_alphanumeric())
}

/// Returns the number of passives: a form of *be*, and a participle after it.
fn passives(words: &[String]) -> usize {
    const IRREGULAR: [&str; 22] = [
        "built", "cut", "done", "found", "given", "held", "kept", "known", "left", "lost", "made", "put",
        "read", "said", "seen", "sent", "set", "shown", "taken", "told", "written", "run",
    ];
    let is_be = |word: &str| ["is", "are", "was", "were", "be", "been", "being"].contains(&word);
    let is_participle = |word: &str| word.len() > 4 && word.ends_with("ed") || IRREGULAR.contains(&word);
    words.windows(2).filter(|pair| matches!(pair, [be, next] if is_be(be) && is_participle(next))).count()
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
        assert_eq!(rules("*Whoever pins a file.*"), [Rule::Opening, Rule::Term]);
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

    #[test]
    fn passives_are_a_form_of_be_with_a_participle() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(passives(&words("the file is read and it was refused")), 2);
        assert_eq!(passives(&words("the file is red")), 0);
    }
}
