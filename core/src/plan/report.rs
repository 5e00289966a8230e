//! How validators say what they found: a code, who is at fault, and what would help.

use alloc::{
    borrow::Cow,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_lang::{Error, Steps, json, order};

use super::{Cause, Diagnostic, Level, Outcome, PlanCode, demand::Demand, facts::BoundNode};

/// What validators found, and what they may still spend.
pub(super) struct Report<'a, 's> {
    pub diagnostics: Vec<Diagnostic<'a>>,
    pub steps: &'s mut Steps,
}

impl<'a> Report<'a, '_> {
    /// Takes down a finding.
    ///
    /// # Errors
    ///
    /// Running out of the budget: an answer is not of any size.
    pub(super) fn add(&mut self, finding: Finding<'a>) -> Result<(), Error> {
        const ENTRY: usize = 512;
        let diagnostic = finding.finish();
        let text: usize = diagnostic.suggestions.iter().map(|line| line.len()).sum();
        self.steps.spend(ENTRY + 4 * (text + diagnostic.details.as_ref().map_or(0, String::len)))?;
        self.diagnostics.push(diagnostic);
        Ok(())
    }
}

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
pub(super) struct Finding<'a> {
    diagnostic: Diagnostic<'a>,
    details: Vec<(&'static str, String)>,
}

impl<'a> Finding<'a> {
    pub(super) fn new(code: PlanCode) -> Self {
        let details = Vec::from([("code", json::write(&code.as_str()))]);
        Self { diagnostic: Diagnostic::new(code.level(), code.outcome(), code.cause()), details }
    }

    /// What is said of a constraint: its level decides how grave it is, and which cause that makes (SPEC section 7.2).
    pub(super) fn about(code: PlanCode, demand: &'a Demand<'a>) -> Self {
        let mut finding = Self::new(code);
        let diagnostic = &mut finding.diagnostic;
        diagnostic.level = demand.constraint.level;
        diagnostic.constraint = Some(Cow::Borrowed(&demand.text));
        diagnostic.constraint_id = Some(Cow::Borrowed(&demand.id));
        match diagnostic.level {
            Level::Hard => {}
            // What cannot be told must not pass for accepted: of soft ones only what is unsatisfied counts as a finding.
            Level::Soft => {
                diagnostic.cause = Cause::UnsatisfiedSoft;
                diagnostic.outcome = match diagnostic.outcome {
                    Outcome::Unknown => Outcome::Unsatisfied,
                    decided => decided,
                };
            }
            Level::Informational => {
                (diagnostic.outcome, diagnostic.cause) = (Outcome::Unknown, Cause::Advisory);
            }
        }
        match demand.constraint.rationale {
            Some(rationale) if diagnostic.outcome != Outcome::Satisfied => {
                finding.with("rationale", rationale)
            }
            _ => finding,
        }
    }

    /// What stands against a constraint whatever a plan does: its level is that of the code, unless nothing hangs on the
    /// constraint.
    pub(super) fn against(code: PlanCode, demand: &'a Demand<'a>) -> Self {
        let mut finding = Self::about(code, demand);
        if demand.constraint.level == Level::Soft {
            finding = finding.with("level", Level::Soft.as_str());
            finding.diagnostic.level = code.level();
            (finding.diagnostic.outcome, finding.diagnostic.cause) = (code.outcome(), code.cause());
        }
        finding
    }

    /// The node at fault, if there is one, and the capability that it names.
    pub(super) fn at(mut self, step: impl Into<Option<BoundNode<'a>>>) -> Self {
        if let Some(step) = step.into() {
            self.diagnostic.node_id = Some(Cow::Borrowed(step.node.id));
            self.diagnostic.capability_id = step.node.capability.map(Cow::Borrowed);
        }
        self
    }

    /// The capability at fault.
    pub(super) fn of_capability(mut self, id: &'a str) -> Self {
        self.diagnostic.capability_id = Some(Cow::Borrowed(id));
        self
    }

    /// One more detail.
    pub(super) fn with(mut self, name: &'static str, text: &str) -> Self {
        self.details.push((name, json::write(&text)));
        self
    }

    pub(super) fn with_list<'t>(mut self, name: &'static str, texts: impl Iterator<Item = &'t str>) -> Self {
        let texts: Vec<String> = texts.map(|text| json::write(&text)).collect();
        self.details.push((name, ["[", &texts.join(","), "]"].concat()));
        self
    }

    pub(super) fn with_number(self, name: &'static str, number: u64) -> Self {
        self.with_json(name, number.to_string())
    }

    /// A detail that is a JSON text; it is written in canonical form.
    pub(super) fn with_canonical(self, name: &'static str, text: &str) -> Self {
        let tape = json::read(text.as_bytes(), json::Limits::ANSWER);
        self.with_json(name, tape.map_or_else(|_| "null".into(), |tape| json::canonical(tape.root())))
    }

    /// One more detail, which is JSON already.
    pub(super) fn with_json(mut self, name: &'static str, json: String) -> Self {
        self.details.push((name, json));
        self
    }

    /// Lines of what would help.
    pub(super) fn suggest(mut self, lines: impl IntoIterator<Item = String>) -> Self {
        self.diagnostic.suggestions.extend(lines.into_iter().map(Cow::Owned));
        self
    }

    fn finish(mut self) -> Diagnostic<'a> {
        order::sort_by(&mut self.details, |(left, _), (right, _)| left.cmp(right));
        let members: Vec<String> =
            self.details.iter().map(|(name, value)| [&json::write(name), ":", value].concat()).collect();
        self.diagnostic.details = Some(["{", &members.join(","), "}"].concat());
        self.diagnostic.order_suggestions();
        self.diagnostic
    }
}
