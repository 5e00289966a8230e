//! Policies baked into the engine: a call in a fresh instance, against native evaluation with a parsed policy, both
//! from JSON to JSON. Also the bytes that such a module has in addition to the engine.

use adjudicate_core::Operation;
use adjudicate_sandbox::{Host, HostSettings, Module, ModuleLabel};

use crate::{
    Failure, Values, agree,
    contest::{Contest, Effort, Results, mean, timed},
    workload::Workload,
};

/// The number of rules of the large policy.
const RULES: usize = 1_000;

/// Returns ratios, times and sizes.
pub(crate) fn measure(engine: &[u8], effort: Effort) -> Result<Values, Failure> {
    let metered = Host::new(HostSettings::default())?;
    let known = Host::new(HostSettings { engines: vec![engine.into()], ..HostSettings::default() })?;
    let mut values = Values::new();
    let mut results = Vec::new();
    for workload in Workload::all()? {
        eprintln!("measuring: baked, {}", workload.name);
        let baked = bake(&metered, engine, &workload.document)?;
        let modules = [metered.load(&baked)?, known.load(&baked)?];
        if !modules.iter().any(Module::is_known) {
            return Err("the host does not know what it baked".into());
        }
        results.push((workload.name, contest(&workload, &modules, effort)?));
        values.insert(
            format!("{}_baked_bytes_per_byte", workload.name),
            beside(engine, &baked, &workload.document),
        );
    }
    for (key, name) in [("baked_known_ratio", "known"), ("baked_fresh_ratio", "fresh")] {
        values.insert(key.into(), mean(results.iter().map(|(_, results)| results.ratio(name, "handle"))));
        for (workload, results) in &results {
            values.insert(format!("{workload}_{key}"), results.ratio(name, "handle"));
            values.insert(format!("{workload}_baked_{name}_us"), results.micros(name));
            values.insert(format!("{workload}_baked_native_us"), results.micros("handle"));
        }
    }
    let large = large_document();
    let baked = bake(&metered, engine, &large)?;
    values.insert("large_baked_bytes_per_byte".into(), beside(engine, &baked, &large));
    Ok(values)
}

fn bake(host: &Host, engine: &[u8], document: &str) -> Result<Vec<u8>, Failure> {
    host.bake(engine, document.as_bytes(), &ModuleLabel::default()).map_err(|error| error.to_json().into())
}

/// The additional bytes of a baked module, as a multiple of the document's bytes.
fn beside(engine: &[u8], baked: &[u8], document: &str) -> f64 {
    (baked.len() as f64 - engine.len() as f64) / document.len() as f64
}

fn contest(workload: &Workload, [metered, known]: &[Module; 2], effort: Effort) -> Result<Results, Failure> {
    let text = workload.envelope.as_bytes();
    let policy = Some(&workload.policy);
    let expected = Operation::Evaluate.call_with(text, policy)?;
    agree("the baked policy", &metered.call(Operation::Evaluate, text)?, &expected)?;
    agree("the known policy", &known.call(Operation::Evaluate, text)?, &expected)?;
    let mut contest = Contest::new(effort);
    contest.enter("handle", timed(|| Ok(Operation::Evaluate.call_with(text, policy)?.len())))?;
    contest.enter("fresh", timed(|| Ok(metered.call(Operation::Evaluate, text)?.len())))?;
    contest.enter("known", timed(|| Ok(known.call(Operation::Evaluate, text)?.len())))?;
    contest.hold()
}

/// A policy of many rules, without white space as programs write it.
fn large_document() -> String {
    let rules = (0..RULES).map(|number| {
        format!(
            r#"{{"id":"rule-{number}","description":"Workflow {number} has few failures and an intent that is known","when":{{"and":[{{"==":[{{"var":"input.workflow_id"}},"workflow-{number}"]}},{{">":[{{"var":"facts.failures"}},{}]}},{{"in":[{{"var":"facts.intent"}},["fix","feature"]]}}]}},"then":{{"status":"partial","summary":"workflow {number} has more failures than it may have"}}}}"#,
            number % 7
        )
    });
    let rules: Vec<_> = rules.collect();
    format!(r#"{{"policy":"large","version":"1.0.0","rules":[{}]}}"#, rules.join(","))
}
