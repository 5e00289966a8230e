//! A property of redaction: where all places of a text are redacted, no part of the text is in the record.

use std::collections::BTreeSet;

use adjudicate_core::{
    Operation,
    document::definitions,
    json::{self, Node, Pointer},
    schemas,
};
use adjudicate_sandbox::CallError;
use adjudicate_tests::Corpus;
use adjudicate_trust::redaction::RedactionPattern;

use super::{
    DecidedBy,
    draft::{CallObservation, UnchainedRecord},
    settings::RecordSettings,
};

/// Texts that replace a word of a call. Four of these letters in a row stand in no other text of a record.
const SECRETS: [&str; 10] = [
    "/zq/xj/vk/zqxj",
    "zqxjvkwz",
    "zqxj/vkwzq/../xjvk",
    "zqxj~vkwz~1xqjz",
    "zqxj.vkwz.xqjz",
    "zqxj \"vkwz\\xqjz",
    "zqxj\nvkwz\txqjz\u{202e}zxqv",
    "zqxjé日本vkwz",
    "zqxj:vkwz, xqjz: jvkq",
    "- zqxj\n- vkwz",
];

/// The letters of the secrets.
const LETTERS: &[u8] = b"zqxjvkw";

/// A call with a secret, and the patterns of all its places.
struct SecretCall {
    operation: Operation,
    name: String,
    input: String,
    patterns: Vec<RedactionPattern>,
}

/// Returns a case for every second call of the corpus.
fn cases() -> impl Iterator<Item = SecretCall> {
    let known: BTreeSet<&str> = schemas::all()
        .flat_map(|document| definitions(&(document.describe)()))
        .flat_map(|definition| definition.words().collect::<Vec<_>>())
        .collect();
    let fixtures = Corpus::read().unwrap().fixtures.into_iter().step_by(2).enumerate();
    fixtures.filter_map(move |(index, fixture)| {
        let text = String::from_utf8(fixture.call).ok()?;
        let words: BTreeSet<&str> =
            words(&text).filter(|word| !known.iter().any(|known| known.contains(word))).collect();
        let word = *words.iter().nth(index % words.len().max(1))?;
        // Long texts are cut.
        let secret = SECRETS[index % SECRETS.len()];
        let long = if index % 3 == 0 { "zqxjvkwz ".repeat(index % 100) } else { String::new() } + secret;
        let quoted = json::write(&long);
        let input = text.replace(word, quoted.trim_matches('"'));
        let tape = fixture.operation.read(input.as_bytes()).ok()?;
        let mut patterns = BTreeSet::new();
        places(tape.root(), &Pointer::new(""), &mut patterns);
        let patterns =
            patterns.iter().map(|pattern| RedactionPattern::parse(pattern)).collect::<Result<_, _>>().ok()?;
        Some(SecretCall { operation: fixture.operation, name: fixture.name, input: input.clone(), patterns })
    })
}

/// The words in a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() >= 4 && !word.starts_with('u'))
}

/// Adds a pattern for each string and for each object that contains part of a secret.
fn places(node: Node<'_>, path: &Pointer, patterns: &mut BTreeSet<String>) {
    if node.as_str().is_some_and(is_secret) || node.members().any(|(name, _)| is_secret(name)) {
        patterns.insert(path.clone().into_string());
        return;
    }
    for (index, item) in node.items().enumerate() {
        places(item, &path.clone().index(index), patterns);
    }
    for (name, member) in node.members() {
        places(member, &path.clone().key(name), patterns);
    }
}

fn is_secret(text: &str) -> bool {
    text.as_bytes().windows(4).any(|window| window.iter().all(|byte| LETTERS.contains(byte)))
}

/// The record of a case.
fn record(case: &SecretCall) -> String {
    let settings = RecordSettings { redact: case.patterns.clone(), ..RecordSettings::default() };
    let answer = case.operation.call(case.input.as_bytes()).map_err(CallError::Fault);
    let call = CallObservation {
        slot: "s",
        settings: &settings,
        at: 0,
        operation: case.operation,
        input: case.input.as_bytes(),
        outcome: answer.as_deref(),
        by: DecidedBy::Active,
        entry: 1,
        modules: &[],
        fault: None,
        microseconds: 0,
    };
    let record = UnchainedRecord::new(&call, || Ok([7; 32])).unwrap();
    record.text().to_owned()
}

#[test]
fn no_part_of_a_redacted_text_is_in_a_record() {
    let mut answers = 0;
    for case in cases() {
        let text = record(&case);
        answers += usize::from(text.contains("answer_redacted"));
        let (operation, name) = (case.operation.name(), &case.name);
        assert!(!is_secret(&text), "{operation} {name}: {}\n{text}", case.input);
    }
    assert!(answers > 100, "{answers}");
}
