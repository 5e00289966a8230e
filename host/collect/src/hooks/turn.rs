//! The verdict at the end of a turn: collects, decides, and holds the agent until its work is done or needs a human.

use std::{fs, path::Path};

use adjudicate_core::{codes::Status, owned::Evaluation};
use adjudicate_evidence::collect::{OwnedCollectionState, OwnedConfiguration};

use super::{event::TurnEnd, instructions, objections};
use crate::{
    CollectError, CollectOptions, collection, decide,
    native::drive,
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
    options: &CollectOptions<'_>,
) -> Result<(), CollectError> {
    if state_file(root).is_file() {
        return Ok(());
    }
    let system = System::default();
    drive(&system, options, async {
        let folder = RunFolder::lock(&system, root, options.wait).await?;
        collection::begin(&system, &folder, root, configuration, options).await.map(drop)
    })
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
    options: &CollectOptions<'_>,
) -> TurnVerdict {
    if let Some(verdict) = without_evidence(end) {
        return verdict;
    }
    // Two hooks may answer the end of one turn. Of them, the second waits for the lock, and finds what the first one stored meanwhile.
    let before = fs::read(state_file(root)).ok().and_then(|text| OwnedCollectionState::from_json(&text).ok());
    let system = System::default();
    let judged: Result<_, CollectError> = drive(&system, options, async {
        let folder = RunFolder::lock(&system, root, options.wait).await?;
        let work = Work { system: &system, folder: &folder, root, configuration, policy, options };
        if let Some(verdict) = work.of_other_hook(before.as_ref(), end).await? {
            return Ok(verdict);
        }
        Ok(match work.judge(end).await? {
            TurnVerdict::Hold(instructions) => bounded(&folder, end, MAX_HOLDS, instructions).await,
            verdict => {
                // The next holds are those of another turn. If this fails, they are counted together.
                let _ = count(&folder, end, |_| None).await;
                verdict
            }
        })
    });
    judged.unwrap_or_else(|error| unjudged(Some(root), end, options, &error.to_string()))
}

/// Returns the verdict on an event that needs no evidence: a test, and the end of a subagent.
fn without_evidence(end: &TurnEnd) -> Option<TurnVerdict> {
    match end {
        TurnEnd { is_test: true, .. } => Some(TurnVerdict::Hold("this event only tests the hook".into())),
        TurnEnd { is_subagent: true, .. } => Some(TurnVerdict::Release),
        _ => None,
    }
}

/// The verdict of a program that collects no evidence. It holds the agent once, if the host says that no hook has held it before.
pub(super) fn uncollected(end: &TurnEnd, reason: &str) -> TurnVerdict {
    match without_evidence(end) {
        Some(verdict) => verdict,
        None if end.is_repeated == Some(false) && !end.is_aborted && !end.is_busy => {
            TurnVerdict::Hold(reason.to_owned())
        }
        None => TurnVerdict::Say(format!("{reason}\nA human is needed.")),
    }
}

/// Decides on the work in a repository, and stores the state. `None` if git knows of no change since the base.
pub(super) fn judge_work(
    root: &Path,
    configuration: &OwnedConfiguration,
    policy: Option<&str>,
    options: &CollectOptions<'_>,
) -> Result<Option<Evaluation>, CollectError> {
    let system = System::default();
    drive(&system, options, async {
        decide::check_policy(&system, configuration, policy).await?;
        let folder = RunFolder::lock(&system, root, options.wait).await?;
        if collection::is_unchanged(&system, &folder, root, configuration, options).await? {
            return Ok(None);
        }
        let decided = decide::run_in(&system, &folder, root, configuration, policy, options).await?;
        Ok(Some(decided.evaluation))
    })
}

/// The work in a repository, with the lock held.
struct Work<'a> {
    system: &'a System,
    folder: &'a RunFolder<'a>,
    root: &'a Path,
    configuration: &'a OwnedConfiguration,
    policy: Option<&'a str>,
    options: &'a CollectOptions<'a>,
}

