//! The search: the cheapest set of acts under which evaluating the changed envelope comes to `success`.
//!
//! Best first, over sets of acts: by the number of changes that they are and that are still needed at least, then by the
//! number of acts, then what is nearer to the end, then in the order of coming. Each set is written, read and evaluated. What the evaluation still finds
//! says which acts can help: those for which there is no choice are done at once, and of the first finding with a choice
//! each is tried. So the first set that comes to `success` is a smallest one of those that cure
//! each finding by an act of its own row. An act that would cure two findings at once is tried only where it is in one of their rows.

use alloc::{collections::BTreeSet, string::String, vec::Vec};

use adjudicate_lang::{
    Error, Steps,
    json::{self, Limits},
    order::{self, SortedSet},
};

use super::{
    Counterfactual, Impossibility, NoCounterfactual,
    act::{Act, Acts, DiffAct, Place, insert},
    changes::changes_of,
    draft::{Draft, EvidenceChange},
    levers::Choice,
    needs::{Need, ask_for_person, needs},
    ranges::Ranges,
};
use crate::{
    codes::{self, Status},
    evaluate::{Envelope, Evaluation, Facts, evaluate},
};

/// How many changed envelopes are evaluated at most.
pub const MAX_CANDIDATES: usize = 2_000;
/// How many bytes an envelope may have for others to be tried.
const LARGEST: usize = 1 << 20;
/// What writing and reading a byte of an envelope costs, in steps.
const BYTE: usize = 4;
/// What looking at a condition costs, beside what it is about.
const RULE: usize = 1 << 10;
/// What looking for the place of an act, making its change and keeping it twice costs: so many that all sets fit into a module.
const PART: usize = 1 << 11;
/// How many needs beside the one that is tried are looked at, to tell what a set still takes at least.
const LOOKED_AHEAD: usize = 64;
/// How many bytes of an envelope cost a step where its diff is written anew.
const LINE: usize = 8;
/// What keeping a set of acts costs.
const SET: usize = 1 << 9;
/// What matching all files with a pattern costs.
const PATTERN: usize = 1 << 19;

/// Finds a smallest set of changes, or says why there is none.
///
/// # Errors
///
/// Why there is none.
pub(in crate::explain) fn find<'a>(
    facts: &'a Facts<'a>,
    evaluation: &'a Evaluation<'a>,
) -> Result<Counterfactual, NoCounterfactual<'a>> {
    let none = |reason: Impossibility, rules| NoCounterfactual { reason, message: reason.message(), rules };
    if evaluation.decision.status == Status::Success {
        return Err(none(Impossibility::Success, Vec::new()));
    }
    // What is left out would have to go as well.
    if evaluation.omitted > 0 {
        return Err(none(Impossibility::Unfinished, names(evaluation)));
    }
    let mut search = Search::new(facts, evaluation);
    if search.steps.spend(looked_at(facts)).is_err() {
        return Err(none(Impossibility::Unfinished, names(evaluation)));
    }
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
    // Beside the envelope there would be another one, with all that is made of it.
    if search.size > LARGEST {
        return Err(none(Impossibility::Unfinished, names(evaluation)));
    }
    let begun = search.follow(Acts::new(), needed.into_iter().map(|(_, need)| need).collect());
    match begun.and_then(|()| search.run()) {
        Ok(Some(found)) => Ok(found),
        Ok(None) => {
            let rules = rules_at(evaluation, ask_for_person(facts, evaluation, &search.ranges).into_iter());
            if rules.is_empty() {
                return Err(none(Impossibility::NotFound, names(evaluation)));
            }
            Err(none(Impossibility::NeedsHuman, rules))
        }
        Err(_) => Err(none(Impossibility::Unfinished, names(evaluation))),
    }
}

/// The rules that stand against `success`, each once, in the order of findings.
fn names<'a>(evaluation: &'a Evaluation<'a>) -> Vec<&'a str> {
    rules_at(evaluation, 0..evaluation.findings.len())
}

fn rules_at<'a>(evaluation: &'a Evaluation<'a>, places: impl Iterator<Item = usize>) -> Vec<&'a str> {
    let findings = places.filter_map(|at| evaluation.findings.get(at)).filter(|finding| finding.counts());
    order::without_repeats(findings.map(|finding| finding.rule).collect(), Ord::cmp)
}

/// A set of acts with what it is ordered by.
type Ranked = ([usize; 4], Acts);

struct Search<'a> {
    facts: &'a Facts<'a>,
    evaluation: &'a Evaluation<'a>,
    /// The envelope, nothing of it changed.
    original: Draft<'a>,
    ranges: Ranges<'a>,
    /// How many bytes the envelope has.
    size: usize,
    /// What is to be tried, the cheapest first: changes with those still needed at least, acts, those still needed (what is
    /// nearer to the end comes before what is as cheap), and when it came.
    frontier: BTreeSet<Ranked>,
    /// What was on the frontier, with the same rank for all: two sets of one type are the code of one.
    seen: BTreeSet<Ranked>,
    steps: Steps,
    came: usize,
    tried: usize,
}

