//! JSON Schema: this engine, `jsonschema` and `boon` on the same schemas and instances.
//!
//! There are three questions: the validity of a parsed value, the validity of its text, and all errors of an invalid
//! value. An error has two paths and a sentence. The measurement starts after all three engines have given the verdict
//! of the case.
//!
//! *Parsed* is the form that each engine validates best, made before the measurement. For this engine it is a tape, in
//! which small integers have their position and other numbers are text. For the others it is a [`serde_json::Value`],
//! in which numbers are read and fields are in a map. All engines compile their schema before. The time of parsing an
//! instance is in *text*.

use adjudicate_core::{
    Steps,
    json::{self, Limits},
    schema::{Documents, Options, Schema},
};
use boon::{Compiler, SchemaIndex, Schemas, ValidationError};
use jsonschema::Validator;
use serde_json::Value;

use crate::{
    Failure, Values,
    contest::{Contest, Effort, mean, timed},
    schema_cases::{self, Case},
};

/// A schema, compiled by each engine.
struct Compiled {
    ours: Schema,
    jsonschema: Validator,
    boon: (Schemas, SchemaIndex),
}

/// The engines; the first is compared with the others.
const NAMES: [&str; 3] = ["adjudicate", "jsonschema", "boon"];

/// The questions.
const QUESTIONS: [&str; 3] = ["parsed", "text", "errors"];

/// An answer to a question. Returns the number of errors, as far as the question asks for it.
type Answer<'a> = Box<dyn FnMut() -> Result<usize, Failure> + 'a>;

/// Microseconds of every engine, and the ratio of this engine to the faster of the others.
pub(crate) fn measure(effort: Effort) -> Result<Values, Failure> {
    let mut values = Values::new();
    for case in schema_cases::all() {
        measure_case(&case, effort, &mut values)?;
    }
    for question in QUESTIONS {
        let keys =
            schema_cases::all().into_iter().map(|case| format!("peer_schema_{}_{question}_ratio", case.key));
        let ratios: Vec<f64> = keys.filter_map(|key| values.get(&key).copied()).collect();
        values.insert(format!("peer_schema_{question}_ratio"), mean(ratios.iter().copied()));
        values.insert(format!("peer_schema_{question}_worst"), ratios.into_iter().fold(0.0, f64::max));
    }
    Ok(values)
}

fn measure_case(case: &Case, effort: Effort, values: &mut Values) -> Result<(), Failure> {
    let compiled = Compiled::new(case.schema)?;
    let text = case.instance.to_string();
    compiled.agree(case, &text)?;
    let tape = json::read(text.as_bytes(), Limits::DOCUMENT)?;
    for question in QUESTIONS {
        if question == "errors" && case.is_valid {
            continue;
        }
        let answers: [Answer<'_>; 3] = match question {
            "parsed" => [
                Box::new(|| Ok(usize::from(compiled.ours.is_valid(tape.root(), &mut Steps::default())?))),
                Box::new(|| Ok(usize::from(compiled.jsonschema.is_valid(&case.instance)))),
                Box::new(|| Ok(usize::from(compiled.boon_says(&case.instance).is_ok()))),
            ],
            "text" => [
                Box::new(|| compiled.ours_from(&text)),
                Box::new(|| Ok(usize::from(compiled.jsonschema.is_valid(&serde_json::from_str(&text)?)))),
                Box::new(|| Ok(usize::from(compiled.boon_says(&serde_json::from_str(&text)?).is_ok()))),
            ],
            _ => [
                Box::new(|| Ok(compiled.ours.validate(tape.root(), &mut Steps::default())?.len())),
                Box::new(|| Ok(compiled.jsonschema_errors(&case.instance).len())),
                Box::new(|| Ok(compiled.boon_errors(&case.instance).len())),
            ],
        };
        let mut contest = Contest::new(effort);
        for (name, answer) in NAMES.into_iter().zip(answers) {
            contest.enter(name, timed(answer))?;
        }
        let results = contest.hold()?;
        for name in NAMES {
            values.insert(format!("peer_schema_{}_{question}_{name}_us", case.key), results.micros(name));
        }
        // The result is the larger ratio, which is the one to the faster engine.
        let [_, others @ ..] = NAMES;
        let against = others.map(|other| results.ratio("adjudicate", other)).into_iter().fold(0.0, f64::max);
        values.insert(format!("peer_schema_{}_{question}_ratio", case.key), against);
    }
    Ok(())
}