impl Work<'_> {
    /// Returns the verdict if another hook has decided on the same work at the same end of the turn. `before` is the state at the start of
    /// this hook.
    async fn of_other_hook(
        &self,
        before: Option<&OwnedCollectionState>,
        end: &TurnEnd,
    ) -> Result<Option<TurnVerdict>, CollectError> {
        let state = self.folder.read(self.options.new_run).await?;
        let decisions = |state: &OwnedCollectionState| (state.run_id.clone(), state.evaluations());
        if before.map(decisions) == Some(decisions(&state)) {
            return Ok(None);
        }
        let holds = |state: &OwnedCollectionState| {
            state.turns.as_ref().and_then(|turns| turns.get(&end.turn)).copied()
        };
        let (held_before, held) = (before.and_then(holds), holds(&state));
        Ok(match self.judged_status(&state).await {
            None | Some(Status::Success) => None,
            // Only a hook counts holds. Another decision, for example of `adjudicate run`, does not end a turn.
            Some(status) if self.holds(status) && held == held_before => None,
            Some(status) if self.holds(status) && held.is_some_and(|holds| holds <= MAX_HOLDS) => {
                Some(TurnVerdict::Hold("The work is not done, as another hook of this turn says.".into()))
            }
            Some(status) => {
                let status = status.as_str();
                let message =
                    format!("adjudicate: the decision is `{status}`, as another hook of this turn says");
                Some(TurnVerdict::Say(message))
            }
        })
    }

    async fn judge(&self, end: &TurnEnd) -> Result<TurnVerdict, CollectError> {
        let Self { system, folder, root, configuration, policy, options } = *self;
        // A goal asks for work, so a turn without a change does not reach it.
        if !self.has_goal() && collection::is_unchanged(system, folder, root, configuration, options).await? {
            return Ok(TurnVerdict::Release);
        }
        let state = folder.read(options.new_run).await?;
        if self.judged_status(&state).await == Some(Status::Success) {
            return Ok(TurnVerdict::Release);
        }
        let reason = match end {
            TurnEnd { is_aborted: true, .. } => Some("the user or an error ended the turn"),
            TurnEnd { is_busy: true, .. } => Some("tasks of the agent still run in the background"),
            _ => None,
        };
        if let Some(reason) = reason {
            return Ok(TurnVerdict::Say(format!("adjudicate: the work was not judged, because {reason}")));
        }
        decide::check_policy(system, configuration, policy).await?;
        let decided = decide::run_in(system, folder, root, configuration, policy, options).await?;
        Ok(self.of_decision(&decided.evaluation))
    }

    const fn has_goal(&self) -> bool {
        self.options.goal_set_at.is_some()
    }

    /// Returns true if a decision with this status holds the agent. A goal is met or not, and the agent can undo what is against it.
    const fn holds(&self, status: Status) -> bool {
        match status {
            Status::Success | Status::NeedsHuman => false,
            Status::Partial => true,
            Status::Blocked | Status::Unsafe => self.has_goal(),
        }
    }

    fn of_decision(&self, evaluation: &Evaluation) -> TurnVerdict {
        match evaluation.decision.status {
            Status::Success if self.configuration.validators.is_empty() => TurnVerdict::Say(
                "adjudicate: the decision is `success`, without a check by a validator".into(),
            ),
            Status::Success if self.has_goal() => {
                TurnVerdict::Say("adjudicate: the goal is met; to end it: `adjudicate goal done`".into())
            }
            Status::Success => TurnVerdict::Say("adjudicate: the decision is `success`".into()),
            status if self.holds(status) => {
                let work = if self.has_goal() { "goal is not met" } else { "work is not done" };
                TurnVerdict::Hold(format!("The {work}.\n{}", instructions(evaluation)))
            }
            status => {
                let (status, reasons) = (status.as_str(), objections(evaluation));
                TurnVerdict::Say(format!(
                    "adjudicate: a human is needed; the decision is `{status}`:\n{reasons}"
                ))
            }
        }
    }

    /// Returns the status of the latest decision on the same work. The policy of a slot may be another one by now.
    async fn judged_status(&self, state: &OwnedCollectionState) -> Option<Status> {
        if self.options.decide.is_some() {
            return None;
        }
        collection::judged_status(self.system, self.root, self.configuration, self.policy, state).await
    }
}

/// The verdict on a turn that could not be judged, for example because the host's time ran out. It holds the agent once. Without a root, no
/// hold is counted, so the turn ends.
#[must_use]
pub fn unjudged(
    root: Option<&Path>,
    end: &TurnEnd,
    options: &CollectOptions<'_>,
    reason: &str,
) -> TurnVerdict {
    let reason = format!("adjudicate failed, so the work was not judged: {reason}");
    let root = root.filter(|_| end.is_repeated != Some(true) && !end.is_aborted);
    let Some(root) = root else { return TurnVerdict::Say(format!("{reason}\nA human is needed.")) };
    let system = System::default();
    drive(&system, options, async {
        match RunFolder::lock(&system, root, options.wait).await {
            Ok(folder) => bounded(&folder, end, 1, reason).await,
            Err(error) => {
                TurnVerdict::Say(format!("adjudicate: a human is needed, because {error}.\n{reason}"))
            }
        }
    })
}

/// Holds the agent, unless this turn was held `most` times before.
async fn bounded(folder: &RunFolder<'_>, end: &TurnEnd, most: u64, instructions: String) -> TurnVerdict {
    let reason = match count(folder, end, |holds| Some(holds.saturating_add(1))).await {
        Ok(holds) if holds <= most => return TurnVerdict::Hold(instructions),
        Ok(_) => {
            if !end.has_turn_id() {
                // The next turn has the same name. If this fails, its holds are counted with those of this turn.
                let _ = count(folder, end, |_| None).await;
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
async fn count(
    folder: &RunFolder<'_>,
    end: &TurnEnd,
    change: impl FnOnce(u64) -> Option<u64>,
) -> Result<u64, CollectError> {
    let mut state: OwnedCollectionState = folder.read(false).await?;
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
}
