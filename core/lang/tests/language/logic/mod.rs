//! Logic expressions through the public interface: tables for both modes, the public suite, hostile input, and a second
//! implementation that must agree.

mod compat;
mod hostile;
mod laws;
mod load;
mod model;
mod numbers;
mod random;
mod strict;
mod suite;
mod views;

use adjudicate_lang::{
    Error, Steps,
    json::{self, ReadLimits},
    logic::{Mode, Program},
};

/// Evaluates an expression. Returns the value as JSON, `unknown`, or the error as text.
fn answer(logic: &str, data: &str, mode: Mode) -> String {
    answer_within(Steps::default(), logic, data, mode)
}

/// The same with a budget.
fn answer_within(mut steps: Steps, logic: &str, data: &str, mode: Mode) -> String {
    let mut evaluate = || -> Result<String, Error> {
        let logic = json::read(logic.as_bytes(), ReadLimits::DOCUMENT)?;
        let data = json::read(data.as_bytes(), ReadLimits::DOCUMENT)?;
        let program = Program::compile(logic.root(), mode, &mut Steps::for_patterns())?;
        let value = program.evaluate(&data.root(), &mut steps)?;
        Ok(if value.is_unknown() {
            "unknown".into()
        } else {
            serde_json::to_string(&value).expect("it has a JSON form")
        })
    };
    evaluate().unwrap_or_else(|error| error.to_string())
}
