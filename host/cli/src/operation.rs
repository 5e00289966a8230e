//! The verbs that are operations on an envelope or a policy.

use std::iter;

use adjudicate_core::{
    Error, ErrorCode, Operation, Policy,
    evaluate::Status,
    join_documents,
    json::{self, Kind, Limits},
};

use crate::{
    args::{CheckPolicy, Evaluate, Explain, Refine, Requests, Sandbox},
    composition::Composition,
    evaluator::Evaluator,
    exit::Exit,
    failure::Failure,
    input::Source,
    requests::{self, Answered, Answers},
    table::{self, Page},
};

pub(crate) fn evaluate(args: &Evaluate) -> Result<Exit, Failure> {
    let call = Call {
        composition: Composition::load(args)?,
        by_status: args.exit_status,
        ..Call::new(Operation::Evaluate, &args.sandbox)?
    };
    call.beside("policy", args.policy.as_ref())?.run(&args.requests)
}

pub(crate) fn refine(args: &Refine) -> Result<Exit, Failure> {
    let call = Call::new(Operation::Refine, &args.sandbox)?;
    let call = call.beside("policy", args.policy.as_ref())?;
    call.beside("evaluation", args.evaluation.as_ref())?.run(&args.requests)
}

pub(crate) fn explain(args: &Explain) -> Result<Exit, Failure> {
    let call = Call { trace: args.trace, ..Call::new(Operation::Explain, &args.sandbox)? };
    call.beside("policy", args.policy.as_ref())?.run(&args.requests)
}

pub(crate) fn check_policy(args: &CheckPolicy) -> Result<Exit, Failure> {
    Call::new(Operation::CheckPolicy, &args.sandbox)?.run(&args.requests)
}

/// An operation, who answers it, and what goes with each of its documents.
struct Call {
    operation: Operation,
    evaluator: Evaluator,
    /// The other documents of the call, by name; with any of them a request is the envelope alone.
    beside: Vec<(&'static str, Vec<u8>)>,
    composition: Composition,
    by_status: bool,
    /// Whether an explanation is to tell of every rule.
    trace: bool,
}

impl Call {
    fn new(operation: Operation, sandbox: &Sandbox) -> Result<Self, Failure> {
        Ok(Self {
            operation,
            evaluator: Evaluator::new(sandbox)?,
            beside: Vec::new(),
            composition: Composition::default(),
            by_status: false,
            trace: false,
        })
    }

    /// Reads a document that goes with every request.
    fn beside(mut self, name: &'static str, source: Option<&Source>) -> Result<Self, Failure> {
        if let Some(source) = source {
            self.beside.push((name, source.part(name, None)?));
        }
        Ok(self)
    }

    fn run(&self, requests: &Requests) -> Result<Exit, Failure> {
        if requests.ndjson
            && let Evaluator::Native = self.evaluator
            && let Some((_, policy)) = self.beside.iter().find(|(name, _)| *name == "policy")
        {
            // A policy that cannot be meant is one error, not one a line. What a module makes of it is the module's to
            // say.
            Policy::parse(policy).map_err(|error| error.within("policy"))?;
        }
        requests::run(requests, self)
    }

    /// The input of one call: the document itself, or it and what goes with it.
    fn input(&self, document: Vec<u8>) -> Result<Vec<u8>, Error> {
        let input = match self.operation {
            Operation::CheckPolicy if is_policy(&document) => {
                join_documents(&[("policy", &document)])?.into_bytes()
            }
            _ if self.beside.is_empty() => document,
            _ => {
                let beside = self.beside.iter().map(|(name, text)| (*name, text.as_slice()));
                let documents: Vec<_> = iter::once(("envelope", document.as_slice())).chain(beside).collect();
                join_documents(&documents)?.into_bytes()
            }
        };
        if self.trace { traced(input) } else { Ok(input) }
    }
}

/// The input of a call that asks for a trace.
fn traced(input: Vec<u8>) -> Result<Vec<u8>, Error> {
    let tape = Operation::Explain.read(&input)?;
    if tape.root().member("envelope").is_none() {
        return join_documents(&[("envelope", &input), ("trace", b"true")]).map(String::into_bytes);
    }
    // It is an object with a member, so one more fits in before its end.
    let members = tape.text().trim_ascii_end().strip_suffix('}').unwrap_or_default();
    Ok(format!("{members},\"trace\":true}}").into_bytes())
}

/// Whether a document is a policy, and not a call that has one: there `policy` is an object, here a name.
fn is_policy(document: &[u8]) -> bool {
    let tape = json::read(document, Limits::DOCUMENT);
    tape.is_ok_and(|tape| {
        let member = |name| tape.root().member(name);
        member("version").is_some() && member("policy").is_some_and(|name| name.kind() == Kind::String)
    })
}

impl Answers for Call {
    fn answer(&self, document: Vec<u8>) -> Result<Answered, Failure> {
        let input = self.input(document)?;
        let answer = self.evaluator.answer(self.operation, &input)?;
        let json = self.composition.compose(&self.evaluator, &input, answer)?;
        Ok(Answered { input, json })
    }

    fn exit(&self, answer: &str) -> Result<Exit, Error> {
        if !self.by_status {
            return Ok(Exit::Answered);
        }
        let tape = json::read(answer.as_bytes(), Limits::ANSWER)?;
        let status = tape.root().member("decision").and_then(|decision| decision.member("status"));
        let status = status.and_then(|status| status.decode::<Status>().ok());
        status.map(Exit::Decided).ok_or_else(|| {
            Error::new(ErrorCode::ModuleInvalidDecision, "the module's answer has no status")
                .at("/decision/status")
        })
    }

    fn page(&self, answered: &Answered) -> Result<Page, Error> {
        let answer = &answered.json;
        match self.operation {
            Operation::Refine => table::revision(answer),
            Operation::Explain => table::explanation(answer),
            Operation::CheckPolicy => table::static_findings(answer),
            _ => table::evaluation(answer),
        }
    }
}