impl<'a> Search<'a> {
    fn new(facts: &'a Facts<'a>, evaluation: &'a Evaluation<'a>) -> Self {
        Self {
            facts,
            evaluation,
            original: Draft::Kept(facts.input()),
            ranges: Ranges::of(facts),
            size: Draft::Kept(facts.input()).text().len(),
            frontier: BTreeSet::new(),
            seen: BTreeSet::new(),
            steps: Steps::default(),
            came: 0,
            tried: 0,
        }
    }

    /// The cheapest set that comes to `success`, if there is one.
    fn run(&mut self) -> Result<Option<Counterfactual>, Error> {
        while let Some((_, acts)) = self.frontier.pop_first() {
            if self.tried == MAX_CANDIDATES {
                return Err(Error::new(codes::LIMIT_EXCEEDED, "there are too many candidates"));
            }
            self.tried += 1;
            let changes = changes_of(self.facts, &mut self.original, &acts);
            if let Some(next_step) = self.evaluate(acts, &changes)? {
                let resolves = names(self.evaluation).into_iter().map(String::from).collect();
                return Ok(Some(Counterfactual { changes, resolves, status: Status::Success, next_step }));
            }
        }
        Ok(None)
    }

    /// Evaluates the changed envelope: the next step if it comes to `success`; else what could help is to be tried.
    fn evaluate(&mut self, acts: Acts, changes: &[EvidenceChange]) -> Result<Option<Option<String>>, Error> {
        let mut draft = self.original.clone();
        changes.iter().for_each(|change| draft.apply(change));
        let text = draft.text();
        self.steps.spend(text.len().saturating_mul(BYTE))?;
        // What is no envelope any more, or has no answer, leads nowhere.
        let Ok(tape) = json::read(text.as_bytes(), Limits::DOCUMENT) else { return Ok(None) };
        let Ok(envelope) = Envelope::from_tape(&tape) else { return Ok(None) };
        let facts = match Facts::within(&envelope, tape.root(), self.facts.given_policy(), &mut self.steps) {
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

    /// Notes what is to be tried next, for the needs that are left after some acts.
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
            // What they leave is seen when they are done.
            return self.note(forced, 0);
        }
        let Some((first, others)) = left.split_first() else { return Ok(()) };
        let places = |need: &Vec<Choice>| SortedSet::of(need.iter().flatten().map(Act::place));
        let others: Vec<SortedSet<Place>> = others.iter().take(LOOKED_AHEAD).map(places).collect();
        let taken = SortedSet::of(acts.iter().map(Act::place));
        for choice in first {
            let mut acts = acts.clone();
            choice.iter().for_each(|act| insert(&mut acts, act.clone()));
            let least = least_changes(&others, &taken, choice);
            self.note(acts, least)?;
        }
        Ok(())
    }

    fn note(&mut self, acts: Acts, still_needed: usize) -> Result<(), Error> {
        let ranked = ([0; 4], acts);
        if self.seen.contains(&ranked) {
            return Ok(());
        }
        let acts = &ranked.1;
        // A diff is written anew, and a pattern is matched with all files.
        let diffs = acts.iter().filter(|act| matches!(act, Act::Diff(_))).count();
        let matches = acts.iter().filter(|act| matches!(act, Act::Diff(DiffAct::UndoUnder(_)))).count();
        self.steps.spend(SET + acts.len() * PART + diffs.min(1) * self.size / LINE + matches * PATTERN)?;
        let cost = changes_of(self.facts, &mut self.original, acts).len() + still_needed;
        let rank = [cost, acts.len() + still_needed, still_needed, self.came];
        self.frontier.insert((rank, acts.clone()));
        self.seen.insert(ranked);
        self.came += 1;
        // No more of them can be tried, but for one that shows that there were others.
        if self.frontier.len() > MAX_CANDIDATES - self.tried + 1
            && let Some((_, last)) = self.frontier.pop_last()
        {
            self.seen.remove(&([0; 4], last));
        }
        Ok(())
    }
}

/// What finding out what conditions ask for costs: each goes through what it is about.
fn looked_at(facts: &Facts<'_>) -> usize {
    let evidence = facts.evidence();
    let cases = facts.harness().map_or(0, |report| report.cases.len() + report.ux_flags.len());
    let issues = evidence.review.as_ref().map_or(0, |review| review.issues.len());
    let about = cases + issues + evidence.artifacts.len() + facts.changed().files().len();
    facts.verdicts().len().saturating_mul(RULE + about)
}

/// Whether some of a choice is not done yet.
fn is_new(choice: &[Act], acts: &Acts) -> bool {
    choice.iter().any(|act| !acts.contains(act))
}

fn contradicts(choice: &[Act], acts: &Acts) -> bool {
    choice.iter().any(|act| act.contradicts(acts))
}

/// How many changes some needs take at least beyond those of the acts, by the places that could be changed for each: those
/// that share no place with any other, nor with what is taken or chosen.
fn least_changes(needs: &[SortedSet<Place>], taken: &SortedSet<Place>, chosen: &[Act]) -> usize {
    let mut also = SortedSet::of(chosen.iter().map(Act::place));
    let mut least = 0;
    for places in needs {
        if places.is_disjoint(taken) && places.is_disjoint(&also) {
            places.iter().cloned().for_each(|place| also.insert(place));
            least += 1;
        }
    }
    least
}
