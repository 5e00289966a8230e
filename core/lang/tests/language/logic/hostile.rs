//! Expressions and data that try to cost too much: each gives an answer or a limit quickly.

use adjudicate_lang::{
    Steps, codes,
    json::{self, ReadLimits},
    logic::{Mode, Program},
};

use crate::logic::{answer, answer_within};

const MODES: [Mode; 2] = [Mode::Strict, Mode::Compat];

/// Returns `inner` within `count` pairs of `before` and `after`.
fn nested(before: &str, inner: &str, after: &str, count: usize) -> String {
    format!("{}{inner}{}", before.repeat(count), after.repeat(count))
}

/// Returns a list of `count` zeros.
fn zeros(count: usize) -> String {
    format!("[{}]", vec!["0"; count].join(","))
}

/// Checks that the evaluation ends in a limit at this path. A small budget keeps the tests fast.
#[track_caller]
fn check_limit(logic: &str, data: &str, mode: Mode, path: &str) {
    let answer = answer_within(Steps::new(5_000_000), logic, data, mode);
    let is_limit = answer.starts_with("limit_exceeded: ");
    let shown: String = answer.chars().take(200).collect();
    assert!(is_limit && answer.ends_with(path), "{shown}");
}

#[test]
fn expressions_can_nest_128_deep() {
    for mode in MODES {
        assert_eq!(answer(&nested(r#"{"!":"#, "true", "}", 128), "null", mode), "true");
        assert_eq!(answer(&nested(r#"{"length":["#, r#""a""#, "]}", 1), "null", mode), "1");
        assert_eq!(answer(&nested(r#"{"and":["#, r#"{"var":"a"}"#, "]}", 63), r#"{"a":true}"#, mode), "true");
        assert_eq!(answer(&nested(r#"{"if":[true,"#, r#"{"var":"a"}"#, "]}", 63), r#"{"a":7}"#, mode), "7");
        assert_eq!(answer(&nested(r#"{"merge":["#, "1", "]}", 64), "null", mode), "[1]");
        let maps = nested(r#"{"map":[[1],"#, r#"{"var":""}"#, "]}", 63);
        assert_eq!(answer(&maps, "null", mode), nested("[", "1", "]", 63));
        check_limit(&nested(r#"{"!":"#, "true", "}", 129), "null", mode, "/!");
    }
    let data = nested("[", "1", "]", 128);
    assert_eq!(answer(r#"{"==": [{"var": ""}, {"var": ""}]}"#, &data, Mode::Strict), "true");
    assert_eq!(answer(r#"{"cat": {"var": ""}}"#, &data, Mode::Compat), r#""1""#);
}

#[test]
fn unbounded_growth_ends_in_a_limit() {
    for mode in MODES {
        let fold =
            |body: &str, start: &str, count| format!(r#"{{"reduce":[{},{body},{start}]}}"#, zeros(count));
        // Ever deeper values.
        check_limit(&fold(r#"[{"var":"accumulator"}]"#, "0", 200), "null", mode, "at /reduce/1");
        check_limit(&fold(r#"{"var":""}"#, "0", 200), "null", mode, "");
        // Values that double each time.
        let twice = r#"{"merge":[{"var":"accumulator"},{"var":"accumulator"}]}"#;
        check_limit(&fold(twice, "[1]", 64), "null", mode, "/reduce/1");
        let twice = r#"{"cat":[{"var":"accumulator"},{"var":"accumulator"}]}"#;
        check_limit(&fold(twice, r#""ab""#, 64), "null", mode, "/reduce/1");
        // Few parts that are shared many times: cheap to build, but very long to write, compare or join.
        let shared = fold(r#"[{"var":"accumulator"},{"var":"accumulator"}]"#, "0", 60);
        check_limit(&shared, "null", mode, "");
        check_limit(&format!(r#"{{"in":[{shared},[{shared}]]}}"#), "null", Mode::Strict, "");
        check_limit(&format!(r#"{{"cat":[{shared}]}}"#), "null", Mode::Compat, "");
        check_limit(&format!(r#"{{"==":[{shared},1]}}"#), "null", Mode::Compat, "");
    }
}

#[test]
fn large_inputs_are_evaluated() {
    let list = zeros(200_000);
    for mode in MODES {
        let each = r#"{"all": [{"var": ""}, {"==": [{"var": ""}, 0]}]}"#;
        assert_eq!(answer(each, &list, mode), "true");
        let sum = r#"{"reduce": [{"var": ""}, {"+": [{"var": "accumulator"}, {"var": "current"}, 1]}, 0]}"#;
        assert_eq!(answer(sum, &list, mode), "200000");
        assert_eq!(answer(r#"{"length": {"filter": [{"var": ""}, true]}}"#, &list, mode), "200000");
    }
    check_limit(
        &format!(r#"{{"merge": {list}}}"#),
        "null",
        Mode::Strict,
        "expression of more than 65536 parts",
    );
    // The last index of a part, and its operands, are correct: there are 1 + 32,767 * 2 + 1 parts.
    let last = |last: &str| format!(r#"{{"and": [{}, {last}]}}"#, vec![r#"{"var": "a"}"#; 32_767].join(", "));
    assert_eq!(answer(&last("false"), r#"{"a": true}"#, Mode::Strict), "false");
    let misfit = answer(&last("false"), r#"{"a": 1}"#, Mode::Strict);
    assert!(misfit.ends_with(" at /and/0"), "{misfit}");
    let over = answer(&last(r#"{"var": "a"}"#), "null", Mode::Strict);
    assert!(over.starts_with("limit_exceeded: "), "{over}");
    let path = "a.".repeat(500_000);
    assert_eq!(answer(&format!(r#"{{"var": "{path}"}}"#), r#"{"a": 1}"#, Mode::Strict), "unknown");
    let name = "o".repeat(500_000);
    let error = answer(&format!(r#"{{"{name}": 1}}"#), "null", Mode::Strict);
    assert!(error.starts_with("invalid_expression: unknown operator `ooo") && error.len() < 200);
}

#[test]
fn long_numbers_cost_steps() {
    let digits = "1".repeat(300);
    let numbers = format!("[{}]", vec![digits.as_str(); 10_000].join(","));
    let (logic, data) = (r#"{"in": [0, {"var": ""}]}"#, numbers.as_str());
    let logic = json::read(logic.as_bytes(), ReadLimits::DOCUMENT).unwrap();
    let data = json::read(data.as_bytes(), ReadLimits::DOCUMENT).unwrap();
    let program = Program::compile(logic.root(), Mode::Strict, &mut Steps::for_patterns()).unwrap();
    let error = program.evaluate(&data.root(), &mut Steps::new(50_000)).unwrap_err();
    assert_eq!(error.code(), codes::LIMIT_EXCEEDED);
    assert!(program.evaluate(&data.root(), &mut Steps::default()).is_ok());
}

#[test]
fn patterns_are_linear_or_rejected() {
    let text = format!(r#""{}!""#, "a".repeat(100_000));
    for mode in MODES {
        for pattern in ["^(a+)+$", "(a*)*b", "^(a|a)*$"] {
            let logic = format!(r#"{{"regex": [{{"var": ""}}, "{pattern}"]}}"#);
            assert_eq!(answer(&logic, &text, mode), "false", "{pattern}");
        }
        check_limit(r#"{"!": {"regex": ["a", "((a{1000}){1000}){1000}"]}}"#, "null", mode, "at /!");
        let data = r#"{"bomb": "((a{1000}){1000}){1000}"}"#;
        check_limit(r#"{"!": {"regex": ["a", {"var": "bomb"}]}}"#, data, mode, "at /!");
        let braces = "{a,b}".repeat(40);
        check_limit(&format!(r#"{{"!": {{"glob": ["a", "{braces}"]}}}}"#), "null", mode, "at /!");
        let stars = "*a".repeat(500);
        let logic = format!(r#"{{"glob": ["{}", "{stars}b"]}}"#, "a".repeat(2_000));
        assert_eq!(answer(&logic, "null", mode), "false");
    }
}

#[test]
fn expressions_of_one_document_share_a_budget_for_patterns() {
    let logic = json::read(br#"{"regex": [{"var": ""}, "(a{90}){90}"]}"#, ReadLimits::DOCUMENT).unwrap();
    let mut patterns = Steps::for_patterns();
    let mut compile = || Program::compile(logic.root(), Mode::Strict, &mut patterns);
    let error = (0..1_000).find_map(|_| compile().err()).expect("the budget ends");
    assert_eq!((error.code(), error.path()), (codes::LIMIT_EXCEEDED, ""));
}

#[test]
fn numbers_out_of_range_are_limits_or_floats() {
    for (logic, strict, compat) in [
        (r#"{"+": [18446744073709551615, 1]}"#, "1.8446744073709552e+19", "1.8446744073709552e+19"),
        (r#"{"-": [-9223372036854775808, 1]}"#, "-9.223372036854776e+18", "-9.223372036854776e+18"),
        (r#"{"==": [9007199254740993, 9007199254740992]}"#, "false", "true"),
        (r#"{"<": [5e-324, 1e308]}"#, "true", "true"),
        (r#"{">": [-1e308, -5e-324]}"#, "false", "false"),
        (r#"{"==": [1e307, {"+": [1e307, 0]}]}"#, "true", "true"),
        (
            r#"{"/": [1e-300, 1e300]}"#,
            "limit_exceeded: the result is out of the range of exact arithmetic",
            "0",
        ),
        (
            r#"{"+": [1e308, 1]}"#,
            "limit_exceeded: the result is out of the range of exact arithmetic",
            "1e+308",
        ),
        (r#"{"==": [-0, 0]}"#, "true", "true"),
        (
            r#"{"substr": ["abc", 1e300]}"#,
            "invalid_expression: `substr` takes integers, found the number 1e+300",
            r#""""#,
        ),
        (r#"{"cat": [0.1, -1e-7, 1e21]}"#, r#""0.1-1e-71e+21""#, r#""0.1-1e-71e+21""#),
    ] {
        assert_eq!(answer(logic, "null", Mode::Strict), strict, "{logic}");
        assert_eq!(answer(logic, "null", Mode::Compat), compat, "{logic}");
    }
}
