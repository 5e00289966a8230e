//! Expressions in compat mode that the public suite does not cover. Each expected answer is that of the reference (json-logic-js
//! 2.0.5), except for the extensions, and for lists, which are never equal here.

use adjudicate_lang::logic::Mode;

use crate::logic::answer;

const DATA: &str =
    r#"{"n": 3, "s": "abc", "nil": null, "list": [1, 2], "o": {"k": "v"}, "deep": [[1], [2, [3]]]}"#;

#[track_caller]
fn check(table: &[(&str, &str)]) {
    for (logic, expected) in table {
        assert_eq!(answer(logic, DATA, Mode::Compat), *expected, "{logic}");
    }
}

#[test]
fn operators_coerce_as_in_javascript() {
    check(&[
        (r#"{"==": [1, "1"]}"#, "true"),
        (r#"{"==": [[1], 1]}"#, "true"),
        (r#"{"==": [[], ""]}"#, "true"),
        (r#"{"==": [null, 0]}"#, "false"),
        (r#"{"==": ["0x1f", 31]}"#, "true"),
        (r#"{"==": [" 12 ", 12]}"#, "true"),
        (r#"{"===": [{"var": "list"}, {"var": "list"}]}"#, "false"),
        (r#"{"<": ["10", "9"]}"#, "true"),
        (r#"{"<": ["10", 9]}"#, "false"),
        (r#"{"<": [null, 1]}"#, "true"),
        (r#"{"<": ["a", 1]}"#, "false"),
        (r#"{">=": ["a", 1]}"#, "false"),
        (r#"{"+": ["1.5abc", "2"]}"#, "3.5"),
        (r#"{"-": ["5", true]}"#, "4"),
        (r#"{"-": [0.7, 0.6]}"#, "0.09999999999999998"),
        (r#"{"max": []}"#, "null"),
        (r#"{"max": ["3", [4], true]}"#, "4"),
        (r#"{"%": [5.5, 2]}"#, "1.5"),
        (r#"{"cat": [1.0, null, [1, [2, null]], true, {"var": "o"}]}"#, r#""11,2,true[object Object]""#),
        (r#"{"cat": [1e21, 1e-7, 123456789012345680000]}"#, r#""1e+211e-7123456789012345680000""#),
        (r#"{"substr": [12345, "1", "2"]}"#, r#""23""#),
        (r#"{"substr": ["jsonlogic", -5, -2]}"#, r#""log""#),
        (r#"{"in": [1, "a1"]}"#, "true"),
        (r#"{"in": ["", ""]}"#, "false"),
        (r#"{"!": [[]]}"#, "true"),
        (r#"{"!!": [{"var": "o"}]}"#, "true"),
        (r#"{"!!": ["0"]}"#, "true"),
    ]);
}

#[test]
fn missing_values_follow_the_reference() {
    check(&[
        (r#"{"var": "gone.more"}"#, "null"),
        (r#"{"var": ["nil", 1]}"#, "null"),
        (r#"{"var": ["gone", 1]}"#, "1"),
        (r#"{"cat": {"substr": [{"var": ["gone", {"and": []}]}, 0]}}"#, r#""null""#),
        (r#"{"var": "s.length"}"#, "3"),
        (r#"{"var": "s.1"}"#, r#""b""#),
        (r#"{"var": "list.length"}"#, "2"),
        (r#"{"missing": ["nil", "n", "gone"]}"#, r#"["nil","gone"]"#),
        (r#"{"and": []}"#, "null"),
        (r#"{"if": []}"#, "null"),
        (r#"{"if": ["only"]}"#, r#""only""#),
        (r#"{"-": []}"#, "null"),
        (r#"{"<": [1]}"#, "false"),
        (r#"{"==": []}"#, "true"),
        (r#"{"map": [{"var": "n"}, 1]}"#, "[]"),
        (r#"{"reduce": [{"var": "n"}, 1, 7]}"#, "7"),
        (r#"{"merge": [{"and": []}]}"#, "[null]"),
    ]);
}

#[test]
fn results_that_are_not_numbers_become_null() {
    check(&[
        (r#"{"/": [1, 0]}"#, "null"),
        (r#"{"/": [0, 0]}"#, "null"),
        (r#"{"%": [1, 0]}"#, "null"),
        (r#"{"*": [1e308, 10]}"#, "null"),
        (r#"{"+": ["abc"]}"#, "null"),
        (r#"{"-": ["abc", 1]}"#, "null"),
        (r#"{"cat": [{"/": [1, 0]}, {"/": [-1, 0]}, {"/": [0, 0]}]}"#, r#""Infinity-InfinityNaN""#),
        (r#"{"==": [{"/": [0, 0]}, {"/": [0, 0]}]}"#, "false"),
        (r#"{"<": [{"/": [0, 0]}, 1]}"#, "false"),
        (r#"{"if": [{"/": [0, 0]}, 1, 2]}"#, "2"),
        (r#"{"max": [1, {"/": [0, 0]}]}"#, "null"),
        (r#"[{"/": [1, 0]}, {"*": "x"}]"#, r#"[null,"x"]"#),
        (r#"{"between": [{"/": [0, 0]}, 0, 1]}"#, "false"),
        (r#"{"var": {"/": [0, 0]}}"#, "null"),
        (r#"{"substr": ["abc", {"/": [0, 0]}, {"/": [1, 0]}]}"#, r#""abc""#),
    ]);
}

#[test]
fn objects_that_are_not_operations_are_values() {
    check(&[
        (r#"{"a": 1, "b": {"var": "n"}}"#, r#"{"a":1,"b":{"var":"n"}}"#),
        ("{}", "{}"),
        (r#"[{}, [{"var": "n"}]]"#, "[{},[3]]"),
        (r#"{"merge": [{"var": "deep"}, {"var": "o"}]}"#, r#"[[1],[2,[3]],{"k":"v"}]"#),
    ]);
}

#[test]
fn extensions_coerce_as_the_reference_would() {
    check(&[
        (r#"{"between": ["2", 1, 3]}"#, "true"),
        (r#"{"between": [3, 1, 3]}"#, "true"),
        (r#"{"length": "h\u00e9\ud83d\ude00"}"#, "3"),
        (r#"{"length": [[1, 2]]}"#, "2"),
        (r#"{"length": 5}"#, "null"),
        (r#"{"starts_with": [123, "12"]}"#, "true"),
        (r#"{"ends_with": ["abc", null]}"#, "false"),
        (r#"{"regex": [123, "^\\d+$"]}"#, "true"),
        (r#"{"glob": [{"var": "gone"}, "*"]}"#, "true"),
    ]);
}
