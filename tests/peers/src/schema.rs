//! JSON Schema: this engine, `jsonschema` and `boon` on the same schemas and instances.
//!
//! Three questions: whether a parsed value is valid, the same from its text, and of what is not valid all that is wrong: both
//! paths and a sentence for each. Nobody is timed before all three have given the verdict that the case has.
//!
//! *Parsed* is what each validates best, made of the same text before anybody is timed: a tape for this engine, which has where
//! small numbers stand among the integers and other numbers as text, and a [`serde_json::Value`] for the others, which has its
//! numbers read and its members in a map. All have compiled their schema before. What an instance takes to be parsed is in *text*.

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

/// A schema, compiled by each.
struct Compiled {
    ours: Schema,
    jsonschema: Validator,
    boon: (Schemas, SchemaIndex),
}

/// Those that take part, the first against the others.
const NAMES: [&str; 3] = ["adjudicate", "jsonschema", "boon"];

/// The questions.
const QUESTIONS: [&str; 3] = ["parsed", "text", "errors"];

/// One who answers a question; how many things are wrong, as far as that is asked.
type Answer<'a> = Box<dyn FnMut() -> Result<usize, Failure> + 'a>;

/// Microseconds of everybody, and how many times as long as the faster of the others ours takes.
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
        // The faster of the others is the one that ours takes more of.
        let [_, others @ ..] = NAMES;
        let against = others.map(|other| results.ratio("adjudicate", other)).into_iter().fold(0.0, f64::max);
        values.insert(format!("peer_schema_{}_{question}_ratio", case.key), against);
    }
    Ok(())
}

/// What is told of one thing that is wrong.
type Told = (String, String, String);

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

    fn jsonschema_errors(&self, instance: &Value) -> Vec<Told> {
        let errors = self.jsonschema.iter_errors(instance);
        errors
            .map(|error| {
                (error.instance_path().to_string(), error.schema_path().to_string(), error.to_string())
            })
            .collect()
    }

    fn boon_errors(&self, instance: &Value) -> Vec<Told> {
        let mut told = Vec::new();
        if let Err(error) = self.boon_says(instance) {
            tell(&error, &mut told);
        }
        told
    }

    /// Refuses to time those who say something else.
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

/// What an error of boon consists of, without those that only hold others together.
fn tell(error: &ValidationError<'_, '_>, told: &mut Vec<Told>) {
    if error.causes.is_empty() {
        told.push((
            error.instance_location.to_string(),
            error.schema_url.to_string(),
            error.kind.to_string(),
        ));
    }
    error.causes.iter().for_each(|cause| tell(cause, told));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_gives_the_verdict_of_every_case() {
        for case in schema_cases::all() {
            let compiled = Compiled::new(case.schema).unwrap();
            compiled.agree(&case, &case.instance.to_string()).unwrap();
        }
    }
}
