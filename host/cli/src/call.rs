//! A call of an operation: its evaluator, the parts that are joined with each document, and the rendering of its answer.

use adjudicate_core::{
    Error, Operation, Policy,
    deliberate::{Gate, StopReason},
    evaluate::Status,
    json::{self, Kind, Limits, Node},
};

use crate::{
    codes,
    composition::Composition,
    drawing,
    evaluator::{Evaluator, Sandbox},
    exit::Exit,
    failure::Failure,
    output::Format,
    parts::Parts,
    requests::{self, Answered, Answers, Requests},
    table::{self, Page},
};

/// An operation, its evaluator, and the parts that are joined with each document.
pub(crate) struct Call {
    operation: Operation,
    evaluator: Evaluator,
    parts: Parts,
    composition: Composition,
    by_status: bool,
}

impl Call {
    pub(crate) fn new(operation: Operation, sandbox: &Sandbox, parts: Parts) -> Result<Self, Failure> {
        let evaluator = Evaluator::new(sandbox)?;
        Ok(Self { operation, evaluator, parts, composition: Composition::default(), by_status: false })
    }

    /// Composes every answer with the answers of other members.
    pub(crate) fn composed(self, composition: Composition) -> Self {
        Self { composition, ..self }
    }

    /// Ends with the exit status of the answer.
    pub(crate) fn by_status(self, by_status: bool) -> Self {
        Self { by_status, ..self }
    }

    pub(crate) fn run(&self, requests: &Requests) -> Result<Exit, Failure> {
        if requests.ndjson
            && let Evaluator::Native = self.evaluator
        {
            // A wrong part is one error, not one a line. With a module, the module judges the part.
            match self.parts.text("policy") {
                Some(policy) => Policy::parse(policy).map(drop).map_err(|error| error.within("policy"))?,
                None => self.parts.check(|input| self.operation.call(input))?,
            }
        }
        let exit = requests::run(requests, self);
        let closed = self.evaluator.close();
        exit.and_then(|exit| closed.map(|()| exit))
    }
}

impl Answers for Call {
    fn answer(&self, document: Vec<u8>) -> Result<Answered, Failure> {
        let joined = self.parts.join(document)?;
        let answer = self.evaluator.answer(self.operation, &joined.input);
        let answer = answer.map_err(|failure| self.parts.lead_back(failure, joined.is_alone))?;
        let json = self.composition.compose(&joined.input, answer)?;
        Ok(Answered { input: joined.input, json })
    }

    fn name(&self) -> Option<&'static str> {
        self.parts.name()
    }

    fn exit(&self, answer: &str) -> Result<Exit, Error> {
        exit(self.operation, self.by_status, answer)
    }

    fn page(&self, answered: &Answered) -> Result<Page, Error> {
        let answer = &answered.json;
        match self.operation {
            Operation::Refine => table::revision(answer),
            Operation::Explain => table::explanation(answer),
            Operation::CheckPolicy => table::static_findings(answer),
            Operation::ValidatePlan => table::plan(&answered.input, answer),
            Operation::MergeDiagnostics | Operation::ObserveOutput => table::bundle(answer),
            Operation::ApplyGuardrails => table::guardrails(answer),
            Operation::NormalizePlan => table::normalized(answer),
            Operation::VerifyReplay => table::replay(answer),
            Operation::Deliberate => table::deliberation(answer),
            _ => table::evaluation(answer),
        }
    }

    fn picture(&self, format: Format, answered: &Answered) -> Result<String, Error> {
        let (input, answer) = (json::read(&answered.input, Limits::ANSWER)?, answered.json.as_bytes());
        let answer = json::read(answer, Limits::ANSWER)?;
        let drawing = drawing::Drawing::of(input.root(), answer.root());
        Ok(if format == Format::Dot { drawing::dot(&drawing) } else { drawing::mermaid(&drawing) })
    }
}

/// Returns the exit status after an answer of an operation; with `by_status`, the one of the answer.
pub(crate) fn exit(operation: Operation, by_status: bool, answer: &str) -> Result<Exit, Error> {
    if !by_status {
        return Ok(Exit::Answered);
    }
    let tape = json::read(answer.as_bytes(), Limits::ANSWER)?;
    let root = tape.root();
    let (status, path) = match operation {
        Operation::Evaluate => (root.member("decision").and_then(decided), "/decision/status"),
        Operation::ApplyGuardrails => (gravest(root), "/actions"),
        Operation::ValidatePlan => (root.member("payload").and_then(status), "/payload/status"),
        Operation::VerifyReplay => (linked(root), "/linked"),
        Operation::Deliberate => (gate(root), "/gate"),
        _ => (status(root), "/status"),
    };
    status.map(Exit::Decided).ok_or_else(|| {
        Error::new(codes::MODULE_INVALID_DECISION, "the module's answer has no status").at(path)
    })
}

/// The status of a decision.
fn decided(decision: Node<'_>) -> Option<Status> {
    decision.member("status")?.decode().ok()
}

/// Returns the status of the decision that corresponds to a bundle's status.
fn status(bundle: Node<'_>) -> Option<Status> {
    match bundle.member("status")?.as_str()? {
        "accepted" => Some(Status::Success),
        "accepted_with_findings" => Some(Status::Partial),
        "rejected" => Some(Status::Blocked),
        _ => None,
    }
}

/// Returns the status of the decision that corresponds to a replay's report.
fn linked(report: Node<'_>) -> Option<Status> {
    match report.member("linked")?.kind() {
        Kind::Bool(true) => Some(Status::Success),
        Kind::Bool(false) => Some(Status::Blocked),
        _ => None,
    }
}

/// Returns the status of the decision that corresponds to a gate.
fn gate(deliberation: Node<'_>) -> Option<Status> {
    let stop_reason =
        || StopReason::from_text(deliberation.member("stop_report")?.member("stop_reason")?.as_str()?);
    Some(match Gate::from_text(deliberation.member("gate")?.as_str()?)? {
        Gate::Continue | Gate::Commit => Status::Success,
        Gate::Switch => Status::Partial,
        Gate::Escalate => Status::NeedsHuman,
        Gate::Stop if stop_reason() == Some(StopReason::HumanRequired) => Status::NeedsHuman,
        Gate::Stop => Status::Blocked,
    })
}

/// Returns the status of the decision that corresponds to the most severe action.
fn gravest(answer: Node<'_>) -> Option<Status> {
    let mut gravest = Exit::Decided(Status::Success);
    for action in answer.member("actions")?.items() {
        let status = match action.member("action")?.member("type")?.as_str()? {
            "emit" => Status::Success,
            "retry" => Status::Partial,
            "hitl" => Status::NeedsHuman,
            // The run stops: `pause`, `replan`, `fail`, and unknown actions of a module.
            _ => Status::Blocked,
        };
        gravest = gravest.or_graver(Exit::Decided(status));
    }
    match gravest {
        Exit::Decided(status) => Some(status),
        _ => None,
    }
}
