//! Case files: calls of one subject, each with its whole answer.
//!
//! A file has one group of cases or a list of groups, `{summary?, input?, cases}`. The call of a case is the `input` of
//! its group, changed as in a file of cases of `adjudicate test`: without the values at the pointers in `remove`, then
//! with the values of `set`. Numbers, strings and the order of fields stay as they are written. `fixtures/README.md` lists
//! the other fields.

mod edit;
mod layout;
#[cfg(test)]
mod tests;
mod tree;

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use adjudicate_core::json::{self, ReadLimits};

use self::tree::{Tree, unquoted};
use crate::{text::pretty, workspace::workspace_root};

/// The other file that a folder of case files may have.
const README: &str = "README.md";
/// The ending of a case file's name.
const ENDING: &str = ".json";

/// A file of cases.
#[derive(Clone, Debug)]
pub struct CaseFile {
    /// The path of the file.
    pub path: PathBuf,
    groups: Tree,
}

/// A case of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The name. No other case of the folder has it.
    pub name: String,
    /// The input of the call, byte for byte.
    pub call: Vec<u8>,
    /// The answer without insignificant white space, or `None` if there is none yet.
    pub answer: Option<String>,
}

/// The fields of a case, as they are written.
#[derive(Default)]
struct Fields<'t> {
    /// The call, instead of the `input` of the group.
    input: Option<&'t Tree>,
    /// The text of the call, for texts that are not JSON, repeat a key or are nested deeply.
    text: Option<&'t Tree>,
    /// The file with the call, from the root of the workspace.
    file: Option<&'t Tree>,
    /// JSON Pointers to values that the call does not have.
    remove: Option<&'t Tree>,
    /// New values by their JSON Pointers.
    set: Option<&'t Tree>,
    /// New parts of the call's text by the parts that they replace.
    replace: Option<&'t Tree>,
    /// New bytes of the call, in hexadecimal, by the parts of the text that they replace.
    bytes: Option<&'t Tree>,
    /// The whole answer. `cargo xtask bless` writes it.
    answer: Option<&'t Tree>,
}

impl CaseFile {
    /// Reads all files of a folder, in the order of their names.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or is no case file.
    pub fn read_folder(folder: &Path) -> io::Result<Vec<Self>> {
        let entries = fs::read_dir(folder).map_err(|error| naming(folder, &error))?;
        let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        paths.sort();
        paths.retain(|path| !path.is_dir() && path.file_name().is_none_or(|name| name != README));
        paths.into_iter().map(Self::read).collect()
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is no case file.
    pub fn read(path: PathBuf) -> io::Result<Self> {
        if !path.to_string_lossy().ends_with(ENDING) {
            return Err(invalid(&path, "this is no case file"));
        }
        let text = fs::read_to_string(&path).map_err(|error| naming(&path, &error))?;
        let groups = Tree::parse(&text).map_err(|fault| invalid(&path, &fault))?;
        Ok(Self { path, groups })
    }

    /// The cases, in the order of the file.
    ///
    /// # Errors
    ///
    /// If a group or a case has another form, a name is there twice, or a change leads to nothing.
    pub fn cases(&self) -> io::Result<Vec<Case>> {
        let groups = match &self.groups {
            Tree::List(groups) => groups.as_slice(),
            group => std::slice::from_ref(group),
        };
        let mut cases = Vec::new();
        for group in groups {
            read_group(group, &mut cases).map_err(|fault| invalid(&self.path, &fault))?;
        }
        let mut names = BTreeSet::new();
        match cases.iter().find(|case| !names.insert(&case.name)) {
            Some(case) => Err(invalid(&self.path, &format!("two cases are called `{}`", case.name))),
            None => Ok(cases),
        }
    }

    /// Writes the answers of `native` into the chosen cases, and the file in its layout. Returns the names of the cases whose
    /// answer changed, each with whether it had none.
    ///
    /// # Errors
    ///
    /// As [`CaseFile::cases`], or if the file cannot be written.
    pub fn bless(
        &mut self,
        mut is_chosen: impl FnMut(&str) -> bool,
        native: impl Fn(&Case) -> String,
    ) -> io::Result<Vec<(String, bool)>> {
        let mut cases = self.cases()?;
        cases.retain(|case| is_chosen(&case.name));
        let mut changed = Vec::new();
        for case in &cases {
            let answer = native(case);
            if case.answer.as_ref() != Some(&answer) {
                self.set_answer(&case.name, &answer).map_err(|fault| invalid(&self.path, &fault))?;
                changed.push((case.name.clone(), case.answer.is_none()));
            }
        }
        let text = self.to_text();
        if !cases.is_empty() && fs::read_to_string(&self.path)? != text {
            fs::write(&self.path, text)?;
        }
        Ok(changed)
    }

    fn set_answer(&mut self, name: &str, answer: &str) -> Result<(), String> {
        let groups = match &mut self.groups {
            Tree::List(groups) => groups.as_mut_slice(),
            group => std::slice::from_mut(group),
        };
        let is_named = |case: &&mut Tree| case.field("name").is_some_and(|one| unquoted(one.token()) == name);
        match groups.iter_mut().flat_map(Tree::cases_mut).find(is_named) {
            Some(case) => case.set("/answer", &Tree::parse(answer)?),
            None => Err(format!("there is no case `{name}`")),
        }
    }

    /// The text of the file, in the layout of all case files.
    #[must_use]
    pub fn to_text(&self) -> String {
        layout::layout(&self.groups)
    }
}

/// Returns a JSON text in the layout of case files.
///
/// # Errors
///
/// The line and the fault, if the text is not JSON.
pub fn layout_value(text: &str) -> Result<String, String> {
    Tree::parse(text).map(|tree| layout::layout_value(&tree))
}

fn read_group(group: &Tree, cases: &mut Vec<Case>) -> Result<(), String> {
    let Tree::Object(fields) = group else { return Err("a group of cases is an object".to_owned()) };
    let is_known = |name: &str| ["summary", "input", "cases"].contains(&unquoted(name));
    if let Some((name, _)) = fields.iter().find(|(name, _)| !is_known(name)) {
        return Err(format!("a group of cases has no field {name}"));
    }
    let Some(Tree::List(list)) = group.field("cases") else {
        return Err("a group has a list of `cases`".to_owned());
    };
    for case in list {
        let name = case.field("name").ok_or("a case has a `name`")?;
        let name = string(name)?;
        let call =
            Fields::read(case).and_then(|fields| Ok((fields.call(group.field("input"))?, fields.answer)));
        let (call, answer) = call.map_err(|fault| format!("`{name}`: {fault}"))?;
        cases.push(Case { name, call, answer: answer.map(Tree::to_text) });
    }
    Ok(())
}

impl<'t> Fields<'t> {
    fn read(case: &'t Tree) -> Result<Self, String> {
        let Tree::Object(members) = case else { return Err("a case is an object".to_owned()) };
        let mut fields = Self::default();
        for (name, value) in members {
            let field = match unquoted(name) {
                "name" | "summary" => continue,
                "input" => &mut fields.input,
                "text" => &mut fields.text,
                "file" => &mut fields.file,
                "remove" => &mut fields.remove,
                "set" => &mut fields.set,
                "replace" => &mut fields.replace,
                "bytes" => &mut fields.bytes,
                "answer" => &mut fields.answer,
                _ => return Err(format!("a case has no field {name}")),
            };
            *field = Some(value);
        }
        Ok(fields)
    }

