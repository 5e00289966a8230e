//! The search for the cheapest set of acts under which the changed envelope evaluates to `success`.
//!
//! Best-first search over sets of acts. The order is: changes made and still needed (a lower bound), number of acts, changes still
//! needed, age. Each set is written, read and evaluated; its remaining findings determine the acts that can help. Acts without an
//! alternative are added at once, and for the first finding with a choice, each choice is tried. So the first set with `success` is
//! a smallest one among those that resolve each finding by an act of its row. An act that resolves two findings is tried only if it
//! is in one of their rows.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    Error, Steps,
    json::{self, ReadLimits},
    order::{self, SortedSet},
};

use super::{
    act::{Act, Acts, ChangeTarget, insert},
    changed_envelope::ChangedEnvelope,
    changes::changes_of,
    levers::Choice,
    needs::{Need, ask_for_person, needs},
    ranges::Ranges,
};
use crate::{
    codes::{self, Status},
    documents::{
        counterfactual::{Counterfactual, EvidenceChange, Impossibility, NoCounterfactual},
        envelope::Envelope,
        evaluation::Evaluation,
    },
    evaluate::{Judged, evaluate},
};

/// The most changed envelopes that are evaluated.
pub const MAX_CANDIDATES: usize = 500;
/// The budget of a search, such that an explanation takes less than the default fuel of a module, 500 million.
const BUDGET: u64 = 12_000_000;
/// The most bytes of an envelope with a search.
const LARGEST: usize = 1 << 20;
/// The cost of evaluating a changed envelope, in addition to its bytes and conditions.
const CANDIDATE: usize = 1 << 14;
/// The cost of writing and reading a byte of an envelope.
const BYTE: usize = 4;
/// The cost of a condition, in addition to its variables and constants.
const RULE: usize = 1 << 10;
/// The cost of an act in a set that is queued: its change is located and applied, and the act stored in `frontier` and `seen`. Because the
/// budget bounds the number of these acts, it bounds their memory.
const PART: usize = 1 << 12;
/// The cost of an act in a set of acts without an alternative. It is smaller, because an evaluation queues only one such set, but otherwise
/// one set for each choice.
const FORCED_PART: usize = 1 << 10;
/// The most needs after the first one that count towards the lower bound on the changes that a set still needs.
const LOOKED_AHEAD: usize = 64;
/// The number of bytes per step for rewriting the diff of an envelope.
const LINE: usize = 8;
/// The cost of storing a set of acts.
const SET: usize = 1 << 9;

/// Finds a smallest set of changes.
///
/// # Errors
///
/// The reason why there is none.
pub(in crate::explain) fn find<'a>(
    facts: &'a Judged<'a>,
    evaluation: &'a Evaluation<'a>,
) -> Result<Counterfactual, NoCounterfactual<'a>> {
    let none = |reason: Impossibility, rules| NoCounterfactual { reason, message: reason.message(), rules };
    let unfinished = || none(Impossibility::Unfinished, names(evaluation));
    if evaluation.decision.status == Status::Success {
        return Err(none(Impossibility::Success, Vec::new()));
    }
    // Findings that were left out would have to be resolved as well.
    if evaluation.omitted > 0 {
        return Err(unfinished());
    }
    let mut search = CounterfactualSearch::new(facts, evaluation);
    search.steps.spend(looked_at(facts)).map_err(|_| unfinished())?;
    let needed = needs(facts, evaluation, &search.ranges, &Acts::new());
    for reason in [Impossibility::Terminal, Impossibility::NeedsHuman] {
        let stands = |need: &Need| match need {
            Need::Terminal => reason == Impossibility::Terminal,
            Need::Human => reason == Impossibility::NeedsHuman,
            Need::OneOf(_) => false,
        };
        let rules = needed.iter().filter(|(_, need)| stands(need)).map(|(at, _)| *at);
        let rules = rules_at(evaluation, rules);
        if !rules.is_empty() {
            return Err(none(reason, rules));
        }
    }
    // A candidate takes as much memory as the envelope itself.
    if search.size > LARGEST {
        return Err(unfinished());
    }
    search
        .follow(Acts::new(), needed.into_iter().map(|(_, need)| need).collect())
        .map_err(|_| unfinished())?;
    if let Some(found) = search.run().map_err(|_| unfinished())? {
        return Ok(found);
    }
    let rules = rules_at(evaluation, ask_for_person(facts, evaluation, &search.ranges).into_iter());
    Err(match rules.is_empty() {
        true => none(Impossibility::NotFound, names(evaluation)),
        false => none(Impossibility::NeedsHuman, rules),
    })
}

