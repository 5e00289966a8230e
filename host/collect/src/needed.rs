//! The configuration that collects the evidence that policies read.

use std::{fmt::Write as _, path::Path};

use adjudicate_core::{
    check::{EvidenceKind, EvidenceNeed, NeedPlace},
    is_hidden,
    json::{self, OwnedValue},
    paths::Pattern,
};
use adjudicate_evidence::collect::OwnedValidator;

use crate::init::{HEAD, POLICY_NAME, VALIDATORS, known_validator, validators};

/// Evidence for which the configuration has a comment, with the first line of the comment.
const COMMENTS: &[(EvidenceKind, &str)] = &[
    (EvidenceKind::Validator, "The policy reads the results of all validators."),
    (EvidenceKind::Report, "Test reports: at least one validator needs `reports` or `output`."),
    (EvidenceKind::Artifact, "The policy reads the list of artifacts."),
    (EvidenceKind::Diff, "Changes: git gives them."),
    (EvidenceKind::Tree, "Trees: git gives them."),
    (EvidenceKind::Baseline, "The results on the base revision: `baseline: {}` collects them."),
    (EvidenceKind::History, "The history of the run: it is in the state of the run."),
    (EvidenceKind::Field, "Fields that every envelope of a collection has, or that only you can add to it."),
    (EvidenceKind::Approval, "Approvals: pass those that a human gave with `adjudicate run --with`."),
    (EvidenceKind::Event, "Policy events: pass them with `adjudicate run --with`."),
    (
        EvidenceKind::Extension,
        "`x-` fields of the envelope: pass them with `adjudicate run --with`. LCOV reports of a validator become `/evidence/x-coverage`.",
    ),
    (EvidenceKind::Computed, "Conditions that compute the path of a variable, so it may be any evidence."),
];

/// Returns a configuration, as YAML, that collects the evidence that policies read.
///
/// Commands come from the build files in the root. The others are empty, and a collection refuses them until you add the command.
/// Evidence that no configuration gives is in comments, with the places that read it. `policy` is the path of the policy below the root.
///
/// ```
/// use adjudicate_collect::configuration_for;
/// use adjudicate_core::check::Needs;
/// let mut needs = Needs::default();
/// needs.add(br#"{"policy": "release", "version": "1.0.0", "required_validators": ["unit"]}"#)?;
/// let yaml = configuration_for(&needs.into_list(), Some("release.json"), "/nowhere".as_ref());
/// assert!(yaml.ends_with("validators:\n  # release /required_validators/0\n  - id: unit\n    run: \"\" # the command\n"));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[must_use]
pub fn configuration_for(needs: &[EvidenceNeed], policy: Option<&str>, root: &Path) -> String {
    let mut out = HEAD.to_owned();
    match policy {
        Some(path) => line(&mut out, &format!("policy: {}", scalar(path))),
        None => line(&mut out, &format!("# policy: {POLICY_NAME}")),
    }
    out.push_str(VALIDATORS);
    let named = |kind| needs.iter().filter(move |need| need.kind == kind && need.name.is_some());
    let (valid, invalid): (Vec<_>, Vec<_>) = named(EvidenceKind::Validator).partition(|need| is_id(need));
    if valid.is_empty() {
        out.push_str(&validators(root));
    } else {
        out.push_str("validators:\n");
    }
    for (need, id) in valid.iter().filter_map(|need| Some((need, need.name.as_deref()?))) {
        places(&mut out, "  # ", &need.read_by);
        match known_validator(root, id) {
            Some(lines) => out.push_str(&lines),
            None => line(&mut out, &format!("  - id: {}\n    run: \"\" # the command", scalar(id))),
        }
    }
    items(&mut out, "No validator can have these ids:", &invalid);
    let is_pattern =
        |need: &&EvidenceNeed| need.name.as_deref().is_some_and(|name| Pattern::new(name).is_ok());
    let (artifacts, invalid): (Vec<_>, Vec<_>) = named(EvidenceKind::Artifact).partition(is_pattern);
    if !artifacts.is_empty() {
        out.push_str("# The files that become artifacts.\nartifacts:\n");
    }
    for (need, pattern) in artifacts.iter().filter_map(|need| Some((need, need.name.as_deref()?))) {
        places(&mut out, "  # ", &need.read_by);
        line(&mut out, &format!("  - {}", quoted(pattern)));
    }
    items(&mut out, "No pattern of artifacts can be one of these:", &invalid);
    for (kind, field, about) in [
        (
            EvidenceKind::Review,
            "review: .adjudicate/reports/review.json",
            "The review: a SARIF log, or an object with `artifact_ref` and `issues`.",
        ),
        (
            EvidenceKind::Claims,
            "claims: .adjudicate/reports/claims.txt",
            "The intent and the claims of the agent, as a transcript summary.",
        ),
    ] {
        let reads: Vec<_> = needs.iter().filter(|need| need.kind == kind).collect();
        items(&mut out, about, &reads);
        if !reads.is_empty() {
            line(&mut out, field);
        }
    }
    for (kind, about) in COMMENTS {
        let is_listed = matches!(kind, EvidenceKind::Validator | EvidenceKind::Artifact);
        let reads = needs.iter().filter(|need| need.kind == *kind && !(is_listed && need.name.is_some()));
        items(&mut out, about, &reads.collect::<Vec<_>>());
    }
    out
}

