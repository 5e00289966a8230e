//! The verdict at the end of a turn: collects, decides, and holds the agent until its work is done or needs a human.

use std::path::Path;

use adjudicate_core::codes::Status;
use adjudicate_evidence::collect::{OwnedConfiguration, OwnedState};

use super::{event::TurnEnd, text};
use crate::{CollectError, Options, collection, decide::run, state::RunFolder};

/// The most holds of one turn. Hosts end a turn that is held more often, some without a word.
pub const MAX_HOLDS: u64 = 5;

/// The most turns that the state counts holds of.
const MAX_TURNS: usize = 100;

/// The verdict at the end of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnVerdict {
    /// The turn ends, and there is nothing to say.
    Release,
    /// The turn ends, and a human reads this.
    Say(String),
    /// The agent continues with these instructions.
    Hold(String),
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
    if end.is_busy {
        return TurnVerdict::Release;
    }
    let judged = || -> Result<TurnVerdict, CollectError> {
        if collection::is_unchanged(root, configuration, options)? {
            return Ok(TurnVerdict::Release);
        }
        let evaluation = run(root, configuration, policy, options)?.evaluation;
        Ok(match evaluation.decision.status {
            Status::Success => TurnVerdict::Say("adjudicate: the work is done, and its checks pass".into()),
            Status::Partial => {
                TurnVerdict::Hold(format!("The work is not done.\n{}", text::instructions(&evaluation)))
            }
            Status::Blocked | Status::NeedsHuman | Status::Unsafe => {
                let status = evaluation.decision.status.as_str().replace('_', " ");
                let reasons = text::objections(&evaluation);
                TurnVerdict::Say(format!(
                    "adjudicate: a human is needed, because the work is {status}:\n{reasons}"
                ))
            }
        })
    };
    match judged() {
        Ok(TurnVerdict::Hold(instructions)) => bounded(root, end, options, MAX_HOLDS, instructions),
        Ok(verdict) => verdict,
        Err(error) => unjudged(Some(root), end, options, &error.to_string()),
    }
}

/// The verdict on a turn that could not be judged, for example because the host's time ran out. Without a root, no hold is counted.
#[must_use]
pub fn unjudged(root: Option<&Path>, end: &TurnEnd, options: &Options<'_>, reason: &str) -> TurnVerdict {
    let reason = format!("adjudicate failed, so the work was not judged: {reason}");
    match (end.is_repeated, root) {
        (Some(true), _) | (None, None) => TurnVerdict::Say(format!("{reason}\nA human is needed.")),
        (Some(false), None) => TurnVerdict::Hold(reason),
        (_, Some(root)) => bounded(root, end, options, 1, reason),
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
    let reason = match count(root, end, options) {
        Ok(holds) if holds <= most => return TurnVerdict::Hold(instructions),
        Ok(_) => format!("this turn was held {most} times"),
        // Without a count, the host's word must do.
        Err(_) if end.is_repeated == Some(false) => return TurnVerdict::Hold(instructions),
        Err(error) => error.to_string(),
    };
    TurnVerdict::Say(format!("adjudicate: a human is needed, because {reason}.\n{instructions}"))
}

/// Adds a hold of this turn to the state, and returns the number of holds.
fn count(root: &Path, end: &TurnEnd, options: &Options<'_>) -> Result<u64, CollectError> {
    let folder = RunFolder::lock(root, options.wait)?;
    let mut state: OwnedState = folder.read(false)?;
    let turns = state.turns.get_or_insert_default();
    if turns.len() >= MAX_TURNS && !turns.contains_key(&end.turn) {
        turns.clear();
    }
    let holds = turns.entry(end.turn.clone()).or_default();
    *holds += 1;
    let holds = *holds;
    folder.write(&state)?;
    Ok(holds)
}
