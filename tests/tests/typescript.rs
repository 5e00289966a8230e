//! The TypeScript types of documents: `wasm/src/documents.d.ts`, which `cargo xtask generate` writes from the descriptions of the types.
//! It also writes `js/src/words.ts`, the words and the operations that the npm package knows at run time, and
//! `js/src/derived-operations.ts`, the methods of operations.
//!
//! tsify declares the answers of the operations on envelopes and policies (`DECLARED`). This module declares every input, the
//! other answers, and the readings of reports. Types that are part of an input are `readonly`.

pub(crate) mod methods;
mod refinements;
mod types;
mod writer;

use adjudicate_core::{
    Operation,
    document::{Describe, Type},
    ir::replay::{CarriedEvent, PlanStart, StepComplete, ToolCall, ToolResult},
    schemas::{self, DocumentRow},
};
use adjudicate_evidence::{Format, Reading, collect::ExternalEvidence};
use adjudicate_tests::generated::assert_current;

use self::{
    types::{Types, Usage, words_file, write_operations},
    writer::Writer,
};

/// The types that other code declares: `wasm/src/errors.d.ts` the codes, tsify the rest.
const DECLARED: &[&str] = &[
    "CheckFinding",
    "ComposedEvaluation",
    "ErrorCode",
    "Evaluation",
    "Explanation",
    "KnownFacts",
    "OperationName",
    "RefinementPackage",
    "Revision",
    "WitnessError",
];

/// The documents, except the answers of operations, that only the engine writes.
const WRITTEN: &[&str] = &[
    "composed-evaluation",
    "module-evaluation",
    "module-explanation",
    "module-revision",
    "refinement-package",
    "error",
];

/// The types that are the engine's own answers as parts of inputs. Users send them back as they are, so they have no extensions:
/// an interface without extensions is not assignable to one with them.
const SENT_BACK: &[&str] = &["PreviousPayload"];

/// The answers that carry the extensions of an input: those of a guardrail.
const CARRYING: &[&str] = &["PolicyTriggered"];

/// The types that are declared under another name.
const RENAMED: &[(&str, &str)] = &[
    ("AnswerEvaluation", "Evaluation"),
    ("AnswerExplanation", "Explanation"),
    ("AnswerRevision", "Revision"),
    ("CaseResult", "ReportCase"),
    ("Coverage", "ReportCoverage"),
    ("Location", "ReportLocation"),
    ("Manifest", "ModuleManifest"),
    ("Operation", "OperationName"),
    ("ReportedIssue", "ReportIssue"),
    ("ReviewReport", "ReportReview"),
    ("SuggestedEdit", "ReportEdit"),
    ("TestReport", "ReportTests"),
];

/// Returns the name of a type in TypeScript.
fn name_of(name: &'static str) -> &'static str {
    RENAMED.iter().find(|(from, _)| *from == name).map_or(name, |(_, to)| to)
}

/// Returns whether other code declares the type.
fn is_declared(name: &'static str) -> bool {
    DECLARED.contains(&name_of(name))
}

fn row(name: &str) -> &'static DocumentRow {
    schemas::all().find(|row| row.name == name).expect("each document of an operation has a row")
}

fn is_answer(row: &DocumentRow) -> bool {
    WRITTEN.contains(&row.name) || Operation::ALL.iter().any(|operation| operation.output() == row.name)
}

/// The events of replays, each with the word in its tag. `CarriedEvent` stands for all other words.
fn events() -> [(&'static str, Type); 5] {
    [
        ("PlanStart", PlanStart::describe()),
        ("ToolCall", ToolCall::describe()),
        ("ToolResult", ToolResult::describe()),
        ("StepComplete", StepComplete::describe()),
        ("", CarriedEvent::describe()),
    ]
}

fn types() -> Types {
    let mut types = Types::default();
    for (_, event) in events() {
        types.add(&event, Usage::INPUT);
    }
    types.add(&ExternalEvidence::describe(), Usage::INPUT);
    for row in schemas::all() {
        types.add(&(row.describe)(), if is_answer(row) { Usage::ANSWER } else { Usage::INPUT });
    }
    for reading in [Format::describe(), Reading::describe()] {
        types.add(&reading, Usage::ANSWER);
    }
    types
}

fn declarations() -> String {
    let mut writer = Writer::default();
    for (definition, usage) in types().all() {
        writer.definition(definition, usage);
    }
    write_operations(&mut writer);
    writer.text
}

#[test]
fn the_types_of_documents_are_current() {
    assert_current("wasm/src/documents.d.ts", &declarations());
}

#[test]
fn the_derived_methods_of_the_npm_package_are_current() {
    assert_current("js/src/derived-operations.ts", &methods::file());
}

#[test]
fn the_words_of_the_npm_package_are_current() {
    assert_current("js/src/words.ts", &words_file(&types()));
}
