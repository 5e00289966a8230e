//! A call of an operation: its evaluator, the parts that are joined with each document, and the rendering of its answer.

use adjudicate_core::{
    Error, Operation, Policy,
    deliberate::{Deliberation, Gate, StopReason},
    document,
    documents::BundleStatus,
    evaluate::Status,
    guardrail::{Actions, GuardrailAction},
    json::{self, Node, ReadLimits},
};

use crate::{
    codes,
    composition::Composition,
    drawing::{self, Drawing},
    environment::Environment,
    evaluator::{Evaluator, Sandbox},
    exit::Exit,
    failure::Failure,
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
    /// True to end with the exit status of the answer.
    is_by_status: bool,
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
            is_by_status: false,
        })
    }

    /// Composes every answer with the answers of the other modules and policies.
    pub(crate) fn composed(self, composition: Composition) -> Self {
        Self { composition, ..self }
    }

    /// Ends with the exit status of the answer, if that is requested.
    pub(crate) fn by_status(self, is_by_status: bool) -> Self {
        Self { is_by_status, ..self }
    }

    pub(crate) fn run(&self, requests: &Requests, env: &Environment) -> Result<Exit, Failure> {
        if requests.ndjson && self.evaluator.is_native() {
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
        if self.is_by_status { exit(self.operation, answer) } else { Ok(Exit::Answered) }
    }

    fn page(&self, answered: &Answered) -> Result<Page, Error> {
        (self.show)(answered)
    }

    fn picture(&self, write: fn(&Drawing) -> String, answered: &Answered) -> Result<String, Error> {
        drawing::with_plan(&answered.input, &answered.json, |plan, payload| {
            write(&Drawing::new(plan, payload))
        })
    }
}

/// Returns the status in an answer of an operation that has one, for the exit status.
pub(crate) fn exit(operation: Operation, answer: &str) -> Result<Exit, Error> {
    let tape = json::read(answer.as_bytes(), ReadLimits::ANSWER)?;
    let path = operation.status().unwrap_or_default();
    let part = path.split('/').skip(1).try_fold(tape.root(), Node::member);
    let status = match (operation, part) {
        (Operation::ApplyGuardrails, _) => document::read::<Actions<'_>>(tape.root()).ok().map(most_severe),
        (Operation::Deliberate, _) => document::read::<Deliberation<'_>>(tape.root()).ok().map(gate),
        (Operation::Evaluate, Some(part)) => document::read(part).ok(),
        (Operation::VerifyReplay, Some(part)) => document::read(part).ok().map(linked),
        (_, part) => part.and_then(|part| document::read(part).ok()).map(bundle),
    };
    status.map(Exit::Decided).ok_or_else(|| {
        Error::new(codes::MODULE_INVALID_DECISION, "the module's answer has no status").at(path)
    })
}

/// Returns the status of the decision that corresponds to a bundle's status.
const fn bundle(status: BundleStatus) -> Status {
    match status {
        BundleStatus::Accepted => Status::Success,
        BundleStatus::AcceptedWithFindings => Status::Partial,
        BundleStatus::Rejected => Status::Blocked,
    }
}

/// Returns the status of the decision that corresponds to a replay's report.
const fn linked(is_linked: bool) -> Status {
    if is_linked { Status::Success } else { Status::Blocked }
}

/// Returns the status of the decision that corresponds to a gate.
fn gate(answer: Deliberation<'_>) -> Status {
    let stop = answer.stop_report.map(|report| report.stop_reason);
    match answer.gate {
        Gate::Continue | Gate::Commit => Status::Success,
        Gate::Switch => Status::Partial,
        Gate::Escalate => Status::NeedsHuman,
        Gate::Stop if stop == Some(StopReason::HumanRequired) => Status::NeedsHuman,
        Gate::Stop => Status::Blocked,
    }
}

/// Returns the status of the decision that corresponds to the most severe action.
fn most_severe(answer: Actions<'_>) -> Status {
    let status = |action: &GuardrailAction<'_>| match action.action.name() {
        "emit" => Status::Success,
        "retry" => Status::Partial,
        "hitl" => Status::NeedsHuman,
        // The run stops: `pause`, `replan` and `fail`.
        _ => Status::Blocked,
    };
    answer.actions.iter().map(status).max().unwrap_or(Status::Success)
}
