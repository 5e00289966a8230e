//! Pages with one fault each, and the reported problems.

use super::{page::Page, proof::has_test};

/// A page of one row with this last cell.
fn page_with(cell: &str) -> String {
    format!(
        "## OA06\n\n| Section | Requirement | Shown by |\n| --- | --- | --- |\n| 2 | A run has an id. | {cell} |\n"
    )
}

/// The problems of a page of one row.
fn problems(cell: &str) -> String {
    Page::parse(&page_with(cell)).problems().join("\n")
}

#[test]
fn a_row_with_a_proof_or_a_reason_has_no_problem() {
    for cell in [
        "`evaluate/vector-success-clean-minimal`",
        "`evaluate/vector-success-clean-minimal`, `core/tests/engine/corpus.rs::native_answers_are_the_answers`",
        "`docs/sources.md`",
        "Outside: the kernel runs `opcodes`.",
        "`evaluate/vector-success-clean-minimal`. Reading: a validator is a check.",
        "Not yet: nothing reads `falsified`.",
    ] {
        assert_eq!(problems(cell), "", "{cell}");
    }
}

#[test]
fn a_row_without_proof_and_reason_is_found() {
    for (cell, expected) in [
        ("", "line 5: neither a proof nor a reason"),
        ("seen by hand", "line 5: neither a proof nor a reason"),
        ("Outside:", "line 5: `Outside:` without a reason"),
        ("Not yet: ", "line 5: `Not yet:` without a reason"),
        ("`evaluate/vector-success-clean-minimal` mostly", "line 5: expected references or one of"),
    ] {
        assert!(problems(cell).contains(expected), "{cell}: {}", problems(cell));
    }
}

#[test]
fn a_missing_proof_is_found() {
    for (cell, expected) in [
        ("`evaluate/vector-gone`", "line 5: fixture `evaluate/vector-gone` does not exist"),
        (
            "`evaluate/vector-gone`. Outside: the kernel.",
            "line 5: fixture `evaluate/vector-gone` does not exist",
        ),
        ("`evaluate/vector-gone`. Not yet: soon.", "line 5: fixture `evaluate/vector-gone` does not exist"),
        ("`docs/gone.md`", "line 5: file `docs/gone.md` does not exist"),
        ("`tests/tests/gone.rs::f`", "line 5: file of test `tests/tests/gone.rs::f` does not exist"),
        (
            "`core/tests/engine/corpus.rs::gone`",
            "line 5: test `core/tests/engine/corpus.rs::gone` does not exist",
        ),
        // A helper of that file, which proves nothing.
        (
            "`tests/tests/loops.rs::implement_and_review`",
            "line 5: test `tests/tests/loops.rs::implement_and_review` does not exist",
        ),
    ] {
        assert_eq!(problems(cell), expected, "{cell}");
    }
}

#[test]
fn a_row_that_is_shown_and_not_yet_built_is_found() {
    let found = problems("`evaluate/vector-success-clean-minimal`. Not yet: soon.");
    assert_eq!(found, "line 5: `evaluate/vector-success-clean-minimal` exists: delete `Not yet`");
}

#[test]
fn a_table_that_would_be_skipped_is_found() {
    let spoilt = page_with("Outside: so.").replace("Requirement", "Sentence");
    let problems = Page::parse(&spoilt).problems();
    assert!(problems[0].starts_with("line 3: unknown table header"), "{problems:?}");
    let spoilt = page_with("Outside: so. | more");
    assert_eq!(Page::parse(&spoilt).problems(), ["line 5: expected three cells, found 4"]);
    let spoilt = page_with("Outside: so.").replace("A run has an id.", "").replace("| 2 |", "| |");
    assert_eq!(
        Page::parse(&spoilt).problems(),
        ["line 5: the section is empty", "line 5: the requirement is empty"]
    );
}

#[test]
fn tests_are_distinguished_from_other_functions() {
    let file = "#[test]\n#[ignore]\nfn a() {\n    helper();\n}\n\nfn helper() {\n}\nproptest! {\n    #[test]\n    fn law(x in any::<u8>()) {\n    }\n}\n#[tokio::test]\nasync fn waits() {}\n";
    for name in ["a", "law", "waits"] {
        assert!(has_test(file, name), "{name}");
    }
    for name in ["helper", "la", "b"] {
        assert!(!has_test(file, name), "{name}");
    }
}
