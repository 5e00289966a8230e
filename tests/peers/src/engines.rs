//! The engines of the nine rules, one function each. It compiles the rules and prepares one envelope.
//!
//! Rules live as long as the program. So prepared data can borrow from them.

use adjudicate_core::{
    Policy, Steps,
    evaluate::{Envelope, Judged, evaluate, evaluate_text},
    json::{self, Node, ReadLimits},
    logic::{Mode, Program},
};
use bumpalo::Bump;
use cedar_policy::{Authorizer, Context, Entities, EntityUid, PolicyId, PolicySet, Request};
use datalogic_rs::{DataValue, ParsedData};
use regorus::{Rc, languages::rego::compiler::Compiler, rvm::vm::RegoVM};

use crate::{Failure, rules::Verdict};

/// An engine with its rules and one envelope.
pub(crate) struct Engine {
    /// Decides on data in the engine's own best form.
    pub(crate) decide: Box<dyn FnMut() -> Result<Verdict, Failure>>,
    /// Decides from the text of the envelope to a text.
    pub(crate) answer: Box<dyn FnMut() -> Result<String, Failure>>,
}

/// Prepares an engine for the text of an envelope.
type Prepare = fn(&'static str) -> Result<Engine, Failure>;

/// All engines by key; the others are compared with the first.
pub(crate) static ENGINES: [(&str, Prepare); 6] = [
    ("adjudicate", evaluator),
    ("conditions", conditions),
    ("datalogic", datalogic),
    ("cel", cel),
    ("regorus", regorus),
    ("cedar", cedar),
];

const POLICY: &str = include_str!("../rules/policy.json");

fn keep<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn engine(
    decide: impl FnMut() -> Result<Verdict, Failure> + 'static,
    answer: impl FnMut() -> Result<String, Failure> + 'static,
) -> Result<Engine, Failure> {
    Ok(Engine { decide: Box::new(decide), answer: Box::new(answer) })
}

/// The whole evaluator of this engine. It does more than any peer: it reads git's diff format and the transcript, applies
/// its own 24 rules, routes, and explains each finding. Its text is the complete decision with its reasons.
fn evaluator(text: &'static str) -> Result<Engine, Failure> {
    let policy = keep(Policy::parse(POLICY.as_bytes())?);
    let envelope = Envelope::from_tape(keep(json::read(text.as_bytes(), ReadLimits::DOCUMENT)?))?;
    let decide = move || {
        let facts = Judged::new(&envelope, Some(policy))?;
        let evaluation = evaluate(&facts);
        let own = evaluation
            .findings
            .iter()
            .map(|finding| finding.rule)
            .filter(|rule| policy.rules().iter().any(|own| own.id() == *rule));
        let verdict = Verdict::named(own)?;
        // The built-in rules apply, too. For these inputs they agree.
        match evaluation.decision.status.as_str() {
            status if status == verdict.status() => Ok(verdict),
            status => Err(format!("the built-in rules come to {status}").into()),
        }
    };
    engine(decide, move || Ok(evaluate_text(text.as_bytes(), Some(policy))?))
}

/// The conditions over the envelope itself, without the root `input` of policies, as JSONLogic engines take them.
fn conditions_as_text() -> Result<Vec<String>, Failure> {
    let policy: serde_json::Value =
        serde_json::from_str(&POLICY.replace(r#""var": "input."#, r#""var": ""#))?;
    let rules = policy.get("rules").and_then(|rules| rules.as_array()).ok_or("there are no rules")?;
    let conditions: Option<_> = rules.iter().map(|rule| Some(rule.get("when")?.to_string())).collect();
    Ok(conditions.ok_or("a rule has no condition")?)
}

/// The conditions of this engine alone, which are the peers' task.
fn conditions(text: &'static str) -> Result<Engine, Failure> {
    let mut programs = Vec::new();
    for condition in conditions_as_text()? {
        let tape = json::read(condition.as_bytes(), ReadLimits::DOCUMENT)?;
        programs.push(Program::compile(tape.root(), Mode::Strict, &mut Steps::for_patterns())?);
    }
    let programs: &[Program] = keep(programs);
    let judge = move |node: Node<'_>| {
        let mut steps = Steps::default();
        Verdict::of(programs.iter().map(|program| Ok(program.holds(&node, &mut steps)? == Some(true))))
    };
    let tape = keep(json::read(text.as_bytes(), ReadLimits::DOCUMENT)?);
    engine(
        move || judge(tape.root()),
        move || Ok(judge(json::read(text.as_bytes(), ReadLimits::DOCUMENT)?.root())?.text()),
    )
}

/// datalogic-rs: the data in its own arena, results that borrow from it.
fn datalogic(text: &'static str) -> Result<Engine, Failure> {
    fn judge<'a>(
        engine: &'a datalogic_rs::Engine,
        logic: &'a [datalogic_rs::Logic],
        data: &'a DataValue<'a>,
        arena: &'a Bump,
    ) -> Result<Verdict, Failure> {
        let holds = |rule| Ok(engine.evaluate(rule, data, arena)?.as_bool() == Some(true));
        Verdict::of(logic.iter().map(holds))
    }
    let engine_of_peer = keep(datalogic_rs::Engine::new());
    let mut logic = Vec::new();
    for condition in conditions_as_text()? {
        logic.push(engine_of_peer.compile(condition.as_str())?);
    }
    let logic: &[datalogic_rs::Logic] = keep(logic);
    let data = ParsedData::from_json(text)?;
    let (mut arena, mut text_arena) = (Bump::new(), Bump::new());
    engine(
        move || {
            arena.reset();
            judge(engine_of_peer, logic, data.value(), &arena)
        },
        move || {
            text_arena.reset();
            let data = text_arena.alloc(DataValue::from_str(text, &text_arena)?);
            Ok(judge(engine_of_peer, logic, data, &text_arena)?.text())
        },
    )
}

/// CEL: each rule is a program. The envelope is one variable of a context.
fn cel(text: &'static str) -> Result<Engine, Failure> {
    let mut programs = Vec::new();
    for line in include_str!("../rules/rules.cel").lines() {
        let (name, condition) = line.split_once(": ").ok_or("a line without a name")?;
        Verdict::named([name])?;
        programs.push(cel::Program::compile(condition).map_err(|error| error.to_string())?);
    }
    let (programs, functions): (&[cel::Program], _) = (keep(programs), keep(cel::Context::default()));
    let prepare = || -> Result<cel::Context<'static, 'static>, Failure> {
        let mut context = functions.new_inner_scope();
        let data: serde_json::Value = serde_json::from_str(text)?;
        context.add_variable("input", data).map_err(|error| error.to_string())?;
        Ok(context)
    };
    let judge = |context: &cel::Context<'_, '_>| {
        Verdict::of(programs.iter().map(|program| match program.execute(context) {
            Ok(cel::Value::Bool(holds)) => Ok(holds),
            other => Err(format!("{other:?}").into()),
        }))
    };
    let context = prepare()?;
    engine(move || judge(&context), move || Ok(judge(&prepare()?)?.text()))
}

/// Regorus: a Rego module with a set of the rules that hold, compiled for its virtual machine and loaded once.
fn regorus(text: &'static str) -> Result<Engine, Failure> {
    const ENTRY: &str = "data.nine_rules.fired";
    let mut rego = regorus::Engine::new();
    rego.add_policy("rules.rego".into(), include_str!("../rules/rules.rego").into())?;
    let policy = rego.compile_with_entrypoint(&Rc::from(ENTRY))?;
    let program = Compiler::compile_from_policy(&policy, &[ENTRY]).map_err(|error| error.to_string())?;
    let machine = || {
        let mut machine = RegoVM::new();
        machine.load_program(program.clone());
        machine
    };
    let judge = |machine: &mut RegoVM, input| {
        machine.set_input(input);
        let fired = machine.execute().map_err(|error| error.to_string())?;
        let names = fired.as_set()?.iter().map(|rule| rule.as_string());
        Verdict::named(names.collect::<Result<Vec<_>, _>>()?.iter().map(|name| &***name))
    };
    let input = regorus::Value::from_json_str(text)?;
    let (mut prepared, mut from_text) = (machine(), machine());
    engine(
        // The clone is a reference count.
        move || judge(&mut prepared, input.clone()),
        move || Ok(judge(&mut from_text, regorus::Value::from_json_str(text)?)?.text()),
    )
}

/// Cedar: a `forbid` policy per rule over the request's context. The rules that hold are the determining policies.
fn cedar(text: &'static str) -> Result<Engine, Failure> {
    let parsed: PolicySet = include_str!("../rules/rules.cedar").parse()?;
    let named = parsed.policies().map(|policy| {
        let id = policy.annotation("id").ok_or("a policy has no id")?;
        Ok::<_, Failure>(policy.new_id(PolicyId::new(id)))
    });
    let policies = keep(PolicySet::from_policies(named.collect::<Result<Vec<_>, _>>()?)?);
    let (authorizer, entities) = (keep(Authorizer::new()), keep(Entities::empty()));
    // No rule reads principal, action and resource.
    let roles: &[EntityUid; 3] =
        keep([r#"Kernel::"k""#.parse()?, r#"Action::"judge""#.parse()?, r#"Step::"s""#.parse()?]);
    let prepare = move || -> Result<Request, Failure> {
        let [principal, action, resource] = roles.clone();
        Ok(Request::new(principal, action, resource, Context::from_json_str(text, None)?, None)?)
    };
    let judge = |request: &Request| {
        let response = authorizer.is_authorized(request, policies, entities);
        if let Some(error) = response.diagnostics().errors().next() {
            return Err(error.to_string().into());
        }
        Verdict::named(response.diagnostics().reason().map(AsRef::as_ref))
    };
    let request = prepare()?;
    engine(move || judge(&request), move || Ok(judge(&prepare()?)?.text()))
}
