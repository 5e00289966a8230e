//! The verbs about plans and runs: operations whose calls may come in parts.

use adjudicate_core::{
    Error, ErrorCode, Operation,
    evaluate::Status,
    json::{self, Limits, Node},
};

use crate::{
    args::{ApplyGuardrails, Format, MergeDiagnostics, ObserveOutput, Requests, Sandbox, ValidatePlan},
    drawing,
    evaluator::Evaluator,
    exit::Exit,
    failure::Failure,
    parts::{Alone, Parts},
    requests::{self, Answered, Answers},
    table::{self, Page},
};

pub(crate) fn validate(args: &ValidatePlan) -> Result<Exit, Failure> {
    let parts = Parts::new("plan", Alone::WithoutMember)
        .with("task", args.task.as_ref())?
        .with("capabilities", args.capabilities.as_ref())?
        .with("facets", args.facets.as_ref())?;
    let harmless = r#"{"nodes":[],"edges":[]}"#;
    Call::new(Operation::ValidatePlan, &args.sandbox, parts, args.exit_status)?.run(&args.requests, harmless)
}

pub(crate) fn merge(args: &MergeDiagnostics) -> Result<Exit, Failure> {
    let parts = Parts::new("diagnostics", Alone::AsList);
    Call::new(Operation::MergeDiagnostics, &args.sandbox, parts, args.exit_status)?.run(&args.requests, "[]")
}

pub(crate) fn observe(args: &ObserveOutput) -> Result<Exit, Failure> {
    let parts = Parts::new("output", Alone::WithParts).with("outputContract", args.contract.as_ref())?;
    Call::new(Operation::ObserveOutput, &args.sandbox, parts, args.exit_status)?.run(&args.requests, "null")
}

pub(crate) fn guard(args: &ApplyGuardrails) -> Result<Exit, Failure> {
    let parts = Parts::new("event", Alone::WithoutMember)
        .with("policies", args.policies.as_ref())?
        .with("state", args.state.as_ref())?;
    let harmless = r#"{"kind":"manual"}"#;
    Call::new(Operation::ApplyGuardrails, &args.sandbox, parts, args.exit_status)?
        .run(&args.requests, harmless)
}

/// An operation, who answers it, and what goes with each of its documents.
struct Call {
    operation: Operation,
    evaluator: Evaluator,
    parts: Parts,
    by_status: bool,
}

impl Call {
    fn new(operation: Operation, sandbox: &Sandbox, parts: Parts, by_status: bool) -> Result<Self, Failure> {
        Ok(Self { operation, evaluator: Evaluator::new(sandbox)?, parts, by_status })
    }

    fn run(&self, requests: &Requests, harmless: &str) -> Result<Exit, Failure> {
        if requests.ndjson
            && let Evaluator::Native = self.evaluator
        {
            // A part that is wrong is one error, not one a line. What a module makes of it is the module's to say.
            self.parts.check(harmless, |input| self.operation.call(input))?;
        }
        requests::run(requests, self)
    }
}

impl Answers for Call {
    fn answer(&self, document: Vec<u8>) -> Result<Answered, Failure> {
        let joined = self.parts.join(document)?;
        let answer = self.evaluator.answer(self.operation, &joined.input);
        let json = answer.map_err(|failure| self.parts.lead_back(failure, joined.is_alone))?;
        Ok(Answered { input: joined.input, json })
    }

    fn exit(&self, answer: &str) -> Result<Exit, Error> {
        if !self.by_status {
            return Ok(Exit::Answered);
        }
        let tape = json::read(answer.as_bytes(), Limits::ANSWER)?;
        let root = tape.root();
        let (status, path) = match self.operation {
            Operation::ApplyGuardrails => (gravest(root), "/actions"),
            Operation::ValidatePlan => (root.member("payload").and_then(status), "/payload/status"),
            _ => (status(root), "/status"),
        };
        status.map(Exit::Decided).ok_or_else(|| {
            Error::new(ErrorCode::ModuleInvalidDecision, "the module's answer has no status").at(path)
        })
    }

    fn page(&self, answered: &Answered) -> Result<Page, Error> {
        match self.operation {
            Operation::ValidatePlan => table::plan(&answered.input, &answered.json),
            Operation::ApplyGuardrails => table::guardrails(&answered.json),
            _ => table::bundle(&answered.json),
        }
    }

    fn picture(&self, format: Format, answered: &Answered) -> Result<String, Error> {
        let (input, answer) = (json::read(&answered.input, Limits::ANSWER)?, answered.json.as_bytes());
        let answer = json::read(answer, Limits::ANSWER)?;
        let drawing = drawing::Drawing::of(input.root(), answer.root());
        Ok(if format == Format::Dot { drawing::dot(&drawing) } else { drawing::mermaid(&drawing) })
    }
}

/// What a bundle's status means for whoever waits for it.
fn status(bundle: Node<'_>) -> Option<Status> {
    match bundle.member("status")?.as_str()? {
        "accepted" => Some(Status::Success),
        "accepted_with_findings" => Some(Status::Partial),
        "rejected" => Some(Status::Blocked),
        _ => None,
    }
}

/// What the gravest of the actions means for whoever runs the plan.
fn gravest(answer: Node<'_>) -> Option<Status> {
    let mut gravest = Exit::Decided(Status::Success);
    for action in answer.member("actions")?.items() {
        let status = match action.member("action")?.member("type")?.as_str()? {
            "emit" => Status::Success,
            "retry" => Status::Partial,
            "hitl" => Status::NeedsHuman,
            // The run stops: `pause`, `replan`, `fail`, and whatever else a module may come up with.
            _ => Status::Blocked,
        };
        gravest = gravest.or_graver(Exit::Decided(status));
    }
    match gravest {
        Exit::Decided(status) => Some(status),
        _ => None,
    }
}
