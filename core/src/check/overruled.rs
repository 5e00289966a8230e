//! Rules that never decide: whenever one fires, something more severe is found too.
//!
//! A rule is compared with the built-in rules by the facts that make them fire, and with those rules of the policy that
//! ask for no other evidence than it does: at most [`MOST_COMPARED`] of them, the most alike first, so that the work is
//! linear in the number of rules. What is not compared is not reported.

use alloc::{collections::BTreeMap, format, string::String, vec::Vec};

use super::{
    code::CheckCode,
    domain::only,
    env::{Conflict, Env, World},
    finding::CheckFinding,
    rules::{Subject, share},
    search::{Answer, search},
    witness::Bench,
};
use crate::{
    codes::RuleCode,
    logic::{Expression, Form, Number, Operator},
    policy::{Fact, Policy, Root, RuleMode},
    steps::Steps,
};

/// With how many others a rule is compared.
const MOST_COMPARED: usize = 16;

/// Reports the rules among the live ones that are always overruled.
pub(super) fn check<'p>(
    policy: &'p Policy,
    live: &[usize],
    bench: &mut Bench<'p>,
    findings: &mut Vec<CheckFinding>,
) {
    let index = Index::new(policy, live);
    for place in live {
        let Some(subject) = enforced(policy, *place) else { continue };
        let mut steps = share(policy);
        let topics = topics(policy, subject.rule.condition().root());
        let mut built_in = BUILT_IN.iter().filter(|built_in| built_in.is_about(&topics));
        let by_built_in = built_in.find(|built_in| built_in.overrules(&subject, &mut steps));
        let over = match by_built_in {
            Some(built_in) => Some((built_in.code.row().name, built_in.code.row().status)),
            None => index.more_severe(&subject).into_iter().find_map(|other| {
                let other = enforced(policy, other)?;
                let goals = Vec::from([subject.fires(), other.is_quiet()]);
                let answer = search(subject.world(), goals, &mut steps, &mut |_| true);
                matches!(answer, Answer::Impossible(_)).then(|| (other.rule.id(), other.rule.status()))
            }),
        };
        let Some((other, status)) = over else { continue };
        let id = subject.rule.id();
        let message = format!(
            "whenever `{id}` fires, `{other}` does too, which calls for `{}`: `{id}` never decides",
            status.as_str()
        );
        let witness = subject.fired(bench, &mut steps, &|witness| {
            witness.has(other) && witness.status.is_some_and(|decided| decided >= status)
        });
        let finding = subject.finding(CheckCode::ShadowedRule, "/when", message).shown_by(witness);
        findings.push(finding.hint(format!("leave the rule out, or have it except what `{other}` is about")));
    }
}

fn enforced(policy: &Policy, place: usize) -> Option<Subject<'_>> {
    let rule = policy.rules().get(place)?;
    (rule.mode() == RuleMode::Enforce).then(|| Subject::new(policy, place, rule))
}

/// The rules of a policy by what they ask for.
struct Index<'p> {
    policy: &'p Policy,
    /// By the first thing that a rule asks for, and the text that it begins by comparing with.
    by_first: BTreeMap<(String, Option<&'p str>), Vec<usize>>,
}

impl<'p> Index<'p> {
    fn new(policy: &'p Policy, live: &[usize]) -> Self {
        let mut by_first: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for place in live {
            let Some(subject) = enforced(policy, *place) else { continue };
            let first =
                topics(policy, subject.rule.condition().root()).into_iter().next().unwrap_or_default();
            let key = (first, guard(subject.rule.condition().root()));
            by_first.entry(key).or_default().push(*place);
        }
        Self { policy, by_first }
    }

    /// Rules that are more severe than one and ask for nothing that it does not, those that begin alike first.
    fn more_severe(&self, subject: &Subject<'p>) -> Vec<usize> {
        let root = subject.rule.condition().root();
        let topics = topics(self.policy, root);
        let guard = guard(root);
        let mut found = Vec::new();
        for text in [guard, None] {
            for topic in &topics {
                let places = self.by_first.get(&(topic.clone(), text)).into_iter().flatten();
                let severe = places.filter(|place| self.is_comparable(**place, subject, &topics));
                found.extend(severe.take(MOST_COMPARED.saturating_sub(found.len())));
            }
            if guard.is_none() {
                break;
            }
        }
        found
    }

    fn is_comparable(&self, place: usize, subject: &Subject<'p>, topics: &[String]) -> bool {
        place != subject.place
            && self.policy.rules().get(place).is_some_and(|other| {
                other.status() > subject.rule.status()
                    && self::topics(self.policy, other.condition().root())
                        .iter()
                        .all(|topic| topics.contains(topic))
            })
    }
}

