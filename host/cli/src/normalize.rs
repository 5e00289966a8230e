//! The command `normalize-plan`: prints the answer, or only its plan in one of several forms.

use adjudicate_core::{
    Error, Operation,
    ir::{PlanIr, source_text},
    json::{self, Limits, Node},
};
use clap::{Args, ValueEnum};

use crate::{
    call::Call,
    codes,
    evaluator::Sandbox,
    exit::{self, Exit},
    failure::Failure,
    operation::is_list,
    parts::{Alone, Parts},
    requests::{self, Answered, Answers, Requests},
    table::{self, Page},
};

/// Convert a plan in any known form to the canonical form, PlanIR, with its hash and a report of the conversion.
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
    /// The form of the plan; by default the plan's fields tell
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) from: Option<PlanFormat>,
    /// The hash of the plan [default: canonical]
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) hash_mode: Option<HashMode>,
    /// What to print
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub(crate) to: Shown,
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

pub(crate) fn run(args: &NormalizePlan) -> Result<Exit, Failure> {
    args.requests.check_all(&args.sandbox, [])?;
    let alone = if args.from.is_some() { is_plan_of_that_form } else { is_plan };
    let mut parts = Parts::new("plan", Alone::Like(alone), "[]");
    for (member, word) in
        [("format", args.from.as_ref().map(quoted)), ("hash_mode", args.hash_mode.as_ref().map(quoted))]
    {
        if let Some(word) = word {
            parts = parts.with_text(member, &word);
        }
    }
    let call = Call::new(Operation::NormalizePlan, &args.sandbox, parts)?;
    requests::run(&args.requests, &Plans { call, shown: args.to })
}

/// Normalises plans, and shows that of the answers.
struct Plans {
    call: Call,
    shown: Shown,
}

impl Answers for Plans {
    fn answer(&self, document: Vec<u8>) -> Result<Answered, Failure> {
        let answered = self.call.answer(document)?;
        if self.shown == Shown::Answer {
            return Ok(answered);
        }
        let json = plan_alone(&answered.json, self.shown)?;
        Ok(Answered { json, ..answered })
    }

    fn page(&self, answered: &Answered) -> Result<Page, Error> {
        if self.shown == Shown::Answer {
            return self.call.page(answered);
        }
        let tape = json::read(answered.json.as_bytes(), Limits::ANSWER)?;
        Ok(table::value(Some(tape.root())))
    }
}

/// The plan of an answer, in the form that is to be shown.
fn plan_alone(answer: &str, shown: Shown) -> Result<String, Error> {
    let tape = json::read(answer.as_bytes(), Limits::ANSWER)?;
    if shown == Shown::Source {
        return source_text(tape.root());
    }
    let plan = tape.root().member("plan").ok_or_else(|| {
        Error::new(codes::MODULE_INVALID_DECISION, "the module's answer has no plan").at("/plan")
    })?;
    let plan = PlanIr::read(plan)?;
    Ok(if shown == Shown::PlanGraph { plan.to_plan_graph() } else { plan.to_json() })
}

/// A word of the command line, as JSON.
fn quoted<W: ValueEnum>(word: &W) -> String {
    let value = word.to_possible_value();
    format!("\"{}\"", value.as_ref().map_or("", |value| value.get_name()))
}

/// Whether a document is a plan, of whichever form, and not a call that has one: no call has such a member.
fn is_plan(document: Node<'_>) -> bool {
    let markers = ["subtasks", "implementation_steps", "nodes", "steps"];
    is_list(document) || markers.iter().any(|name| document.member(name).is_some())
}

/// Whether a document is a plan where the command line says of which form: all are, but for a whole call.
fn is_plan_of_that_form(document: Node<'_>) -> bool {
    let is_of_call =
        |name: &str| matches!(name, "plan" | "format" | "hash_mode" | "$schema") || name.starts_with("x-");
    document.member("plan").is_none() || !document.members().all(|(name, _)| is_of_call(name))
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
