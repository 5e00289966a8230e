//! JSON Schema: this engine and `jsonschema` on the same schemas and instances.
//!
//! There are three questions: the validity of a parsed value, the validity of its text, and all errors of an invalid
//! value. An error has two paths and a sentence. The measurement starts after both engines have given the verdict of
//! the case.
//!
//! *Parsed* is the form that each engine validates best, made before the measurement. For this engine it is a tape, in
//! which small integers have their position and other numbers are text. For the other it is a [`serde_json::Value`],
//! in which numbers are read and fields are in a map. Both compile their schema before. The time of parsing an
//! instance is in *text*.

use adjudicate_core::{
    Steps,
    json::{self, ReadLimits},
    schema::{Documents, Options, Schema},
};
use jsonschema::Validator;
use serde_json::Value;

use crate::{
    Failure, Values,
    contest::{Contest, Effort, mean, timed},
    schema_cases::{self, Case},
};

/// The engines; the first is compared with the other.
const NAMES: [&str; 2] = ["adjudicate", "jsonschema"];

/// Returns the number of errors, or 1 for an invalid instance.
type Answer<'a> = Box<dyn FnMut() -> Result<usize, Failure> + 'a>;

/// Microseconds of every engine, and the ratio of this engine to the other.
pub(crate) fn measure(effort: Effort) -> Result<Values, Failure> {
    let (mut values, mut ratios) = (Values::new(), [const { Vec::new() }; 3]);
    for case in schema_cases::all() {
        let compiled = Compiled::new(&case)?;
        for ((question, answers), ratios) in compiled.questions(&case)?.into_iter().zip(&mut ratios) {
            if question == "errors" && case.is_valid {
                continue;
            }
            let mut contest = Contest::new(effort);
            for (name, answer) in NAMES.into_iter().zip(answers) {
                contest.enter(name, timed(answer))?;
            }
            let results = contest.hold()?;
            let key = format!("peer_schema_{}_{question}", case.key);
            for name in NAMES {
                values.insert(format!("{key}_{name}_us"), results.micros(name));
            }
            let ratio = results.ratio("adjudicate", "jsonschema");
            values.insert(format!("{key}_ratio"), ratio);
            ratios.push(ratio);
        }
    }
    for (question, ratios) in ["parsed", "text", "errors"].into_iter().zip(ratios) {
        values.insert(format!("peer_schema_{question}_ratio"), mean(ratios.iter().copied()));
        values.insert(format!("peer_schema_{question}_worst"), ratios.into_iter().fold(0.0, f64::max));
    }
    Ok(values)
}

/// A schema, compiled by each engine, and the instance of a case as text and as a tape.
struct Compiled {
    ours: Schema,
    jsonschema: Validator,
    text: String,
}

/// One error: the instance path, the schema path, and the message.
type ErrorText = (String, String, String);

impl Compiled {
    fn new(case: &Case) -> Result<Self, Failure> {
        let schema: Value = serde_json::from_str(case.schema)?;
        let tape = json::read(case.schema.as_bytes(), ReadLimits::DOCUMENT)?;
        let ours =
            Schema::compile(tape.root(), &Documents::default(), Options::default(), &mut Steps::default())?;
        let jsonschema = jsonschema::validator_for(&schema).map_err(|error| error.to_string())?;
        Ok(Self { ours, jsonschema, text: case.instance.to_string() })
    }

    /// The answers of all engines to each question. A wrong verdict is an error, so none is timed.
    fn questions<'a>(&'a self, case: &'a Case) -> Result<[(&'static str, [Answer<'a>; 2]); 3], Failure> {
        let value = &case.instance;
        let tape = json::read(self.text.as_bytes(), ReadLimits::DOCUMENT)?;
        let tape: &'a json::Tape<'a> = Box::leak(Box::new(tape));
        let is_invalid = |tape: &json::Tape<'_>| -> Result<usize, Failure> {
            Ok(usize::from(!self.ours.is_valid(tape.root(), &mut Steps::default())?))
        };
        let mut questions: [(&str, [Answer<'a>; 2]); 3] = [
            (
                "parsed",
                [
                    Box::new(move || is_invalid(tape)),
                    Box::new(|| Ok(usize::from(!self.jsonschema.is_valid(value)))),
                ],
            ),
            (
                "text",
                [
                    Box::new(move || is_invalid(&json::read(self.text.as_bytes(), ReadLimits::DOCUMENT)?)),
                    Box::new(|| {
                        Ok(usize::from(!self.jsonschema.is_valid(&serde_json::from_str(&self.text)?)))
                    }),
                ],
            ),
            (
                "errors",
                [
                    Box::new(|| Ok(self.ours.validate(tape.root(), &mut Steps::default())?.len())),
                    Box::new(|| {
                        Ok(self
                            .jsonschema
                            .iter_errors(value)
                            .map(|error| text_of(&error))
                            .collect::<Vec<_>>()
                            .len())
                    }),
                ],
            ),
        ];
        for (question, answers) in &mut questions {
            for (name, answer) in NAMES.into_iter().zip(answers) {
                if (answer()? == 0) != case.is_valid {
                    return Err(format!("{}: a wrong answer of {name} to {question}", case.key).into());
                }
            }
        }
        Ok(questions)
    }
}

fn text_of(error: &jsonschema::ValidationError<'_>) -> ErrorText {
    (error.instance_path().to_string(), error.schema_path().to_string(), error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_engines_give_the_verdict_of_every_case() {
        for case in schema_cases::all() {
            assert!(Compiled::new(&case).unwrap().questions(&case).is_ok(), "{}", case.key);
        }
    }
}
