//! A diff of 2,000 files under a policy of path lists: the share of the default limits that a call takes.

use adjudicate_core::Operation;
use adjudicate_sandbox::{Host, HostSettings, Limits};

use crate::{
    Failure, Values, agree,
    contest::{Contest, Effort, timed},
};

/// The number of changed files.
const FILES: usize = 2_000;

/// Divides the number of rounds, because a call takes a hundred times as long as a short one.
const FEWER: usize = 8;

/// A million units of fuel.
const MILLION: u64 = 1_000_000;

const POLICY: &str = r#"{"policy":"paths","version":"1.0.0","forbidden_paths":["infra/**","**/*.{pem,key,p12}",".github/workflows/**","**/migrations/**","vendor/**","third_party/**","**/node_modules/**","secrets/**","**/.env*","deploy/**/production/**"],"protected_paths":["services/billing/src/store/**","**/Cargo.lock","**/*.proto","docs/adr/**","api/**"]}"#;

/// Microseconds natively and in the sandbox under the default limits, their ratio, and the share of the default fuel
/// that a call takes.
pub(crate) fn measure(engine: &[u8], effort: Effort) -> Result<Values, Failure> {
    let host = Host::new(HostSettings::default())?;
    let module = host.load(engine)?;
    let call = call();
    let text = call.as_bytes();
    agree("the sandbox", &module.call(Operation::Evaluate, text)?, &Operation::Evaluate.call(text)?)?;

    let mut contest = Contest::new(effort.with_fewer_rounds(FEWER));
    contest.enter("native", timed(|| Ok(Operation::Evaluate.call(text)?.len())))?;
    contest.enter("fresh", timed(|| Ok(module.call(Operation::Evaluate, text)?.len())))?;
    let results = contest.hold()?;
    Ok(Values::from([
        ("files_2000_native_us".to_owned(), results.micros("native")),
        ("files_2000_fresh_us".to_owned(), results.micros("fresh")),
        ("files_2000_fresh_ratio".to_owned(), results.ratio("fresh", "native")),
        (
            "files_2000_fuel_share".to_owned(),
            fuel(&host, engine, text)? as f64 / Limits::default().fuel as f64,
        ),
    ]))
}

/// The least fuel that is enough, rounded up to a million units.
fn fuel(host: &Host, engine: &[u8], call: &[u8]) -> Result<u64, Failure> {
    let (mut too_little, mut enough) = (1, Limits::default().fuel / MILLION);
    while enough - too_little > 1 {
        let middle = too_little.midpoint(enough);
        let limits = Limits { fuel: middle * MILLION, ..Limits::default() };
        match host.load_with(engine, limits)?.call(Operation::Evaluate, call) {
            Ok(_) => enough = middle,
            Err(error) if error.code() == "module_out_of_fuel" => too_little = middle,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(enough * MILLION)
}

/// An envelope with a summary and a typed list of the same files, and the policy.
fn call() -> String {
    let (services, parts) =
        (["billing", "identity", "search", "gateway"], ["api", "store", "domain", "jobs"]);
    let path = |number: usize| {
        let (service, part) = (number % services.len(), number / services.len() % parts.len());
        let (service, part) = (services.get(service).unwrap_or(&""), parts.get(part).unwrap_or(&""));
        format!("services/{service}/src/{part}/component_{number:04}/handler.rs")
    };
    let summary: String = (0..FILES).map(|number| format!(r" M {}\n", path(number))).collect();
    let typed = (0..FILES).map(|number| format!(r#"{{"path":"{}","change":"modified"}}"#, path(number)));
    let typed = typed.collect::<Vec<_>>().join(",");
    let envelope = adjudicate_tests::envelope! {
        steps: r#"["publish","review"]"#,
        diff: r#""SUMMARY""#,
        evidence: r#""diff":{"files":[TYPED]}"#,
    };
    let envelope = envelope.replacen("SUMMARY", &summary, 1).replacen("TYPED", &typed, 1);
    format!(r#"{{"envelope":{envelope},"policy":{POLICY}}}"#)
}
