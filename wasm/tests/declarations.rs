//! The TypeScript declarations that are written by hand agree with the core's tables.
//!
//! Where the core offers a list, it is asked for it; where it keeps one to itself, its refusals say which words there are, and its
//! source which members.
#![cfg(not(target_arch = "wasm32"))]

use adjudicate_core::{
    Operation,
    deliberate::{Duty, Gate, Readiness, ReasonCode, StopReason, Trigger, Verdict},
    ir::{Complexity, Format, HashMode, Intent, Reason, replay::ReplayCode},
    json::{self, Limits},
    plan::{PlanCode, check_bundle},
};

const DECLARATIONS: &str = concat!(
    include_str!("../src/types.d.ts"),
    include_str!("../src/plans.d.ts"),
    include_str!("../src/guardrails.d.ts"),
    include_str!("../src/planir.d.ts"),
    include_str!("../src/planning.d.ts")
);

/// The members of a union of string literals, one a line; none if there is no such union.
fn union(name: &str) -> Vec<&'static str> {
    let start = format!("export type {name} =\n");
    let rest = DECLARATIONS.split_once(&start).map(|(_, rest)| rest).unwrap_or_default();
    let lines = rest.lines().map_while(|line| line.trim().strip_prefix("| "));
    lines.map(|literal| literal.trim_end_matches(';').trim_matches('"')).collect()
}

#[test]
fn every_code_of_an_answer_is_declared() {
    let codes: Vec<_> = PlanCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(union("PlanCode"), codes);
    let codes: Vec<_> = ReplayCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(union("ReplayCode"), codes);
    let codes: Vec<_> = ReasonCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(union("PlanningReasonCode"), codes);
}

