//! Nine rules over one envelope in every engine: compiled rules with prepared data, and compiled rules from text to
//! text.
//!
//! The measurement starts after all engines have given the same verdict for every input.

use adjudicate_core::{
    evaluate::Envelope,
    json::{self, Limits},
};
use bumpalo::Bump;
use datalogic_rs::ParsedData;

use crate::{
    Failure, Values, cedar, cel,
    contest::{Contest, Effort, timed},
    datalogic, inputs, ours, rego,
    verdict::Verdict,
};

/// An engine that judges one envelope.
struct Contestant<'a> {
    /// The key with data in the engine's own form.
    prepared: &'static str,
    decide: Box<dyn FnMut() -> Result<Verdict, Failure> + 'a>,
    /// The key from the text of the envelope to a text.
    text: &'static str,
    answer: Box<dyn FnMut() -> Result<String, Failure> + 'a>,
}

/// The compiled rules of all engines.
struct CompiledRules {
    evaluator: ours::Evaluator,
    conditions: ours::Conditions,
    datalogic: datalogic::DatalogicRules,
    cel: cel::Cel,
    cel_interpreter: cel::CelInterpreter,
    cedar: cedar::CedarRules,
}

impl CompiledRules {
    fn new() -> Result<Self, Failure> {
        Ok(Self {
            evaluator: ours::Evaluator::new()?,
            conditions: ours::Conditions::new()?,
            datalogic: datalogic::DatalogicRules::new()?,
            cel: cel::Cel::new()?,
            cel_interpreter: cel::CelInterpreter::new()?,
            cedar: cedar::CedarRules::new()?,
        })
    }
}

/// Microseconds of every engine, and the ratio to the whole evaluator.
pub(crate) fn measure(effort: Effort) -> Result<Values, Failure> {
    let rules = CompiledRules::new()?;
    let inputs = inputs::all()?;
    for input in &inputs {
        judge(&rules, &input.text, |contestants| agree(contestants, input))?;
    }
    let timed_input = inputs.first().ok_or("there is no input")?;
    judge(&rules, &timed_input.text, |contestants| compete(contestants, effort))
}

/// Passes all engines to a function, with one envelope prepared.
fn judge<T>(
    rules: &CompiledRules,
    text: &str,
    use_them: impl FnOnce(Vec<Contestant<'_>>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let tape = json::read(text.as_bytes(), Limits::DOCUMENT)?;
    let envelope = Envelope::from_tape(&tape)?;
    let data = ParsedData::from_json(text)?;
    let (mut arena, mut text_arena) = (Bump::new(), Bump::new());
    let cel_context = rules.cel.prepare(text)?;
    let cel_interpreter_context = rules.cel_interpreter.prepare(text)?;
    let rego_input = rego::RegoRules::prepare(text)?;
    let (mut rego, mut rego_text) = (rego::RegoRules::new()?, rego::RegoRules::new()?);
    let request = rules.cedar.prepare(text)?;
    use_them(vec![
        Contestant {
            prepared: "peer_adjudicate_prepared_us",
            decide: Box::new(|| rules.evaluator.decide(&envelope)),
            text: "peer_adjudicate_text_us",
            answer: Box::new(|| rules.evaluator.answer(text)),
        },
        Contestant {
            prepared: "peer_conditions_prepared_us",
            decide: Box::new(|| rules.conditions.decide(tape.root())),
            text: "peer_conditions_text_us",
            answer: Box::new(|| rules.conditions.answer(text)),
        },
        Contestant {
            prepared: "peer_datalogic_prepared_us",
            decide: Box::new(move || rules.datalogic.decide(&data, &mut arena)),
            text: "peer_datalogic_text_us",
            answer: Box::new(move || rules.datalogic.answer(text, &mut text_arena)),
        },
        Contestant {
            prepared: "peer_cel_prepared_us",
            decide: Box::new(|| rules.cel.decide(&cel_context)),
            text: "peer_cel_text_us",
            answer: Box::new(|| rules.cel.answer(text)),
        },
        Contestant {
            prepared: "peer_cel_interpreter_prepared_us",
            decide: Box::new(|| rules.cel_interpreter.decide(&cel_interpreter_context)),
            text: "peer_cel_interpreter_text_us",
            answer: Box::new(|| rules.cel_interpreter.answer(text)),
        },
        Contestant {
            prepared: "peer_regorus_prepared_us",
            decide: Box::new(move || rego.decide(&rego_input)),
            text: "peer_regorus_text_us",
            answer: Box::new(move || rego_text.answer(text)),
        },
        Contestant {
            prepared: "peer_cedar_prepared_us",
            decide: Box::new(|| rules.cedar.decide(&request)),
            text: "peer_cedar_text_us",
            answer: Box::new(|| rules.cedar.answer(text)),
        },
    ])
}

/// Returns an error if a verdict is wrong, so that no wrong verdict is timed.
fn agree(contestants: Vec<Contestant<'_>>, input: &inputs::Input) -> Result<(), Failure> {
    let mut expected = Verdict::default();
    for rule in &input.rules {
        expected.add_named(rule)?;
    }
    for mut contestant in contestants {
        let who = contestant.prepared;
        let verdict = (contestant.decide)().map_err(|failure| format!("{who}: {failure}"))?;
        let answer = (contestant.answer)().map_err(|failure| format!("{who}: {failure}"))?;
        if verdict != expected {
            return Err(format!("{who} says {}, not {}", verdict.text(), expected.text()).into());
        }
        // The evaluator's answer has the status, and much more.
        let status = format!(r#""status":"{}""#, expected.status());
        let is_right =
            if who.contains("adjudicate") { answer.contains(&status) } else { answer == expected.text() };
        if !is_right {
            return Err(format!("{who} answers {answer}, not {}", expected.text()).into());
        }
    }
    Ok(())
}

fn compete(contestants: Vec<Contestant<'_>>, effort: Effort) -> Result<Values, Failure> {
    let mut contest = Contest::new(effort);
    let mut keys = Vec::new();
    for contestant in contestants {
        let Contestant { prepared, mut decide, text, mut answer } = contestant;
        contest.enter(prepared, timed(move || Ok(decide()?.rules().count())))?;
        contest.enter(text, timed(move || Ok(answer()?.len())))?;
        keys.extend([(prepared, "peer_adjudicate_prepared_us"), (text, "peer_adjudicate_text_us")]);
    }
    let results = contest.hold()?;
    let mut values = Values::new();
    for (key, base) in keys {
        values.insert(key.into(), results.micros(key));
        values.insert(key.replace("_us", "_ratio"), results.ratio(key, base));
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_engines_give_the_same_verdict_for_every_input() {
        let rules = CompiledRules::new().unwrap();
        for input in inputs::all().unwrap() {
            judge(&rules, &input.text, |contestants| agree(contestants, &input)).unwrap();
        }
    }
}
