//! A second, plain implementation of strict mode to compare with: no compilation, no budget, copies everywhere, fractions of
//! 128-bit integers.

mod operators;

use std::collections::BTreeMap;

use serde_json::Value as Json;

use operators::{apply, decimal};

/// A value. Fractions are in lowest terms, so that equality can be derived.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Model {
    Unknown,
    Null,
    Bool(bool),
    Number(i128, i128),
    Text(String),
    List(Vec<Self>),
    Object(BTreeMap<String, Self>),
}
use Model::{Bool, List, Null, Number, Object, Text, Unknown};

/// The reason why there is no value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    /// Wrong types.
    Types,
    /// Numbers beyond the range of this model.
    Range,
}

type Outcome = Result<Model, Fault>;

impl Model {
    pub(crate) fn read(json: &Json) -> Self {
        match json {
            Json::Null => Null,
            Json::Bool(truth) => Bool(*truth),
            Json::Number(number) => decimal(&number.to_string()),
            Json::String(text) => Text(text.clone()),
            Json::Array(items) => List(items.iter().map(Self::read).collect()),
            Json::Object(members) => {
                Object(members.iter().map(|(name, value)| (name.clone(), Self::read(value))).collect())
            }
        }
    }

    fn at(&self, path: &str) -> Self {
        let step = |here: &Self, name: &str| match here {
            List(items) => items
                .iter()
                .enumerate()
                .find(|(index, _)| index.to_string() == name)
                .map(|(_, item)| item.clone()),
            Object(members) => members.get(name).cloned(),
            _ => None,
        };
        let whole = match self {
            // The whole scope of `reduce` is unknown while its accumulator is.
            Object(members) if members.values().any(|member| *member == Unknown) => Unknown,
            whole => whole.clone(),
        };
        if path.is_empty() {
            return whole;
        }
        path.split('.').try_fold(self.clone(), |here, name| step(&here, name)).unwrap_or(Unknown)
    }
}

pub(crate) fn evaluate(expression: &Json, scope: &Model) -> Outcome {
    match expression {
        Json::Array(items) => {
            let mut list = Vec::new();
            for item in items {
                match evaluate(item, scope)? {
                    Unknown => return Ok(Unknown),
                    value => list.push(value),
                }
            }
            Ok(List(list))
        }
        Json::Object(operation) => {
            let (name, operands) = operation.iter().next().expect("an operation has a name");
            let single = std::slice::from_ref(operands);
            operate(name, operands.as_array().map_or(single, Vec::as_slice), scope)
        }
        plain => Ok(Model::read(plain)),
    }
}

fn operate(name: &str, operands: &[Json], scope: &Model) -> Outcome {
    match name {
        "and" => connect(operands, false, scope),
        "or" => connect(operands, true, scope),
        "if" | "?:" => choose(operands, scope),
        "map" | "filter" | "reduce" | "all" | "some" | "none" => match evaluate(&operands[0], scope)? {
            Unknown => Ok(Unknown),
            List(items) => iterate(name, &items, operands, scope),
            _ => Err(Fault::Types),
        },
        "var" => match look_up(&evaluate(&operands[0], scope)?, scope)? {
            Some(Unknown) if operands.len() > 1 => evaluate(&operands[1], scope),
            found => Ok(found.unwrap_or(Unknown)),
        },
        _ => {
            let values =
                operands.iter().map(|operand| evaluate(operand, scope)).collect::<Result<Vec<_>, _>>()?;
            apply(name, &values, scope)
        }
    }
}

/// Returns `None` for an unknown path.
fn look_up(path: &Model, scope: &Model) -> Result<Option<Model>, Fault> {
    match path {
        Unknown => Ok(None),
        Text(path) => Ok(Some(scope.at(path))),
        Number(index @ 0.., 1) => Ok(Some(scope.at(&index.to_string()))),
        _ => Err(Fault::Types),
    }
}

fn truth(value: &Model) -> Result<Option<bool>, Fault> {
    match value {
        Bool(truth) => Ok(Some(*truth)),
        Unknown => Ok(None),
        _ => Err(Fault::Types),
    }
}

fn of_truth(truth: Option<bool>) -> Outcome {
    Ok(truth.map_or(Unknown, Bool))
}

fn condition(expression: &Json, scope: &Model, forgiving: bool) -> Result<Option<bool>, Fault> {
    match evaluate(expression, scope).and_then(|value| truth(&value)) {
        Err(Fault::Types) if forgiving => Ok(None),
        outcome => outcome,
    }
}

fn connect(operands: &[Json], stop: bool, scope: &Model) -> Outcome {
    let mut outcome = Some(!stop);
    for operand in operands {
        match condition(operand, scope, outcome.is_none())? {
            Some(truth) if truth == stop => return Ok(Bool(stop)),
            Some(_) => {}
            None => outcome = None,
        }
    }
    of_truth(outcome)
}

fn choose(operands: &[Json], scope: &Model) -> Outcome {
    match operands {
        [] => Ok(Null),
        [otherwise] => evaluate(otherwise, scope),
        [first, then, rest @ ..] => match condition(first, scope, false)? {
            Some(true) => evaluate(then, scope),
            Some(false) => choose(rest, scope),
            None => Ok(Unknown),
        },
    }
}

fn iterate(name: &str, items: &[Model], operands: &[Json], scope: &Model) -> Outcome {
    let body = &operands[1];
    match name {
        "map" => {
            let mut list = Vec::new();
            for item in items {
                match evaluate(body, item)? {
                    Unknown => return Ok(Unknown),
                    value => list.push(value),
                }
            }
            Ok(List(list))
        }
        "filter" => {
            let mut list = Vec::new();
            for item in items {
                match condition(body, item, false)? {
                    None => return Ok(Unknown),
                    Some(true) => list.push(item.clone()),
                    Some(false) => {}
                }
            }
            Ok(List(list))
        }
        "reduce" => {
            let mut accumulator = evaluate(&operands[2], scope)?;
            for item in items {
                let members = [("current".into(), item.clone()), ("accumulator".into(), accumulator)];
                accumulator = evaluate(body, &Object(members.into()))?;
            }
            Ok(accumulator)
        }
        _ => {
            let stop = name != "all";
            let mut outcome = Some(name == "none" || name == "all" && !items.is_empty());
            for item in items {
                match condition(body, item, outcome.is_none())? {
                    Some(truth) if truth == stop => return Ok(Bool(name == "some")),
                    Some(_) => {}
                    None => outcome = None,
                }
            }
            of_truth(outcome)
        }
    }
}
