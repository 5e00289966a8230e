//! Tables of expressions in strict mode.

use adjudicate_lang::logic::{Mode, Operator};

use crate::logic::answer;

const DATA: &str = r#"{"n": 3, "half": 0.5, "s": "abc", "t": true, "f": false, "nil": null, "list": [1, 2, 3],
    "empty": [], "o": {"k": [{"v": 1}, {"v": 2}]}, "runs": [{"exit": 0}, {}, {"exit": 2}]}"#;

#[track_caller]
fn check(table: &[(&str, &str)]) {
    for (logic, expected) in table {
        assert_eq!(answer(logic, DATA, Mode::Strict), *expected, "{logic}");
    }
}

#[test]
fn variables_are_found_by_path() {
    check(&[
        (r#"{"var": "n"}"#, "3"),
        (r#"{"var": ["n"]}"#, "3"),
        (r#"{"var": "o.k.1.v"}"#, "2"),
        (r#"{"var": "o.k.01.v"}"#, "unknown"),
        (r#"{"var": "o.k.-1.v"}"#, "unknown"),
        (r#"{"var": "o.k.9999999999999999999999.v"}"#, "unknown"),
        (r#"{"var": "s.length"}"#, "unknown"),
        (r#"{"var": "nil"}"#, "null"),
        (r#"{"var": "gone"}"#, "unknown"),
        (r#"{"var": ["gone", 7]}"#, "7"),
        (r#"{"var": ["nil", 7]}"#, "null"),
        (r#"{"var": ["gone", {"var": "n"}]}"#, "3"),
        (r#"{"var": {"if": [{"var": "t"}, "n", "s"]}}"#, "3"),
        (r#"{"var": {"var": "gone"}}"#, "unknown"),
        (r#"{"==": [{"var": ""}, {"var": ""}]}"#, "true"),
        (r#"{"missing": ["n", "nil", "gone", "o.z"]}"#, r#"["gone","o.z"]"#),
        (r#"{"missing": {"merge": ["n", ["gone"]]}}"#, r#"["gone"]"#),
        (r#"{"missing": []}"#, "[]"),
        (r#"{"missing_some": [1, ["n", "gone"]]}"#, "[]"),
        (r#"{"missing_some": [2, ["n", "gone"]]}"#, r#"["gone"]"#),
        (r#"{"missing_some": [{"var": "gone"}, ["n"]]}"#, "unknown"),
        (r#"{"x-why": "carried along", "var": "n"}"#, "3"),
    ]);
}

#[test]
fn unknown_spreads_only_where_it_matters() {
    check(&[
        (r#"{"and": [{"var": "gone"}, {"var": "f"}]}"#, "false"),
        (r#"{"and": [{"var": "t"}, {"var": "gone"}]}"#, "unknown"),
        (r#"{"or": [{"var": "gone"}, {"var": "t"}]}"#, "true"),
        (r#"{"or": [{"var": "f"}, {"var": "gone"}]}"#, "unknown"),
        (r#"{"!": {"var": "gone"}}"#, "unknown"),
        (r#"{"!!": {"var": "gone"}}"#, "unknown"),
        (r#"{"==": [{"var": "gone"}, 1]}"#, "unknown"),
        (r#"{"!=": [{"var": "gone"}, {"var": "gone"}]}"#, "unknown"),
        (r#"{"<": [{"var": "gone"}, 1]}"#, "unknown"),
        (r#"{"<": [{"var": "gone"}, 3, 2]}"#, "false"),
        (r#"{"<=": [5, 3, {"var": "gone"}]}"#, "false"),
        (r#"{"between": [5, {"var": "gone"}, 4]}"#, "false"),
        (r#"{"between": [5, {"var": "gone"}, 6]}"#, "unknown"),
        (r#"{"+": [1, {"var": "gone"}]}"#, "unknown"),
        (r#"{"max": [1, {"var": "gone"}]}"#, "unknown"),
        (r#"{"cat": ["a", {"var": "gone"}]}"#, "unknown"),
        (r#"{"merge": [1, {"var": "gone"}]}"#, "unknown"),
        (r#"[1, {"var": "gone"}]"#, "unknown"),
        (r#"{"in": [{"var": "gone"}, [1]]}"#, "unknown"),
        (r#"{"in": [1, {"var": "gone"}]}"#, "unknown"),
        (r#"{"length": {"var": "gone"}}"#, "unknown"),
        (r#"{"substr": [{"var": "gone"}, 1]}"#, "unknown"),
        (r#"{"starts_with": [{"var": "gone"}, "a"]}"#, "unknown"),
        (r#"{"regex": ["a", {"var": "gone"}]}"#, "unknown"),
        (r#"{"glob": [{"var": "gone"}, "*"]}"#, "unknown"),
        (r#"{"if": [{"var": "gone"}, 1, 1]}"#, "unknown"),
        (r#"{"if": [{"var": "f"}, {"var": "gone"}, 1]}"#, "1"),
        (r#"{"if": [{"var": "f"}, 1]}"#, "null"),
        (r#"{"if": [{"var": "f"}, 1, {"var": "t"}, 2, 3]}"#, "2"),
        (r#"{"some": [{"var": "runs"}, {">": [{"var": "exit"}, 0]}]}"#, "true"),
        (r#"{"some": [{"var": "runs"}, {">": [{"var": "exit"}, 2]}]}"#, "unknown"),
        (r#"{"all": [{"var": "runs"}, {"<": [{"var": "exit"}, 2]}]}"#, "false"),
        (r#"{"all": [{"var": "runs"}, {"<": [{"var": "exit"}, 3]}]}"#, "unknown"),
        (r#"{"none": [{"var": "runs"}, {"==": [{"var": "exit"}, 2]}]}"#, "false"),
        (r#"{"none": [{"var": "runs"}, {"==": [{"var": "exit"}, 1]}]}"#, "unknown"),
        (r#"{"filter": [{"var": "runs"}, {"==": [{"var": "exit"}, 0]}]}"#, "unknown"),
        (r#"{"map": [{"var": "runs"}, {"var": "exit"}]}"#, "unknown"),
        (r#"{"map": [{"var": "runs"}, {"var": ["exit", -1]}]}"#, "[0,-1,2]"),
        (r#"{"all": [{"var": "gone"}, true]}"#, "unknown"),
        // A type error in an operand that might not be evaluated counts as unknown.
        (r#"{"and": [{"var": "gone"}, {"<": [{"var": "s"}, 1]}]}"#, "unknown"),
        (r#"{"and": [{"var": "gone"}, {"<": [{"var": "s"}, 1]}, {"var": "f"}]}"#, "false"),
    ]);
}

#[test]
fn operators_return_exact_values() {
    check(&[
        (r#"{"?:": [{"var": "f"}, 1, 2]}"#, "2"),
        (r#"{">=": [3, {"var": "n"}]}"#, "true"),
        (r#"{"-": [0.7, 0.6]}"#, "0.1"),
        (r#"{"==": [{"+": [0.1, 0.2]}, 0.3]}"#, "true"),
        (r#"{"==": [{"*": [{"/": [1, 3]}, 3]}, 1]}"#, "true"),
        (r#"{"<": [{"/": [1, 3]}, {"/": [33333333333333333, 100000000000000000]}]}"#, "false"),
        (r#"{"/": [1, 3]}"#, "0.3333333333333333"),
        (r#"{"+": [9007199254740993, 1]}"#, "9007199254740994"),
        (r#"{"+": [18446744073709551614, 1]}"#, "18446744073709551615"),
        (r#"{">": [18446744073709551615, 18446744073709551614]}"#, "true"),
        (r#"{"%": [-7, 3]}"#, "-1"),
        (r#"{"%": [0.75, 0.5]}"#, "0.25"),
        (r#"{"-": {"var": "n"}}"#, "-3"),
        (r#"{"*": [{"var": "n"}, 0.5, 2]}"#, "3"),
        (r#"{"max": [1, 2.5, -1]}"#, "2.5"),
        (r#"{"min": [1]}"#, "1"),
        (r#"{"==": [1, 1.0]}"#, "true"),
        (r#"{"==": [1, "1"]}"#, "false"),
        (r#"{"==": [{"var": "nil"}, false]}"#, "false"),
        (r#"{"!==": [[1, [2]], [1.0, [2.0]]]}"#, "false"),
        (r#"{"===": [{"var": "o"}, {"var": "list"}]}"#, "false"),
        (r#"{"<": ["a", "b", "c"]}"#, "true"),
        (r#"{"<": ["\ud83d\ude00", "\uff00"]}"#, "false"),
        (r#"{"between": [{"var": "half"}, 0.5, 0.5]}"#, "true"),
        (r#"{"in": ["bc", {"var": "s"}]}"#, "true"),
        (r#"{"in": ["", ""]}"#, "true"),
        (r#"{"in": [{"var": "n"}, {"var": "list"}]}"#, "true"),
        (r#"{"in": [{"var": "nil"}, [0, false, ""]]}"#, "false"),
        (r#"{"cat": ["n=", {"var": "n"}, "/", 0.5, "/", 1e21]}"#, r#""n=3/0.5/1e+21""#),
        (r#"{"substr": ["h\u00e9llo\ud83d\ude00", -2]}"#, "\"o\u{1f600}\""),
        (r#"{"substr": ["hello", 1, -1]}"#, r#""ell""#),
        (r#"{"substr": ["hello", -99999999999, 99999999999]}"#, r#""hello""#),
        (r#"{"length": "h\u00e9\ud83d\ude00"}"#, "3"),
        (r#"{"length": {"var": "o"}}"#, "1"),
        (r#"{"length": {"var": "empty"}}"#, "0"),
        (r#"{"starts_with": [{"var": "s"}, "ab"]}"#, "true"),
        (r#"{"ends_with": [{"var": "s"}, "ab"]}"#, "false"),
        (r#"{"glob": ["./src//a/b.rs", "src/**/*.{rs,toml}"]}"#, "true"),
        (r#"{"glob": ["a.rs", {"cat": ["*.", "rs"]}]}"#, "true"),
        (r#"{"regex": ["v1.20", "^v\\d+(\\.\\d+)*$"]}"#, "true"),
        (r#"{"regex": ["abc", {"var": "s"}]}"#, "true"),
        (r#"{"all": [{"var": "empty"}, true]}"#, "false"),
        (r#"{"some": [{"var": "empty"}, true]}"#, "false"),
        (r#"{"none": [{"var": "empty"}, true]}"#, "true"),
        (r#"{"map": [{"var": "list"}, {"*": [{"var": ""}, 2]}]}"#, "[2,4,6]"),
        (r#"{"filter": [{"var": "o.k"}, {">": [{"var": "v"}, 1]}]}"#, r#"[{"v":2}]"#),
        (r#"{"reduce": [{"var": "list"}, {"+": [{"var": "current"}, {"var": "accumulator"}]}, 0.5]}"#, "6.5"),
        (
            r#"{"reduce": [[1, 2], {"var": ""}, 0]}"#,
            r#"{"current":2,"accumulator":{"current":1,"accumulator":0}}"#,
        ),
        (r#"{"merge": [1, [2, [3]], {"var": "nil"}]}"#, "[1,2,[3],null]"),
        (r#"{"log": {"var": "s"}}"#, r#""abc""#),
        (r#"[{"var": "n"}, "x"]"#, r#"[3,"x"]"#),
    ]);
}

#[test]
fn type_errors_have_the_path_of_the_operand() {
    check(&[
        (
            r#"{"and": [true, {"var": "n"}]}"#,
            "invalid_expression: `and` takes a boolean, found a number at /and/1",
        ),
        (r#"{"if": [{"var": "s"}, 1]}"#, "invalid_expression: `if` takes a boolean, found a string at /if/0"),
        (r#"{"!": {"var": "nil"}}"#, "invalid_expression: `!` takes a boolean, found null at /!"),
        (r#"{"!!": {"var": "n"}}"#, "invalid_expression: `!!` takes a boolean, found a number"),
        (
            r#"{"<": [{"var": "s"}, 1]}"#,
            "invalid_expression: `<` compares numbers with numbers and strings with strings, found a string and a number",
        ),
        (
            r#"{">": [{"var": "gone"}, {"var": "t"}]}"#,
            "invalid_expression: `>` takes a number or a string, found a boolean",
        ),
        (r#"{"+": [1, {"var": "s"}]}"#, "invalid_expression: `+` takes a number, found a string at /+/1"),
        (r#"{"/": [1, {"-": [{"var": "n"}, 3]}]}"#, "invalid_expression: `/` by zero"),
        (r#"{"and": [{"<": [{"/": [1, 0]}, 1]}]}"#, "invalid_expression: `/` by zero at /and/0/</0"),
        (r#"{"!": {"==": [{"%": [1, 0]}, 1]}}"#, "invalid_expression: `%` by zero at /!/==/0"),
        (r#"{"*": [1e308, 1e308]}"#, "limit_exceeded: the result is out of the range of exact arithmetic"),
        (
            r#"{"map": [{"var": "o"}, 1]}"#,
            "invalid_expression: `map` takes a list, found an object at /map/0",
        ),
        (
            r#"{"filter": [{"var": "list"}, {"var": ""}]}"#,
            "invalid_expression: `filter` takes a boolean, found a number at /filter/1",
        ),
        (r#"{"in": [1, {"var": "s"}]}"#, "invalid_expression: `in` takes a string, found a number"),
        (r#"{"in": [1, {"var": "n"}]}"#, "invalid_expression: `in` takes a string or a list, found a number"),
        (
            r#"{"substr": ["abc", {"var": "half"}]}"#,
            "invalid_expression: `substr` takes integers, found the number 0.5",
        ),
        (
            r#"{"length": {"var": "n"}}"#,
            "invalid_expression: `length` takes a string, a list or an object, found a number",
        ),
        (
            r#"{"regex": [{"var": "n"}, "a"]}"#,
            "invalid_expression: `regex` takes a string, found a number at /regex/0",
        ),
        (
            r#"{"regex": ["a", {"cat": ["(", "?=a)"]}]}"#,
            "invalid_expression: look-around `(?=` is not supported, character 1 of the pattern",
        ),
        (r#"{"glob": ["a", {"cat": ["{", ""]}]}"#, "invalid_expression: a `{` without `}` in a pattern"),
        (r#"{"var": {"var": "t"}}"#, "invalid_expression: `var` takes a number or a string, found a boolean"),
        (
            r#"{"var": {"var": "half"}}"#,
            "invalid_expression: a path is a string or an index, found the number 0.5",
        ),
    ]);
}

#[test]
fn every_operator_is_in_a_table() {
    for operator in Operator::ALL {
        let call = format!("{{\"{}\":", operator.name());
        assert!(include_str!("strict.rs").contains(&call), "strict.rs lacks `{}`", operator.name());
        // The suite of the reference has its own operators.
        let is_proven = operator.signature().reference || include_str!("compat.rs").contains(&call);
        assert!(is_proven, "compat.rs lacks `{}`", operator.name());
    }
}
