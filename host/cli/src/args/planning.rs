//! The verbs about planning: plans in their canonical form, runs of them, and when planning ends.

use adjudicate_core::{Error, ErrorCode};
use clap::{Args, ValueEnum};

use super::{InputFormat, Requests, Sandbox};
use crate::{exit, input::Source};

/// Make the canonical form, PlanIR, of a plan in any form that is known, with its hash and a report of what was made of it.
#[derive(Debug, Args)]
#[command(
    after_help = exit::NORMALIZE_HELP,
    mut_arg("input", |input| input.help(
        "The plan, or `{\"plan\": ..., \"format\": ..., \"hash_mode\": ...}`; `-` for standard input"
    ))
)]
pub(crate) struct NormalizePlan {
    #[command(flatten)]
    pub(crate) requests: Requests,
    /// The form that the plan has; without it the plan's members tell
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) from: Option<PlanFormat>,
    /// How the plan is hashed [default: canonical]
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) hash_mode: Option<HashMode>,
    /// What to print
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub(crate) to: Shown,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

/// Say whether an agent may go on planning, and what it owes.
#[derive(Debug, Args)]
#[command(
    after_help = exit::DELIBERATE_HELP,
    mut_arg("input", |input| input.help("The ledger of what was planned so far; `-` for standard input"))
)]
pub(crate) struct Deliberate {
    #[command(flatten)]
    pub(crate) requests: Requests,
    /// End with a status that tells the gate
    #[arg(long)]
    pub(crate) exit_status: bool,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

/// The forms of plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlanFormat {
    /// Subtasks, as a list or as `{"subtasks": [...]}`, where the list may be JSON text
    Adjutant,
    /// `implementation_steps`, as a list, as its JSON text or as lines
    Autopilot,
    /// Nodes and edges
    #[value(name = "plan_graph")]
    PlanGraph,
    /// The canonical form itself, with the spellings of older versions
    Planir,
}

/// What is printed of a plan that was normalised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shown {
    /// The answer: the plan, its hash, and what was made of it
    #[default]
    Answer,
    /// The plan alone
    Planir,
    /// The plan as a graph of nodes and edges, as `validate-plan` reads it; its nodes have no capabilities yet
    #[value(name = "plan_graph")]
    PlanGraph,
    /// The plan as it was given, made from the answer again
    Source,
}

/// How a plan is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HashMode {
    /// As every canonical JSON here
    Canonical,
    /// As the program did that kept the confidence in 32 bits
    #[value(name = "serde_f32_compat")]
    SerdeF32Compat,
}

/// Hold the events of a run against the plan that it says it ran.
#[derive(Debug, Args)]
#[command(
    after_help = exit::REPLAY_HELP,
    mut_arg("input", |input| input.help(
        "`{\"plan\": ..., \"events\": [...], \"receipt\": ..., \"tests\": ...}` without what is given apart, or, with \
         `--plan`, the events alone, one a line or in one list; `-` for standard input"
    ))
)]
pub(crate) struct VerifyReplay {
    #[command(flatten)]
    pub(crate) requests: Requests,
    /// The plan in its canonical form, or what `normalize-plan` answered
    #[arg(long, value_name = "FILE")]
    pub(crate) plan: Option<Source>,
    /// The receipt of the run
    #[arg(long, value_name = "FILE")]
    pub(crate) receipt: Option<Source>,
    /// How many tests failed before and after the run
    #[arg(long, value_name = "FILE")]
    pub(crate) tests: Option<Source>,
    /// End with 10 for a run that is not one of the plan
    #[arg(long)]
    pub(crate) exit_status: bool,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

impl VerifyReplay {
    /// Refuses what no single argument shows to be wrong.
    pub(super) fn check(&self) -> Result<(), Error> {
        let Requests { input, input_format, ndjson, .. } = &self.requests;
        let message = match &self.plan {
            Some(_) if *ndjson => "with `--plan` each line is an event, so `--ndjson` says nothing",
            Some(_) if input.format(*input_format) == InputFormat::Yaml => {
                "a log of events is JSON, not YAML"
            }
            _ => return Ok(()),
        };
        Err(Error::new(ErrorCode::WrongUsage, message))
    }
}

#[cfg(test)]
mod tests {
    use adjudicate_core::ir;

    use super::*;

    fn names<W: ValueEnum>() -> Vec<String> {
        let values = W::value_variants().iter().filter_map(W::to_possible_value);
        values.map(|value| value.get_name().to_owned()).collect()
    }

    #[test]
    fn forms_and_modes_are_those_of_the_core() {
        assert!(ir::Format::ALL.iter().map(|format| format.as_str()).eq(names::<PlanFormat>()));
        assert!(ir::HashMode::ALL.iter().map(|mode| mode.as_str()).eq(names::<HashMode>()));
    }
}
