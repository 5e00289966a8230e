//! Hostile plans: depth, numbers of steps, conflicting ids, and the longest possible cycles.

use adjudicate_core::{
    ir::{PlanIr, source_text},
    json::{self, ReadLimits},
};

use crate::ir::{answer, fault};

#[test]
fn kept_fields_are_never_too_deep_for_an_answer() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    for (before, after, deepest, path) in [
        (r#"{"plan":[{"action":"read","deep":"#, "}]}", 123, "/plan/0/deep"),
        (r#"{"plan":{"subtasks":[{"action":"read","deep":"#, "}]}}", 123, "/plan/subtasks/0/deep"),
        (r#"{"plan":{"subtasks":[],"deep":"#, "}}", 125, "/plan/deep"),
        (r#"{"plan":{"nodes":[{"deep":"#, r#"}],"edges":[]}}"#, 123, "/plan/nodes/0/deep"),
        (r#"{"plan":{"implementation_steps":"","deep":"#, "}}", 125, "/plan/deep"),
    ] {
        let kept = answer(&[before, &nested(deepest), after].concat()).unwrap();
        let tape = json::read(kept.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        source_text(tape.root()).unwrap();
        let call = [before, &nested(deepest + 1), after].concat();
        assert_eq!(fault(&call), format!("limit_exceeded {path}"));
    }
}

#[test]
fn there_is_a_limit_to_steps() {
    let list = |item: &str, count: usize| vec![item; count].join(",");
    for (before, item, after, path) in [
        (r#"{"plan":["#, r#"{"action":"read"}"#, "]}", "/plan"),
        (r#"{"plan":{"implementation_steps":["#, r#""""#, "]}}", "/plan/implementation_steps"),
        (r#"{"plan":{"edges":[],"nodes":["#, "{}", "]}}", "/plan/nodes"),
        (r#"{"plan":{"steps":["#, "{}", "]}}", "/plan/steps"),
        (r#"{"plan":{"subtasks":"["#, r#"{\"action\":\"read\"}"#, r#"]"}}"#, "/plan/subtasks"),
    ] {
        let call = [before, &list(item, 100_001), after].concat();
        assert_eq!(fault(&call), format!("limit_exceeded {path}"));
    }
    let lines = "a\\n".repeat(100_001);
    let call = format!(r#"{{"plan":{{"implementation_steps":"{lines}"}}}}"#);
    assert_eq!(fault(&call), "limit_exceeded /plan/implementation_steps");
    // One less is within that limit. The answer is over its own, which is no place's.
    assert_eq!(fault(&call.replacen("a\\n", "", 1)), "limit_exceeded ");
}

#[test]
fn a_long_way_and_a_long_circle() {
    let count = 5_000;
    let nodes: Vec<String> = (0..count).map(|at| format!(r#"{{"nodeId":"n{at}"}}"#)).collect();
    let edge = |from: usize, to: usize| format!(r#"{{"from":"n{from}","to":"n{to}"}}"#);
    let mut edges: Vec<String> = (1..count).map(|at| edge(at - 1, at)).collect();
    let call = |edges: &[String]| {
        format!(r#"{{"plan":{{"nodes":[{}],"edges":[{}]}}}}"#, nodes.join(","), edges.join(","))
    };
    assert!(answer(&call(&edges)).is_ok());
    edges.push(edge(count - 1, 0));
    let error = answer(&call(&edges)).unwrap_err();
    assert_eq!(error.path(), "/plan/edges/4999");
    assert!(error.message().ends_with("-> 4988 more -> `n0`"), "{}", error.message());
}

#[test]
fn ids_that_all_stand_in_the_way() {
    let count = 5_000;
    let mut items: Vec<String> =
        (1..=count).map(|at| format!(r#"{{"id":"step-{}","action":"read"}}"#, count + at)).collect();
    items.extend(vec![r#"{"action":"read"}"#.to_owned(); count]);
    let answer = answer(&format!(r#"{{"plan":[{}]}}"#, items.join(","))).unwrap();
    assert!(answer.contains(r#""id":"step-15000""#) && !answer.contains(r#""id":"step-15001""#));
}

#[test]
fn texts_of_all_sorts_pass_and_come_back() {
    let call = r#"{"plan":[{"id":"\ud83d\ude00","action":"read","target":"\u0000","instruction":"\u2028\"\\/","\u0000":"\u007f"}]}"#;
    let answer = answer(call).unwrap();
    let tape = json::read(answer.as_bytes(), ReadLimits::DOCUMENT).unwrap();
    let step = r#"{"target":"\u0000","instruction":"\u2028\"\\/","id":"\ud83d\ude00","action":"read","\u0000":"\u007f"}"#;
    let same = |one: &str, other: &str| {
        let [one, other] = [one, other].map(|text| serde_json::from_str::<serde_json::Value>(text).unwrap());
        assert_eq!(one, other);
    };
    same(&source_text(tape.root()).unwrap(), &format!("[{step}]"));
}

#[test]
fn answers_that_are_none_give_back_nothing() {
    for (text, path) in [
        ("[]", ""),
        ("{}", "/plan"),
        (r#"{"plan":{}}"#, "/plan/analysis"),
        (r#"{"adapter":{"format":"other"}}"#, "/adapter/format"),
        (
            r#"{"adapter":{"format":"planir","detected":true,"items":"","inferred":[{"path":1}],"kept":[]}}"#,
            "/adapter/inferred/0/path",
        ),
    ] {
        let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        assert_eq!(source_text(tape.root()).unwrap_err().path(), path, "{text}");
    }
    let answer = answer(r#"{"plan":[{"action":"bash","target":"x"}]}"#).unwrap();
    let other = answer.replace(r#""x-source":{"target":"x"}"#, r#""x-source":5"#);
    let tape = json::read(other.as_bytes(), ReadLimits::DOCUMENT).unwrap();
    assert_eq!(source_text(tape.root()).unwrap_err().path(), "/plan/steps/0/x-source");
    assert!(PlanIr::read(tape.root().member("plan").unwrap()).is_ok());
    let other = answer
        .replace(r#""confidence":0.0}"#, r#""confidence":0.0,"x-source":[]}"#)
        .replace(r#""items":"""#, r#""items":"/subtasks""#);
    let tape = json::read(other.as_bytes(), ReadLimits::DOCUMENT).unwrap();
    assert_eq!(source_text(tape.root()).unwrap_err().path(), "/plan/x-source");
}
