//! Copies of documents without the redacted values.

use std::collections::BTreeSet;

use adjudicate_core::{
    evaluate::tokens,
    json::{self, Kind, Limits, Node, object::ObjectWriter},
};

use super::{pattern::Trail, removed::Removed};

/// The replacement for redacted values. No value of an envelope looks like it. It is the same for all values, so it does not reveal
/// whether two values were equal.
pub(super) const MARKER: &str = r#"{"x-redacted":true}"#;

/// The operators of conditions whose operands name variables.
const VARIABLES: [&str; 3] = ["var", "missing", "missing_some"];

/// The parts of a text that may be a path pattern. The engine tells of paths that would match it.
fn pattern_parts(text: &str) -> impl Iterator<Item = &str> {
    let is_pattern = text.contains(['*', '?', '{', '[', '\\']) && !text.contains('\n');
    let has_list = text.contains('{');
    let is_separator =
        move |c| matches!(c, '*' | '?' | '{' | '}' | '[' | ']' | '/' | '.' | '\\') || (c == ',' && has_list);
    text.split(is_separator).filter(move |_| is_pattern)
}

/// Returns an object without one of its fields. The other fields keep their order and spelling.
pub(crate) fn without_member(object: Node<'_>, left_out: &str) -> String {
    let mut out = String::new();
    let mut members = ObjectWriter::open(&mut out);
    for (name, member) in object.members().filter(|(name, _)| *name != left_out) {
        members.part(name, |out| json::write_verbatim(member, out));
    }
    members.close();
    out
}

/// A writer that copies a document without the redacted values. Order and spelling of numbers stay.
pub(super) struct Copy<'r> {
    pub(super) out: String,
    pub(super) count: u64,
    /// True if patterns start again at each field of the root, and at each item of a list there.
    pub(super) is_call: bool,
    pub(super) removed: BTreeSet<String>,
    /// Texts that are redacted wherever they occur.
    pub(super) echoes: Option<&'r Removed>,
}

impl<'r> Copy<'r> {
    pub(super) fn new(is_call: bool) -> Self {
        Self { out: String::new(), count: 0, is_call, removed: BTreeSet::new(), echoes: None }
    }

    pub(super) fn value<'t>(&mut self, node: Node<'t>, trail: &Trail<'_>, path: &mut Vec<&'t str>) {
        if trail.is_met() || (self.is_echo(node) && !is_verdict(path)) {
            self.remove(node, path);
            self.out.push_str(MARKER);
            self.count += 1;
            return;
        }
        match node.kind() {
            Kind::Array => self.list(node, trail, path),
            Kind::Object => self.object(node, trail, path),
            _ => json::write_verbatim(node, &mut self.out),
        }
    }

    fn list<'t>(&mut self, node: Node<'t>, trail: &Trail<'_>, path: &mut Vec<&'t str>) {
        self.out.push('[');
        for (index, item) in node.items().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            let below = if trail.is_lost() { trail.clone() } else { trail.step(&index.to_string()) };
            let below = self.start(path.len() == 1, below);
            path.push("");
            self.value(item, &below, path);
            path.pop();
        }
        self.out.push(']');
    }

    fn object<'t>(&mut self, node: Node<'t>, trail: &Trail<'_>, path: &mut Vec<&'t str>) {
        self.out.push('{');
        for (index, (name, member)) in node.members().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.name(name);
            let below = if trail.is_lost() { trail.clone() } else { trail.step(name) };
            let below = self.start(path.is_empty(), below);
            path.push(name);
            self.value(member, &below, path);
            path.pop();
        }
        self.out.push('}');
    }

    /// The progress of patterns at a value, which is a document of a call or not.
    fn start<'p>(&self, is_document: bool, trail: Trail<'p>) -> Trail<'p> {
        if self.is_call && is_document { trail.again() } else { trail }
    }

    fn name(&mut self, name: &str) {
        if self.echoes.is_some_and(|removed| removed.is_in(name)) {
            self.count += 1;
            // The number makes the name unique.
            self.out.push_str(&json::write(&format!("x-redacted-{}", self.count)));
        } else {
            self.out.push_str(&json::write(&name));
        }
        self.out.push(':');
    }

    fn is_echo(&self, node: Node<'_>) -> bool {
        let text = node.as_str().or(node.as_number());
        self.echoes.is_some_and(|removed| text.is_some_and(|text| removed.is_in(text)))
    }

    /// Collects the redacted texts of a value at a path.
    fn remove<'t>(&mut self, node: Node<'t>, path: &mut Vec<&'t str>) {
        if let Some(text) = node.as_str() {
            self.remove_text(text);
            // An answer may contain the segments of a variable, each on its own or in a JSON Pointer.
            if path.iter().rev().take(2).any(|name| VARIABLES.contains(name)) {
                self.removed.extend(text.split('.').map(str::to_owned));
            }
        }
        if let Some(number) = node.as_number() {
            // An answer may contain a number as it is, or in canonical form.
            self.removed.extend([number.to_owned(), json::canonical(node)]);
        }
        for item in node.items() {
            path.push("");
            self.remove(item, path);
            path.pop();
        }
        for (name, member) in node.members() {
            self.removed.insert(name.to_owned());
            path.push(name);
            self.remove(member, path);
            path.pop();
        }
    }

    /// Collects a text, and what the engine reads in it.
    fn remove_text(&mut self, text: &str) {
        self.removed.insert(text.to_owned());
        self.removed.extend(tokens(text));
        self.removed.extend(pattern_parts(text).map(str::to_owned));
        if text.trim_start().starts_with(['[', '{'])
            && let Ok(tape) = json::read(text.as_bytes(), Limits::ANSWER)
        {
            self.remove(tape.root(), &mut Vec::new());
        }
    }
}

/// True if the path is that of a status. A status is one of a few words and reveals nothing.
fn is_verdict(path: &[&str]) -> bool {
    matches!(path, ["decision" | "payload", "status"] | ["status" | "gate"])
}
