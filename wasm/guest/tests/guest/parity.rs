//! The guest accepts and refuses the same inputs as the engine, and derives the same decision from the same findings.

use adjudicate_core::{
    Operation,
    json::{self, Kind, Node, ReadLimits},
};
use adjudicate_guest::{Finding, Label, Resolution, Severity, Status, Verdict, serve};
use adjudicate_tests::Corpus;

const LABEL: Label = Label { name: "parity", version: "1.0.0", description: "", license: "", tests: "" };

/// The bare envelopes of the corpus of `evaluate`, with the broken ones.
fn envelopes() -> Vec<Vec<u8>> {
    let fixtures = Corpus::read().expect("the corpus can be read").fixtures;
    let calls = fixtures.into_iter().filter(|fixture| fixture.operation == Operation::Evaluate);
    calls
        .map(|fixture| match json::read(&fixture.call, ReadLimits::DOCUMENT) {
            Ok(tape) => text(tape.root().member("envelope").unwrap_or(tape.root())).into_bytes(),
            Err(_) => fixture.call,
        })
        .collect()
}

/// Writes a value as JSON.
fn text(node: Node<'_>) -> String {
    let string = |text: &str| json::write(&text);
    match node.kind() {
        Kind::Null => "null".into(),
        Kind::Bool(truth) => truth.to_string(),
        Kind::Integer | Kind::Float => node.as_number().unwrap_or_default().into(),
        Kind::String => string(node.as_str().unwrap_or_default()),
        Kind::Array => format!("[{}]", node.items().map(text).collect::<Vec<_>>().join(",")),
        Kind::Object => {
            let members = node.members().map(|(key, value)| format!("{}:{}", string(key), text(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
    }
}

/// Returns the code and path of each error, if any.
fn errors(input: &[u8]) -> [Option<(String, String)>; 2] {
    let ours = Operation::Evaluate.call(input).err();
    let ours = ours.map(|error| (error.code().as_str().to_owned(), error.path().to_owned()));
    let reply = serve(input, &LABEL, |_| Verdict::Findings(Vec::new()));
    let tape = json::read(reply.as_bytes(), ReadLimits::ANSWER).expect("the reply is JSON");
    let error = tape.root().member("error");
    let part =
        |error: Node<'_>, name| error.member(name).and_then(Node::as_str).expect("a string").to_owned();
    [ours, error.map(|error| (part(error, "code"), part(error, "path")))]
}

fn assert_same(input: &[u8]) -> bool {
    let [ours, theirs] = errors(input);
    // A guest refuses every policy in a call, so there is nothing to compare.
    if theirs.as_ref().is_some_and(|(code, path)| code == "invalid_value" && path == "/policy") {
        return true;
    }
    assert_eq!(theirs, ours, "guest, engine: {}", String::from_utf8_lossy(input));
    ours.is_some()
}

#[test]
fn the_guest_reads_the_corpus_like_the_engine() {
    let envelopes = envelopes();
    let refused = envelopes.iter().filter(|input| assert_same(input)).count();
    assert!(
        envelopes.len() > 100 && refused > 20 && refused < envelopes.len(),
        "{refused} of {}",
        envelopes.len()
    );
}

/// The next number of a small generator, which gives the same mutations in every run.
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize
}

#[test]
fn a_finding_for_omitted_ones_equals_the_engines() {
    let cases: Vec<_> = (0..adjudicate_core::MAX_LISTED + 7)
        .map(|place| format!(r#"{{"id":"c{place}","status":"failed"}}"#))
        .collect();
    let call = adjudicate_tests::envelope! {
        steps: r#"["fix"]"#,
        exit_codes: "{}",
        evidence: r#""harness_report":{"cases":[CASES]}"#,
    }
    .replacen("CASES", &cases.join(","), 1);
    let last = |answer: Node<'_>| {
        let last = answer.member("findings").and_then(|findings| findings.items().last()).expect("a finding");
        let words = ["rule", "status", "severity", "count", "evidence_ref", "resolution"];
        words.map(|word| text(last.member(word).unwrap_or_else(|| panic!("no {word}"))))
    };
    let engine = Operation::Evaluate.call(call.as_bytes()).expect("an answer");
    let ours = json::read(engine.as_bytes(), ReadLimits::ANSWER).expect("JSON");
    let omitted = Finding::omitted(7, Status::Blocked);
    assert_eq!(omitted.count(), Some(7));
    let reply = serve(call.as_bytes(), &LABEL, |_| Verdict::Findings(vec![omitted]));
    let theirs = json::read(reply.as_bytes(), ReadLimits::ANSWER).expect("JSON");
    let answer = theirs.root().member("ok").expect("an answer");
    assert_eq!(last(answer), last(ours.root()));
    let input = json::read(call.as_bytes(), ReadLimits::DOCUMENT).expect("JSON");
    Operation::Evaluate.check_answer(input.root(), answer).expect("the contract");
}

#[test]
fn broken_envelopes_get_the_same_error_as_in_the_engine() {
    /// Replacements for a value or a byte.
    const PIECES: &[&str] = &[
        "null",
        "[]",
        "{}",
        "\"\"",
        "3",
        "-1",
        "1.5",
        "-0",
        "1e400",
        "18446744073709551616",
        "true",
        "\"x-\"",
        "{\"x-a\":1}",
        "[null]",
        "[\"a\",3]",
        "\"\\u00e9\"",
        "\"\\ud800\"",
        "\"\\q\"",
        "\u{1}",
        ",",
        "}",
        "]",
        ":",
        "",
        "\"a\":1,",
        "\"path\"",
        "{\"status\":\"success\",\"outcome\":\"error\"}",
        "\"renamed\"",
        "\"EVALUATE\"",
        "\"a}\"",
        "\"unsafe\"",
    ];
    let mut state = 7;
    let (mut refused, mut tried) = (0, 0);
    for envelope in envelopes() {
        let source = String::from_utf8_lossy(&envelope).into_owned();
        for _ in 0..16 {
            let tokens: Vec<(usize, &str)> =
                source.match_indices(['"', ':', ',', '{', '[', ']', '}']).collect();
            let Some((from, _)) = tokens.get(next(&mut state) % tokens.len().max(1)) else { continue };
            let length = next(&mut state) % 24;
            let end = (from + length..=source.len())
                .find(|end| source.is_char_boundary(*end))
                .unwrap_or(source.len());
            let (head, tail) =
                (source.get(..*from).unwrap_or_default(), source.get(end..).unwrap_or_default());
            let piece = PIECES.get(next(&mut state) % PIECES.len()).copied().unwrap_or_default();
            refused += usize::from(assert_same(format!("{head}{piece}{tail}").as_bytes()));
            tried += 1;
        }
        // Each value once in place of another, so the text stays well-formed.
        if let Ok(tape) = json::read(&envelope, ReadLimits::DOCUMENT) {
            let whole = text(tape.root());
            for (at, _) in whole.match_indices("\":") {
                if !next(&mut state).is_multiple_of(8) {
                    continue;
                }
                let from = at + 2;
                let (head, rest) = whole.split_at(from);
                let end = rest.find([',', '}']).unwrap_or(rest.len());
                let piece = PIECES.get(next(&mut state) % PIECES.len()).copied().unwrap_or_default();
                refused += usize::from(assert_same(
                    format!("{head}{piece}{}", rest.get(end..).unwrap_or_default()).as_bytes(),
                ));
                tried += 1;
            }
        }
    }
    assert!(tried > 3_000 && refused > 1_500, "{refused} of {tried} refused");
}

#[test]
fn invalid_envelopes_get_the_same_error_as_in_the_engine() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let minimal = adjudicate_guest::testing::Sample::new().to_json();
    let carrying = |value: &str| minimal.replacen('{', &format!("{{\"x-carried\":{value},"), 1);
    let wrapped = |envelope: &str, rest: &str| format!("{{\"envelope\":{envelope}{rest}}}");
    let keys =
        |count: usize| (0..count).map(|key| format!("\"k{}\":0", key % 40)).collect::<Vec<_>>().join(",");
    let mut inputs: Vec<String> = [
        "",
        " ",
        "{",
        "[]",
        "7",
        "null",
        "\"\"",
        "{} {}",
        "{\"x\":1,\"x\":1}",
        "{\"x\":{\"y\":1,\"y\":2},\"x\":3}",
        "\u{feff}{}",
        "{\"envelope\":5}",
        "{\"envelope\":{}}",
        "{\"envelope\":{},\"policy\":null,\"x\":1}",
        "{\"envelope\":{},\"envelope\":1}",
        "{\"a\":1,\"a\":[}",
        "{\"a\":1,\"a\" 2}",
        "{\"a\":{\"b\":1,\"b\":2",
        "{\"a\":[{\"b\":[1,,2]}]}",
        "{\"a\"\n:\n\t!}",
    ]
    .map(String::from)
    .to_vec();
    inputs.extend([carrying(&nested(127)), carrying(&nested(128)), carrying(&nested(500))]);
    inputs.extend([wrapped(&carrying(&nested(127)), ""), wrapped(&carrying(&nested(128)), "")]);
    inputs.extend([
        wrapped(&minimal, ""),
        wrapped(&minimal, ",\"policy\":null"),
        wrapped(&minimal, ",\"x-a\":1"),
    ]);
    inputs.extend([
        wrapped(&minimal, ",\"polcy\":null"),
        wrapped("{\"run_id\":1}", ""),
        wrapped("{\"a\":1,\"a\":2}", ""),
    ]);
    inputs.extend([carrying(&format!("{{{}}}", keys(40))), carrying(&format!("{{{}}}", keys(41)))]);
    inputs.push(carrying(&format!("{{{},\"k3\":!}}", keys(20))));
    inputs.push(" ".repeat((8 << 20) + 1));
    inputs.push(format!("{minimal}{}", " ".repeat((8 << 20) - minimal.len())));
    for input in &inputs {
        assert_same(input.as_bytes());
    }
    for bytes in [&b"\xff\xfe"[..], b"{\"a\":\"\xc3\"}", b"\"\xed\xa0\x80\""] {
        assert!(assert_same(bytes));
    }
}

#[test]
fn a_policy_document_is_refused() {
    let minimal = adjudicate_guest::testing::Sample::new().to_json();
    for policy in ["{}", "5", "{\"policy\":\"p\",\"version\":\"1.0.0\"}"] {
        let [_, theirs] = errors(format!("{{\"envelope\":{minimal},\"policy\":{policy}}}").as_bytes());
        assert_eq!(theirs, Some(("invalid_value".into(), "/policy".into())));
    }
}

/// Converts a finding of the engine to one of a guest.
fn finding(node: Node<'_>) -> Finding<'static> {
    let part = |name| node.member(name).and_then(Node::as_str);
    let word = |name| part(name).expect("a word").to_owned();
    let status = Status::from_word(&word("status")).expect("a status");
    let kind = node.member("resolution").and_then(|resolution| resolution.member("kind")?.as_str());
    let mut finding = Finding::new(word("rule"), status, word("summary"))
        .at(part("evidence_ref").unwrap_or_default())
        .severity(Severity::from_word(&word("severity")).expect("a severity"))
        .resolve(kind.and_then(Resolution::from_word).expect("a resolution"), "");
    if let Some(flag) = part("flag") {
        finding = finding.flag(flag.to_owned());
    }
    if let Some(code) = part("blocker") {
        finding = finding.blocker(code.to_owned());
    }
    finding
}

#[test]
fn the_same_findings_lead_to_the_same_decision() {
    let mut compared = 0;
    for input in envelopes() {
        let Ok(answer) = Operation::Evaluate.call(&input) else { continue };
        let answer = json::read(answer.as_bytes(), ReadLimits::ANSWER).expect("an answer");
        let answer = answer.root();
        let path = |node: Node<'_>, names: &[&str]| {
            let found = names.iter().try_fold(node, |node, name| node.member(name));
            found.map(text).unwrap_or_else(|| panic!("{names:?} in {}", text(node)))
        };
        // The engine alone looks at earlier results and reports warnings.
        let flags = path(answer, &["decision", "risk_flags"]);
        let has_own = path(answer, &["loop", "escalation"]) != "null" || flags.contains("policy_warning");
        let of_checks = |node: &Node<'_>| {
            let rule = node.member("rule").and_then(|rule| rule.as_str());
            matches!(rule, Some("validation_failed" | "stale_evidence" | "tests_shrunk"))
        };
        let findings: Vec<Node<'_>> = answer.member("findings").expect("findings").items().collect();
        if has_own {
            continue;
        }
        let reply = serve(&input, &LABEL, |_| Verdict::Findings(Vec::new()));
        if reply.ends_with(r#""path":"/policy"}}"#) {
            continue;
        }
        assert!(reply.starts_with(r#"{"ok""#), "{reply}");
        let drawn = serve(&input, &LABEL, |_| {
            Verdict::Findings(findings.iter().map(|node| finding(*node)).collect())
        });
        let drawn = json::read(drawn.as_bytes(), ReadLimits::ANSWER).expect("a reply");
        let drawn = drawn.root().member("ok").expect("an answer");
        let mut members = vec![
            &["decision", "status"][..],
            &["decision", "next_step"],
            &["decision", "risk_flags"],
            &["loop"],
        ];
        // Failing checks have blockers of their own.
        if !findings.iter().any(of_checks) {
            members.push(&["decision", "blockers"]);
        }
        for names in members {
            assert_eq!(
                path(drawn, names),
                path(answer, names),
                "{names:?} of {}",
                String::from_utf8_lossy(&input)
            );
        }
        let fixes = |node| path(node, &["decision", "fix_instructions"]) != "null";
        assert_eq!(fixes(drawn), fixes(answer), "{}", String::from_utf8_lossy(&input));
        let call = json::read(&input, ReadLimits::DOCUMENT).expect("the call was answered");
        Operation::Evaluate.check_answer(call.root(), drawn).unwrap_or_else(|error| panic!("{error}"));
        compared += 1;
    }
    assert!(compared > 80, "{compared}");
}
