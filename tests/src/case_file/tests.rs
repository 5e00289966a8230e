//! The calls of cases, and the faults of case files.

use super::*;

fn file(groups: &str) -> CaseFile {
    CaseFile { path: PathBuf::from("file.json"), groups: Tree::parse(groups).unwrap() }
}

#[test]
fn a_call_is_the_input_with_its_changes() {
    let file = file(
        r#"[{"summary": "s", "input": {"a": 1.0, "b": [1, 2]}, "cases": [
                {"name": "as it is", "answer": {"x" : 1e2}},
                {"name": "changed", "remove": ["/a"], "set": {"/b/0": "x", "/c": {}}},
                {"name": "own", "input": [], "set": {"/0": 1}},
                {"name": "replaced", "replace": {"1.0": "NaN", "2": "2 2"}},
                {"name": "bytes", "text": "a?b", "bytes": {"?": "ff 00"}}]},
               {"cases": [{"name": "text", "text": "{\"a\""}]}]"#,
    );
    let cases = file.cases().unwrap();
    assert_eq!(cases[0].answer.as_deref(), Some(r#"{"x":1e2}"#));
    let calls: Vec<_> = cases.iter().map(|case| String::from_utf8_lossy(&case.call)).collect();
    assert_eq!(
        calls,
        [
            "{\n  \"a\": 1.0,\n  \"b\": [\n    1,\n    2\n  ]\n}\n",
            "{\n  \"b\": [\n    \"x\",\n    2\n  ],\n  \"c\": {}\n}\n",
            "[\n  1\n]\n",
            "{\n  \"a\": NaN,\n  \"b\": [\n    1,\n    2 2\n  ]\n}\n",
            "a\u{fffd}\0b",
            "{\"a\"",
        ]
    );
}

#[test]
fn a_case_that_cannot_be_made_is_an_error() {
    for (groups, fault) in [
        ("3", "a group of cases is an object"),
        ("{}", "a group has a list of `cases`"),
        (r#"{"case": []}"#, r#"a group of cases has no field "case""#),
        (r#"{"cases": [{}]}"#, "a case has a `name`"),
        (r#"{"cases": [{"name": "a"}]}"#, "`a`: there is no input"),
        (r#"{"cases": [{"name": "a", "sets": {}}]}"#, r#"`a`: a case has no field "sets""#),
        (r#"{"input": {}, "cases": [{"name": "a"}, {"name": "a"}]}"#, "two cases are called `a`"),
        (
            r#"{"input": {}, "cases": [{"name": "a", "remove": ["/b"]}]}"#,
            "`a`: `/b` leads to nothing in the input",
        ),
        (
            r#"{"cases": [{"name": "a", "text": "xx", "replace": {"x": "y"}}]}"#,
            "`a`: the call does not have `x` once",
        ),
        (r#"{"cases": [{"name": "a", "text": "x", "bytes": {"x": "0g"}}]}"#, "`a`: `0g` is no byte"),
    ] {
        assert_eq!(file(groups).cases().unwrap_err().to_string(), format!("file.json: {fault}"));
    }
}

#[test]
fn answers_are_written_into_their_cases() {
    let mut file = file(r#"{"cases": [{"name": "a", "text": "", "answer": 1}, {"name": "b", "text": ""}]}"#);
    file.set_answer("b", r#"{"c":1.0}"#).unwrap();
    assert!(file.set_answer("c", "1").is_err());
    let expected = r#"{
  "cases": [
    {
      "name": "a",
      "text": "",
      "answer": 1
    },
    {
      "name": "b",
      "text": "",
      "answer": {"c": 1.0}
    }
  ]
}
"#;
    assert_eq!(file.to_text(), expected);
}
