//! Calls that are made to take much memory for their size: one way each.

use std::fmt::Write as _;

use adjudicate_core::{
    Operation, Policy,
    evaluate::{AnswerText, ComposedCall, CompositionMember},
};

use super::{
    lists::{Around, ENVELOPES, Item, OTHERS, POLICIES},
    peak,
};

/// A call that is made to take much memory.
pub struct Hungry {
    /// What is called.
    pub operation: Operation,
    /// What there is much of.
    pub name: &'static str,
    /// The call.
    pub input: String,
}

const HEAD: &str = r#""run_id":"r","workflow_id":"w","step_id":"s","evaluate_prompt":"p.v1""#;
const STEPS: &str = r#","allowed_next_steps":["fix","STOP"],"provenance_window":[]"#;

/// How long the long list of a call is.
#[derive(Clone, Copy)]
pub enum Amount {
    /// A number of items.
    Items(usize),
    /// As many items as make a call of about this many bytes.
    Bytes(usize),
}

impl Amount {
    /// A sixteenth of the items, or as many bytes.
    const fn fewer(self) -> Self {
        match self {
            Self::Items(items) => Self::Items(items / 16),
            bytes @ Self::Bytes(_) => bytes,
        }
    }
}

/// Items, divided by commas.
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

/// The members of `evidence` but for those in `more`.
fn evidence(more: &str) -> String {
    let mut text = String::from("{");
    for (name, value) in [
        ("transcript_summary", "\"\""),
        ("workspace_diff_summary", "\"\""),
        ("validation", r#"{"mechanical_outcome":"completed","exit_codes":{},"timeouts":[]}"#),
        ("artifacts", "[]"),
        ("policy_events", "[]"),
    ] {
        if !more.contains(&format!("\"{name}\":")) {
            let _ = write!(text, "\"{name}\":{value},");
        }
    }
    text + more + "}"
}

/// Composes three decisions, one of them handed in, on an envelope with this many failing validators. Returns the bytes that it
/// reads, and the most bytes that it holds at once, these included.
///
/// # Errors
///
/// Those of the engine.
pub fn composed(amount: Amount) -> Result<(usize, usize), adjudicate_core::Error> {
    let around =
        Around(r#""validation":{"mechanical_outcome":"completed","timeouts":[],"exit_codes":{"#, "}}");
    let validators = filled(&around, |n| format!("\"{n:x}\":1"), amount);
    let envelope = format!("{{{HEAD}{STEPS},\"evidence\":{}}}", evidence(&validators));
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
        // What is no list has no commas.
        let more = if around.0.ends_with(['[', '{']) {
            more
        } else {
            more.replace(",\\n", "\\n").replace(",\\n", "\\n")
        };
        let envelope = format!("{{{HEAD}{STEPS},\"evidence\":{}}}", evidence(&more));
        let input =
            format!(r#"{{"envelope":{envelope},"policy":{{"policy":"p","version":"1.0.0"{policy}}}}}"#);
        // Both operations evaluate first.
        for operation in [Operation::Refine, Operation::Explain] {
            calls.push(Hungry { operation, name, input: input.clone() });
        }
    }
    let entry = r#"{"step_id":"e","opcode":"EVALUATE","status":"partial","diff_summary":"","risk_flags":[],"blocker_codes":[]}"#;
    for (name, list, item) in
        [("entries", "provenance_window", entry), ("steps", "allowed_next_steps", "\"s\"")]
    {
        let others = [r#""allowed_next_steps":["fix"]"#, r#""provenance_window":[]"#];
        let other = others.iter().find(|other| !other.contains(list)).unwrap_or(&"");
        let items = match amount {
            Amount::Items(items) => items,
            Amount::Bytes(bytes) => bytes / (item.len() + 1),
        };
        let item = vec![item; items].join(",");
        let input = format!("{{{HEAD},{other},\"{list}\":[{item}],\"evidence\":{}}}", evidence("\"x-\":0"));
        calls.push(Hungry { operation: Operation::Explain, name, input });
    }
    let evidence = evidence("\"x-\":0");
    for (name, around, item) in POLICIES {
        let with = |amount| format!(r#"{{"policy":"p","version":"1.0.0"{}}}"#, filled(around, *item, amount));
        let policy = with(amount);
        let envelope = format!("{{{HEAD}{STEPS},\"evidence\":{evidence}}}");
        let input = format!(r#"{{"envelope":{envelope},"policy":{policy}}}"#);
        let trace = input.replacen('{', "{\"trace\":true,", 1);
        // A minute for 16,000 of them: each is held against as many artifacts, or taken apart.
        let is_slow = matches!(*name, "required artifacts" | "rules that fire" | "rules that compare");
        let checked = if is_slow { with(amount.fewer()) } else { policy };
        let check = format!(r#"{{"policy":{checked}}}"#);
        for (operation, input) in
            [(Operation::Evaluate, input), (Operation::Explain, trace), (Operation::CheckPolicy, check)]
        {
            calls.push(Hungry { operation, name, input });
        }
    }
    for (operation, name, around, item) in OTHERS {
        // Answers list 100,000 of these items, which no small call reaches, so a few items do as well.
        let input = filled(around, *item, amount.fewer());
        calls.push(Hungry { operation: *operation, name, input });
    }
    calls
}
