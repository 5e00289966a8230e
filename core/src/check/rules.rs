//! What is wrong with single rules: conditions that never hold, that always do, and what is written for nothing.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{Steps, json::Pointer, order};

use super::{
    code::CheckCode,
    env::{Conflict, Env},
    finding::{CheckFinding, Findings, Witness},
    overruled,
    search::{Answer, search},
    text,
    verifier::Verifier,
    want::{Test, Want},
    world::World,
};
use crate::{
    codes::Status,
    policy::{OnUnknown, Policy, Rule, RuleMode},
};

/// The budget of all searches about one rule, and about all of them.
const STEPS_OF_RULE: u64 = 4_000_000;
const STEPS_OF_ALL: u64 = 2_000_000_000;
/// How many ways are tried before a search for a witness gives up.
const TRIALS: usize = 6;

/// The budget of each of so many rules: they all have the same, so that none is looked at less for standing last.
pub(super) fn share(policy: &Policy) -> Steps {
    let rules = policy.rules().len().max(1) as u64;
    Steps::new(STEPS_OF_RULE.min(STEPS_OF_ALL / rules))
}

/// What is looked at in one rule.
pub(super) struct Subject<'p> {
    pub policy: &'p Policy,
    pub rule: &'p Rule,
    pub place: usize,
}

impl<'p> Subject<'p> {
    pub(super) fn new(policy: &'p Policy, place: usize, rule: &'p Rule) -> Self {
        Self { policy, rule, place }
    }

    /// Where a member of the rule is.
    pub(super) fn path(&self, member: &str) -> String {
        Pointer::new("/rules").index(self.place).into_string() + member
    }

    /// What its condition has to come to for it to find something.
    pub(super) fn fires(&self) -> Test<'p> {
        let want = if self.rule.on_unknown() == OnUnknown::Fire { Want::NotFalse } else { Want::True };
        (self.rule.condition().root(), want)
    }

    /// What its condition has to come to for it to find nothing. Where evaluating it is an error there is no answer.
    pub(super) fn is_quiet(&self) -> Test<'p> {
        let want = if self.rule.on_unknown() == OnUnknown::Fire { Want::False } else { Want::NotTrue };
        (self.rule.condition().root(), want)
    }

    /// Whether it is only monitored and could meet types that do not fit: it reports that then, and nothing else.
    fn reports_misfits(&self) -> bool {
        let world = World::Policy(self.policy);
        self.rule.mode() == RuleMode::Monitor && world.may_misfit(self.rule.condition().root())
    }

    pub(super) fn world(&self) -> Env<'p> {
        Env::new(World::Policy(self.policy))
    }

    pub(super) fn finding(&self, code: CheckCode, member: &str, message: String) -> CheckFinding {
        CheckFinding::new(code, self.path(member), message).about(self.rule.id())
    }

    /// An envelope in which the rule fires, and which shows what `shows` asks for.
    pub(super) fn fired(
        &self,
        verifier: &mut Verifier<'p>,
        steps: &mut Steps,
        shows: &dyn Fn(&Witness) -> bool,
    ) -> Option<Witness> {
        let goals = Vec::from([self.fires()]);
        self.show(goals, verifier, steps, &|witness| witness.has(self.rule.id()) && shows(witness))
    }

    /// An envelope in which the goals are met, and which shows what `shows` asks for.
    #[inline(never)]
    pub(super) fn show(
        &self,
        goals: Vec<Test<'p>>,
        verifier: &mut Verifier<'p>,
        steps: &mut Steps,
        shows: &dyn Fn(&Witness) -> bool,
    ) -> Option<Witness> {
        let mut shown = None;
        let mut trials = 0;
        search(self.world(), goals, steps, &mut |env| {
            trials += 1;
            shown = verifier.drafted(env).filter(|witness| shows(witness));
            shown.is_some() || trials >= TRIALS
        });
        shown
    }
}

