//! `cargo xtask words`: how the pages and the comments are written, in numbers.

use std::{collections::BTreeMap, process::ExitCode};

use super::{
    File, files,
    sentences::{self, LONGEST, SentenceKind},
    texts, types,
};
use crate::{Failure, workspace::Workspace};

/// Words that open a clause in the place of a noun.
const CLAUSES: [&str; 5] = ["What", "Who", "Whoever", "Whether", "That"];

/// Participles that do not end in -ed.
const PARTICIPLES: &str = "been begun broken brought built caught chosen come cut done drawn driven felt found forgotten given gone \
    grown held hidden hit kept known laid left lent let lost made meant met paid put read run said seen sent set shown shut spent split \
    stored sought taken taught thought thrown told understood withdrawn won worn written";

/// Words in -ed that are no participles, or state a property after a form of *be*.
const OTHERS: &str = "embed exceed feed indeed limited need nested proceed red seed sorted speed unsigned";

/// The counts of an area.
#[derive(Default)]
struct Counts {
    lines: usize,
    clauses: usize,
    words: usize,
    what: usize,
    you: usize,
    sentences: usize,
    long: usize,
    passive: usize,
}

/// Prints a row for each area, and each name that several crates or packages give to a type.
pub(crate) fn print(workspace: &Workspace) -> Result<ExitCode, Failure> {
    let files = files(workspace)?;
    println!(
        "| area | lines | begin with What, Who, Whoever, Whether, That | words | *what*, *who*, *whoever* in 1,000 words | *you*, *your* \
         in 1,000 words | sentences | over {LONGEST} words | with a passive |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (area, ends) in [
        ("pages", &["md"] as &[_]),
        ("comments in Rust", &["rs"]),
        ("comments in TypeScript", &["ts", "mjs", "js"]),
    ] {
        let mut counts = Counts::default();
        let is_here = |file: &&File| file.path.rsplit('.').next().is_some_and(|end| ends.contains(&end));
        files.iter().filter(is_here).for_each(|file| counts.add(file));
        let Counts { lines, clauses, words, what, you, sentences, long, passive } = counts;
        let [what, you] = [what, you].map(|count| share(1000, count, words));
        let [long, passive] = [long, passive].map(|count| share(100, count, sentences));
        println!(
            "| {area} | {lines} | {clauses} | {words} | {what} | {you} | {sentences} | {long} % | {passive} % |"
        );
    }
    let mut folders = BTreeMap::<&str, Vec<&str>>::new();
    types::declarations(&files)
        .into_keys()
        .filter(|(folder, _)| !folder.starts_with("tests"))
        .for_each(|(folder, name)| folders.entry(name).or_default().push(folder));
    folders.retain(|_, folders| folders.len() > 1);
    println!("\n{} type names that several crates or packages declare outside of tests:", folders.len());
    folders.iter().for_each(|(name, folders)| println!("- `{name}`: {}", folders.join(", ")));
    Ok(ExitCode::SUCCESS)
}

/// Returns how many there are in so many others, with one decimal.
fn share(many: usize, count: usize, all: usize) -> String {
    let tenths = (10 * many * count + all / 2) / all.max(1);
    format!("{}.{}", tenths / 10, tenths % 10)
}

impl Counts {
    fn add(&mut self, file: &File) {
        for line in texts::text_lines(file).filter(|line| !line.is_empty()) {
            self.lines += 1;
            let first = line.split_whitespace().next().map(sentences::plain).unwrap_or_default();
            self.clauses += usize::from(CLAUSES.contains(&first));
        }
        for sentence in texts::sentences(file) {
            let words = sentences::words(&sentences::without_code(&sentence.text));
            if sentence.kind == SentenceKind::Literal || words.is_empty() {
                continue;
            }
            let count = |sought: &[&str]| words.iter().filter(|word| sought.contains(&word.as_str())).count();
            self.words += words.len();
            self.what += count(&["what", "who", "whoever"]);
            self.you += count(&["you", "your"]);
            self.sentences += 1;
            self.long += usize::from(words.len() > LONGEST);
            self.passive += usize::from(has_passive(&words));
        }
    }
}

/// Returns whether a participle follows a form of *be* or *get*, after at most two adverbs.
fn has_passive(words: &[String]) -> bool {
    let is = |list: &str, word: &str| list.split_whitespace().any(|one| one == word);
    let is_adverb = |word: &str| {
        word.ends_with("ly")
            || is("all also already always both each itself never not now often only so still then too", word)
    };
    let is_participle = |word: &str| is(PARTICIPLES, word) || word.ends_with("ed") && !is(OTHERS, word);
    words.iter().enumerate().any(|(at, word)| {
        let after = || words.iter().skip(at + 1).map(String::as_str);
        let adverbs = after().take(2).take_while(|word| is_adverb(word)).count();
        is("am are be been being get gets is was were", word)
            && after().nth(adverbs).is_some_and(is_participle)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_a_file() {
        let text = "/// What it is.\n/// You are not always asked.\nfn f() {}\n// The file is large, and you need it.\n";
        let mut counts = Counts::default();
        counts.add(&File { path: "a.rs".to_owned(), text: text.to_owned() });
        let Counts { lines, clauses, words, what, you, sentences, long, passive } = counts;
        assert_eq!([lines, clauses, words, what, you, sentences, long, passive], [3, 1, 16, 1, 2, 3, 0, 1]);
        assert_eq!(share(1000, 2, 15), "133.3");
    }
}
