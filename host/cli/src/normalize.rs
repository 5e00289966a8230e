//! The command `normalize-plan`: prints the answer, or only its plan in one of several forms.

use adjudicate_core::{
    Error, Operation,
    document::{self, Content, Definition, Describe, Type, Word},
    ir::{self, NormalizedPlan, PlanIr, source_text},
    json::{self, Node, ReadLimits},
};
use clap::{
    Args, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser},
};

use crate::{
    call::Call,
    environment::Environment,
    evaluator::Sandbox,
    exit::Exit,
    failure::Failure,
    parts::{BareWhen, Parts},
    requests::{self, Answered, RequestHandler, Requests},
    table::{self, Page},
};

/// Convert a plan to the canonical form, PlanIR.
///
/// The answer has the hash of the plan and a report of the conversion.
#[derive(Debug, Args)]
#[command(
    mut_arg("input", |input| input.help(
        "The plan, or `{\"plan\": ..., \"format\": ..., \"hash_mode\": ...}`; `-` for standard input"
    ))
)]
pub(crate) struct NormalizePlan {
    #[command(flatten)]
    pub(crate) requests: Requests,
    /// The form of the plan [default: found by the plan's fields]
    #[arg(long, value_parser = words_of::<ir::PlanFormat>(), value_name = "FORMAT")]
    pub(crate) from: Option<String>,
    /// The hash of the plan [default: canonical]
    #[arg(long, value_parser = words_of::<ir::HashMode>(), value_name = "MODE")]
    pub(crate) hash_mode: Option<String>,
    /// The part of the answer to print
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub(crate) to: PlanOutput,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

/// The part of the answer that is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlanOutput {
    /// The answer: the plan, its hash, and a report of the conversion
    #[default]
    Answer,
    /// The plan alone
    Planir,
    /// The plan as a graph of nodes and edges, as `validate-plan` reads it; its nodes have no capabilities yet
    #[value(name = "plan_graph")]
    PlanGraph,
    /// The original plan, restored from the answer
    Source,
}

/// Accepts the words of a closed list of the core.
fn words_of<W: Describe>() -> PossibleValuesParser {
    let words: &[Word] = match W::describe() {
        Type::Named(Definition { content: Content::Words(words), .. }) => words,
        _ => &[],
    };
    let values =
        words.iter().map(|word| PossibleValue::new(word.name).help(word.about.trim_end_matches('.')));
    PossibleValuesParser::new(values)
}

pub(crate) fn run(args: &NormalizePlan, env: &Environment) -> Result<Exit, Failure> {
    args.requests.check_all(&args.sandbox, [])?;
    let bare_when = if args.from.is_some() { is_plan_of_given_form } else { is_plan };
    let mut parts = Parts::new("plan", BareWhen::Matches(bare_when), "[]");
    for (member, word) in [("format", &args.from), ("hash_mode", &args.hash_mode)] {
        if let Some(word) = word {
            parts = parts.with_text(member, &format!("\"{word}\""));
        }
    }
    let call = Call::new(
        Operation::NormalizePlan,
        |shown| table::normalized(&shown.json),
        &args.sandbox,
        parts,
        env,
    )?;
    requests::run(&args.requests, &PlanRequests { call, shown: args.to }, env)
}

/// Normalizes plans, and selects the part of the answers to print.
struct PlanRequests {
    call: Call,
    shown: PlanOutput,
}

impl RequestHandler for PlanRequests {
    fn answer(&self, document: Vec<u8>) -> Result<Answered, Failure> {
        let answered = self.call.answer(document)?;
        if self.shown == PlanOutput::Answer {
            return Ok(answered);
        }
        let json = plan_text(&answered.json, self.shown)?;
        Ok(Answered { json, ..answered })
    }

    fn page(&self, answered: &Answered) -> Result<Page, Error> {
        if self.shown == PlanOutput::Answer {
            return self.call.page(answered);
        }
        table::answer(&answered.json)
    }
}

/// Returns the plan of an answer in the requested form.
fn plan_text(answer: &str, shown: PlanOutput) -> Result<String, Error> {
    let tape = json::read(answer.as_bytes(), ReadLimits::ANSWER)?;
    if shown == PlanOutput::Source {
        return source_text(tape.root());
    }
    let answer: NormalizedPlan<'_> = document::read(tape.root())?;
    let plan = PlanIr::read(answer.plan.0)?;
    Ok(if shown == PlanOutput::PlanGraph { plan.to_plan_graph() } else { plan.to_json() })
}

/// Returns true if a document is a plan in any known form. No call has the fields of a plan.
fn is_plan(document: Node<'_>) -> bool {
    // A plan in the canonical form has these. One with a misspelt `steps` has others of them.
    const CANONICAL: [&str; 5] = ["steps", "analysis", "verification_strategy", "complexity", "confidence"];
    ir::PlanFormat::detect(document) != ir::PlanFormat::PlanIr
        || CANONICAL.iter().any(|name| document.member(name).is_some())
}

/// Returns true if a document is a plan of the form that the command line names: every document except a complete call.
fn is_plan_of_given_form(document: Node<'_>) -> bool {
    let is_of_call =
        |name: &str| matches!(name, "plan" | "format" | "hash_mode" | "$schema") || name.starts_with("x-");
    document.member("plan").is_none() || !document.members().all(|(name, _)| is_of_call(name))
}
