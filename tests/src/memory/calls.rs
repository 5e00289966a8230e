//! Calls that take much memory for their size, one way each.

use std::{collections::BTreeSet, fmt::Write as _};

use adjudicate_core::{
    Operation, Policy,
    evaluate::{AnswerText, ComposedCall, CompositionMember},
    json::{self, Node, OwnedValue},
};

use super::{
    lists::{Around, ENVELOPES, Item, OTHERS, POLICIES},
    peak,
};

/// A call that takes much memory.
pub struct Hungry {
    /// The called operation.
    pub operation: Operation,
    /// The items of the long list.
    pub name: &'static str,
    /// The call.
    pub input: String,
}

/// The envelope without long lists.
const ENVELOPE: &str = crate::envelope! { steps: r#"["fix","STOP"]"#, exit_codes: "{}", };

/// The length of the long list of a call.
#[derive(Clone, Copy)]
pub enum Amount {
    /// A number of items.
    Items(usize),
    /// The number of items that makes a call of about this many bytes.
    Bytes(usize),
}

impl Amount {
    /// A sixteenth of the items or bytes.
    const fn fewer(self) -> Self {
        match self {
            Self::Items(items) => Self::Items(items / 16),
            bytes @ Self::Bytes(_) => bytes,
        }
    }
}

/// Items, separated by commas.
fn filled(around: &Around, item: Item, amount: Amount) -> String {
    let mut text = String::from(around.0);
    for number in 0.. {
        let comma = if number == 0 { "" } else { "," };
        let item = item(number);
        let is_enough = match amount {
            Amount::Items(items) => number == items,
            Amount::Bytes(bytes) => text.len() + item.len() + around.1.len() + 1 > bytes,
        };
        if is_enough {
            break;
        }
        let _ = write!(text, "{comma}{item}");
    }
    text.push_str(around.1);
    text
}

/// The envelope with these fields of `evidence`, which replace its own of the same names.
fn envelope(more: &str) -> String {
    let (head, _) = ENVELOPE.split_once(r#""evidence":"#).unwrap_or_default();
    let mut text = format!(r#"{head}"evidence":{{"#);
    if let Ok(tape) = json::read(ENVELOPE.as_bytes(), json::ReadLimits::DOCUMENT) {
        for (name, value) in tape.root().member("evidence").into_iter().flat_map(Node::members) {
            if !more.contains(&format!("\"{name}\":")) {
                let _ = write!(text, "\"{name}\":{},", json::canonical(value));
            }
        }
    }
    text + more + "}}"
}

/// Composes three decisions, one of them an external answer, on an envelope with this many failing validators. Returns
/// the bytes of the input, and the most bytes that the call holds at once, with the input.
///
/// # Errors
///
/// The errors of the engine.
pub fn composed(amount: Amount) -> Result<(usize, usize), adjudicate_core::Error> {
    let around =
        Around(r#""validation":{"mechanical_outcome":"completed","timeouts":[],"exit_codes":{"#, "}}");
    let validators = filled(&around, |n| format!("\"{n:x}\":1"), amount);
    let envelope = envelope(&validators);
    let answer = Operation::Evaluate.call(envelope.as_bytes())?;
    let policy = Policy::parse(br#"{"policy":"p","version":"1.0.0"}"#)?;
    let call = ComposedCall {
        answer: Some(AnswerText { origin: "base", answer: answer.as_bytes() }),
        restrictions: vec![CompositionMember::Policy(&policy), CompositionMember::Policy(&policy)],
        ..ComposedCall::default()
    };
    let (composed, peak) = peak(|| call.evaluate(envelope.as_bytes()));
    let input = envelope.len() + answer.len();
    composed.map(|_| (input, peak + input))
}

/// All calls, each with one long list.
#[must_use]
pub fn calls(amount: Amount) -> Vec<Hungry> {
    let mut calls = Vec::new();
    for (name, policy, around, item) in ENVELOPES {
        let more = filled(around, *item, amount);
        // Items outside of a list have no commas between them.
        let more = if around.0.ends_with(['[', '{']) {
            more
        } else {
            more.replace(",\\n", "\\n").replace(",\\n", "\\n")
        };
        let envelope = envelope(&more);
        let input =
            format!(r#"{{"envelope":{envelope},"policy":{{"policy":"p","version":"1.0.0"{policy}}}}}"#);
        // The first two evaluate first.
        for operation in [Operation::Refine, Operation::Explain, Operation::Facts] {
            calls.push(Hungry { operation, name, input: input.clone() });
        }
    }
    let entry = r#"{"step_id":"e","opcode":"EVALUATE","status":"partial","diff_summary":"","risk_flags":[],"blocker_codes":[]}"#;
    let small = envelope("\"x-\":0");
    for (name, field, list, item) in [
        ("entries", r#""provenance_window":"#, "[]", entry),
        ("steps", r#""allowed_next_steps":"#, r#"["fix","STOP"]"#, "\"s\""),
    ] {
        let items = match amount {
            Amount::Items(items) => items,
            Amount::Bytes(bytes) => bytes / (item.len() + 1),
        };
        let item = vec![item; items].join(",");
        let input = small.replacen(&format!("{field}{list}"), &format!("{field}[{item}]"), 1);
        calls.push(Hungry { operation: Operation::Explain, name, input });
    }
    for (name, around, item) in POLICIES {
        let with = |amount| format!(r#"{{"policy":"p","version":"1.0.0"{}}}"#, filled(around, *item, amount));
        let policy = with(amount);
        let input = format!(r#"{{"envelope":{small},"policy":{policy}}}"#);
        let trace = input.replacen('{', "{\"trace\":true,", 1);
        // 16,000 of these items take a minute, because each condition is taken apart.
        let is_slow = matches!(*name, "rules that fire" | "rules that compare");
        let checked = if is_slow { with(amount.fewer()) } else { policy };
        let check = format!(r#"{{"policy":{checked}}}"#);
        for (operation, input) in [
            (Operation::Evaluate, input.clone()),
            (Operation::Facts, input),
            (Operation::Explain, trace),
            (Operation::CheckPolicy, check),
        ] {
            calls.push(Hungry { operation, name, input });
        }
    }
    for (operation, name, around, item) in OTHERS {
        // Answers list 100,000 of these items, which no small call reaches, so a few items suffice.
        let input = filled(around, *item, amount.fewer());
        calls.push(Hungry { operation: *operation, name, input });
    }
    let named: BTreeSet<_> = calls.iter().map(|call| call.operation).collect();
    for operation in Operation::ALL.iter().filter(|operation| !named.contains(operation)) {
        calls.extend(lengthened(&OwnedValue::from_json(operation.example()), amount).into_iter().map(
            |call| Hungry { operation: *operation, name: "lists of the example", input: call.to_text() },
        ));
    }
    calls
}

/// Returns a document once for each list in it, with the first item of this list many times. Without a list, it gets one.
fn lengthened(document: &OwnedValue, amount: Amount) -> Vec<OwnedValue> {
    let documents = with_long_lists(document, amount);
    if !documents.is_empty() {
        return documents;
    }
    let mut document = document.clone();
    document.set(&["x-list"], many(&OwnedValue::count(0), amount));
    Vec::from([document])
}

fn with_long_lists(value: &OwnedValue, amount: Amount) -> Vec<OwnedValue> {
    match value {
        OwnedValue::List(items) => {
            let inner = items.iter().enumerate().flat_map(|(at, item)| {
                with_long_lists(item, amount).into_iter().map(move |item| {
                    let mut whole = value.clone();
                    if let Some(place) = whole.item(at, &OwnedValue::Null) {
                        *place = item;
                    }
                    whole
                })
            });
            items.first().map(|item| many(item, amount)).into_iter().chain(inner).collect()
        }
        OwnedValue::Object(fields) => fields
            .iter()
            .flat_map(|(name, field)| {
                with_long_lists(field, amount).into_iter().map(move |field| {
                    let mut whole = value.clone();
                    whole.set(&[name.as_str()], field);
                    whole
                })
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Returns a list of one item.
fn many(item: &OwnedValue, amount: Amount) -> OwnedValue {
    let items = match amount {
        Amount::Items(items) => items,
        Amount::Bytes(bytes) => bytes / (item.to_text().len() + 1),
    };
    OwnedValue::List(vec![item.clone(); items])
}