/// The rules that prevent `success`, each once, in the order of findings.
fn names<'a>(evaluation: &'a Evaluation<'a>) -> Vec<&'a str> {
    rules_at(evaluation, 0..evaluation.findings.len())
}

fn rules_at<'a>(evaluation: &'a Evaluation<'a>, places: impl Iterator<Item = usize>) -> Vec<&'a str> {
    let findings = places.filter_map(|at| evaluation.findings.get(at)).filter(|finding| finding.counts());
    order::without_repeats(findings.map(|finding| finding.rule).collect(), Ord::cmp)
}

/// A set of acts with its sort key.
type RankedActs = ([usize; 4], Acts);

struct CounterfactualSearch<'a> {
    facts: &'a Judged<'a>,
    evaluation: &'a Evaluation<'a>,
    /// The unchanged envelope.
    original: ChangedEnvelope<'a>,
    ranges: Ranges<'a>,
    /// The size of the envelope in bytes.
    size: usize,
    /// The sets to try, cheapest first: by changes made and still needed, acts, changes still needed, and age.
    frontier: SortedSet<RankedActs>,
    /// The sets that were tried or are in the frontier, all with the same key, so that both sets share code.
    seen: SortedSet<RankedActs>,
    steps: Steps,
    /// The number of sets that were queued so far.
    queued: usize,
    /// The number of sets that were evaluated.
    tried: usize,
}

impl<'a> CounterfactualSearch<'a> {
    fn new(facts: &'a Judged<'a>, evaluation: &'a Evaluation<'a>) -> Self {
        Self {
            facts,
            evaluation,
            original: ChangedEnvelope::Kept(facts.input()),
            ranges: Ranges::new(facts),
            size: ChangedEnvelope::Kept(facts.input()).text().len(),
            frontier: SortedSet::new(),
            seen: SortedSet::new(),
            steps: Steps::new(BUDGET),
            queued: 0,
            tried: 0,
        }
    }

    /// The cheapest set that leads to `success`, if there is one.
    fn run(&mut self) -> Result<Option<Counterfactual>, Error> {
        while let Some((_, acts)) = self.frontier.pop_first() {
            if self.tried == MAX_CANDIDATES {
                return Err(Error::new(codes::LIMIT_EXCEEDED, "there are too many candidates"));
            }
            self.tried += 1;
            let changes = changes_of(self.facts, &mut self.original, &acts, &mut self.steps);
            if let Some(next_step) = self.evaluate(acts, &changes)? {
                let resolves = names(self.evaluation).into_iter().map(String::from).collect();
                return Ok(Some(Counterfactual { changes, resolves, status: Status::Success, next_step }));
            }
        }
        Ok(None)
    }

    /// Evaluates the changed envelope. Returns the next step on `success`; otherwise queues the sets that could help.
    fn evaluate(&mut self, acts: Acts, changes: &[EvidenceChange]) -> Result<Option<Option<String>>, Error> {
        let mut draft = self.original.clone();
        changes.iter().for_each(|change| draft.apply(change));
        let text = draft.text();
        self.steps.spend(CANDIDATE + text.len().saturating_mul(BYTE))?;
        // A changed envelope that is invalid, or has no answer, leads nowhere.
        let Ok(tape) = json::read(text.as_bytes(), ReadLimits::DOCUMENT) else { return Ok(None) };
        let Ok(envelope) = Envelope::from_tape(&tape) else { return Ok(None) };
        let facts = match Judged::within(&envelope, self.facts.given_policy(), &mut self.steps) {
            Ok(facts) => facts,
            Err(error) if error.code() == codes::LIMIT_EXCEEDED => return Err(error),
            Err(_) => return Ok(None),
        };
        let evaluation = evaluate(&facts);
        if evaluation.decision.status == Status::Success {
            return Ok(Some(evaluation.decision.next_step.map(String::from)));
        }
        self.steps.spend(looked_at(&facts))?;
        let needed = needs(&facts, &evaluation, &self.ranges, &acts);
        self.follow(acts, needed.into_iter().map(|(_, need)| need).collect()).map(|()| None)
    }

