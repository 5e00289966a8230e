//! The data for the next envelope, with which the next evaluation looks back at this one.

use alloc::{borrow::Cow, vec::Vec};

use adjudicate_lang::order;

use super::name_status::name_status;
use crate::{
    documents::{
        envelope::{EntryBlocker, Opcode},
        evaluation::Evaluation,
        finding::Finding,
        revision::{HistoryEntry, NextLoop, RefinementCount},
    },
    evaluate::Facts,
};

/// Derives the data for the next envelope.
pub(super) fn next<'a>(facts: &'a Facts<'a>, evaluation: &'a Evaluation<'a>) -> NextLoop<'a> {
    let refinement = evaluation.loop_state.refinement;
    NextLoop {
        refinement: RefinementCount {
            cap: refinement.cap,
            spent: refinement.spent.saturating_add(u64::from(refinement.requested)),
        },
        history_entry: history_entry(facts, evaluation),
    }
}

fn history_entry<'a>(facts: &'a Facts<'a>, evaluation: &'a Evaluation<'a>) -> HistoryEntry<'a> {
    let envelope = facts.envelope();
    let blockers = blockers(&evaluation.findings);
    HistoryEntry {
        step_id: envelope.step_id,
        opcode: Opcode::Evaluate,
        status: evaluation.decision.status,
        diff_summary: match &envelope.evidence.diff {
            Some(diff) => Cow::Owned(name_status(diff)),
            None => Cow::Borrowed(envelope.evidence.workspace_diff_summary),
        },
        risk_flags: &evaluation.decision.risk_flags,
        blocker_codes: evaluation.blocker_codes.clone(),
        blockers: (evaluation.omitted == 0).then_some(blockers),
        failures: facts.failures(),
        reviewed: facts.has_review(),
    }
}

/// The blockers of the decision, each once, with the items at fault.
fn blockers<'a>(findings: &'a [Finding<'a>]) -> Vec<EntryBlocker<'a>> {
    let raising = findings.iter().filter(|finding| finding.raises_blocker());
    let blockers =
        raising.filter_map(|finding| Some(EntryBlocker { code: finding.blocker?, item: &finding.item }));
    order::without_repeats(blockers.collect(), Ord::cmp)
}
