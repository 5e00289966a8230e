//! The growth of loading and evaluating with the number of rules: 10, 100, 1,000 and 10,000.
//!
//! Two policies of each size have the same rules. The conditions of one begin with their workflow or step, as people
//! write them, and the engine looks these up. The conditions of the other end with it, so the engine must evaluate
//! every rule.

use adjudicate_core::{
    Policy, RuleCode,
    evaluate::{Envelope, Evaluation, Judged, evaluate},
    json::{self, ReadLimits},
};

use crate::{
    Failure, Values,
    contest::{Contest, Effort, timed},
    generated::{Guard, policy},
    workload::Workload,
};

/// The numbers of rules, each ten times the one before.
const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];

/// Divides the number of rounds, because loading ten thousand rules takes many turns.
const FEWER: usize = 8;

/// The policies of one size.
struct Contestants {
    rules: usize,
    text: String,
    looked_up: Policy,
    scanned: Policy,
}

/// Returns the microseconds of loading, of evaluating a parsed envelope, and of evaluating without the index. Also
/// returns the exponents by which these times grow with the number of rules, from a hundred to ten thousand.
pub(crate) fn measure(workload: &Workload, effort: Effort) -> Result<Values, Failure> {
    let tape = json::read(workload.envelope.as_bytes(), ReadLimits::DOCUMENT)?;
    let envelope = Envelope::from_tape(&tape)?;
    let mut contestants = Vec::new();
    for rules in SIZES {
        let text = policy(rules, Guard::First);
        let scanned = Policy::parse(policy(rules, Guard::Last).as_bytes())?;
        contestants.push(Contestants { rules, looked_up: Policy::parse(text.as_bytes())?, text, scanned });
    }

    let mut contest = Contest::new(effort.with_fewer_rounds(FEWER));
    for Contestants { rules, text, looked_up, scanned } in &contestants {
        let run = |policy| {
            let facts = Judged::new(&envelope, Some(policy))?;
            Ok::<_, Failure>(evaluate(&facts).findings.len())
        };
        for policy in [looked_up, scanned] {
            let facts = Judged::new(&envelope, Some(policy))?;
            let found = own_findings(&evaluate(&facts)).join(" ");
            if found != "rule-0 rule-5" {
                return Err(format!("of {rules} rules these hold: {found}").into());
            }
        }
        contest.enter(key(*rules, "load"), timed(|| Ok(Policy::parse(text.as_bytes())?.rules().len())))?;
        contest.enter(key(*rules, "evaluate"), timed(move || run(looked_up)))?;
        contest.enter(key(*rules, "scan"), timed(move || run(scanned)))?;
    }
    let results = contest.hold()?;

    let mut values = Values::new();
    for rules in SIZES {
        for key in ["load", "evaluate", "scan"].map(|task| key(rules, task)) {
            values.insert(key.clone(), results.micros(&key));
        }
    }
    let [_, small, _, large] = SIZES;
    let power =
        |task| results.ratio(&key(large, task), &key(small, task)).ln() / (large as f64 / small as f64).ln();
    values.insert("rules_load_growth".into(), power("load"));
    values.insert("rules_evaluate_growth".into(), power("evaluate"));
    values.insert("rules_index_ratio".into(), results.ratio(&key(large, "scan"), &key(large, "evaluate")));
    Ok(values)
}

/// The key of a time.
fn key(rules: usize, task: &str) -> String {
    format!("rules_{rules}_{task}_us")
}

/// The rules of the policy that have findings, in the policy's order.
fn own_findings<'e>(evaluation: &'e Evaluation<'_>) -> Vec<&'e str> {
    let is_built_in = |rule: &str| RuleCode::ALL.iter().any(|code| code.row().name == rule);
    evaluation.findings.iter().map(|finding| finding.rule).filter(|rule| !is_built_in(rule)).collect()
}
