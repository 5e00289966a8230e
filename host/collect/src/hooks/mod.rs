//! Hooks of coding agents: before a tool call, and at the end of a turn.
//!
//! A host starts `adjudicate hook AGENT` with the event on standard input, and reads the answer in a form of its own:
//!
//! ```text
//! input -> Agent::read -> HookEvent::Call -> judge_call -> CallVerdict -> Agent::answer_call -> HookAnswer
//!                         HookEvent::End  -> judge_turn -> TurnVerdict -> Agent::answer_turn -> HookAnswer
//! ```
//!
//! A failure before a tool call is [`HookAnswer::refusal`], which every host takes as a denial. A failure at the end of a turn
//! holds the agent once.
//!
//! [`Interceptor`] judges the same in the process of a host of AGENT-HOOKS. [`HookForm`] answers events of all hosts for a server, whose slot
//! decides.

mod agent;
mod answer;
mod call;
mod event;
mod form;
mod interceptor;
mod patch;
pub(crate) mod place;
mod step;
mod tools;
mod turn;

use std::{
    fs,
    path::{Path, PathBuf},
};

use adjudicate_core::owned::{Evaluation, Finding};

use crate::host::real_path;

pub use agent::Agent;
pub use answer::HookAnswer;
pub use call::{CallVerdict, Rules, TEST_TOOL, judge_call};
pub(crate) use event::object_in;
pub use event::{HookCall, HookEvent, TEST_SESSION, TurnEnd, with_folders};
pub use form::HookForm;
pub use interceptor::Interceptor;
pub use place::resolved;
pub use step::in_session;
pub(crate) use tools::only_reads;
pub use turn::{MAX_HOLDS, TurnVerdict, begin, judge_turn, unjudged};

/// The most findings, edits and checks of a text.
const MOST: usize = 20;

/// Returns the findings that count, each with the way to resolve it.
fn objections(evaluation: &Evaluation) -> String {
    let counted = evaluation.findings.iter().filter(|finding| finding.mode.is_none());
    let lines = listed(counted, |finding: &Finding| {
        let actual = finding.actual.as_ref().and_then(|actual| actual.as_str());
        objection(&finding.summary, actual, &finding.resolution.hint)
    });
    match lines.is_empty() {
        true => format!("the decision is `{}`", evaluation.decision.status.as_str()),
        false => lines.join("\n"),
    }
}

/// Returns the line of a finding. A text that the rule found is its place.
fn objection(summary: &str, actual: Option<&str>, hint: &str) -> String {
    let place = actual.map_or_else(String::new, |actual| format!(" ({actual})"));
    format!("- {summary}{place}: {hint}")
}

/// Returns the lines of two texts, each once.
fn joined(one: &str, two: &str) -> String {
    let mut lines: Vec<&str> = one.lines().collect();
    for line in two.lines() {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// Returns the objections, and the instructions for a fix.
fn instructions(evaluation: &Evaluation) -> String {
    let mut lines = vec![objections(evaluation)];
    if let Some(fix) = &evaluation.decision.fix_instructions {
        lines.push(format!("Objective: {}", fix.objective));
        lines.extend(listed(fix.edits.iter(), |edit| {
            format!("- {}: {} ({})", edit.target, edit.action, edit.rationale)
        }));
        lines.extend(listed(fix.constraints.iter(), |constraint| format!("- keep to: {constraint}")));
        lines.extend(listed(fix.verification.iter(), |check| {
            format!("- verify with `{}`: {}", check.command, check.expected_signal)
        }));
    }
    lines.join("\n")
}

/// Returns a line for each of the first items, and one with the number of the others.
fn listed<T>(items: impl Iterator<Item = T>, line: impl Fn(T) -> String) -> Vec<String> {
    let mut items = items;
    let mut lines: Vec<String> = items.by_ref().take(MOST).map(line).collect();
    let more = items.count();
    lines.extend((more > 0).then(|| format!("- and {more} more")));
    lines
}

/// Returns the folder that is `root` in another working tree of its repository, if a path leads into one. The path may be absent.
#[must_use]
pub fn other_worktree(root: &Path, path: &Path) -> Option<PathBuf> {
    let top = |folder: &Path| {
        let top = folder.ancestors().find(|folder| folder.join(".git").exists());
        top.map(Path::to_path_buf)
    };
    let root = resolved(root);
    let (own, other) = (top(&root)?, top(&resolved(path))?);
    let is_other = own != other && repository(&own)? == repository(&other)?;
    is_other.then(|| other.join(root.strip_prefix(&own).unwrap_or(Path::new(""))))
}

/// Returns the folder of the repository that all its working trees share.
fn repository(top: &Path) -> Option<PathBuf> {
    let own = top.join(".git");
    let own = match own.is_dir() {
        true => own,
        // The file of a linked worktree names a folder in the repository.
        false => top.join(fs::read_to_string(&own).ok()?.strip_prefix("gitdir:")?.trim()),
    };
    let common = fs::read_to_string(own.join("commondir")).unwrap_or_default();
    real_path(&own.join(common.trim())).ok()
}
