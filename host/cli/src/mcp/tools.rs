//! The tools: their names, descriptions and schemas.

use adjudicate_core::{
    Error, Operation,
    document::Document,
    schemas::{DocumentRow, row},
};
use rmcp::model::{Tool, ToolAnnotations};

use super::schemas;

/// The tools, in the order in which they are listed.
pub(super) const NAMES: &[ToolName] = &[
    ToolName::Run,
    ToolName::Operation(Operation::Evaluate),
    ToolName::Operation(Operation::Explain),
    ToolName::Operation(Operation::CheckPolicy),
    ToolName::Operation(Operation::ValidatePlan),
    ToolName::Operation(Operation::Deliberate),
];

/// The name of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolName {
    /// Runs the validators of the repository, and decides.
    Run,
    /// Calls the engine.
    Operation(Operation),
}

/// The arguments of `run`.
#[derive(Document)]
#[document(expecting = "an object with `base` and `new_run`")]
pub(super) struct RunCall<'a> {
    /// The git revision to compare with. Without it, the diff begins at HEAD of the first collection of the run.
    pub(super) base: Option<&'a str>,
    /// True to begin a new run, and to forget earlier decisions.
    #[serde(default)]
    pub(super) new_run: bool,
}

const RUN_CALL: DocumentRow = row::<RunCall<'_>>("run-call", "The arguments of `run`.");

impl ToolName {
    /// Returns the tool of this name.
    pub(super) fn parse(name: &str) -> Option<Self> {
        NAMES.iter().copied().find(|known| known.text() == name)
    }

    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Operation(operation) => operation.name(),
        }
    }

    /// Returns the tool for the list of tools.
    pub(super) fn describe(self) -> Result<Tool, Error> {
        let (about, input, output, annotations) = match self {
            Self::Run => (
                "Run the validators of this repository, and decide on the change. The answer has the status of the \
                 change, the next step, and what to fix first."
                    .to_owned(),
                &RUN_CALL,
                schemas::document(Operation::Evaluate.output())?,
                // The commands of validators may do anything.
                ToolAnnotations::new().read_only(false),
            ),
            Self::Operation(operation) => {
                let answer = schemas::document(operation.output())?;
                (
                    format!("{}. {}", operation.summary(), answer.about),
                    schemas::document(operation.input())?,
                    answer,
                    ToolAnnotations::new().read_only(true).idempotent(true).open_world(false),
                )
            }
        };
        let tool = Tool::new(self.text(), about, schemas::arguments(input)?);
        Ok(tool.with_raw_output_schema(schemas::answer(output)?.into()).with_annotations(annotations))
    }
}