/// Reports what is wrong with each rule, and which rules are overruled by others. Of those that are `explained`, what
/// was found already says why their conditions never hold, and better.
pub(super) fn check<'p>(
    policy: &'p Policy,
    explained: &[usize],
    verifier: &mut Verifier<'p>,
    findings: &mut Findings,
) {
    let firsts = firsts(policy);
    let mut live = Vec::new();
    for (place, rule) in policy.rules().iter().enumerate() {
        let subject = Subject::new(policy, place, rule);
        let mut steps = share(policy);
        match never(&subject, verifier, &mut steps) {
            Some(_) if explained.binary_search(&place).is_ok() => {}
            Some(found) => findings.push(found),
            None => {
                live.push(place);
                findings.extend(always(&subject, verifier, &mut steps));
            }
        }
        let first = firsts.get(place).and_then(|first| policy.rules().get(*first)).unwrap_or(rule).id();
        if first != rule.id() {
            let message = format!("the condition of `{}` is that of `{first}`", rule.id());
            let witness = subject.fired(verifier, &mut steps, &|witness| witness.has(first));
            let finding = subject.finding(CheckCode::DuplicateCondition, "/when", message);
            findings
                .push(finding.shown_by(witness).hint("leave out one of the two, or make one rule of them"));
        }
        if rule.fix().is_some() && rule.status() != Status::Partial {
            let status = rule.status().as_str();
            let message = format!(
                "`{}` calls for `{status}`, and only a rule that calls for `partial` asks for a fix",
                rule.id()
            );
            let witness = subject.fired(verifier, &mut steps, &|_| true);
            findings.push(subject.finding(CheckCode::UnusedFix, "/then/fix", message).shown_by(witness));
        }
    }
    overruled::check(policy, &live, verifier, findings);
}

/// For each rule the first whose condition is written alike.
fn firsts(policy: &Policy) -> Vec<usize> {
    let texts: Vec<String> = policy.rules().iter().map(|rule| text::of(rule.condition().root())).collect();
    let mut firsts: Vec<usize> = (0..texts.len()).collect();
    let sorted =
        order::sorted_indices(texts.len(), &mut |left, right| texts.get(left).cmp(&texts.get(right)));
    let mut first = None;
    for place in sorted {
        // Of those that are alike the first comes first.
        let known = first.filter(|first: &usize| texts.get(*first) == texts.get(place)).unwrap_or(place);
        first = Some(known);
        if let Some(slot) = firsts.get_mut(place) {
            *slot = known;
        }
    }
    firsts
}

/// Whether the condition never holds, and what to say of it then.
fn never<'p>(subject: &Subject<'p>, verifier: &mut Verifier<'p>, steps: &mut Steps) -> Option<CheckFinding> {
    let root = subject.rule.condition().root();
    let Answer::Impossible(why) =
        search(subject.world(), Vec::from([(root, Want::True)]), steps, &mut |_| true)
    else {
        return None;
    };
    let id = subject.rule.id();
    let may_be_unknown = Vec::from([(root, Want::NotFalse)]);
    let is_unknown = search(subject.world(), may_be_unknown.clone(), steps, &mut |_| true);
    let reports = subject.reports_misfits();
    if matches!(is_unknown, Answer::Impossible(_)) && !reports {
        let message = format!("the condition of `{id}` never holds, so the rule does nothing");
        return Some(subject.finding(CheckCode::DeadRule, "/when", message));
    }
    let does = match subject.rule.on_unknown() {
        OnUnknown::Escalate => "it only ever asks for a person, where evidence is missing",
        OnUnknown::Fire => "it only ever fires where evidence is missing",
        OnUnknown::Ignore if reports => "it only ever reports evidence of types that do not fit",
        OnUnknown::Ignore => "it does nothing",
    };
    let (code, message) = match (why, subject.rule.on_unknown()) {
        (Conflict::Absent, _) => (
            CheckCode::ExcludedEvidence,
            format!("the condition of `{id}` excludes the evidence that it needs, so {does}"),
        ),
        (_, OnUnknown::Ignore) if !reports => {
            (CheckCode::DeadRule, format!("the condition of `{id}` never holds, so {does}"))
        }
        _ => (CheckCode::NeverHolds, format!("the condition of `{id}` never holds: {does}")),
    };
    let witness =
        subject.show(may_be_unknown, verifier, steps, &|witness| witness.is_undecided(subject.place));
    Some(subject.finding(code, "/when", message).shown_by(witness))
}

/// Whether the rule fires whatever the evidence is.
fn always<'p>(subject: &Subject<'p>, verifier: &mut Verifier<'p>, steps: &mut Steps) -> Option<CheckFinding> {
    if subject.reports_misfits() {
        return None;
    }
    let goals = Vec::from([subject.is_quiet()]);
    let Answer::Impossible(_) = search(subject.world(), goals, steps, &mut |_| true) else { return None };
    let id = subject.rule.id();
    let message = format!("`{id}` fires whatever the evidence is");
    let witness = subject.show(Vec::new(), verifier, steps, &|witness| witness.has(id));
    let finding = subject.finding(CheckCode::AlwaysFires, "/when", message).shown_by(witness);
    Some(finding.hint("say in `when` which evidence the rule is about"))
}
