//! Baked policies in a slot.

use adjudicate_core::{
    Operation, Policy,
    evaluate::{AnswerText, ComposedCall, CompositionMember},
};
use adjudicate_host::{ChangeReason, Composition, Slots, Store};
use adjudicate_sandbox::ModuleLabel;

use super::{
    engines::{engine, host},
    guests::{ENVELOPE, Parts},
    slots::Bed,
};

/// A policy with routes of its own.
const POLICY: &str = r#"{"policy": "house", "version": "1.2.0", "forbidden_paths": ["infra/**"],
    "routes": {"rollback": ["clear-*"], "forward": ["publish"]}}"#;

#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn a_composition_is_routed_by_the_policy_of_its_base() {
    let steps = r#"["fix", "clear-all", "publish"]"#;
    let envelope = ENVELOPE.replace(r#"["publish","fix"]"#, steps);
    let baked = host(&[]).bake(engine(), POLICY.as_bytes(), &ModuleLabel::default()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(&directory.path().join("store")).unwrap();
    let bed = Bed { slots: Slots::open(store, host(&[])).unwrap(), directory };
    // The restriction finds it unsafe.
    let strict = Policy::parse(br#"{"policy":"strict","version":"1.0.0","forbidden_paths":["**"]}"#).unwrap();
    let changed = envelope.replace(r#""workspace_diff_summary":"""#, r#""workspace_diff_summary":" M a\n""#);
    let verdict = Operation::Evaluate.call_with(changed.as_bytes(), Some(&strict)).unwrap();
    assert!(verdict.contains(r#""status":"unsafe""#), "{verdict}");
    let restrictions = Parts { reply: format!(r#"{{"ok":{verdict}}}"#).into_bytes(), ..Parts::default() };
    let [base, restrictions] = [bed.install(&baked), bed.install(&restrictions.build())];
    let slot = bed.slot("{}");
    let composition = Composition::new(base).restricted_by(restrictions).unsigned();
    slot.activate(composition, &ChangeReason::default()).unwrap();
    let decided = slot.call(Operation::Evaluate, changed.as_bytes()).unwrap();

    let house = Policy::parse(POLICY.as_bytes()).unwrap();
    let own = Operation::Evaluate.call_with(changed.as_bytes(), Some(&house)).unwrap();
    let member = |origin, answer| AnswerText { origin, answer };
    let panel = |policy| ComposedCall {
        policy,
        answer: Some(member("house", own.as_bytes())),
        restrictions: vec![CompositionMember::Answer(member("test", verdict.as_bytes()))],
        ..ComposedCall::default()
    };
    assert_eq!(decided.text, panel(Some(&house)).evaluate(changed.as_bytes()).unwrap());
    assert!(decided.text.contains(r#""next_step":"clear-all""#), "{}", decided.text);
    let blind = panel(None).evaluate(changed.as_bytes()).unwrap();
    assert!(!blind.contains(r#""next_step":"clear-all""#), "the routes are the policy's own: {blind}");
}