    /// The call, byte for byte.
    fn call(&self, input: Option<&Tree>) -> Result<Vec<u8>, String> {
        if let Some(file) = self.file {
            let path = workspace_root().join(string(file)?);
            return fs::read(&path).map_err(|error| naming(&path, &error).to_string());
        }
        let mut text = match self.text {
            Some(text) => string(text)?,
            None => pretty(&self.changed(self.input.or(input).ok_or("there is no input")?)?.to_text()),
        };
        for (part, new) in self.replace.into_iter().flat_map(Tree::fields) {
            let (before, after) = around(&text, &decoded(part)?)?;
            text = [before, &string(new)?, after].concat();
        }
        let Some((part, bytes)) = self.bytes.and_then(|bytes| bytes.fields().first()) else {
            return Ok(text.into_bytes());
        };
        let (before, after) = around(&text, &decoded(part)?)?;
        Ok([before.as_bytes(), &hexadecimal(&string(bytes)?)?, after.as_bytes()].concat())
    }

    fn changed(&self, input: &Tree) -> Result<Tree, String> {
        let mut call = input.clone();
        for pointer in self.remove.into_iter().flat_map(Tree::items) {
            call.remove(unquoted(pointer.token()))?;
        }
        for (pointer, value) in self.set.into_iter().flat_map(Tree::fields) {
            call.set(unquoted(pointer), value)?;
        }
        Ok(call)
    }
}

/// The text before and after a part that it has once.
fn around<'t>(text: &'t str, part: &str) -> Result<(&'t str, &'t str), String> {
    match text.split_once(part) {
        Some((before, after)) if !after.contains(part) => Ok((before, after)),
        _ => Err(format!("the call does not have `{part}` once")),
    }
}

fn hexadecimal(text: &str) -> Result<Vec<u8>, String> {
    let byte = |digits| u8::from_str_radix(digits, 16).map_err(|_| format!("`{digits}` is no byte"));
    text.split(' ').map(byte).collect()
}

/// The content of a string.
fn string(value: &Tree) -> Result<String, String> {
    decoded(value.token())
}

fn decoded(token: &str) -> Result<String, String> {
    let tape = json::read(token.as_bytes(), ReadLimits::DOCUMENT).map_err(|error| error.to_string())?;
    tape.root().as_str().map(str::to_owned).ok_or_else(|| format!("expected a string, found {token}"))
}

/// Adds the path to an error.
fn naming(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn invalid(path: &Path, fault: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{}: {fault}", path.display()))
}
