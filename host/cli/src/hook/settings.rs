//! The settings of coding agents: a JSON object in which `hooks` has a list of entries for each event.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use adjudicate_collect::hooks::Agent;
use adjudicate_core::{
    Error,
    json::{self, Kind, OwnedValue, ReadLimits},
};

use crate::{codes, environment::Environment, input::Source, layout, output, replace};

/// The settings of an agent in a repository.
pub(super) struct Settings {
    path: PathBuf,
    /// The path below the root.
    pub(super) name: &'static str,
    pub(super) json: OwnedValue,
}

impl Settings {
    /// Reads the settings of an agent; `None` if the file is absent.
    pub(super) fn read(agent: Agent, root: &Path, env: &Environment) -> Result<Option<Self>, Error> {
        let name = agent.settings();
        let path = root.join(name);
        let json = text(&path, env)?.map(|text| read(&text, name)).transpose()?;
        Ok(json.map(|json| Self { path, name, json }))
    }

    /// Returns settings without anything in them.
    pub(super) fn empty(agent: Agent, root: &Path) -> Self {
        let name = agent.settings();
        Self { path: root.join(name), name, json: OwnedValue::object([]) }
    }

    /// Returns the entries of an event, to change them. An event without entries gets an empty list.
    pub(super) fn entries(&mut self, event: &str) -> Result<&mut Vec<OwnedValue>, Error> {
        let damaged = damaged(self.name);
        if self.json.lookup("hooks").is_some_and(|hooks| !matches!(hooks, OwnedValue::Object(_))) {
            return Err(damaged);
        }
        let list = self.json.at(&["hooks", event]).ok_or(damaged)?;
        if list.is_null() {
            *list = OwnedValue::List(Vec::new());
        }
        match list {
            OwnedValue::List(entries) => Ok(entries),
            _ => Err(self::damaged(self.name)),
        }
    }

    /// Returns the names of the events.
    pub(super) fn events(&self) -> Result<Vec<String>, Error> {
        match self.json.lookup("hooks") {
            Some(OwnedValue::Object(events)) => Ok(events.iter().map(|(event, _)| event.clone()).collect()),
            Some(_) => Err(damaged(self.name)),
            None => Ok(Vec::new()),
        }
    }

    /// Removes events. Returns true if nothing is left except a version.
    pub(super) fn forget(&mut self, forgotten: &[String]) -> bool {
        let OwnedValue::Object(fields) = &mut self.json else { return false };
        fields.retain_mut(|(name, value)| match value {
            OwnedValue::Object(events) if name == "hooks" => {
                events.retain(|(event, _)| !forgotten.contains(event));
                !events.is_empty()
            }
            _ => true,
        });
        fields.iter().all(|(name, _)| name == "version")
    }

    /// Writes the settings, and creates their folder.
    pub(super) fn write(&self) -> Result<(), Error> {
        let text = layout::pretty(&self.json.to_text()) + "\n";
        let created = self.path.parent().map_or(Ok(()), fs::create_dir_all);
        created
            .and_then(|()| replace::file(&self.path, None, text.as_bytes()))
            .map_err(|error| output::unwritable(&self.path, error))
    }

    /// Removes the file. Of a symbolic link, the target is left without settings.
    pub(super) fn remove(&self) -> Result<(), Error> {
        if self.path.is_symlink() {
            return self.write();
        }
        fs::remove_file(&self.path).map_err(|error| output::unwritable(&self.path, error))
    }
}

/// Reads settings that may have comments, as those of Gemini and Copilot; `None` if the file is absent.
pub(super) fn read_with_comments(path: &Path, env: &Environment) -> Result<Option<OwnedValue>, Error> {
    let text = text(path, env)?.map(|text| without_comments(&text));
    text.map(|text| read(&text, &path.to_string_lossy())).transpose()
}

/// Returns the text of a file; `None` if the file is absent.
fn text(path: &Path, env: &Environment) -> Result<Option<Vec<u8>>, Error> {
    match fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        true => Ok(None),
        false => Source::File(path.to_owned()).text(env).map(Some),
    }
}

/// Reads a JSON object.
fn read(text: &[u8], name: &str) -> Result<OwnedValue, Error> {
    let tape = json::read(text, ReadLimits::DOCUMENT).map_err(|error| error.within(name))?;
    match tape.root().kind() {
        Kind::Object => Ok(tape.root().into()),
        _ => Err(damaged(name)),
    }
}

/// Returns a text of JSON with spaces in place of its comments.
fn without_comments(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.first() {
        let length = match rest {
            [b'"', ..] => string_length(rest),
            [b'/', b'/', ..] => rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
            [b'/', b'*', inner @ ..] => {
                inner.windows(2).position(|pair| pair == b"*/").map_or(rest.len(), |end| end + 4)
            }
            _ => 1,
        };
        let (part, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        match first {
            b'/' if length > 1 => {
                plain.extend(part.iter().map(|byte| if *byte == b'\n' { b'\n' } else { b' ' }));
            }
            _ => plain.extend(part),
        }
        rest = after;
    }
    plain
}

/// Returns the length of the string at the start of a text.
fn string_length(text: &[u8]) -> usize {
    let mut is_escaped = false;
    let end = text.iter().skip(1).position(|byte| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |end| end + 2)
}

fn damaged(name: &str) -> Error {
    Error::new(codes::INVALID_VALUE, format!("{name}: expected an object from event to list")).at("/hooks")
}

#[cfg(test)]
mod tests {
    use super::without_comments;

    #[test]
    fn only_comments_become_spaces() {
        for (text, expected) in [
            (r#"{"a": "//b", "c": "\"/*d*/"}"#, r#"{"a": "//b", "c": "\"/*d*/"}"#),
            ("{} // a \"b\n", "{}        \n"),
            ("{/* a\n*/\"b\": 1 / 2}", "{    \n  \"b\": 1 / 2}"),
            ("{} /* a", "{}     "),
            ("\"a\\\\\" // b", "\"a\\\\\"     "),
            ("\"a", "\"a"),
        ] {
            assert_eq!(String::from_utf8(without_comments(text.as_bytes())).unwrap(), expected, "{text}");
        }
    }
}
