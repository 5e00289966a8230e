//! The growth of loading and evaluating with the number of rules: 10, 100, 1,000 and 10,000.
//!
//! Two policies of each size have the same rules. The conditions of one begin with their workflow or step, as people
//! write them, and the engine looks these up. The conditions of the other end with it, so the engine must evaluate
//! every rule.

use adjudicate_core::{
    Policy, RuleCode,
    evaluate::{Envelope, Evaluation, Judged, evaluate},
    json::{self, Limits},
};

use crate::{
    Failure, Values,
    contest::{Contest, Effort, timed},
    generated::{Guard, policy},
    workload::Workload,
};

/// The sizes, each ten times the one before, with the keys of their results.
const SIZES: [Size; 4] = [
    Size { rules: 10, load: "rules_10_load_us", evaluate: "rules_10_evaluate_us", scan: "rules_10_scan_us" },
    Size {
        rules: 100,
        load: "rules_100_load_us",
        evaluate: "rules_100_evaluate_us",
        scan: "rules_100_scan_us",
    },
    Size {
        rules: 1_000,
        load: "rules_1000_load_us",
        evaluate: "rules_1000_evaluate_us",
        scan: "rules_1000_scan_us",
    },
    Size {
        rules: 10_000,
        load: "rules_10000_load_us",
        evaluate: "rules_10000_evaluate_us",
        scan: "rules_10000_scan_us",
    },
];

struct Size {
    rules: usize,
    load: &'static str,
    evaluate: &'static str,
    scan: &'static str,
}

/// Divides the number of rounds, because loading ten thousand rules takes many turns.
const FEWER: usize = 8;

/// The policies of one size.
struct Contestants {
    size: &'static Size,
    text: String,
    looked_up: Policy,
    scanned: Policy,
}

/// Returns the microseconds of loading, of evaluating a parsed envelope, and of evaluating without the index. Also
/// returns the exponents by which these times grow with the number of rules, from a hundred to ten thousand.
pub(crate) fn measure(workload: &Workload, effort: Effort) -> Result<Values, Failure> {
    let tape = json::read(workload.envelope.as_bytes(), Limits::DOCUMENT)?;
    let envelope = Envelope::from_tape(&tape)?;
    let mut contestants = Vec::new();
    for size in &SIZES {
        let text = policy(size.rules, Guard::First);
        let scanned = Policy::parse(policy(size.rules, Guard::Last).as_bytes())?;
        contestants.push(Contestants { size, looked_up: Policy::parse(text.as_bytes())?, text, scanned });
    }

    let mut contest = Contest::new(Effort { rounds: (effort.rounds / FEWER) | 1, ..effort });
    for Contestants { size, text, looked_up, scanned } in &contestants {
        let run = |policy| {
            let facts = Judged::new(&envelope, Some(policy))?;
            Ok::<_, Failure>(evaluate(&facts).findings.len())
        };
        for policy in [looked_up, scanned] {
            let facts = Judged::new(&envelope, Some(policy))?;
            let found = own_findings(&evaluate(&facts)).join(" ");
            if found != "rule-0 rule-5" {
                return Err(format!("of {} rules these hold: {found}", size.rules).into());
            }
        }
        contest.enter(size.load, timed(|| Ok(Policy::parse(text.as_bytes())?.rules().len())))?;
        contest.enter(size.evaluate, timed(move || run(looked_up)))?;
        contest.enter(size.scan, timed(move || run(scanned)))?;
    }
    let results = contest.hold()?;

    let mut values = Values::new();
    for size in &SIZES {
        for key in [size.load, size.evaluate, size.scan] {
            values.insert(key.into(), results.micros(key));
        }
    }
    let [_, small, _, large] = &SIZES;
    let power = |name: &str, base: &str| {
        results.ratio(name, base).ln() / (large.rules as f64 / small.rules as f64).ln()
    };
    values.insert("rules_load_growth".into(), power(large.load, small.load));
    values.insert("rules_evaluate_growth".into(), power(large.evaluate, small.evaluate));
    values.insert("rules_index_ratio".into(), results.ratio(large.scan, large.evaluate));
    Ok(values)
}

/// The rules of the policy that have findings, in the policy's order.
pub(crate) fn own_findings<'e>(evaluation: &'e Evaluation<'_>) -> Vec<&'e str> {
    let is_built_in = |rule: &str| RuleCode::ALL.iter().any(|code| code.row().name == rule);
    evaluation.findings.iter().map(|finding| finding.rule).filter(|rule| !is_built_in(rule)).collect()
}