/// The words of a list that the core offers.
fn texts<W: Copy>(all: &[W], text: fn(W) -> &'static str) -> Vec<&'static str> {
    all.iter().map(|word| text(*word)).collect()
}

#[test]
fn every_word_of_planning_is_declared() {
    for (name, words) in [
        ("InferenceReason", texts(Reason::ALL, Reason::as_str)),
        ("PlanningGate", texts(Gate::ALL, Gate::as_str)),
        ("StagnationTrigger", texts(Trigger::ALL, Trigger::as_str)),
        ("PlanningDuty", texts(Duty::ALL, Duty::as_str)),
        ("StopReason", texts(StopReason::ALL, StopReason::as_str)),
        ("QualityReason", texts(Verdict::ALL, Verdict::as_str)),
        ("RecommendationLabel", texts(Readiness::ALL, Readiness::as_str)),
    ] {
        assert_eq!(union(name), words, "{name}");
    }
    for (name, words) in [
        ("StepIntent", texts(Intent::ALL, Intent::as_str)),
        ("Complexity", texts(Complexity::ALL, Complexity::as_str)),
        ("PlanFormat", texts(Format::ALL, Format::as_str)),
        ("HashMode", texts(HashMode::ALL, HashMode::as_str)),
    ] {
        let listed = section(DECLARATIONS, &format!("export type {name} = "), ";");
        assert_eq!(listed.split('"').skip(1).step_by(2).collect::<Vec<_>>(), words, "{name}");
    }
}

/// A member, and whether it must be there.
type Member = (&'static str, bool);

/// The members of an interface, those that it extends first; none if there is no such interface.
fn members(name: &str) -> Vec<Member> {
    let start = format!("export interface {name} ");
    let rest = DECLARATIONS.split_once(&start).map(|(_, rest)| rest).unwrap_or_default();
    let (head, rest) = rest.split_once("{\n").unwrap_or_default();
    let mut members = head.trim().strip_prefix("extends ").map(members).unwrap_or_default();
    for line in rest.lines().take_while(|line| *line != "}") {
        let Some((name, _)) =
            line.trim().split_once(": ").filter(|(name, _)| !name.starts_with(['/', '*', '[']))
        else {
            continue;
        };
        let member = name.strip_suffix('?').map_or((name, true), |name| (name, false));
        // What is extended may be narrowed.
        if !members.contains(&member) {
            members.push(member);
        }
    }
    members
}

#[test]
fn every_operation_is_declared() {
    let names: Vec<_> = Operation::ALL.iter().map(|operation| operation.name()).collect();
    assert_eq!(union("OperationName"), names);
    for interface in ["Calls", "Answers"] {
        let members: Vec<_> = members(interface).into_iter().map(|(name, _)| name).collect();
        assert_eq!(members, names);
    }
}

/// The words that a refusal says there are.
fn words_in(message: &str) -> Vec<&str> {
    let (_, list) = message.split_once(" is not one of ").unwrap_or_default();
    list.split('`').skip(1).step_by(2).collect()
}

#[test]
fn every_word_is_declared() {
    for (name, operation, call) in [
        ("ConstraintLevel", Operation::MergeDiagnostics, r#"{"diagnostics":[{"severity":"?"}]}"#),
        ("DiagnosticStatus", Operation::MergeDiagnostics, r#"{"diagnostics":[{"status":"?"}]}"#),
        ("DiagnosticCause", Operation::MergeDiagnostics, r#"{"diagnostics":[{"cause":"?"}]}"#),
        (
            "ContinueDecision",
            Operation::Deliberate,
            r#"{"turns":[{"n":1,"confidence":0,"uncertainty":0,"continue_decision":"?"}]}"#,
        ),
        ("FacetDirection", Operation::ValidatePlan, r#"{"facets":[{"direction":"?"}]}"#),
        ("TriggerKind", Operation::ApplyGuardrails, r#"{"event":{"kind":"?"}}"#),
        ("TriggerKind", Operation::ApplyGuardrails, r#"{"policies":[{"trigger":{"kind":"?"}}]}"#),
    ] {
        let error = operation.call(call.as_bytes()).unwrap_err();
        assert_eq!(union(name), words_in(error.message()), "{name}: {error}");
    }
    let bundle = json::read(br#"{"status":"?"}"#, Limits::DOCUMENT).unwrap();
    let error = check_bundle(bundle.root(), bundle.root()).unwrap_err();
    assert_eq!(union("BundleStatus"), words_in(error.message()), "{error}");
    let reasons = section(APPLY, "    Reason {", "    }");
    assert_eq!(union("ActionReason"), reasons.split('"').skip(1).step_by(2).collect::<Vec<_>>());
}

const ACTION: &str = include_str!("../../core/src/guardrail/action.rs");
const APPLY: &str = include_str!("../../core/src/guardrail/apply.rs");
const ACTIONS: &str = include_str!("../../core/src/guardrail/answer.rs");
const GUARDRAIL: &str = include_str!("../../core/src/guardrail/document.rs");
const EVENT: &str = include_str!("../../core/src/guardrail/event.rs");
const BUNDLE: &str = include_str!("../../core/src/plan/answer.rs");
const MERGE: &str = include_str!("../../core/src/plan/call.rs");
const CONTRACT: &str = include_str!("../../core/src/plan/contract.rs");
const DIAGNOSTIC: &str = include_str!("../../core/src/diagnostic/mod.rs");
const TASK: &str = include_str!("../../core/src/plan/document.rs");
const OBSERVE: &str = include_str!("../../core/src/plan/observe.rs");
const PLAN: &str = include_str!("../../core/src/plan/proposal.rs");
const PLAN_IR: &str = include_str!("../../core/src/ir/read.rs");
const NORMALIZE: &str = include_str!("../../core/src/ir/call.rs");
const NORMALIZED: &str = include_str!("../../core/src/ir/answer.rs");
const REPLAY: &str = include_str!("../../core/src/ir/replay/call.rs");
const REPLAYED: &str = include_str!("../../core/src/ir/replay/answer.rs");
const RECEIPT: &str = include_str!("../../core/src/ir/replay/receipt.rs");
const TESTS: &str = include_str!("../../core/src/ir/replay/delta.rs");
const LEDGER: &str = include_str!("../../core/src/deliberate/ledger.rs");
const TURN: &str = include_str!("../../core/src/deliberate/turn.rs");
const BUDGETS: &str = include_str!("../../core/src/deliberate/budgets.rs");
const QUESTION: &str = include_str!("../../core/src/deliberate/question.rs");
const OUTPUTS: &str = include_str!("../../core/src/deliberate/outputs.rs");
const DELIBERATION: &str = include_str!("../../core/src/deliberate/contract.rs");
const PREVIOUS: &str = include_str!("../../core/src/plan/previous.rs");
const STOP_REPORT: &str = include_str!("../../core/src/deliberate/contract/report.rs");
const REGISTRY: &str = include_str!("../../core/src/plan/registry.rs");

/// What stands in a source between two marks.
fn section(source: &'static str, start: &str, end: &str) -> &'static str {
    let rest = source.split_once(start).map(|(_, rest)| rest).unwrap_or_default();
    rest.split_once(end).map(|(section, _)| section).unwrap_or_default()
}

/// The members that a table declares.
fn rows(table: &'static str) -> Vec<Member> {
    let calls = table.split('(').zip(table.split('(').skip(1));
    calls
        .filter_map(|(before, after)| {
            let is_required = match before.rsplit(|letter: char| !letter.is_alphanumeric()).next()? {
                "required" => true,
                "optional" => false,
                _ => return None,
            };
            Some((after.split('"').nth(1)?, is_required))
        })
        .collect()
}

/// The members of the table of that name, with `$schema` if it is the table of a document.
fn table(source: &'static str, name: &str) -> Vec<Member> {
    let mut rows = rows(section(source, &format!("const {name}: &[Field] ="), ";"));
    let mut documents = source.split("read_document(").skip(1).filter_map(|call| call.split(", ").nth(1));
    rows.extend(documents.any(|table| table == name).then_some(("$schema", false)));
    rows
}

/// Asserts that an interface has the members of these tables, and no other.
#[track_caller]
fn assert_declared(interface: &str, tables: &[Vec<Member>]) {
    let (mut declared, mut known) = (members(interface), tables.concat());
    assert!(!known.is_empty(), "no table for {interface}");
    declared.sort_unstable();
    known.sort_unstable();
    assert_eq!(declared, known, "{interface}");
}

#[test]
fn every_member_is_declared() {
    for (interface, source, name) in [
        ("ValidatePlanCall", TASK, "CALL"),
        ("TaskEnvelope", TASK, "TASK"),
        ("TaskPolicies", TASK, "POLICIES"),
        ("OutputContract", CONTRACT, "CONTRACT"),
        ("Constraint", CONTRACT, "CONSTRAINT"),
        ("LevelledPostCondition", CONTRACT, "POST_CONDITION"),
        ("PlanGraph", PLAN, "PLAN"),
        ("PlanNode", PLAN, "NODE"),
        ("PlanEdge", PLAN, "EDGE"),
        ("Capability", REGISTRY, "CAPABILITY"),
        ("Facet", REGISTRY, "FACET"),
        ("PlanDiagnostic", DIAGNOSTIC, "FIELDS"),
        ("MergeDiagnosticsCall", MERGE, "CALL"),
        ("Weights", MERGE, "WEIGHTS"),
        ("TrimmedNode", BUNDLE, "NODE"),
        ("ObserveOutputCall", OBSERVE, "CALL"),
        ("RuntimePolicy", GUARDRAIL, "GUARDRAIL"),
        ("NodeSelector", GUARDRAIL, "SELECTOR"),
        ("GuardrailEvent", EVENT, "EVENT"),
        ("RunState", EVENT, "STATE"),
        ("ApplyGuardrailsCall", APPLY, "CALL"),
        ("Actions", ACTIONS, "ANSWER"),
        ("GuardrailAction", ACTIONS, "ACTION"),
        ("PolicyTriggered", ACTIONS, "PAYLOAD"),
        ("PlanGenerated", BUNDLE, "ANSWER"),
        ("PlanUpdated", BUNDLE, "ANSWER"),
        ("PlanRejected", BUNDLE, "ANSWER"),
        ("ConstraintScore", BUNDLE, "SCORE"),
        ("PreviousPayload", PREVIOUS, "PAYLOAD"),
        ("PlanIr", PLAN_IR, "PLAN"),
        ("PlanStep", PLAN_IR, "STEP"),
        ("VerificationStrategy", PLAN_IR, "VERIFICATION"),
        ("NormalizePlanCall", NORMALIZE, "CALL"),
        ("NormalizedPlan", NORMALIZED, "ANSWER"),
        ("AdapterReport", NORMALIZED, "ADAPTER"),
        ("InferredValue", NORMALIZED, "INFERRED"),
        ("KeptValue", NORMALIZED, "KEPT"),
        ("PlanStartEvent", NORMALIZED, "PLAN_START"),
        ("PlanQuality", NORMALIZED, "QUALITY"),
        ("VerifyReplayCall", REPLAY, "CALL"),
        ("Receipt", RECEIPT, "RECEIPT"),
        ("ReceiptCall", RECEIPT, "RECEIPT_CALL"),
        ("FailingTests", TESTS, "TESTS"),
        ("ReplayReport", REPLAYED, "ANSWER"),
        ("ReplayFinding", REPLAYED, "FINDING"),
        ("Ledger", LEDGER, "LEDGER"),
        ("StrategySwitch", LEDGER, "SWITCH"),
        ("QuestionAnswer", LEDGER, "ANSWER"),
        ("PlanningChecks", LEDGER, "CHECKS"),
        ("PlanningRisk", LEDGER, "RISK"),
        ("Recommendation", LEDGER, "RECOMMENDATION"),
        ("PlanningTurn", TURN, "TURN"),
        ("Consumption", TURN, "CONSUMED"),
        ("PlanningQuery", TURN, "QUERY"),
        ("ExplorationStep", OUTPUTS, "STEP"),
        ("BudgetAllocation", OUTPUTS, "ALLOCATION"),
        ("NoveltyCheck", OUTPUTS, "NOVELTY"),
        ("PlanningBudgets", BUDGETS, "LIMITS"),
        ("PlanningQuestion", QUESTION, "QUESTION"),
        ("Deliberation", DELIBERATION, "ANSWER"),
        ("PlanningReason", DELIBERATION, "REASON"),
        ("BudgetsLeft", DELIBERATION, "LEFT"),
        ("PhaseLeft", DELIBERATION, "PHASE"),
        ("SwitchDeclaration", DELIBERATION, "SWITCH"),
        ("PhaseBudget", DELIBERATION, "NEW_BUDGET"),
        ("StopReport", STOP_REPORT, "REPORT"),
        ("BudgetConsumed", STOP_REPORT, "CONSUMED"),
        ("SpentBudget", STOP_REPORT, "SPENT"),
        ("ReportedRecommendation", STOP_REPORT, "RECOMMENDATION"),
        ("ReportedQuestion", STOP_REPORT, "QUESTION"),
        ("QuestionVerdict", STOP_REPORT, "VERDICTS"),
        ("QualityVerdict", STOP_REPORT, "VERDICT"),
    ] {
        assert_declared(interface, &[table(source, name)]);
    }
    let bundle = rows(section(BUNDLE, "macro_rules! bundle", ";"));
    for (interface, more) in [
        ("Bundle", Vec::new()),
        ("PlanPayload", table(BUNDLE, "REJECTED")),
        ("PlanRejectedPayload", table(BUNDLE, "REJECTED")),
        ("PlanUpdatedPayload", table(BUNDLE, "UPDATED")),
        ("PlanGeneratedPayload", table(BUNDLE, "GENERATED")),
        ("Observation", table(BUNDLE, "OBSERVED")),
    ] {
        assert_declared(interface, &[bundle.clone(), more]);
    }
    let trigger = rows(section(GUARDRAIL, "macro_rules! trigger", ";"));
    for (interface, more) in [
        ("EventTrigger", Vec::new()),
        ("TimeoutTrigger", table(GUARDRAIL, "TIMEOUT")),
        ("MetricTrigger", table(GUARDRAIL, "METRIC")),
    ] {
        assert_declared(interface, &[trigger.clone(), more]);
    }
}

#[test]
fn every_action_is_declared() {
    let of_all = rows(section(ACTION, "const TYPE: Field =", ";"));
    let call = br#"{"policies":[{"action":{"type":"?"}}]}"#;
    let error = Operation::ApplyGuardrails.call(call).unwrap_err();
    let interfaces = section(DECLARATIONS, "export type Action = ", ";").split(" | ");
    let names: Vec<_> = interfaces
        .map(|interface| {
            let start = format!("export interface {interface} ");
            let name = section(section(DECLARATIONS, &start, "}"), "type: \"", "\"");
            let own = rows(section(ACTION, &format!("name: \"{name}\","), "is_terminal"));
            assert_declared(interface, &[of_all.clone(), own]);
            name
        })
        .collect();
    assert_eq!(names, words_in(error.message()));
}
