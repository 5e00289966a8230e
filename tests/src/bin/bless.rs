//! `bless [NAME...]` writes the answers of the named fixtures, or of all, from the native engine.
//!
//! Only the white space of an answer is changed, so the files pin every byte of the answer. The program lists the changed
//! files: review their differences before you commit them.

use std::{env, error::Error, fs, io, path::PathBuf};

use adjudicate_tests::{Composition, Corpus, text};

/// The native engine's answer to a fixture.
struct Answer {
    name: String,
    text: String,
    file: PathBuf,
}

fn main() -> Result<(), Box<dyn Error>> {
    let names: Vec<String> = env::args().skip(1).collect();
    let answers = answers()?;
    if let Some(name) = names.iter().find(|name| answers.iter().all(|answer| answer.name != **name)) {
        return Err(format!("`{name}` is not a fixture").into());
    }
    let chosen = answers.iter().filter(|one| names.is_empty() || names.contains(&one.name));
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
    Ok(())
}

/// The answers to the calls of the corpus and to the compositions.
fn answers() -> io::Result<Vec<Answer>> {
    let calls = Corpus::read()?.fixtures.into_iter();
    let calls = calls.map(|one| Answer { text: one.native_answer(), name: one.name, file: one.answer_file });
    let compositions = Composition::read_all()?.into_iter();
    let compositions =
        compositions.map(|one| Answer { text: one.native_answer(), name: one.name, file: one.answer_file });
    Ok(calls.chain(compositions).collect())
}

/// Writes the answer if it differs from the file. Returns whether the file is new or changed.
fn bless(answer: &Answer) -> io::Result<Option<&'static str>> {
    let text = text::pretty(&answer.text);
    let before = fs::read_to_string(&answer.file).ok();
    if before.as_deref() == Some(text.as_str()) {
        return Ok(None);
    }
    fs::write(&answer.file, text)?;
    Ok(Some(if before.is_some() { "changed" } else { "new" }))
}
