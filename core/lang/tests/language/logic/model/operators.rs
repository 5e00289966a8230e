//! Operators on evaluated operands.

use std::cmp::Ordering;

use super::{
    Fault,
    Model::{self, Bool, List, Number, Object, Text, Unknown},
    Outcome, look_up, of_truth, truth,
};

pub(super) fn apply(name: &str, values: &[Model], scope: &Model) -> Outcome {
    let unknown = values.contains(&Unknown);
    match (name, values) {
        ("!", [value]) => of_truth(truth(value)?.map(|truth| !truth)),
        ("!!", [value]) => of_truth(truth(value)?),
        ("log", [value]) => Ok(value.clone()),
        ("==" | "===" | "!=" | "!==", [left, right]) => {
            of_truth((!unknown).then(|| (left == right) == name.starts_with('=')))
        }
        ("<" | "<=", [_, _]) | (">" | ">=", _) => of_truth(compare(name, &values[0], &values[1])?),
        ("<" | "<=", [first, second, third]) => {
            of_truth(both(compare(name, first, second)?, compare(name, second, third)?))
        }
        ("between", [value, least, most]) => {
            of_truth(both(compare("<=", least, value)?, compare("<=", value, most)?))
        }
        ("in", [needle, List(items)]) => of_truth((*needle != Unknown).then(|| items.contains(needle))),
        ("in", [Text(needle), Text(hay)]) => Ok(Bool(hay.contains(needle))),
        ("in", [_, Unknown] | [Unknown, Text(_)]) => Ok(Unknown),
        ("missing", _) => match values.first() {
            Some(List(keys)) => absent(keys, scope),
            _ => absent(values, scope),
        },
        ("missing_some", [Number(..) | Unknown, List(_) | Unknown]) if unknown => Ok(Unknown),
        ("missing_some", [Number(n, d), List(keys)]) => match absent(keys, scope)? {
            List(absent) if *n <= (keys.len() - absent.len()) as i128 * d => Ok(List(Vec::new())),
            absent => Ok(absent),
        },
        ("merge", _) if unknown => Ok(Unknown),
        ("merge", _) => Ok(List(values.iter().flat_map(parts).collect())),
        ("length", [List(items)]) => ratio(items.len() as i128, 1),
        ("length", [Object(members)]) => ratio(members.len() as i128, 1),
        ("length", [Text(text)]) => ratio(text.chars().count() as i128, 1),
        ("length", [Unknown]) => Ok(Unknown),
        ("cat", _) => cat(values, unknown),
        ("substr", [source, places @ ..]) => substr(source, places),
        ("starts_with" | "ends_with", [Text(_) | Unknown, Text(_) | Unknown]) if unknown => Ok(Unknown),
        ("starts_with", [Text(left), Text(right)]) => Ok(Bool(left.starts_with(right))),
        ("ends_with", [Text(left), Text(right)]) => Ok(Bool(left.ends_with(right))),
        ("+" | "-" | "*" | "/" | "%" | "max" | "min", _) => calculate(name, values, unknown),
        _ => Err(Fault::Types),
    }
}

fn parts(value: &Model) -> Vec<Model> {
    match value {
        List(items) => items.clone(),
        other => vec![other.clone()],
    }
}

fn both(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    if left == Some(false) || right == Some(false) {
        return Some(false);
    }
    left.and(right)
}

fn compare(name: &str, left: &Model, right: &Model) -> Result<Option<bool>, Fault> {
    let order = match (left, right) {
        (Number(a, b), Number(c, d)) => {
            let product = |left: &i128, right: &i128| left.checked_mul(*right).ok_or(Fault::Range);
            product(a, d)?.cmp(&product(c, b)?)
        }
        (Text(left), Text(right)) => left.cmp(right),
        (Unknown, Number(..) | Text(_) | Unknown) | (Number(..) | Text(_), Unknown) => return Ok(None),
        _ => return Err(Fault::Types),
    };
    Ok(Some(match name {
        "<" => order == Ordering::Less,
        "<=" => order != Ordering::Greater,
        ">" => order == Ordering::Greater,
        _ => order != Ordering::Less,
    }))
}

