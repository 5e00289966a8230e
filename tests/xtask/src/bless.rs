//! `cargo xtask bless`: writes the answers of fixtures from the native engine.
//!
//! Only the white space of an answer is changed, so the files pin every byte of it. What changed is listed, for
//! somebody to read the difference before it is committed.

use std::{env, process::ExitCode};

use adjudicate_tests::{Corpus, Fixture, text};

use crate::failure::{Doing, Failure, write};

/// Blesses the fixtures named, or all of them.
pub(crate) fn run(names: &[&str]) -> Result<ExitCode, Failure> {
    if env::var_os("CI").is_some_and(|ci| ci == "true") {
        return Err(Failure::Broken("`bless` changes what is expected, which CI must never do".into()));
    }
    let corpus = Corpus::read().doing("reading", "the corpus")?;
    if let Some(name) = names.iter().find(|name| corpus.fixtures.iter().all(|fixture| fixture.name != **name))
    {
        return Err(Failure::Broken(format!("`{name}` is not a fixture")));
    }
    let chosen = corpus.fixtures.iter().filter(|one| names.is_empty() || names.contains(&one.name.as_str()));
    let (mut written, mut kept) = (0, 0);
    for fixture in chosen {
        match bless(fixture)? {
            None => kept += 1,
            Some(what) => {
                written += 1;
                println!("{what:<8} {}", fixture.name);
            }
        }
    }
    println!("{written} answers written, {kept} unchanged");
    Ok(ExitCode::SUCCESS)
}

/// Writes the answer unless it is there already; says whether it is new or changed.
fn bless(fixture: &Fixture) -> Result<Option<&'static str>, Failure> {
    let answer = text::pretty(&fixture.native_answer());
    let before = std::fs::read_to_string(&fixture.answer_file).ok();
    if before.as_deref() == Some(answer.as_str()) {
        return Ok(None);
    }
    write(&fixture.answer_file, answer)?;
    Ok(Some(if before.is_some() { "changed" } else { "new" }))
}