/// One error: the instance path, the schema path, and the message.
type ErrorText = (String, String, String);

impl Compiled {
    fn new(text: &str) -> Result<Self, Failure> {
        let schema: Value = serde_json::from_str(text)?;
        let tape = json::read(text.as_bytes(), Limits::DOCUMENT)?;
        let ours =
            Schema::compile(tape.root(), &Documents::default(), Options::default(), &mut Steps::default())?;
        let jsonschema = jsonschema::validator_for(&schema).map_err(|error| error.to_string())?;
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        let uri = "https://peers.example/schema.json";
        compiler.add_resource(uri, schema).map_err(|error| error.to_string())?;
        let index = compiler.compile(uri, &mut schemas).map_err(|error| error.to_string())?;
        Ok(Self { ours, jsonschema, boon: (schemas, index) })
    }

    fn ours_from(&self, text: &str) -> Result<usize, Failure> {
        let tape = json::read(text.as_bytes(), Limits::DOCUMENT)?;
        Ok(usize::from(self.ours.is_valid(tape.root(), &mut Steps::default())?))
    }

    #[expect(clippy::result_large_err, reason = "it is the peer's own error")]
    fn boon_says<'v>(&self, instance: &'v Value) -> Result<(), ValidationError<'_, 'v>> {
        let (schemas, index) = &self.boon;
        schemas.validate(instance, *index)
    }

    fn jsonschema_errors(&self, instance: &Value) -> Vec<ErrorText> {
        let errors = self.jsonschema.iter_errors(instance);
        errors
            .map(|error| {
                (error.instance_path().to_string(), error.schema_path().to_string(), error.to_string())
            })
            .collect()
    }

    fn boon_errors(&self, instance: &Value) -> Vec<ErrorText> {
        let mut errors = Vec::new();
        if let Err(error) = self.boon_says(instance) {
            collect_errors(&error, &mut errors);
        }
        errors
    }

    /// Returns an error if an engine disagrees, so that no wrong answer is timed.
    fn agree(&self, case: &Case, text: &str) -> Result<(), Failure> {
        let tape = json::read(text.as_bytes(), Limits::DOCUMENT)?;
        let steps = &mut Steps::default();
        let found = [
            self.ours.is_valid(tape.root(), steps)?,
            self.ours_from(text)? == 1,
            self.ours.validate(tape.root(), steps)?.is_empty(),
            self.jsonschema.is_valid(&case.instance),
            self.jsonschema_errors(&case.instance).is_empty(),
            self.boon_errors(&case.instance).is_empty(),
        ];
        match found.iter().all(|valid| *valid == case.is_valid) {
            true => Ok(()),
            false => Err(format!("{}: expected {}, found {found:?}", case.key, case.is_valid).into()),
        }
    }
}

/// The innermost errors of a boon error. The outer ones only group them.
fn collect_errors(error: &ValidationError<'_, '_>, errors: &mut Vec<ErrorText>) {
    if error.causes.is_empty() {
        errors.push((
            error.instance_location.to_string(),
            error.schema_url.to_string(),
            error.kind.to_string(),
        ));
    }
    error.causes.iter().for_each(|cause| collect_errors(cause, errors));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_engines_give_the_verdict_of_every_case() {
        for case in schema_cases::all() {
            let compiled = Compiled::new(case.schema).unwrap();
            compiled.agree(&case, &case.instance.to_string()).unwrap();
        }
    }
}
