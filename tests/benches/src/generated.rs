//! Policies with many rules, like those that several teams share. The same number of rules gives the same bytes.
//!
//! Most rules belong to one workflow or step and compare it first, then a number, a range, or the items of a list. A
//! few compare with a small set of values. One rule in ten applies to every run and begins with a range or a list.
//!
//! All conditions read `input` and `facts` that the short envelope has, and exactly two rules hold there at every size.
//! So the time for finding rules grows with their number, and the time for findings does not.

use std::fmt::Write as _;

/// The position of the comparison that selects a rule's workflow or step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    /// First, as people write it. The engine finds such rules by the compared text.
    First,
    /// Last: the same rules, but the engine must evaluate each.
    Last,
}

/// Returns the policy with this number of rules.
pub(crate) fn policy(rules: usize, guard: Guard) -> String {
    let mut text = format!(
        r#"{{"policy":"generated","version":"1.0.0","description":"{rules} rules","forbidden_paths":["deploy/**"],"rules":["#
    );
    for index in 0..rules {
        let separator = if index == 0 { "" } else { "," };
        let (when, then) = (condition(index, guard), consequence(index));
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            r#"{separator}{{"id":"rule-{index}","description":"Generated, number {index} of {rules}.","when":{when},"then":{then}}}"#
        );
    }
    text.push_str("]}");
    text
}

/// The kinds of twenty rules in a row.
const MIXTURE: [Kind; 20] = {
    use Kind::{Everybody, Everywhere, Intent, Outcome, Step, Workflow};
    [
        Workflow, Step, Workflow, Intent, Workflow, Everybody, Workflow, Outcome, Workflow, Step, //
        Workflow, Step, Workflow, Intent, Workflow, Everywhere, Workflow, Outcome, Workflow, Step,
    ]
};

#[derive(Clone, Copy)]
enum Kind {
    /// A workflow's limit on the size of a change.
    Workflow,
    /// A folder that a step must not change.
    Step,
    /// A limit by the intent of the step.
    Intent,
    /// A validator that counts for one outcome of the step.
    Outcome,
    /// A range that applies to every run.
    Everybody,
    /// A condition over all changed paths.
    Everywhere,
}

/// The short envelope's own workflow comes first, so that a rule for it is in a policy of any size.
const WORKFLOW: &str = "pipeline_change";
const INTENTS: [&str; 6] = ["implement", "fix", "review", "investigate", "document", "other"];
const OUTCOMES: [&str; 5] = ["completed", "error", "killed_timeout", "killed_idle", "killed_policy"];
/// The number of rules of a workflow or a step.
const RULES_EACH: usize = 12;

fn condition(index: usize, guard: Guard) -> String {
    // Rules of one kind differ by this number, which follows no obvious order.
    let spread = index * 7919 % 97;
    let owner = index / RULES_EACH;
    let kind = MIXTURE.get(index % MIXTURE.len()).copied().unwrap_or(Kind::Workflow);
    match kind {
        Kind::Workflow => {
            let workflow = if owner == 0 { WORKFLOW.into() } else { format!("{WORKFLOW}_{owner}") };
            // Two files changed, so only the very first rule holds.
            let limit = if index == 0 { 1 } else { 20 + spread };
            let large = format!(r#"{{">":[{{"var":"facts.diff.count"}},{limit}]}}"#);
            guarded("input.workflow_id", &workflow, &large, guard)
        }
        Kind::Step => {
            let foreign = format!(
                r#"{{"some":[{{"var":"facts.diff.paths"}},{{"starts_with":[{{"var":""}},"services/team-{spread}/"]}}]}}"#
            );
            guarded("input.step_id", &format!("judge_run_{owner}"), &foreign, guard)
        }
        Kind::Intent => {
            let intent = INTENTS.get(spread % INTENTS.len()).copied().unwrap_or_default();
            let low = 100 + spread;
            let high = low + 400;
            let many = format!(r#"{{"between":[{{"var":"facts.diff.insertions"}},{low},{high}]}}"#);
            guarded("facts.intent", intent, &many, guard)
        }
        Kind::Outcome => {
            let outcome = OUTCOMES.get(spread % OUTCOMES.len()).copied().unwrap_or_default();
            let fails = format!(r#"{{"in":["validator-{spread}",{{"var":"facts.validators.failing"}}]}}"#);
            guarded("input.evidence.validation.mechanical_outcome", outcome, &fails, guard)
        }
        Kind::Everybody => {
            // Two checks failed, so only the first rule of this kind holds.
            let low = if index < MIXTURE.len() { 1 } else { 10 + spread };
            let high = low + 9;
            format!(r#"{{"between":[{{"var":"facts.failures"}},{low},{high}]}}"#)
        }
        Kind::Everywhere => format!(
            r#"{{"all":[{{"var":"facts.diff.paths"}},{{"starts_with":[{{"var":""}},"vendor/{spread}/"]}}]}}"#
        ),
    }
}

fn guarded(variable: &str, text: &str, rest: &str, guard: Guard) -> String {
    let whom = format!(r#"{{"==":[{{"var":"{variable}"}},"{text}"]}}"#);
    match guard {
        Guard::First => format!(r#"{{"and":[{whom},{rest}]}}"#),
        Guard::Last => format!(r#"{{"and":[{rest},{whom}]}}"#),
    }
}

fn consequence(index: usize) -> String {
    let summary = format!("what rule {index} is about was found");
    match index % 4 {
        0 => format!(r#"{{"status":"needs_human","flag":"generated_{}","summary":"{summary}"}}"#, index % 50),
        1 => format!(
            r#"{{"status":"blocked","blocker":{{"code":"generated_{}","severity":"medium"}},"summary":"{summary}"}}"#,
            index % 50
        ),
        2 => format!(r#"{{"status":"partial","summary":"{summary}"}}"#),
        _ => format!(
            r#"{{"status":"partial","summary":"{summary}","fix":{{"target":"rule-{index}","action":"undo it","rationale":"rule {index}"}}}}"#
        ),
    }
}
