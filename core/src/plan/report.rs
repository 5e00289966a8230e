//! How validators say what they found: a code, who is at fault, and what would help.

use alloc::{borrow::Cow, string::String, vec::Vec};

use adjudicate_lang::{Error, Steps};

use super::{Cause, Diagnostic, Level, Outcome, PlanCode, demand::Demand, facts::BoundNode};
pub(super) use crate::diagnostic::Finding;

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

impl<'a> Finding<'a> {
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
}
