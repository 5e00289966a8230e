//! The report of the validators: diagnostics, and how a finding becomes one.

use alloc::{borrow::Cow, string::String, vec::Vec};

use adjudicate_lang::{Error, Steps, document::Id};

use super::{PlanCode, bound_node::BoundNode, demand::Demand};
pub(super) use crate::diagnostic::DiagnosticBuilder;
use crate::documents::diagnostic::{Cause, Diagnostic, DiagnosticStatus, Level};

/// The findings so far, and the remaining budget.
pub(super) struct DiagnosticReport<'a, 's> {
    pub diagnostics: Vec<Diagnostic<'a>>,
    pub steps: &'s mut Steps,
}

impl<'a> DiagnosticReport<'a, '_> {
    /// Adds a finding.
    ///
    /// # Errors
    ///
    /// When the budget runs out; it bounds the size of the answer.
    pub(super) fn add(&mut self, finding: DiagnosticBuilder<'a>) -> Result<(), Error> {
        const ENTRY: usize = 512;
        let diagnostic = finding.finish();
        let text: usize = diagnostic.suggestions.iter().map(|line| line.len()).sum();
        self.steps.spend(ENTRY + 4 * (text + diagnostic.details.as_ref().map_or(0, String::len)))?;
        self.diagnostics.push(diagnostic);
        Ok(())
    }
}

impl<'a> DiagnosticBuilder<'a> {
    /// A finding about a constraint, whose level sets severity and cause (docs/reference/plans.md).
    pub(super) fn about(code: PlanCode, demand: &'a Demand<'a>) -> Self {
        let mut finding = Self::new(code);
        let diagnostic = &mut finding.diagnostic;
        diagnostic.level = demand.constraint.level;
        diagnostic.constraint = Some(Cow::Borrowed(&demand.text));
        diagnostic.constraint_id = Some(Cow::Borrowed(&demand.id));
        match diagnostic.level {
            Level::Hard => {}
            // An undecided soft constraint counts as unsatisfied, so that the plan does not pass as accepted.
            Level::Soft => {
                diagnostic.cause = Cause::UnsatisfiedSoft;
                diagnostic.outcome = match diagnostic.outcome {
                    DiagnosticStatus::Unknown => DiagnosticStatus::Unsatisfied,
                    decided => decided,
                };
            }
            Level::Informational => {
                (diagnostic.outcome, diagnostic.cause) = (DiagnosticStatus::Unknown, Cause::Advisory);
            }
        }
        match demand.constraint.rationale {
            Some(rationale) if diagnostic.outcome != DiagnosticStatus::Satisfied => {
                finding.with("rationale", rationale)
            }
            _ => finding,
        }
    }

    /// Adds the node at fault, if there is one, and the capability that it names.
    pub(super) fn at(mut self, step: impl Into<Option<BoundNode<'a>>>) -> Self {
        if let Some(step) = step.into() {
            self.diagnostic.node_id = Some(Cow::Borrowed(step.node.node_id.0));
            self.diagnostic.capability_id = step.node.capability_id.map(|Id(id)| Cow::Borrowed(id));
        }
        self
    }
}
