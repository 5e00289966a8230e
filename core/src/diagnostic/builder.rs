//! A builder of diagnostics.

use alloc::{
    borrow::Cow,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_lang::{json, order};

use super::PlanCode;
use crate::documents::diagnostic::Diagnostic;

impl<'a> Diagnostic<'a> {
    /// The diagnostic for a guardrail that fired at a node. The node has an id, a capability, both or neither.
    pub(crate) fn policy_triggered(
        id: &str,
        action: &str,
        reason: Option<&str>,
        (node, capability): (Option<&'a str>, Option<&'a str>),
    ) -> Self {
        let mut finding =
            DiagnosticBuilder::new(PlanCode::PolicyTriggered).with("policyId", id).with("action", action);
        if let Some(reason) = reason {
            finding = finding.with("reason", reason);
        }
        finding.diagnostic.node_id = node.map(Cow::Borrowed);
        finding.diagnostic.capability_id = capability.map(Cow::Borrowed);
        finding.finish()
    }
}

/// A diagnostic under construction.
pub(crate) struct DiagnosticBuilder<'a> {
    pub diagnostic: Diagnostic<'a>,
    details: Vec<(&'static str, String)>,
}

impl<'a> DiagnosticBuilder<'a> {
    pub(crate) fn new(code: PlanCode) -> Self {
        let details = Vec::from([("code", json::write(&code.as_str()))]);
        Self { diagnostic: Diagnostic::new(code.level(), code.outcome(), code.cause()), details }
    }

    /// Sets the capability at fault.
    pub(crate) fn with_capability(mut self, id: &'a str) -> Self {
        self.diagnostic.capability_id = Some(Cow::Borrowed(id));
        self
    }

    /// Adds a detail.
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

    /// Adds a detail from JSON text, in canonical form.
    pub(crate) fn with_canonical(self, name: &'static str, text: &str) -> Self {
        let tape = json::read(text.as_bytes(), json::ReadLimits::ANSWER);
        self.with_json(name, tape.map_or_else(|_| "null".into(), |tape| json::canonical(tape.root())))
    }

    /// Adds a detail that is JSON already.
    pub(crate) fn with_json(mut self, name: &'static str, json: String) -> Self {
        self.details.push((name, json));
        self
    }

    /// Adds suggestions, one a line.
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
