//! `cargo xtask bless`: writes the answers of fixtures from the native engine.
//!
//! Only the white space of an answer is changed, so the files pin every byte of the answer. The task lists the changed
//! files: review their differences before you commit them.

use std::{env, fs, path::PathBuf, process::ExitCode};

use adjudicate_tests::{Composition, Corpus, text};

use crate::failure::{Doing, Failure, write};

/// Writes the answers of the named fixtures, or of all of them.
pub(crate) fn run(names: &[&str]) -> Result<ExitCode, Failure> {
    if env::var_os("CI").is_some_and(|ci| ci == "true") {
        return Err(Failure::Broken("`bless` changes what is expected, which CI must never do".into()));
    }
    let answers = answers()?;
    if let Some(name) = names.iter().find(|name| answers.iter().all(|answer| answer.name != **name)) {
        return Err(Failure::Broken(format!("`{name}` is not a fixture")));
    }
    let chosen = answers.iter().filter(|one| names.is_empty() || names.contains(&one.name.as_str()));
    let (mut written, mut kept) = (0, 0);
    for answer in chosen {
        match bless(answer)? {
            None => kept += 1,
            Some(what) => {
                written += 1;
                println!("{what:<8} {}", answer.name);
            }
        }
    }
    println!("{written} answers written, {kept} unchanged");
    Ok(ExitCode::SUCCESS)
}

/// The native engine's answer to a fixture.
struct Answer {
    name: String,
    text: String,
    file: PathBuf,
}

/// The answers to the calls of the corpus and to the compositions.
fn answers() -> Result<Vec<Answer>, Failure> {
    let corpus = Corpus::read().doing("reading", "the corpus")?;
    let compositions = Composition::read_all().doing("reading", "the compositions")?;
    let calls = corpus.fixtures.into_iter();
    let calls = calls.map(|one| Answer { text: one.native_answer(), name: one.name, file: one.answer_file });
    let compositions = compositions.into_iter();
    let compositions =
        compositions.map(|one| Answer { text: one.native_answer(), name: one.name, file: one.answer_file });
    Ok(calls.chain(compositions).collect())
}

/// Writes the answer if it differs from the file. Returns whether the file is new or changed.
fn bless(answer: &Answer) -> Result<Option<&'static str>, Failure> {
    let text = text::pretty(&answer.text);
    let before = fs::read_to_string(&answer.file).ok();
    if before.as_deref() == Some(text.as_str()) {
        return Ok(None);
    }
    write(&answer.file, text)?;
    Ok(Some(if before.is_some() { "changed" } else { "new" }))
}