    /// Queues the next sets for the needs that remain after some acts.
    fn follow(&mut self, acts: Acts, needs: Vec<Need>) -> Result<(), Error> {
        let mut left: Vec<Vec<Choice>> = Vec::new();
        for need in needs {
            let Need::OneOf(mut choices) = need else { return Ok(()) };
            choices.retain(|choice| is_new(choice, &acts) && !contradicts(choice, &acts));
            if choices.is_empty() {
                return Ok(());
            }
            left.push(choices);
        }
        let mut forced = acts.clone();
        for choices in &left {
            if let [only] = choices.as_slice() {
                if contradicts(only, &forced) {
                    return Ok(());
                }
                only.iter().for_each(|act| insert(&mut forced, act.clone()));
            }
        }
        if forced != acts {
            // Their remaining needs show once they are evaluated.
            return self.note(forced, 0, FORCED_PART);
        }
        let Some((first, others)) = left.split_first() else { return Ok(()) };
        let places = |need: &Vec<Choice>| SortedSet::from_values(need.iter().flatten().map(Act::place));
        let others: Vec<SortedSet<ChangeTarget>> = others.iter().take(LOOKED_AHEAD).map(places).collect();
        let taken = SortedSet::from_values(acts.iter().map(Act::place));
        for choice in first {
            let mut acts = acts.clone();
            choice.iter().for_each(|act| insert(&mut acts, act.clone()));
            let least = least_changes(&others, &taken, choice);
            self.note(acts, least, PART)?;
        }
        Ok(())
    }

    fn note(&mut self, acts: Acts, still_needed: usize, part: usize) -> Result<(), Error> {
        let ranked = ([0; 4], acts);
        if self.seen.contains(&ranked) {
            return Ok(());
        }
        let acts = &ranked.1;
        // Rewriting a diff costs extra.
        let diffs = acts.iter().filter(|act| matches!(act, Act::Diff(_))).count();
        self.steps.spend(SET + acts.len() * part + diffs.min(1) * self.size / LINE)?;
        let cost = changes_of(self.facts, &mut self.original, acts, &mut self.steps).len() + still_needed;
        let rank = [cost, acts.len() + still_needed, still_needed, self.queued];
        self.frontier.insert((rank, acts.clone()));
        self.seen.insert(ranked);
        self.queued += 1;
        // No more of them can be tried, except one that shows that there were others.
        if self.frontier.len() > MAX_CANDIDATES - self.tried + 1
            && let Some((_, last)) = self.frontier.pop_last()
        {
            self.seen.remove(&([0; 4], last));
        }
        Ok(())
    }
}

/// The cost of analyzing all conditions with their inputs.
fn looked_at(facts: &Judged<'_>) -> usize {
    let evidence = facts.evidence();
    let cases = facts.harness().map_or(0, |report| report.cases.len() + report.ux_flags.len());
    let issues = facts.results().review().map_or(0, |review| review.issues.len());
    let about = cases + issues + evidence.artifacts.len() + facts.changed().files().len();
    facts.verdicts().len().saturating_mul(RULE + about)
}

/// Returns true if part of a choice is not done yet.
fn is_new(choice: &[Act], acts: &Acts) -> bool {
    choice.iter().any(|act| !acts.contains(act))
}

fn contradicts(choice: &[Act], acts: &Acts) -> bool {
    choice.iter().any(|act| act.contradicts(acts))
}

/// A lower bound on further changes, from the places of each need. Only needs that share no place with another need, or with taken
/// or chosen acts, count.
fn least_changes(
    needs: &[SortedSet<ChangeTarget>],
    taken: &SortedSet<ChangeTarget>,
    chosen: &[Act],
) -> usize {
    let mut also = SortedSet::from_values(chosen.iter().map(Act::place));
    let mut least = 0;
    for places in needs {
        if places.is_disjoint(taken) && places.is_disjoint(&also) {
            places.iter().cloned().for_each(|place| also.insert(place));
            least += 1;
        }
    }
    least
}
