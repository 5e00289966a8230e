//! Single expressions over parsed data: this engine's two modes against datalogic-rs.
//!
//! Both compile JSONLogic and borrow from the data. Conditions return a boolean, other expressions their value.

use adjudicate_core::{
    Steps,
    json::{self, Limits, Node},
    logic::{Mode, Program, Value},
};
use bumpalo::Bump;
use datalogic_rs::{Engine, Logic, ParsedData};

use crate::{
    Failure, Values,
    contest::{Contest, Effort, Results, mean, timed},
    inputs,
};

/// The kind of the result.
#[derive(Clone, Copy)]
enum Ask {
    Condition,
    Value,
}

const EXPRESSIONS: [(&str, Ask); 10] = [
    (r#"{"==":[{"var":"step_id"},"judge_run"]}"#, Ask::Condition),
    (r#"{"==":[{"var":"evidence.validation.mechanical_outcome"},"completed"]}"#, Ask::Condition),
    (r#"{"in":[{"var":"evidence.step_intent"},["fix","implement"]]}"#, Ask::Condition),
    (
        r#"{"and":[{">":[{"var":"evidence.harness_report.summary.failed"},0]},{">=":[{"var":"refinement.spent"},{"var":"refinement.cap"}]}]}"#,
        Ask::Condition,
    ),
    (
        r#"{"or":[{"!=":[{"var":"evidence.validation.exit_codes.ruff"},0]},{"!=":[{"var":"evidence.validation.exit_codes.pytest"},0]}]}"#,
        Ask::Condition,
    ),
    (
        r#"{"<":[{"*":[{"var":"evidence.harness_report.summary.passed"},100]},{"*":[{"+":[{"var":"evidence.harness_report.summary.passed"},{"var":"evidence.harness_report.summary.failed"}]},90]}]}"#,
        Ask::Condition,
    ),
    (
        r#"{"some":[{"var":"evidence.harness_report.cases"},{"==":[{"var":"status"},"failed"]}]}"#,
        Ask::Condition,
    ),
    (
        r#"{"all":[{"var":"evidence.diff.files"},{"starts_with":[{"var":"path"},"pipelines/"]}]}"#,
        Ask::Condition,
    ),
    (
        r#"{"if":[{">":[{"var":"evidence.harness_report.summary.failed"},0]},"partial",{"var":"missing"},"blocked","success"]}"#,
        Ask::Value,
    ),
    (
        r#"{"reduce":[{"filter":[{"var":"evidence.diff.files"},{">":[{"var":"insertions"},10]}]},{"+":[{"var":"accumulator"},{"var":"current.insertions"}]},0]}"#,
        Ask::Value,
    ),
];

const OURS: [(&str, Mode); 2] = [("strict", Mode::Strict), ("compat", Mode::Compat)];

/// Geometric means over the expressions: nanoseconds, and the ratio of datalogic-rs to this engine.
pub(crate) fn measure(effort: Effort) -> Result<Values, Failure> {
    let input = inputs::all()?.into_iter().next().ok_or("there is no input")?;
    let results = EXPRESSIONS
        .iter()
        .map(|(expression, ask)| contest(expression, *ask, &input.text, effort))
        .collect::<Result<Vec<_>, _>>()?;
    let mut values = Values::new();
    for name in ["strict", "compat", "datalogic"] {
        let nanoseconds = results.iter().map(|results| results.micros(name) * 1e3);
        values.insert(format!("peer_expressions_{name}_ns"), mean(nanoseconds));
    }
    for (name, _) in OURS {
        let ratios = results.iter().map(|results| results.ratio("datalogic", name));
        values.insert(format!("peer_expressions_{name}_ratio"), mean(ratios));
    }
    let slower = results.iter().filter(|results| results.ratio("datalogic", "strict") < 1.0).count();
    values.insert("peer_expressions_strict_slower".into(), slower as f64);
    Ok(values)
}

fn contest(expression: &str, ask: Ask, text: &str, effort: Effort) -> Result<Results, Failure> {
    let tape = json::read(text.as_bytes(), Limits::DOCUMENT)?;
    let rule = json::read(expression.as_bytes(), Limits::DOCUMENT)?;
    let node = tape.root();
    let data = ParsedData::from_json(text)?;
    let engine = Engine::new();
    let logic = engine.compile(expression)?;
    let expected = theirs(&engine, &logic, &data, &Bump::new())?;

    let mut programs = Vec::new();
    for (name, mode) in OURS {
        let program = Program::compile(rule.root(), mode, &mut Steps::for_patterns())?;
        let value = serde_json::to_string(&program.evaluate(&node, &mut Steps::default())?)?;
        if value != expected {
            return Err(format!("{expression} is {value} in {name} mode, and {expected} there").into());
        }
        programs.push((name, program));
    }

    let mut contest = Contest::new(effort);
    for (name, program) in &programs {
        contest.enter(name, timed(move || ours(program, ask, node)))?;
    }
    let mut arena = Bump::new();
    contest.enter(
        "datalogic",
        timed(move || {
            arena.reset();
            let value = engine.evaluate(&logic, &data, &arena)?;
            Ok(match ask {
                Ask::Condition => usize::from(value.as_bool() == Some(true)),
                Ask::Value => usize::from(value.is_null()),
            })
        }),
    )?;
    contest.hold()
}

fn ours(program: &Program, ask: Ask, node: Node<'_>) -> Result<usize, Failure> {
    let mut steps = Steps::default();
    Ok(match ask {
        Ask::Condition => usize::from(program.holds(&node, &mut steps)? == Some(true)),
        Ask::Value => usize::from(matches!(program.evaluate(&node, &mut steps)?, Value::Unknown)),
    })
}

fn theirs(engine: &Engine, logic: &Logic, data: &ParsedData, arena: &Bump) -> Result<String, Failure> {
    Ok(engine.evaluate(logic, data, arena)?.to_string())
}
