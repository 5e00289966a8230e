//! Copies of documents without the redacted values.

use std::collections::BTreeSet;

use adjudicate_core::json::{self, Kind, Node, object::ObjectWriter};

use super::{
    known::{self, KnownTexts, text_of},
    pattern::Trail,
};

/// The replacement for redacted values. No value of an envelope looks like it. It is the same for all values, so it does not reveal
/// whether two values were equal.
pub(super) const MARKER: &str = r#"{"x-redacted":true}"#;

/// The prefix of names that replace redacted names.
const RENAMED: &str = "x-redacted-";

/// Returns an object without one of its fields. The other fields keep their order and spelling.
#[must_use]
pub fn without_member(object: Node<'_>, left_out: &str) -> String {
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
    /// The texts of the copy that an answer may contain.
    pub(super) kept: BTreeSet<String>,
    /// The texts that were left out.
    pub(super) removed: BTreeSet<String>,
    /// In an answer: the texts that stay.
    pub(super) known: Option<&'r KnownTexts>,
}

impl<'r> Copy<'r> {
    pub(super) fn new(is_call: bool, known: Option<&'r KnownTexts>) -> Self {
        let (kept, removed) = Default::default();
        Self { out: String::new(), count: 0, is_call, kept, removed, known }
    }

    pub(super) fn value(&mut self, node: Node<'_>, trail: &Trail<'_>, depth: usize) {
        if trail.is_met() || self.known.is_some_and(|known| known.bars(node)) {
            self.remove(node);
            self.out.push_str(MARKER);
            self.count += 1;
            return;
        }
        match node.kind() {
            Kind::Array => self.list(node, trail, depth),
            Kind::Object => self.object(node, trail, depth),
            _ => {
                self.kept.extend(text_of(node).filter(|text| text.len() <= known::LONGEST));
                json::write_verbatim(node, &mut self.out);
            }
        }
    }

    fn list(&mut self, node: Node<'_>, trail: &Trail<'_>, depth: usize) {
        self.out.push('[');
        for (index, item) in node.items().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            let below = if trail.is_lost() { trail.clone() } else { trail.step(&index.to_string()) };
            let below = self.start(depth == 1, below);
            self.value(item, &below, depth + 1);
        }
        self.out.push(']');
    }

    fn object(&mut self, node: Node<'_>, trail: &Trail<'_>, depth: usize) {
        self.out.push('{');
        for (index, (name, member)) in node.members().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.name(name);
            let below = if trail.is_lost() { trail.clone() } else { trail.step(name) };
            let below = self.start(depth == 0, below);
            self.value(member, &below, depth + 1);
        }
        self.out.push('}');
    }

    /// The progress of patterns at a value, which is a document of a call or not.
    fn start<'p>(&self, is_document: bool, trail: Trail<'p>) -> Trail<'p> {
        if self.is_call && is_document { trail.again() } else { trail }
    }

    fn name(&mut self, name: &str) {
        if self.known.is_some_and(|known| !known.allows(name) || name.starts_with(RENAMED)) {
            self.count += 1;
            // The number makes the name unique.
            self.out.push_str(&json::write(&format!("{RENAMED}{}", self.count)));
        } else {
            self.kept.insert(name.to_owned());
            self.out.push_str(&json::write(&name));
        }
        self.out.push(':');
    }

    /// Collects the texts of a value that is left out.
    fn remove(&mut self, node: Node<'_>) {
        self.removed.extend(text_of(node));
        node.items().for_each(|item| self.remove(item));
        for (name, member) in node.members() {
            self.removed.insert(name.to_owned());
            self.remove(member);
        }
    }
}
