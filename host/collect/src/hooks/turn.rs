//! The verdict at the end of a turn: collects, decides, and holds the agent until its work is done or needs a human.

use std::path::Path;

use adjudicate_core::codes::Status;
use adjudicate_evidence::collect::{OwnedConfiguration, OwnedState};

use super::{event::TurnEnd, text};
use crate::{
    CollectError, Options, collection,
    native::{drive, run},
    state::{RunFolder, state_file},
    system::System,
};

/// The most holds of one turn. Hosts end a turn that is held more often, some without a word.
pub const MAX_HOLDS: u64 = 5;

/// The most turns that the state counts holds of.
const MAX_TURNS: usize = 100;

/// The verdict at the end of a turn, the mildest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TurnVerdict {
    /// The turn ends, and there is nothing to say.
    Release,
    /// The turn ends, and a human reads this.
    Say(String),
    /// The agent continues with these instructions.
    Hold(String),
}

impl TurnVerdict {
    /// Returns the verdict on two working trees: the stricter one, with the texts of both if these have the same effect.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Hold(one), Self::Hold(two)) => Self::Hold([one, two].join("\n")),
            (Self::Say(one), Self::Say(two)) => Self::Say([one, two].join("\n")),
            (one, two) => one.max(two),
        }
    }
}

/// Begins a run before the first call of an agent, if there is none. Without it, commits of the agent would be a part of the base.
///
/// # Errors
///
/// [`CollectError`] if the state cannot be read or written, or if the base is no commit.
pub fn begin(
    root: &Path,
    configuration: &OwnedConfiguration,
    options: &Options<'_>,
) -> Result<(), CollectError> {
    if state_file(root).is_file() {
        return Ok(());
    }
    let system = System::default();
    drive(&system, options, collection::begin(&system, root, configuration, options)).map(drop)
}

/// Judges the end of a turn.
///
/// Work without a change since the base is not judged. A failure holds the agent once in a turn, and then ends the turn with the word that
/// a human is needed. So no failure traps an agent, and none passes for a success.
pub fn judge_turn(
    root: &Path,
    configuration: &OwnedConfiguration,
    policy: Option<&str>,
    end: &TurnEnd,
    options: &Options<'_>,
) -> TurnVerdict {
    if end.is_test {
        return TurnVerdict::Hold("this event only tests the hook".into());
    }
    if end.is_aborted || end.is_subagent {
        return TurnVerdict::Release;
    }
    let judged = || -> Result<TurnVerdict, CollectError> {
        let system = System::default();
        let unchanged = collection::is_unchanged(&system, root, configuration, options);
        if drive(&system, options, unchanged)? {
            return Ok(TurnVerdict::Release);
        }
        let judged = collection::is_judged(&system, root, configuration, policy, options);
        if drive(&system, options, judged)? {
            return Ok(TurnVerdict::Release);
        }
        if end.is_busy {
            let reason = "tasks of the agent still run in the background";
            return Ok(TurnVerdict::Say(format!("adjudicate: the work was not judged, because {reason}")));
        }
        let evaluation = run(root, configuration, policy, options)?.evaluation;
        Ok(match evaluation.decision.status {
            Status::Success if configuration.validators.is_empty() => TurnVerdict::Say(
                "adjudicate: the decision is `success`, without a check by a validator".into(),
            ),
            Status::Success => TurnVerdict::Say("adjudicate: the decision is `success`".into()),
            Status::Partial => {
                TurnVerdict::Hold(format!("The work is not done.\n{}", text::instructions(&evaluation)))
            }
            Status::Blocked | Status::NeedsHuman | Status::Unsafe => {
                let status = evaluation.decision.status.as_str();
                let reasons = text::objections(&evaluation);
                TurnVerdict::Say(format!(
                    "adjudicate: a human is needed; the decision is `{status}`:\n{reasons}"
                ))
            }
        })
    };
    match judged() {
        Ok(TurnVerdict::Hold(instructions)) => bounded(root, end, options, MAX_HOLDS, instructions),
        Ok(verdict) => {
            // The next holds are those of another turn. If this fails, they are counted together.
            let _ = count(root, end, options, |_| None);
            verdict
        }
        Err(error) => unjudged(Some(root), end, options, &error.to_string()),
    }
}

/// The verdict on a turn that could not be judged, for example because the host's time ran out. It holds the agent once. Without a root, no
/// hold is counted, so the turn ends.
#[must_use]
pub fn unjudged(root: Option<&Path>, end: &TurnEnd, options: &Options<'_>, reason: &str) -> TurnVerdict {
    let reason = format!("adjudicate failed, so the work was not judged: {reason}");
    match root {
        Some(root) if end.is_repeated != Some(true) => bounded(root, end, options, 1, reason),
        _ => TurnVerdict::Say(format!("{reason}\nA human is needed.")),
    }
}

/// Holds the agent, unless this turn was held `most` times before.
fn bounded(
    root: &Path,
    end: &TurnEnd,
    options: &Options<'_>,
    most: u64,
    instructions: String,
) -> TurnVerdict {
    let reason = match count(root, end, options, |holds| Some(holds.saturating_add(1))) {
        Ok(holds) if holds <= most => return TurnVerdict::Hold(instructions),
        Ok(_) => {
            if !end.has_turn_id() {
                // The next turn has the same name. If this fails, its holds are counted with those of this turn.
                let _ = count(root, end, options, |_| None);
            }
            match most {
                1 => "the agent was held before".to_owned(),
                _ => format!("the agent was held {most} times in this turn"),
            }
        }
        // Without a count, the agent could be held for ever.
        Err(error) => error.to_string(),
    };
    TurnVerdict::Say(format!("adjudicate: a human is needed, because {reason}.\n{instructions}"))
}

/// Changes the number of holds of this turn in the state, and returns the new number. `None` forgets it.
fn count(
    root: &Path,
    end: &TurnEnd,
    options: &Options<'_>,
    change: impl FnOnce(u64) -> Option<u64>,
) -> Result<u64, CollectError> {
    let system = System::default();
    let counted = async {
        let folder = RunFolder::lock(&system, root, options.wait).await?;
        let mut state: OwnedState = folder.read(false).await?;
        let turns = state.turns.get_or_insert_default();
        if turns.len() >= MAX_TURNS && !turns.contains_key(&end.turn) {
            turns.clear();
        }
        let before = turns.remove(&end.turn);
        let after = change(before.unwrap_or_default());
        turns.extend(after.map(|holds| (end.turn.clone(), holds)));
        if before != after {
            folder.write(&state).await?;
        }
        Ok(after.unwrap_or_default())
    };
    drive(&system, options, counted)
}
