//! Reading `fixtures/`: the calls, and the answer that each must get.
//!
//! The calls of an operation are the cases in `fixtures/OPERATION`, sent byte for byte, so a call need not be JSON.
//! This module compares nothing.

use std::{collections::BTreeSet, io};

use adjudicate_core::{Operation, json::write_string};

use crate::{
    case_file::{Case, CaseFile},
    workspace::workspace_root,
};

/// All fixtures, by operation and name.
#[derive(Debug)]
pub struct Corpus {
    /// The fixtures, in the order of operations, then of names.
    pub fixtures: Vec<Fixture>,
}

/// One call and its answer.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// The called operation; also the name of the folder.
    pub operation: Operation,
    /// The name of the case.
    pub name: String,
    /// The input of the call, byte for byte.
    pub call: Vec<u8>,
    /// The answer without insignificant white space, or `None` if the case has none yet.
    pub answer: Option<String>,
}

impl Corpus {
    /// Reads the corpus of this workspace.
    ///
    /// # Errors
    /// If a folder or file cannot be read, or is no case file.
    pub fn read() -> io::Result<Self> {
        let fixtures = Operation::ALL.iter().map(|operation| Self::read_of(*operation));
        Ok(Self { fixtures: fixtures.collect::<io::Result<Vec<_>>>()?.concat() })
    }

    /// Reads the fixtures of one operation.
    ///
    /// # Errors
    /// As [`Corpus::read`].
    pub fn read_of(operation: Operation) -> io::Result<Vec<Fixture>> {
        let cases = read_cases(operation.name())?.into_iter();
        Ok(cases.map(|Case { name, call, answer }| Fixture { operation, name, call, answer }).collect())
    }
}

impl Fixture {
    /// Reads one fixture.
    ///
    /// # Errors
    /// As [`Corpus::read`], or if the operation has no fixture of that name.
    pub fn read(operation: Operation, name: &str) -> io::Result<Self> {
        let found = Corpus::read_of(operation)?.into_iter().find(|fixture| fixture.name == name);
        found.ok_or_else(|| {
            io::Error::other(format!("there is no fixture `{name}` of `{}`", operation.name()))
        })
    }

    /// The native engine's answer, or `{"error": ...}`.
    #[must_use]
    pub fn native_answer(&self) -> String {
        self.operation.call(&self.call).unwrap_or_else(|error| error.to_json())
    }
}

/// The cases of a folder in `fixtures/`, in the order of their names.
///
/// # Errors
///
/// If a file cannot be read or is no case file, or two cases have one name.
pub fn read_cases(folder: &str) -> io::Result<Vec<Case>> {
    let files = CaseFile::read_folder(&workspace_root().join("fixtures").join(folder))?;
    let mut cases = files.iter().map(CaseFile::cases).collect::<io::Result<Vec<_>>>()?.concat();
    cases.sort_by(|left, right| left.name.cmp(&right.name));
    let mut names = BTreeSet::new();
    match cases.iter().find(|case| !names.insert(&case.name)) {
        Some(case) => Err(io::Error::other(format!("two cases of `{folder}` are called `{}`", case.name))),
        None => Ok(cases),
    }
}

/// Returns a case as a line for programs in other languages: `{"operation", "number", "name", "call", "answer"}`. The
/// call is a text, or `{"hex": ...}` if it is not UTF-8. `number` is the operation's in the module interface.
///
/// # Errors
///
/// If the case has no answer.
pub fn line(operation: &str, case: &Case) -> io::Result<String> {
    let number = Operation::from_name(operation).map_or(0, Operation::number);
    let mut out = format!(r#"{{"operation":"{operation}","number":{number},"name":"{}","call":"#, case.name);
    match str::from_utf8(&case.call) {
        Ok(text) => write_string(text, &mut out),
        Err(_) => {
            let digits: String = case.call.iter().map(|byte| format!("{byte:02x}")).collect();
            out.push_str(&format!(r#"{{"hex":"{digits}"}}"#));
        }
    }
    out.push_str(r#","answer":"#);
    let unanswered =
        || io::Error::other(format!("`{}` has no answer: run `cargo xtask bless {0}`", case.name));
    write_string(case.answer.as_ref().ok_or_else(unanswered)?, &mut out);
    out.push_str("}\n");
    Ok(out)
}
