//! A call of an operation: its evaluator, the parts that are joined with each document, and the rendering of its answer.

use adjudicate_core::{
    Error, Operation, Policy,
    deliberate::{Gate, StopReason},
    document,
    evaluate::Status,
    json::{self, Kind, Limits, Node},
};

use crate::{
    codes,
    composition::Composition,
    drawing::Drawing,
    environment::Environment,
    evaluator::{Evaluator, Sandbox},
    exit::Exit,
    failure::Failure,
    fields::value,
    parts::Parts,
    requests::{self, Answered, RequestHandler, Requests},
    table::Page,
};

/// Renders an answer as a table.
pub(crate) type RenderTable = fn(&Answered) -> Result<Page, Error>;

/// An operation, its evaluator, and the parts that are joined with each document.
pub(crate) struct Call {
    operation: Operation,
    show: RenderTable,
    evaluator: Evaluator,
    parts: Parts,
    composition: Composition,
    status_reader: Option<&'static StatusReader>,
}

impl Call {
    pub(crate) fn new(
        operation: Operation,
        show: RenderTable,
        sandbox: &Sandbox,
        parts: Parts,
        env: &Environment,
    ) -> Result<Self, Failure> {
        let evaluator = Evaluator::new(sandbox, env)?;
        Ok(Self {
            operation,
            show,
            evaluator,
            parts,
            composition: Composition::default(),
            status_reader: None,
        })
    }

    /// Composes every answer with the answers of the other modules and policies.
    pub(crate) fn composed(self, composition: Composition) -> Self {
        Self { composition, ..self }
    }

    /// Ends with the exit status of the answer, if there is a reader.
    pub(crate) fn by_status(self, status_reader: Option<&'static StatusReader>) -> Self {
        Self { status_reader, ..self }
    }

    pub(crate) fn run(&self, requests: &Requests, env: &Environment) -> Result<Exit, Failure> {
        if requests.ndjson
            && let Evaluator::Native = self.evaluator
        {
            // A wrong part is one error, not one a line. With a module, the module judges the part.
            match self.parts.text("policy") {
                Some(policy) => Policy::parse(policy).map(drop).map_err(|error| error.within("policy"))?,
                None => self.parts.check(|input| self.operation.call(input))?,
            }
        }
        let exit = requests::run(requests, self, env);
        let closed = self.evaluator.close();
        exit.and_then(|exit| closed.map(|()| exit))
    }
}

impl RequestHandler for Call {
    fn answer(&self, document: Vec<u8>) -> Result<Answered, Failure> {
        let joined = self.parts.join(document)?;
        let answer = self.evaluator.answer(self.operation, &joined.input);
        let answer = answer.map_err(|failure| self.parts.relative_to_file(failure, joined.is_bare))?;
        let json = self.composition.compose(&joined.input, answer)?;
        Ok(Answered { input: joined.input, json })
    }

    fn name(&self) -> Option<&'static str> {
        self.parts.name()
    }

    fn exit(&self, answer: &str) -> Result<Exit, Error> {
        exit(self.status_reader, answer)
    }

    fn page(&self, answered: &Answered) -> Result<Page, Error> {
        (self.show)(answered)
    }

    fn picture(&self, write: fn(&Drawing) -> String, answered: &Answered) -> Result<String, Error> {
        let (input, answer) = (json::read(&answered.input, Limits::ANSWER)?, answered.json.as_bytes());
        let answer = json::read(answer, Limits::ANSWER)?;
        Ok(write(&Drawing::new(input.root(), answer.root())))
    }
}

/// A reader of the status in an answer, for the exit status.
pub(crate) struct StatusReader {
    path: &'static str,
    read: fn(Node<'_>) -> Option<Status>,
}

/// Reads an evaluation.
pub(crate) static DECISION: StatusReader =
    StatusReader { path: "/decision/status", read: |answer| decided(answer.member("decision")?) };

/// Reads an answer of `apply_guardrails`.
pub(crate) static ACTIONS: StatusReader = StatusReader { path: "/actions", read: most_severe };

/// Reads an answer of `validate_plan`.
pub(crate) static PAYLOAD: StatusReader =
    StatusReader { path: "/payload/status", read: |answer| status(answer.member("payload")?) };

/// Reads a bundle of diagnostics.
pub(crate) static BUNDLE: StatusReader = StatusReader { path: "/status", read: status };

/// Reads an answer of `verify_replay`.
pub(crate) static LINK: StatusReader = StatusReader { path: "/linked", read: linked };

/// Reads an answer of `deliberate`.
pub(crate) static GATE: StatusReader = StatusReader { path: "/gate", read: gate };

/// Returns the exit status after an answer: the one of its status, if there is a reader.
pub(crate) fn exit(status_reader: Option<&'static StatusReader>, answer: &str) -> Result<Exit, Error> {
    let Some(StatusReader { path, read }) = status_reader else { return Ok(Exit::Answered) };
    let tape = json::read(answer.as_bytes(), Limits::ANSWER)?;
    read(tape.root()).map(Exit::Decided).ok_or_else(|| {
        Error::new(codes::MODULE_INVALID_DECISION, "the module's answer has no status").at(*path)
    })
}

/// Returns the status of a decision.
fn decided(decision: Node<'_>) -> Option<Status> {
    document::read(decision.member("status")?).ok()
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
    let stop_reason = || value(deliberation.member("stop_report")?, "stop_reason");
    Some(match value(deliberation, "gate")? {
        Gate::Continue | Gate::Commit => Status::Success,
        Gate::Switch => Status::Partial,
        Gate::Escalate => Status::NeedsHuman,
        Gate::Stop if stop_reason() == Some(StopReason::HumanRequired) => Status::NeedsHuman,
        Gate::Stop => Status::Blocked,
    })
}

/// Returns the status of the decision that corresponds to the most severe action.
fn most_severe(answer: Node<'_>) -> Option<Status> {
    let mut most_severe = Exit::Decided(Status::Success);
    for action in answer.member("actions")?.items() {
        let status = match action.member("action")?.member("type")?.as_str()? {
            "emit" => Status::Success,
            "retry" => Status::Partial,
            "hitl" => Status::NeedsHuman,
            // The run stops: `pause`, `replan`, `fail`, and unknown actions of a module.
            _ => Status::Blocked,
        };
        most_severe = most_severe.or_more_severe(Exit::Decided(status));
    }
    match most_severe {
        Exit::Decided(status) => Some(status),
        _ => None,
    }
}
