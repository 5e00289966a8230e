//! Copies of documents without the redacted values.

use std::collections::BTreeSet;

use adjudicate_core::{
    evaluate::tokens,
    json::{self, Kind, Node, object::ObjectWriter},
};

use super::{
    pattern::Trail,
    removed::{Removed, is_telling},
};

/// The replacement for redacted values. No value of an envelope looks like it. It is the same for all values, so it does not reveal
/// whether two values were equal.
pub(super) const MARKER: &str = r#"{"x-redacted":true}"#;

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
    /// Fields of the root at which patterns start again.
    pub(super) documents: &'static [&'static str],
    pub(super) removed: BTreeSet<String>,
    /// Texts that are redacted wherever they occur.
    pub(super) echoes: Option<&'r Removed>,
}

impl<'r> Copy<'r> {
    pub(super) fn new(documents: &'static [&'static str]) -> Self {
        Self { out: String::new(), count: 0, documents, removed: BTreeSet::new(), echoes: None }
    }

    pub(super) fn value<'t>(&mut self, node: Node<'t>, trail: &Trail<'_>, path: &mut Vec<&'t str>) {
        if trail.is_met() || (self.is_echo(node) && !is_verdict(path)) {
            self.remove(node);
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
            let mut below = if trail.is_lost() { trail.clone() } else { trail.step(name) };
            if path.is_empty() && self.documents.contains(&name) {
                below = below.or(trail.clone());
            }
            path.push(name);
            self.value(member, &below, path);
            path.pop();
        }
        self.out.push('}');
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

    /// Collects the redacted texts.
    fn remove(&mut self, node: Node<'_>) {
        let text = node.as_str().or(node.as_number());
        self.removed.extend(text.filter(|text| is_telling(text)).map(str::to_owned));
        // An answer may quote parts of a parsed text.
        let tokens = node.as_str().map(tokens).unwrap_or_default();
        self.removed.extend(tokens.into_iter().filter(|token| is_telling(token)));
        for item in node.items() {
            self.remove(item);
        }
        for (name, member) in node.members() {
            self.removed.extend(Some(name).filter(|name| is_telling(name)).map(str::to_owned));
            self.remove(member);
        }
    }
}

/// True if the path is that of a status. A status is one of a few words and reveals nothing.
fn is_verdict(path: &[&str]) -> bool {
    matches!(path, ["decision" | "payload", "status"] | ["status" | "gate"])
}
