//! Errors that the compiler of expressions finds.

use adjudicate_lang::{evaluate_logic, logic::Mode};

use crate::logic::answer;

#[track_caller]
fn check(mode: Mode, table: &[(&str, &str)]) {
    for (logic, expected) in table {
        assert_eq!(answer(logic, "null", mode), format!("invalid_expression: {expected}"), "{logic}");
    }
}

#[test]
fn unknown_operators_are_errors() {
    for mode in [Mode::Strict, Mode::Compat] {
        check(
            mode,
            &[
                (
                    r#"{"strts_with": ["a", "b"]}"#,
                    "unknown operator `strts_with`, did you mean `starts_with`?",
                ),
                (
                    r#"{"and": [true, {"betwen": [1, 2, 3]}]}"#,
                    "unknown operator `betwen`, did you mean `between`? at /and/1",
                ),
                (
                    r#"{"and": [true, {"<": [{"/": [{"a/b~c": 1}, 2]}, 2]}]}"#,
                    "unknown operator `a/b~c` at /and/1/</0/~1/0",
                ),
                (r#"{"!": {"!": {"": 1}}}"#, "unknown operator `` at /!/!"),
                (
                    r#"{"if": [{"var": "a"}, 1, {"AND": [true]}]}"#,
                    "unknown operator `AND`, did you mean `and`? at /if/2",
                ),
                (r#"{"&": [true]}"#, "unknown operator `&`"),
                (r#"[[{"method": ["a"]}]]"#, "unknown operator `method` at /0/0"),
            ],
        );
    }
}

#[test]
fn wrong_numbers_of_operands_are_errors() {
    check(
        Mode::Strict,
        &[
            (r#"{"==": [1]}"#, "`==` takes 2 operands, found 1"),
            (r#"{"==": [1, 2, 3]}"#, "`==` takes 2 operands, found 3"),
            (r#"{"<": [1, 2, 3, 4]}"#, "`<` takes 2 to 3 operands, found 4"),
            (r#"{">": [1, 2, 3]}"#, "`>` takes 2 operands, found 3"),
            (r#"{"and": []}"#, "`and` takes 1 or more operands, found 0"),
            (r#"{"!": []}"#, "`!` takes 1 operand, found 0"),
            (r#"{"if": [true]}"#, "`if` takes 2 or more operands, found 1"),
            (r#"{"var": []}"#, "`var` takes 1 to 2 operands, found 0"),
            (r#"{"reduce": [[], 1]}"#, "`reduce` takes 3 operands, found 2"),
            (r#"{"or": [true, {"regex": "a"}]}"#, "`regex` takes 2 operands, found 1 at /or/1"),
        ],
    );
    check(
        Mode::Compat,
        &[
            (r#"{"*": []}"#, "`*` takes 1 or more operands, found 0"),
            (r#"{"between": [1, 2]}"#, "`between` takes 3 operands, found 2"),
            (r#"{"length": []}"#, "`length` takes 1 operand, found 0"),
        ],
    );
}

#[test]
fn operand_types_that_can_never_fit_are_errors() {
    check(
        Mode::Strict,
        &[
            (r#"{"<": [{"var": "a"}, true]}"#, "`<` takes a number or a string, found a boolean at /</1"),
            (r#"{"<": [1, "b"]}"#, "`<` takes a number, found a string at /</1"),
            (
                r#"{"<": [{"var": "a"}, {"cat": "b"}, {"+": 1}]}"#,
                "`<` takes a string, found a number at /</2",
            ),
            (
                r#"{"between": [{"length": "a"}, "b", {"var": "c"}]}"#,
                "`between` takes a number, found a string at /between/1",
            ),
            (r#"{"+": [1, [2]]}"#, "`+` takes a number, found a list at /+/1"),
            (r#"{"and": [{"==": [1, 1]}, 1]}"#, "`and` takes a boolean, found a number at /and/1"),
            (r#"{"!": {"length": "a"}}"#, "`!` takes a boolean, found a number at /!"),
            (r#"{"if": ["yes", 1, 2]}"#, "`if` takes a boolean, found a string at /if/0"),
            (r#"{"!": {"if": [true, 1, "b"]}}"#, "`!` takes a boolean, found a number or a string at /!"),
            (r#"{"!": {"if": [{"==": [1, 2]}, 1]}}"#, "`!` takes a boolean, found null or a number at /!"),
            (r#"{"filter": ["abc", true]}"#, "`filter` takes a list, found a string at /filter/0"),
            (
                r#"{"some": [[1], {"+": [{"var": ""}, 1]}]}"#,
                "`some` takes a boolean, found a number at /some/1",
            ),
            (r#"{"in": ["a", 1]}"#, "`in` takes a string or a list, found a number at /in/1"),
            (r#"{"regex": [null, "a"]}"#, "`regex` takes a string, found null at /regex/0"),
            (r#"{"var": true}"#, "`var` takes a number or a string, found a boolean at /var"),
            (r#"{"var": 1.5}"#, "a path is a string or an index, found the number 1.5"),
            (r#"{"var": -1}"#, "a path is a string or an index, found the number -1"),
            (r#"{"substr": ["abc", "1"]}"#, "`substr` takes a number, found a string at /substr/1"),
        ],
    );
}

#[test]
fn invalid_operations_and_patterns_are_errors() {
    check(
        Mode::Strict,
        &[
            ("{}", "an operation is an object with one field, named after its operator"),
            (
                r#"{"and": [{"==": [1, 1], "!=": [1, 1]}]}"#,
                "an operation is an object with one field, named after its operator at /and/0",
            ),
            (r#"{"x-note": 1}"#, "an operation is an object with one field, named after its operator"),
            (r#"{"!": {"regex": ["a", "(a"]}}"#, "a `(` without `)`, character 1 of the pattern at /!"),
            (
                r#"{"regex": ["a", "a(?!b)"]}"#,
                "look-around `(?!` is not supported, character 2 of the pattern",
            ),
            (r#"{"glob": ["a", "{a"]}"#, "a `{` without `}` in a pattern"),
            (r#"{"glob": ["a", ""]}"#, "an empty pattern"),
        ],
    );
}

#[test]
fn only_strict_mode_ignores_x_fields() {
    let logic = r#"{"x-why": {"no": "operator"}, "!": [false]}"#;
    assert_eq!(answer(logic, "null", Mode::Strict), "true");
    // For the reference, an object of two fields is a value.
    assert_eq!(answer(logic, "null", Mode::Compat), r#"{"x-why":{"no":"operator"},"!":[false]}"#);
}

#[test]
fn errors_in_calls_have_codes_and_paths() {
    for (call, expected) in [
        (r#"{"data": 1}"#, "missing_field: missing field `logic` at /logic"),
        (r#"{"logic": 1, "dta": 2}"#, "unknown_field: unknown field `dta`, did you mean `data`? at /dta"),
        ("[1]", "invalid_value: expected an object with `logic` and `data`, found a list"),
        (r#"{"logic": {"!": {"no": 1}}}"#, "invalid_expression: logic: unknown operator `no` at /!"),
        (r#"{"logic": {"!": 1}, "data": tru}"#, "malformed_json: "),
        (r#"{"logic": {"var": "a"}, "data": {"a": 1, "a": 2}}"#, "duplicate_key: "),
    ] {
        let error = evaluate_logic(call.as_bytes(), Mode::Strict).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{call}: {error}");
    }
    assert_eq!(evaluate_logic(br#"{"logic": {"var": "a"}, "x-note": 1}"#, Mode::Strict), Ok("null".into()));
}
