//! Regorus: a Rego module with a set of the rules that hold, compiled for its virtual machine and loaded once.

use regorus::{Engine, Rc, Value, languages::rego::compiler::Compiler, rvm::vm::RegoVM};

use crate::{Failure, verdict::Verdict};

const RULES: &str = include_str!("../rules/rules.rego");
const ENTRY: &str = "data.nine_rules.fired";

pub(crate) struct RegoRules {
    machine: RegoVM,
}

impl RegoRules {
    pub(crate) fn new() -> Result<Self, Failure> {
        let mut engine = Engine::new();
        engine.add_policy("rules.rego".into(), RULES.into())?;
        let policy = engine.compile_with_entrypoint(&Rc::from(ENTRY))?;
        let program = Compiler::compile_from_policy(&policy, &[ENTRY]).map_err(|error| error.to_string())?;
        let mut machine = RegoVM::new();
        machine.load_program(program);
        Ok(Self { machine })
    }

    pub(crate) fn prepare(envelope: &str) -> Result<Value, Failure> {
        Ok(Value::from_json_str(envelope)?)
    }

    pub(crate) fn decide(&mut self, input: &Value) -> Result<Verdict, Failure> {
        // The clone is a reference count.
        self.machine.set_input(input.clone());
        let fired = self.machine.execute().map_err(|error| error.to_string())?;
        let mut verdict = Verdict::default();
        for rule in fired.as_set()?.iter() {
            verdict.add_named(rule.as_string()?)?;
        }
        Ok(verdict)
    }

    pub(crate) fn answer(&mut self, envelope: &str) -> Result<String, Failure> {
        Ok(self.decide(&Self::prepare(envelope)?)?.text())
    }
}
