//! Documents written again, but for what is taken out.

use std::collections::BTreeSet;

use adjudicate_core::{
    evaluate::pieces,
    json::{self, Kind, Node, object::Members},
};

use super::{
    pattern::Trail,
    removed::{Removed, is_telling},
};

/// What stands where something was taken out. No value of an envelope looks so, and it tells nothing: not even whether two values
/// were the same.
pub(super) const MARKER: &str = r#"{"x-redacted":true}"#;

/// An object without one of its members: the others stay in their order, as they are spelled.
pub(crate) fn without_member(object: Node<'_>, left_out: &str) -> String {
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    for (name, member) in object.members().filter(|(name, _)| *name != left_out) {
        members.part(name, |out| json::write_verbatim(member, out));
    }
    members.close();
    out
}

/// Writes a document again, in its own order and with its own spelling of numbers, but for what is taken out.
pub(super) struct Copy<'r> {
    pub(super) out: String,
    pub(super) count: u64,
    /// Members of the root at which patterns begin again.
    pub(super) documents: &'static [&'static str],
    pub(super) removed: BTreeSet<String>,
    /// Texts that are taken out wherever they are.
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
            // No two members have one name.
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

    /// Remembers the texts in what is taken out.
    fn remove(&mut self, node: Node<'_>) {
        let text = node.as_str().or(node.as_number());
        self.removed.extend(text.filter(|text| is_telling(text)).map(str::to_owned));
        // Of a text that is read, an answer tells what was read.
        let pieces = node.as_str().map(pieces).unwrap_or_default();
        self.removed.extend(pieces.into_iter().filter(|piece| is_telling(piece)));
        for item in node.items() {
            self.remove(item);
        }
        for (name, member) in node.members() {
            self.removed.extend(Some(name).filter(|name| is_telling(name)).map(str::to_owned));
            self.remove(member);
        }
    }
}

/// Whether a place holds what an answer comes to, which is one of a few words whoever asks.
fn is_verdict(path: &[&str]) -> bool {
    matches!(path, ["decision" | "payload", "status"] | ["status" | "gate"])
}
