//! What an envelope must look like, as a table, and the one function that holds an input against it.
//!
//! The engine has a type for each of these objects and code that fills it. Here a table is enough: what was checked is then read
//! through the views of [`crate::envelope`], so a module carries the code of the members that its policy asks for, and no more.

use crate::{
    error::{Error, INVALID_VALUE, MISSING_FIELD, UNKNOWN_FIELD},
    read::{index, shorten},
    text::push,
    value::Value,
};
use alloc::{string::String, vec::Vec};

/// What a value must be.
pub(crate) enum Shape {
    Anything,
    Text,
    Bool,
    /// A prompt reference, `id.vN`.
    Prompt,
    /// A path or a glob.
    Pattern,
    /// A whole number of 64 bits, with a sign.
    Integer,
    /// A whole number of 0 or more.
    Count,
    /// One of these strings.
    Word(&'static [&'static str]),
    /// A string, or a list of strings.
    Notes,
    List(&'static Self),
    /// An object in which every key is data.
    Map(&'static Self),
    Record(&'static Record),
    Nullable(&'static Self),
}

/// An object with declared members.
pub(crate) struct Record {
    /// What it is called in messages.
    expecting: &'static str,
    fields: &'static [Field],
    /// `true` if it may have other members, unless their names are close to a declared one.
    is_open: bool,
    /// What else must be true of it.
    check: fn(&Value<'_>) -> Result<(), Error>,
}

struct Field {
    name: &'static str,
    is_required: bool,
    shape: Shape,
}

const fn required(name: &'static str, shape: Shape) -> Field {
    Field { name, is_required: true, shape }
}

const fn optional(name: &'static str, shape: Shape) -> Field {
    Field { name, is_required: false, shape }
}

const fn plain(expecting: &'static str, fields: &'static [Field]) -> Record {
    Record { expecting, fields, is_open: false, check: |_| Ok(()) }
}

const TEXTS: Shape = Shape::List(&Shape::Text);

/// The statuses, as they are written.
pub(crate) const STATUSES: &[&str] = &["success", "partial", "blocked", "needs_human", "unsafe"];
const OPCODES: &[&str] = &["RUN_AGENT", "RUN_VALIDATION", "EVALUATE", "GATE", "ROLLBACK", "STOP"];
const OUTCOMES: &[&str] = &["completed", "error", "killed_timeout", "killed_idle", "killed_policy"];
const SEVERITIES: &[&str] = &["low", "medium", "high"];
const ROLES: &[&str] = &["forward", "fix", "gate", "rollback", "stop"];

/// A call of `evaluate`. A policy document is not a module's to read.
pub(crate) static CALL: Record = plain(
    "an object with `envelope` and `policy`",
    &[
        required("envelope", Shape::Record(&ENVELOPE)),
        optional("policy", Shape::Anything),
        optional("$schema", Shape::Anything),
    ],
);

/// The envelope.
pub(crate) static ENVELOPE: Record = plain(
    "an envelope object",
    &[
        required("run_id", Shape::Text),
        required("workflow_id", Shape::Text),
        required("step_id", Shape::Text),
        required("evaluate_prompt", Shape::Prompt),
        required("allowed_next_steps", TEXTS),
        required("provenance_window", Shape::List(&Shape::Record(&ENTRY))),
        required("evidence", Shape::Record(&EVIDENCE)),
        optional("evaluate_history", Shape::List(&Shape::Record(&ENTRY))),
        optional("refinement", Shape::Record(&REFINEMENT)),
        optional("steps", Shape::Map(&Shape::Record(&STEP))),
        optional("$schema", Shape::Anything),
    ],
);

static REFINEMENT: Record =
    plain("a refinement object", &[optional("cap", Shape::Count), required("spent", Shape::Count)]);

static STEP: Record = plain(
    "an object with `opcode` and `role`",
    &[optional("opcode", Shape::Word(OPCODES)), optional("role", Shape::Word(ROLES))],
);

static ENTRY: Record = Record {
    expecting: "a window entry object",
    fields: &[
        required("step_id", Shape::Text),
        required("opcode", Shape::Word(OPCODES)),
        optional("status", Shape::Word(STATUSES)),
        optional("outcome", Shape::Word(OUTCOMES)),
        required("diff_summary", Shape::Text),
        required("risk_flags", TEXTS),
        required("blocker_codes", TEXTS),
        optional("blockers", Shape::List(&Shape::Record(&ENTRY_BLOCKER))),
        optional("failures", Shape::Count),
        optional("reviewed", Shape::Bool),
    ],
    is_open: false,
    check: |entry| match (entry.member("status"), entry.member("outcome")) {
        (Some(_), Some(_)) => Err(Error::new(INVALID_VALUE, "an entry has `status` or `outcome`, not both")),
        (None, None) => Err(Error::new(MISSING_FIELD, "missing either `status` or `outcome`")),
        (None, Some(_)) if entry.member("opcode").and_then(Value::as_str) == Some("EVALUATE") => {
            Err(Error::new(MISSING_FIELD, "missing the `status` of an EVALUATE entry"))
        }
        _ => Ok(()),
    },
};

static ENTRY_BLOCKER: Record = plain(
    "an object with `code` and `item`",
    &[required("code", Shape::Text), required("item", Shape::Text)],
);

static EVIDENCE: Record = plain(
    "an evidence object",
    &[
        required("transcript_summary", Shape::Text),
        required("workspace_diff_summary", Shape::Text),
        required("validation", Shape::Record(&VALIDATION)),
        optional("harness_report", Shape::Nullable(&Shape::Record(&HARNESS))),
        required("artifacts", TEXTS),
        required("policy_events", TEXTS),
        optional(
            "step_intent",
            Shape::Word(&["implement", "fix", "review", "investigate", "document", "other"]),
        ),
        optional(
            "claims",
            Shape::List(&Shape::Word(&[
                "implemented",
                "fixed",
                "tests_passed",
                "error_reported",
                "no_change_needed",
            ])),
        ),
        optional("required_artifacts", Shape::List(&Shape::Pattern)),
        optional("required_validators", TEXTS),
        optional("diff", Shape::Record(&DIFF)),
        optional("review", Shape::Record(&REVIEW)),
        optional("approvals", Shape::Record(&APPROVALS)),
        optional("uncollected", Shape::List(&Shape::Record(&UNCOLLECTED))),
    ],
);

static UNCOLLECTED: Record = plain(
    "an object with `what` and `reason`",
    &[required("what", Shape::Text), required("reason", Shape::Text)],
);

static VALIDATION: Record = Record {
    expecting: "a validation object",
    fields: &[
        required("mechanical_outcome", Shape::Word(OUTCOMES)),
        required("exit_codes", Shape::Map(&Shape::Integer)),
        required("timeouts", TEXTS),
    ],
    is_open: true,
    check: |_| Ok(()),
};

static HARNESS: Record = plain(
    "a harness report object",
    &[
        optional("suite_id", Shape::Text),
        optional("version", Shape::Text),
        optional("generated_at", Shape::Text),
        optional("cases", Shape::List(&Shape::Record(&CASE))),
        optional("summary", Shape::Record(&SUMMARY)),
        optional("ux_flags", Shape::List(&Shape::Record(&UX_FLAG))),
        optional("proposed_goldens", TEXTS),
    ],
);

static CASE: Record = plain(
    "a harness case object",
    &[
        required("id", Shape::Text),
        optional("kind", Shape::Text),
        required("status", Shape::Word(&["passed", "failed", "skipped", "flaky"])),
        optional("validator", Shape::Text),
        optional("repro", Shape::Text),
        optional("observations", Shape::Notes),
        optional("artifacts", TEXTS),
    ],
);

static SUMMARY: Record = plain(
    "a summary object",
    &[
        required("passed", Shape::Count),
        required("failed", Shape::Count),
        optional("flaky", Shape::Count),
        optional("duration_ms", Shape::Count),
    ],
);

static UX_FLAG: Record = plain(
    "a ux flag object",
    &[
        required("severity", Shape::Word(SEVERITIES)),
        required("area", Shape::Text),
        required("description", Shape::Text),
        optional("evidence_ref", Shape::Nullable(&Shape::Text)),
    ],
);

static DIFF: Record = plain("a diff object", &[required("files", Shape::List(&Shape::Record(&DIFF_FILE)))]);

static DIFF_FILE: Record = Record {
    expecting: "a changed file object",
    fields: &[
        required("path", Shape::Text),
        required("change", Shape::Word(&["added", "modified", "deleted", "renamed"])),
        optional("from", Shape::Text),
        optional("kind", Shape::Word(&["file", "directory"])),
        optional("insertions", Shape::Count),
        optional("deletions", Shape::Count),
    ],
    is_open: false,
    check: |file| {
        let is_renamed = file.member("change").and_then(Value::as_str) == Some("renamed");
        if is_renamed && file.member("from").is_none() { Err(missing("from")) } else { Ok(()) }
    },
};

static REVIEW: Record = plain(
    "a review object",
    &[required("artifact_ref", Shape::Text), required("issues", Shape::List(&Shape::Record(&ISSUE)))],
);

static ISSUE: Record = plain(
    "a review issue object",
    &[
        required("id", Shape::Text),
        required("summary", Shape::Text),
        required("severity", Shape::Word(SEVERITIES)),
        optional("evidence_ref", Shape::Nullable(&Shape::Text)),
        optional("edit", Shape::Record(&EDIT)),
    ],
);

static EDIT: Record = plain(
    "an edit object",
    &[required("target", Shape::Text), required("action", Shape::Text), required("rationale", Shape::Text)],
);

static APPROVALS: Record =
    plain("an approvals object", &[required("required", TEXTS), required("granted", TEXTS)]);

/// Holds a value against a shape. The first error in document order is told; a missing member counts as standing at its
/// object's end.
pub(crate) fn check(value: &Value<'_>, shape: &Shape) -> Result<(), Error> {
    match shape {
        Shape::Anything => Ok(()),
        Shape::Text => text(value).map(drop),
        Shape::Bool if matches!(value, Value::Bool(_)) => Ok(()),
        Shape::Bool => Err(refusal("true or false")),
        Shape::Prompt => match is_prompt(text(value)?) {
            true => Ok(()),
            false => Err(Error::new(INVALID_VALUE, "expected a prompt reference `id.vN`")),
        },
        Shape::Pattern => match is_pattern(text(value)?) {
            true => Ok(()),
            false => Err(Error::new(INVALID_VALUE, "expected a path or a glob")),
        },
        Shape::Integer if value.as_i64().is_some() => Ok(()),
        Shape::Integer => Err(refusal("an integer")),
        Shape::Count if value.as_u64().is_some() => Ok(()),
        Shape::Count => Err(refusal("an integer of 0 or more")),
        Shape::Word(words) => word(value, words),
        Shape::Notes => match value {
            Value::Text(_) => Ok(()),
            Value::List(_) => check(value, &TEXTS),
            _ => Err(refusal("a string or a list of strings")),
        },
        Shape::Nullable(_) if *value == Value::Null => Ok(()),
        Shape::Nullable(shape) => check(value, shape),
        Shape::List(item) => list(value, item),
        Shape::Map(shape) => match value {
            Value::Object(members) => members
                .iter()
                .try_for_each(|(key, value)| check(value, shape).map_err(|error| error.under(key))),
            _ => Err(refusal("an object")),
        },
        Shape::Record(shape) => record(value, shape),
    }
}

pub(crate) fn record(value: &Value<'_>, record: &Record) -> Result<(), Error> {
    let Value::Object(members) = value else { return Err(refusal(record.expecting)) };
    for (key, value) in members.iter().filter(|(key, _)| !key.starts_with("x-")) {
        let Some(field) = record.fields.iter().find(|field| field.name == key) else {
            if record.is_open && !record.fields.iter().any(|field| is_close(key, field.name)) {
                continue;
            }
            return Err(unknown(key).under(key));
        };
        check(value, &field.shape).map_err(|error| error.under(key))?;
    }
    let absent = |field: &&Field| field.is_required && value.member(field.name).is_none();
    match record.fields.iter().find(absent) {
        Some(field) => Err(missing(field.name)),
        None => (record.check)(value),
    }
}

/// Returns whether two names are at most two edits apart, ignoring the case of ASCII letters: insertions, deletions,
/// replacements and swaps of neighbors.
fn is_close(left: &str, right: &str) -> bool {
    if left.len() > 64 {
        return false;
    }
    let letters = |text: &str| text.chars().map(|letter| letter.to_ascii_lowercase()).collect::<Vec<char>>();
    edits_within(&letters(left), &letters(right), 2)
}

/// Returns whether one text becomes the other by at most so many edits.
fn edits_within(left: &[char], right: &[char], edits: u32) -> bool {
    match (left, right) {
        ([a, left @ ..], [b, right @ ..]) if a == b => edits_within(left, right, edits),
        ([], []) => true,
        _ if edits == 0 => false,
        ([a, b, left_rest @ ..], [c, d, right_rest @ ..])
            if a == d && b == c && edits_within(left_rest, right_rest, edits - 1) =>
        {
            true
        }
        ([_, left_rest @ ..], [_, right_rest @ ..]) => {
            edits_within(left_rest, right_rest, edits - 1)
                || edits_within(left_rest, right, edits - 1)
                || edits_within(left, right_rest, edits - 1)
        }
        ([_, rest @ ..], []) | ([], [_, rest @ ..]) => edits_within(rest, &[], edits - 1),
    }
}

fn list(value: &Value<'_>, shape: &Shape) -> Result<(), Error> {
    let Value::List(items) = value else { return Err(refusal("a list")) };
    for (place, item) in items.iter().enumerate() {
        check(item, shape).map_err(|error| error.under(&index(place)))?;
    }
    Ok(())
}

fn text<'v>(value: &'v Value<'_>) -> Result<&'v str, Error> {
    value.as_str().ok_or_else(|| refusal("a string"))
}

fn word(value: &Value<'_>, words: &[&str]) -> Result<(), Error> {
    if value.as_str().is_some_and(|text| words.contains(&text)) {
        return Ok(());
    }
    let mut message = String::from("expected one of ");
    for (place, word) in words.iter().enumerate() {
        push(&mut message, if place == 0 { "`" } else { ", `" });
        push(&mut message, word);
        message.push('`');
    }
    Err(Error::new(INVALID_VALUE, message))
}

/// `id.vN`.
fn is_prompt(text: &str) -> bool {
    let id = text.trim_end_matches(|digit: char| digit.is_ascii_digit());
    id.len() < text.len() && id.strip_suffix(".v").is_some_and(|id| !id.is_empty())
}

/// Whether a path or a glob names something, and its braces match.
fn is_pattern(text: &str) -> bool {
    let mut depth = 0_u32;
    for byte in text.bytes() {
        depth = match byte {
            b'{' => depth + 1,
            b'}' if depth == 0 => return false,
            b'}' => depth - 1,
            _ => depth,
        };
    }
    depth == 0 && names_something(text)
}

/// Whether anything is left of a path in its plain form.
fn names_something(path: &str) -> bool {
    let mut depth = 0_usize;
    for segment in path.as_bytes().split(|byte| *byte == b'/') {
        depth = match segment {
            b"" | b"." => depth,
            b".." => depth.saturating_sub(1),
            _ => depth + 1,
        };
    }
    depth > 0
}

#[cold]
#[inline(never)]
fn refusal(expected: &str) -> Error {
    let mut message = String::from("expected ");
    push(&mut message, expected);
    Error::new(INVALID_VALUE, message)
}

#[cold]
#[inline(never)]
fn named(code: &'static str, what: &str, name: &str) -> Error {
    let mut message = String::from(what);
    push(&mut message, " field `");
    push(&mut message, shorten(name));
    message.push('`');
    Error::new(code, message)
}

fn unknown(name: &str) -> Error {
    named(UNKNOWN_FIELD, "unknown", name)
}

fn missing(name: &str) -> Error {
    named(MISSING_FIELD, "missing", name).under(name)
}
