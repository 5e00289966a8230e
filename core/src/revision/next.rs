//! What the next envelope is to carry, so that the next evaluation can look back at this one.

use alloc::{borrow::Cow, vec::Vec};

use adjudicate_lang::order;
use serde::Serialize;

use super::{events::RefinementCount, name_status::name_status};
use crate::{
    codes::Status,
    evaluate::{EntryBlocker, Evaluation, Facts, Finding, Opcode},
};

/// What to feed into the next envelope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct NextLoop<'a> {
    /// The next `refinement`. It counts the refinement that the decision asks for as spent.
    pub refinement: RefinementCount,
    /// To be put at the end of `evaluate_history`, of `provenance_window`, or of both.
    pub history_entry: HistoryEntry<'a>,
}

/// This evaluation as an entry of the history: what an envelope's entry may be, with everything that it may carry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct HistoryEntry<'a> {
    /// The EVALUATE step.
    pub step_id: &'a str,
    /// Its opcode, EVALUATE.
    #[cfg_attr(feature = "typescript", tsify(type = "\"EVALUATE\""))]
    pub opcode: Opcode,
    /// What it decided.
    pub status: Status,
    /// What had changed, as git prints it: the summary, or the typed diff as `--name-status` has it.
    pub diff_summary: Cow<'a, str>,
    /// The flags that were raised.
    pub risk_flags: &'a [&'a str],
    /// The codes of the blockers, each once.
    pub blocker_codes: Vec<&'a str>,
    /// The blockers with the items at fault, in the order of the findings.
    /// Left out where there are more than an answer lists: the next evaluation then compares codes alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blockers: Option<Vec<EntryBlocker<'a>>>,
    /// How many checks failed.
    pub failures: u64,
    /// `true` if the evidence held a review and the artifact that it names.
    pub reviewed: bool,
}

/// What the next envelope is to carry after this evaluation.
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

/// The blockers of the decision, each once, with the items that findings keep.
fn blockers<'a>(findings: &'a [Finding<'a>]) -> Vec<EntryBlocker<'a>> {
    let raising = findings.iter().filter(|finding| finding.raises_blocker());
    let blockers =
        raising.filter_map(|finding| Some(EntryBlocker { code: finding.blocker?, item: &finding.item }));
    order::without_repeats(blockers.collect(), Ord::cmp)
}