/// What a condition is about: parts of the envelope by their paths, facts by the group that they belong to.
fn topics(policy: &Policy, root: Expression<'_>) -> Vec<String> {
    let mut topics: Vec<String> = Vec::new();
    let mut pending = Vec::from([root]);
    while let Some(part) = pending.pop() {
        if let Form::Variable(path) = part.form() {
            let number = policy.variable_number(path);
            let topic = match number
                .and_then(|number| policy.variables().get(number as usize))
                .map(|found| found.root())
            {
                Some(Root::Fact(Fact::Failures)) => Some("validators".into()),
                Some(Root::Fact(fact)) => fact.row().name.split('.').next().map(String::from),
                Some(Root::Input) => Some(format!("{path}")),
                _ => None,
            };
            topics.extend(topic.filter(|topic| !topics.contains(topic)));
        }
        pending.extend(part.operands().rev());
    }
    topics
}

/// The text that a condition begins by comparing something with.
fn guard<'p>(condition: Expression<'p>) -> Option<&'p str> {
    let mut first = condition;
    while first.operator() == Some(Operator::And) {
        first = first.operands().next()?;
    }
    if !matches!(first.operator(), Some(Operator::Equal | Operator::SameAs)) {
        return None;
    }
    first.operands().find_map(|operand| operand.constant()?.as_text())
}

/// A built-in rule and what makes it quiet, as far as facts say.
pub(super) struct BuiltIn {
    pub code: RuleCode,
    /// The topics of conditions that its causes can follow from.
    topics: &'static [&'static str],
    /// Assumes that it finds nothing.
    pub quiet: fn(&mut Env<'_>),
}

/// The built-in rules whose causes are facts, gravest first.
pub(super) static BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        code: RuleCode::PolicyViolation,
        topics: &["outcome", "events", "diff"],
        quiet: |env| {
            env.fact(Fact::Outcome).texts.not.push("killed_policy");
            nothing_in(env, Fact::EventsViolations);
            nothing_in(env, Fact::DiffForbidden);
        },
    },
    BuiltIn {
        code: RuleCode::ReportMismatch,
        topics: &["contradictions"],
        quiet: |env| no_contradiction(env, "report_mismatch"),
    },
    BuiltIn {
        code: RuleCode::ErrorButChanged,
        topics: &["contradictions"],
        quiet: |env| no_contradiction(env, "error_but_changed"),
    },
    BuiltIn {
        code: RuleCode::Goldens,
        topics: &["harness"],
        quiet: |env| nothing_in(env, Fact::HarnessGoldens),
    },
    BuiltIn {
        code: RuleCode::Approval,
        topics: &["approvals"],
        quiet: |env| nothing_in(env, Fact::ApprovalsMissing),
    },
    BuiltIn {
        code: RuleCode::UnknownEvidence,
        topics: &["diff"],
        quiet: |env| {
            if env.has_paths(Fact::DiffForbidden) || env.has_paths(Fact::DiffProtected) {
                let opaque = env.fact(Fact::DiffOpaque);
                opaque.truths = only(opaque.truths, false);
                opaque.settle();
            }
        },
    },
    BuiltIn {
        code: RuleCode::MissingArtifact,
        topics: &["artifacts", "contradictions"],
        quiet: |env| nothing_in(env, Fact::ArtifactsMissing),
    },
    BuiltIn {
        code: RuleCode::UnsupportedClaim,
        topics: &["contradictions"],
        quiet: |env| no_contradiction(env, "unsupported_claim"),
    },
    BuiltIn {
        code: RuleCode::HardFailure,
        topics: &["validators"],
        quiet: |env| nothing_in(env, Fact::ValidatorsMissing),
    },
];

impl BuiltIn {
    /// Whether its causes can follow from a condition about these topics.
    fn is_about(&self, topics: &[String]) -> bool {
        topics.iter().any(|topic| self.topics.contains(&&**topic))
    }

    /// Whether this rule always finds something more severe where a rule of the policy fires.
    fn overrules(&self, subject: &Subject<'_>, steps: &mut Steps) -> bool {
        if self.code.row().status <= subject.rule.status() {
            return false;
        }
        let mut start = Env::new(World::Policy(subject.policy));
        (self.quiet)(&mut start);
        let answer = search(start, Vec::from([subject.fires()]), steps, &mut |_| true);
        matches!(answer, Answer::Impossible(Conflict::Values | Conflict::Absent))
    }
}

/// Where a list is known, it is empty.
fn nothing_in(env: &mut Env<'_>, fact: Fact) {
    let domain = env.fact(fact);
    domain.list.length.at_most(&Number::ZERO, true);
    domain.settle();
}

fn no_contradiction(env: &mut Env<'_>, rule: &'static str) {
    let domain = env.fact(Fact::Contradictions);
    domain.list.lacks.push(rule);
    domain.settle();
}
