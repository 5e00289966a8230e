//! A diagnostic in the making.

use alloc::{
    borrow::Cow,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_lang::{json, order};

use super::{Diagnostic, PlanCode};

impl<'a> Diagnostic<'a> {
    /// The advice that a guardrail fired at a node, which is known by its id, its capability, both or neither.
    pub(crate) fn of_policy(
        id: &str,
        action: &str,
        reason: Option<&str>,
        (node, capability): (Option<&'a str>, Option<&'a str>),
    ) -> Self {
        let mut finding = Finding::new(PlanCode::PolicyTriggered).with("policyId", id).with("action", action);
        if let Some(reason) = reason {
            finding = finding.with("reason", reason);
        }
        finding.diagnostic.node_id = node.map(Cow::Borrowed);
        finding.diagnostic.capability_id = capability.map(Cow::Borrowed);
        finding.finish()
    }
}

/// A diagnostic in the making.
pub(crate) struct Finding<'a> {
    pub diagnostic: Diagnostic<'a>,
    details: Vec<(&'static str, String)>,
}

impl<'a> Finding<'a> {
    pub(crate) fn new(code: PlanCode) -> Self {
        let details = Vec::from([("code", json::write(&code.as_str()))]);
        Self { diagnostic: Diagnostic::new(code.level(), code.outcome(), code.cause()), details }
    }

    /// The capability at fault.
    pub(crate) fn of_capability(mut self, id: &'a str) -> Self {
        self.diagnostic.capability_id = Some(Cow::Borrowed(id));
        self
    }

    /// One more detail.
    pub(crate) fn with(mut self, name: &'static str, text: &str) -> Self {
        self.details.push((name, json::write(&text)));
        self
    }

    pub(crate) fn with_list<'t>(mut self, name: &'static str, texts: impl Iterator<Item = &'t str>) -> Self {
        let texts: Vec<String> = texts.map(|text| json::write(&text)).collect();
        self.details.push((name, ["[", &texts.join(","), "]"].concat()));
        self
    }

    pub(crate) fn with_number(self, name: &'static str, number: u64) -> Self {
        self.with_json(name, number.to_string())
    }

    /// A detail that is a JSON text; it is written in canonical form.
    pub(crate) fn with_canonical(self, name: &'static str, text: &str) -> Self {
        let tape = json::read(text.as_bytes(), json::Limits::ANSWER);
        self.with_json(name, tape.map_or_else(|_| "null".into(), |tape| json::canonical(tape.root())))
    }

    /// One more detail, which is JSON already.
    pub(crate) fn with_json(mut self, name: &'static str, json: String) -> Self {
        self.details.push((name, json));
        self
    }

    /// Lines of what would help.
    pub(crate) fn suggest(mut self, lines: impl IntoIterator<Item = String>) -> Self {
        self.diagnostic.suggestions.extend(lines.into_iter().map(Cow::Owned));
        self
    }

    pub(crate) fn finish(mut self) -> Diagnostic<'a> {
        order::sort_by(&mut self.details, |(left, _), (right, _)| left.cmp(right));
        let members: Vec<String> =
            self.details.iter().map(|(name, value)| [&json::write(name), ":", value].concat()).collect();
        self.diagnostic.details = Some(["{", &members.join(","), "}"].concat());
        self.diagnostic.order_suggestions();
        self.diagnostic
    }
}
