//! Laws of all expressions and all data.

use std::cmp::Ordering;

use adjudicate_lang::{
    Steps, codes,
    json::{self, ReadLimits},
    logic::{Mode, Number, Program, Value},
};
use proptest::{collection::vec, prelude::*, test_runner::RngSeed};
use serde_json::Value as Json;

use crate::logic::{
    model::{self, Fault, Model},
    random::{Choices, Kind},
};

/// A fixed seed, so that every run has the same cases.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 4000,
        rng_seed: RngSeed::Fixed(0x0AD0),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_compiled_form_agrees_with_the_direct_interpreter(bytes in vec(any::<u8>(), 0..600), whole in 0..5) {
        let mut choices = Choices::new(&bytes);
        let data = choices.data();
        let kind = [Kind::Bool, Kind::Number, Kind::Text, Kind::List, Kind::Any][whole as usize];
        let expression = choices.expression(kind, 5);
        let expected = model::evaluate(&expression, &Model::read(&data));

        let (logic, data) = (expression.to_string(), data.to_string());
        let logic = json::read(logic.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let data = json::read(data.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let program = Program::compile(logic.root(), Mode::Strict, &mut Steps::for_patterns());
        let program = program.map_err(|error| TestCaseError::fail(format!("{expression}: {error}")))?;
        let (mut steps, mut again) = (Steps::default(), Steps::default());
        let actual = program.evaluate(&data.root(), &mut steps);
        match (&actual, &expected) {
            // The ranges of numbers differ: the engine's is larger than the model's, except for numbers that are far apart.
            (_, Err(Fault::Range)) => {}
            (Err(error), _) if error.code() == codes::LIMIT_EXCEEDED => {}
            (Err(error), Err(Fault::Types)) => prop_assert_eq!(error.code(), codes::INVALID_EXPRESSION),
            (Ok(actual), Ok(expected)) => prop_assert!(is_same(actual, expected), "{expression}\n{actual:?}\n{expected:?}"),
            _ => prop_assert!(false, "{expression}\n{actual:?}\n{expected:?}"),
        }

        // The result as a condition equals the result as a value.
        match (program.holds(&data.root(), &mut again), actual) {
            (Ok(held), Ok(value)) => prop_assert!(value.as_bool() == held && (held.is_some() || value.is_unknown())),
            (Err(held), Err(value)) => prop_assert_eq!(held, value),
            (Err(_), Ok(value)) => prop_assert!(value.as_bool().is_none() && !value.is_unknown()),
            (Ok(held), Err(error)) => prop_assert!(false, "{expression}: {held:?}, {error}"),
        }
    }

    #[test]
    fn damaged_expressions_give_a_value_or_an_error_with_a_path(bytes in vec(any::<u8>(), 0..300)) {
        let mut choices = Choices::new(&bytes);
        let data = choices.data().to_string();
        let mut expression = choices.expression(Kind::Any, 4);
        damage(&mut expression, &mut bytes.iter().rev());
        let text = expression.to_string();
        let logic = json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let data = json::read(data.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        for mode in [Mode::Strict, Mode::Compat] {
            let outcome = Program::compile(logic.root(), mode, &mut Steps::for_patterns()).and_then(|program| {
                let value = program.evaluate(&data.root(), &mut Steps::default())?;
                Ok(serde_json::to_string(&value).unwrap())
            });
            if let Err(error) = outcome {
                let known = matches!(error.code(), codes::INVALID_EXPRESSION | codes::LIMIT_EXCEEDED);
                prop_assert!(known, "{text}: {error}");
                prop_assert!(expression.pointer(error.path()).is_some(), "{text}: {error}");
            }
        }
    }

    #[test]
    fn a_smaller_budget_gives_the_same_answer_or_a_limit(bytes in vec(any::<u8>(), 0..300), budget in 0_u64..300) {
        let mut choices = Choices::new(&bytes);
        let data = choices.data().to_string();
        let logic = choices.expression(Kind::Any, 4).to_string();
        let logic = json::read(logic.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let data = json::read(data.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let program = Program::compile(logic.root(), Mode::Strict, &mut Steps::for_patterns()).unwrap();
        let answer = |mut steps| program.evaluate(&data.root(), &mut steps).map(|value| serde_json::to_string(&value).unwrap());
        let (little, plenty) = (answer(Steps::new(budget)), answer(Steps::default()));
        let ran_out = little.as_ref().is_err_and(|error| error.code() == codes::LIMIT_EXCEEDED);
        prop_assert!(ran_out || little == plenty, "{little:?}, {plenty:?}");
    }
}

fn is_same(actual: &Value<'_>, expected: &Model) -> bool {
    match expected {
        Model::Unknown => actual.is_unknown(),
        Model::Null => matches!(actual, Value::Null),
        Model::Bool(truth) => actual.as_bool() == Some(*truth),
        Model::Text(text) => actual.as_text() == Some(text),
        Model::Number(numerator, denominator) => {
            let integer = |value: &i128| i64::try_from(*value).ok().map(Number::from);
            let (Some(numerator), Some(denominator)) = (integer(numerator), integer(denominator)) else {
                return actual.as_number().is_some();
            };
            let expected = numerator.divided_by(&denominator).unwrap();
            actual.as_number().and_then(|actual| actual.compare(&expected)) == Some(Ordering::Equal)
        }
        Model::List(expected) => actual.items().is_some_and(|items| {
            actual.len() == expected.len()
                && items.zip(expected).all(|(actual, expected)| is_same(&actual, expected))
        }),
        Model::Object(expected) => actual.members().is_some_and(|mut members| {
            actual.len() == expected.len()
                && members.all(|(name, actual)| {
                    expected.get(name).is_some_and(|expected| is_same(&actual, expected))
                })
        }),
    }
}

/// Replaces random parts of an expression with unrelated values.
fn damage<'a>(expression: &mut Json, bytes: &mut impl Iterator<Item = &'a u8>) {
    const RUBBISH: [&str; 10] = [
        "null",
        "[]",
        "{}",
        "-1e300",
        "\"(a*)*\"",
        r#"{"var": []}"#,
        r#"{"nope": 1}"#,
        "[[[1]]]",
        r#"{"a": 1, "b": 2}"#,
        "\"\"",
    ];
    let byte = usize::from(*bytes.next().unwrap_or(&255));
    if byte < 25 {
        *expression = serde_json::from_str(RUBBISH[byte % 10]).unwrap();
    }
    match expression {
        Json::Array(items) => {
            if byte > 245 {
                items.pop();
            }
            items.iter_mut().for_each(|item| damage(item, bytes));
        }
        Json::Object(members) => members.values_mut().for_each(|member| damage(member, bytes)),
        _ => {}
    }
}
