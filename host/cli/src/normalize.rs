//! The verb `normalize-plan`: the answer, or of it the plan alone, in a form that somebody else reads.

use adjudicate_core::{
    Error, ErrorCode, Operation,
    ir::{PlanIr, source_text},
    json::{self, Limits, Node},
};
use clap::ValueEnum;

use crate::{
    args::{NormalizePlan, Shown},
    call::Call,
    exit::Exit,
    failure::Failure,
    operation::is_list,
    parts::{Alone, Parts},
    requests::{self, Answered, Answers},
    table::{self, Page},
};

pub(crate) fn run(args: &NormalizePlan) -> Result<Exit, Failure> {
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
        Error::new(ErrorCode::ModuleInvalidDecision, "the module's answer has no plan").at("/plan")
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
