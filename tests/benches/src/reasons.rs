//! The costs of reasons and of the full trace, against the same evaluation without them.
//!
//! There are three workloads: both envelopes with their policies, and the short envelope with twenty generated rules.
//! Each is measured with everything parsed before, and from JSON to JSON. From JSON to JSON, reasons and traces are
//! also written, as every interface writes them.

use adjudicate_core::{
    Policy,
    evaluate::{Envelope, Judged, decide, evaluate},
    explain::trace,
    json::{self, ReadLimits},
};

use crate::{
    Failure, Values,
    contest::{Contest, Effort, Results, mean, timed},
    generated::{self, Guard},
    workload::Workload,
};

/// The number of generated rules.
const RULES: usize = 20;

/// The budgeted ratios, each against the decision alone.
const RATIOS: [(&str, &str, &str); 4] = [
    ("reasons_ratio", "reasons", "decision"),
    ("trace_ratio", "trace", "decision"),
    ("reasons_text_ratio", "reasons_text", "decision_text"),
    ("trace_text_ratio", "trace_text", "decision_text"),
];

/// Returns geometric means over the workloads, and the ratios of each workload.
pub(crate) fn measure(effort: Effort) -> Result<Values, Failure> {
    let mut workloads = Workload::all()?;
    let policy = Policy::parse(generated::policy(RULES, Guard::First).as_bytes())?;
    workloads.push(Workload { name: "rules_20", policy, ..Workload::short()? });
    let mut results = Vec::new();
    for workload in &workloads {
        results.push((workload.name, contest(workload, effort)?));
    }
    let mut values = Values::new();
    for (key, name, base) in RATIOS {
        values.insert(key.into(), mean(results.iter().map(|(_, results)| results.ratio(name, base))));
        for (workload, results) in &results {
            values.insert(format!("{workload}_{key}"), results.ratio(name, base));
        }
    }
    Ok(values)
}

fn contest(workload: &Workload, effort: Effort) -> Result<Results, Failure> {
    let text = workload.envelope.as_bytes();
    let policy = Some(&workload.policy);
    let tape = json::read(text, ReadLimits::DOCUMENT)?;
    let envelope = Envelope::from_tape(&tape)?;
    let facts = || Judged::new(&envelope, policy);
    if decide(&facts()?) != evaluate(&facts()?).decision {
        return Err("the decision without reasons is another one".into());
    }

    let mut contest = Contest::new(effort);
    contest.enter("decision", timed(|| Ok(decide(&facts()?).blockers.len())))?;
    contest.enter("reasons", timed(|| Ok(evaluate(&facts()?).findings.len())))?;
    contest.enter(
        "trace",
        timed(|| {
            let facts = facts()?;
            let evaluation = evaluate(&facts);
            Ok(trace(&facts, &evaluation).rules.len() + evaluation.findings.len())
        }),
    )?;
    contest.enter("decision_text", timed(|| from_text(text, policy, |facts| json::write(&decide(facts)))))?;
    contest
        .enter("reasons_text", timed(|| from_text(text, policy, |facts| json::write(&evaluate(facts)))))?;
    contest.enter(
        "trace_text",
        timed(|| {
            from_text(text, policy, |facts| {
                let evaluation = evaluate(facts);
                json::write(&(&evaluation, trace(facts, &evaluation)))
            })
        }),
    )?;
    contest.hold()
}

fn from_text(
    text: &[u8],
    policy: Option<&Policy>,
    answer: impl FnOnce(&Judged<'_>) -> String,
) -> Result<usize, Failure> {
    let tape = json::read(text, ReadLimits::DOCUMENT)?;
    let envelope = Envelope::from_tape(&tape)?;
    Ok(answer(&Judged::new(&envelope, policy)?).len())
}