fn absent(keys: &[Model], scope: &Model) -> Outcome {
    let mut absent = Vec::new();
    for key in keys {
        match look_up(key, scope)? {
            None => return Ok(Unknown),
            Some(Unknown) => absent.push(key.clone()),
            Some(_) => {}
        }
    }
    Ok(List(absent))
}

fn cat(values: &[Model], unknown: bool) -> Outcome {
    let mut text = String::new();
    for value in values {
        match value {
            Text(piece) => text.push_str(piece),
            Number(whole, 1) if whole.abs() < 1 << 53 => text.push_str(&whole.to_string()),
            Number(numerator, denominator) if numerator.abs().max(*denominator) < 1 << 53 => {
                text.push_str(&(*numerator as f64 / *denominator as f64).to_string());
            }
            Number(..) => return Err(Fault::Range),
            Unknown => {}
            _ => return Err(Fault::Types),
        }
    }
    Ok(if unknown { Unknown } else { Text(text) })
}

fn substr(source: &Model, places: &[Model]) -> Outcome {
    let is_place = |place: &Model| matches!(place, Number(_, 1) | Unknown);
    if !matches!(source, Text(_) | Unknown) || !places.iter().all(is_place) {
        return Err(Fault::Types);
    }
    let (Text(text), Some(Number(start, 1))) = (source, places.first()) else { return Ok(Unknown) };
    let total = text.chars().count() as i128;
    let start = if *start < 0 { (total + start).max(0) } else { (*start).min(total) };
    let end = match places.get(1) {
        Some(Unknown) => return Ok(Unknown),
        Some(Number(length @ ..0, _)) => total + length,
        Some(Number(length, _)) => start + length,
        _ => total,
    };
    let kept = text.chars().enumerate().filter(|(at, _)| (start..end).contains(&(*at as i128)));
    Ok(Text(kept.map(|(_, character)| character).collect()))
}

fn calculate(name: &str, values: &[Model], unknown: bool) -> Outcome {
    let mut numbers = Vec::new();
    for value in values {
        match value {
            Number(numerator, denominator) => numbers.push((*numerator, *denominator)),
            Unknown => {}
            _ => return Err(Fault::Types),
        }
    }
    if unknown {
        return Ok(Unknown);
    }
    if name == "-" && numbers.len() == 1 {
        numbers.insert(0, (0, 1));
    }
    let (first, rest) = numbers.split_first().ok_or(Fault::Types)?;
    rest.iter().try_fold(Number(first.0, first.1), |total, &(c, d)| {
        let Number(a, b) = total else { return Err(Fault::Types) };
        let product = |left: i128, right: i128| left.checked_mul(right).ok_or(Fault::Range);
        let (left, right, under) = (product(a, d)?, product(c, b)?, product(b, d)?);
        match name {
            "+" => ratio(left.checked_add(right).ok_or(Fault::Range)?, under),
            "-" => ratio(left.checked_sub(right).ok_or(Fault::Range)?, under),
            "*" => ratio(product(a, c)?, under),
            "/" | "%" if c == 0 => Err(Fault::Types),
            "/" => ratio(left, right),
            "%" => ratio(left % right, under),
            "max" => ratio(left.max(right), under),
            _ => ratio(left.min(right), under),
        }
    })
}

/// Parses digits with an optional point.
pub(super) fn decimal(text: &str) -> Model {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{fraction}").parse().expect("test data is short decimals");
    ratio(digits, 10_i128.pow(u32::try_from(fraction.len()).expect("short"))).expect("small")
}

fn ratio(numerator: i128, denominator: i128) -> Outcome {
    let (mut left, mut right) = (numerator.unsigned_abs(), denominator.unsigned_abs());
    while right != 0 {
        (left, right) = (right, left % right);
    }
    let divisor = i128::try_from(left).map_err(|_| Fault::Range)? * denominator.signum();
    Ok(Number(numerator / divisor, denominator / divisor))
}