/// Adds a comment with a line for each place that reads some evidence.
fn items(out: &mut String, about: &str, needs: &[&EvidenceNeed]) {
    if needs.is_empty() {
        return;
    }
    line(out, &format!("# {about}"));
    for need in needs {
        let name = need.name.as_ref().map(|name| format!("`{name}`: "));
        places(out, &format!("#   {}", name.unwrap_or_default()), &need.read_by);
    }
}

/// Adds a line for each place.
fn places(out: &mut String, before: &str, places: &[NeedPlace]) {
    for place in places {
        let mut text = format!("{before}{} {}", place.policy, place.path);
        if let Some(variable) = &place.variable {
            let expected = place.expected.as_ref().map(|types| format!(", {types}"));
            // Writing to a string cannot fail.
            let _ = write!(text, " (`{variable}`{})", expected.unwrap_or_default());
        }
        comment(out, &text);
    }
}

/// Adds a comment. Characters that could end the line, or that are invisible, are escaped.
fn comment(out: &mut String, text: &str) {
    for letter in text.chars() {
        match letter.is_control() || is_hidden(letter) {
            true => out.extend(letter.escape_unicode()),
            false => out.push(letter),
        }
    }
    out.push('\n');
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// Returns a text as a value of YAML: as it is if every reader takes it for a text.
fn scalar(text: &str) -> String {
    let is_plain = text.contains(['-', '.', '/', '_'])
        || !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&&*text.to_lowercase());
    let begins = text.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let is_safe = text.chars().all(|letter| letter.is_ascii_alphanumeric() || "-._/".contains(letter));
    if is_plain && begins && is_safe { text.to_owned() } else { quoted(text) }
}

/// Returns a text between quotation marks. Readers of YAML 1.1 end a line at some characters that JSON does not escape.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    for letter in json::write(&text).chars() {
        match letter.is_control() || is_hidden(letter) {
            // Writing to a string cannot fail.
            true => drop(write!(out, "\\U{:08x}", u32::from(letter))),
            false => out.push(letter),
        }
    }
    out
}

/// Returns true if a validator of a configuration can have the name.
fn is_id(need: &EvidenceNeed) -> bool {
    let id = OwnedValue::text(need.name.as_deref().unwrap_or_default());
    let validator = OwnedValue::Object(vec![("id".into(), id), ("run".into(), OwnedValue::text("true"))]);
    OwnedValidator::from_json(json::write(&validator).as_bytes()).is_ok()
}
