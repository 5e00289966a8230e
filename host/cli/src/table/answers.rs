//! The tables of small answers: of `apply_guardrails`, `check_policy`, `schema` and `verify_replay`.

use adjudicate_core::{
    Error, document,
    guardrail::{Actions, GuardrailAction},
    ir::{HashMode, replay::ReplayAnswer},
    json::{self, ReadLimits},
    owned::{AnyWitness, CheckAnswer, CheckFinding},
    schema::OwnedSchemaCheck,
};

use super::{
    counted,
    page::{Line, Page},
    style::{BOLD, DIM, PLAIN, word},
    value::shown,
};

/// The columns of labels, and of the text after them.
const ACTION: (usize, usize) = (5, 20);
const FINDING: (usize, usize) = (10, 20);
const ERROR: (usize, usize) = (5, 17);
const REPLAY: (usize, usize) = (0, 12);

/// Returns the table of an answer of `apply_guardrails`: the actions in their order, with their reasons.
pub(crate) fn guardrails(answer: &str) -> Result<Page, Error> {
    let tape = json::read(answer.as_bytes(), ReadLimits::ANSWER)?;
    let Actions { actions, payloads } = document::read(tape.root())?;
    let mut page = Page::default();
    page.push(match actions.iter().find(|action| action.terminal) {
        Some(stop) => Line::badge("stops").text("by policy", PLAIN).text(stop.policy_id.0, BOLD),
        None => Line::badge(if actions.is_empty() { "no_action" } else { "continues" }),
    });
    for ((number, action), payload) in (1..).zip(&actions).zip(&payloads) {
        page.gap();
        let GuardrailAction { policy_id, action, terminal, reason } = action;
        let style = word(if *terminal { "stops" } else { "continues" });
        let line = Line::at(0).label(&format!("{number}."), BOLD, ACTION.0).text(action.name(), style);
        let line = line.text("by policy", DIM).text(policy_id.0, PLAIN);
        page.push(if *terminal { line.text("(stops the run)", DIM) } else { line });
        page.labelled(ACTION, "because", reason.map_or("", |reason| reason.as_str()));
        let printed = action.source().map(|action| (action, "type"));
        for (node, kind) in printed.into_iter().chain([(payload.trigger.0, "kind")]) {
            for (name, value) in node.members().filter(|(name, _)| *name != "type") {
                page.labelled(ACTION, if name == kind { "on" } else { name }, &shown(value, ", "));
            }
        }
    }
    Ok(page)
}

/// Returns the table of an answer of `check_policy`: the problems of a policy, and their paths.
pub(crate) fn static_findings(answer: &CheckAnswer) -> Page {
    let mut page = Page::default();
    if answer.findings.is_empty() {
        page.line(0, &[("nothing found", BOLD)]);
    }
    for (index, finding) in answer.findings.iter().enumerate() {
        if index > 0 {
            page.gap();
        }
        let CheckFinding { severity, code, path, message, hint, witness, .. } = finding;
        let line = Line::at(0).label(severity.as_str(), word(severity.as_str()), FINDING.0);
        page.push(line.text(code, BOLD).text("at", DIM).text(path, PLAIN));
        page.line(FINDING.0, &[(message, PLAIN)]);
        page.labelled(FINDING, "help", hint.as_deref().unwrap_or_default());
        let Some(witness) = witness else { continue };
        let line = Line::at(FINDING.0).label("witness", DIM, FINDING.1);
        page.push(match witness {
            AnyWitness::Output(witness) => line.text(&witness.output.to_text(), PLAIN),
            AnyWitness::Envelope(witness) => {
                let status = witness.status.map_or("no answer", |status| status.as_str());
                let line = line.text("comes to", DIM).text(status, word(status));
                match witness.rules.as_slice() {
                    [] => line,
                    rules => line.text("by", DIM).text(&rules.join(", "), PLAIN),
                }
            }
        });
    }
    page
}

/// Returns the table of an answer of `schema`: whether an instance is valid, and its errors.
pub(crate) fn violations(answer: &OwnedSchemaCheck) -> Page {
    let mut page = Page::default();
    page.push(match answer.errors.len() {
        0 => Line::badge("valid"),
        count => Line::badge("invalid").text(&counted(count, "error"), PLAIN),
    });
    for (number, error) in (1..).zip(&answer.errors) {
        page.gap();
        // The pointer to the root is empty.
        let path = if error.instance_path.is_empty() { "the instance itself" } else { &error.instance_path };
        page.push(Line::at(0).label(&format!("{number}."), BOLD, ERROR.0).text(path, BOLD));
        let rows =
            [("keyword", &error.keyword), ("expected", &error.expected), ("schema", &error.schema_path)];
        for (label, text) in rows {
            page.push(Line::at(ERROR.0).label(label, DIM, ERROR.1).text(text, PLAIN));
        }
    }
    page
}

/// Returns the table of an answer of `verify_replay`: whether the run follows the plan, and the findings with their lines.
pub(crate) fn replay(answer: &str) -> Result<Page, Error> {
    let tape = json::read(answer.as_bytes(), ReadLimits::ANSWER)?;
    let answer: ReplayAnswer<'_> = document::read(tape.root())?;
    let mut page = Page::default();
    let line = Line::badge(if answer.linked { "linked" } else { "not_linked" });
    page.push(line.text(&counted(answer.findings.len(), "finding"), DIM));
    let line = Line::at(REPLAY.0).label("plan hash", DIM, REPLAY.1).text(answer.plan_hash, PLAIN);
    page.push(match answer.hash_mode.0.map(HashMode::as_str) {
        None => line.text("(no hash of this plan is claimed)", DIM),
        Some(mode) => line.text(&format!("(mode {mode})"), DIM),
    });
    if let Some(delta) = answer.verification_delta.0.map(|delta| delta.to_string()) {
        let line = match delta.strip_prefix('-') {
            Some(more) => format!("{more} more failing than before"),
            None => format!("{delta} fewer failing than before"),
        };
        page.labelled(REPLAY, "tests", &line);
    }
    for finding in &answer.findings {
        page.gap();
        let place = finding.line.map_or_else(String::new, |line| format!("line {line}"));
        let line = Line::at(2).label(&place, BOLD, REPLAY.1).text(finding.code.as_str(), BOLD);
        page.push(line.text(finding.path, DIM));
        page.line(REPLAY.1, &[(finding.message, PLAIN)]);
    }
    Ok(page)
}
