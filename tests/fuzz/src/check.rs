//! Any bytes as a policy: refused, or checked. Every envelope that shows a finding has the result that the finding
//! describes.
#![no_main]

use adjudicate_core::{
    Operation, Policy,
    evaluate::evaluate_text,
    json::{self, Node, ReadLimits},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|document: &[u8]| {
    let Ok(policy) = Policy::parse(document) else { return };
    let answer = Operation::CheckPolicy.call_with(b"{}", Some(&policy)).expect("a policy can be checked");
    let answer = json::read(answer.as_bytes(), ReadLimits::ANSWER);
    let answer = answer.expect("an answer is JSON");
    Operation::CheckPolicy.check_answer(answer.root(), answer.root()).expect("it has its shape");
    let findings = answer.root().member("findings").expect("there is a list of findings");
    for witness in findings.items().filter_map(|finding| finding.member("witness")) {
        let Some(envelope) = witness.member("envelope") else { continue };
        let evaluation = evaluate_text(json::canonical(envelope).as_bytes(), Some(&policy)).ok();
        let status = evaluation.as_deref().map(|evaluation| {
            let tape = json::read(evaluation.as_bytes(), ReadLimits::DOCUMENT).expect("an answer is JSON");
            let status = tape.root().member("decision").and_then(|decision| decision.member("status"));
            status.and_then(Node::as_str).expect("a decision has a status").to_owned()
        });
        assert_eq!(status.as_deref(), witness.member("status").and_then(Node::as_str));
    }
});
