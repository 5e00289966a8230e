//! The server: its tools, and their calls.

use std::{
    num::NonZero,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use adjudicate_collect::CollectOptions;
use adjudicate_core::{
    Error, Operation, Policy, document,
    json::{self, OwnedValue, ReadLimits},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use tokio::{
    select,
    sync::{Semaphore, watch},
    task,
};

use super::{
    message::{Arguments, Permit},
    tools::{RunCall, ToolName},
};
use crate::{
    codes,
    collect::{Repository, WAIT, decide, folder},
    environment::Environment,
    failure::Failure,
};

/// The advice for a model that may call `run`.
const INSTRUCTIONS: &str = "Judges the work of an agent. After a change, call `run`, and do what `decision.next_step` and \
    `decision.fix_instructions` say. A status such as `blocked` is an answer, not an error.";

/// The tools and their calls, for one client, or over HTTP for all.
pub(super) struct Server {
    tools: Vec<(ToolName, Tool)>,
    /// A tool that this client may not call.
    forbidden: Option<ToolName>,
    policy: Option<Arc<Policy>>,
    /// Lets as many calls of the engine compute as there are processors, if the transport gives no permits.
    permits: Arc<Semaphore>,
    /// True at the end.
    stop: watch::Receiver<bool>,
    env: Environment,
}

impl Server {
    /// Creates the server with these tools.
    pub(super) fn new(
        names: &[ToolName],
        policy: Option<Arc<Policy>>,
        stop: watch::Receiver<bool>,
        env: &Environment,
    ) -> Result<Self, Error> {
        let tools = names.iter().map(|name| Ok((*name, name.describe()?))).collect::<Result<_, Error>>()?;
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        // Texts of documents for excerpts would pile up.
        let env = Environment { shows_error_text: false, ..env.clone() };
        Ok(Self { tools, forbidden: None, policy, permits: Arc::new(Semaphore::new(processors)), stop, env })
    }

    /// Answers calls of `tool` with the error `forbidden`.
    #[cfg(feature = "serve")]
    pub(super) fn forbidding(self, tool: Option<ToolName>) -> Self {
        Self { forbidden: tool, ..self }
    }

    fn names(&self) -> String {
        let names: Vec<_> = self.tools.iter().map(|(name, _)| name.text()).collect();
        names.join(", ")
    }

    /// Calls the engine.
    async fn call(&self, operation: Operation, arguments: Arguments) -> CallToolResult {
        let Arguments { text, permit } = arguments;
        let permit = match permit {
            Some(permit) => Ok(permit),
            None => Arc::clone(&self.permits).acquire_owned().await.map(|permit| Arc::new(permit) as Permit),
        };
        // `check_policy` checks any policy.
        let policy = self.policy.clone().filter(|_| operation != Operation::CheckPolicy);
        let call = task::spawn_blocking(move || {
            let _permit = permit;
            result(operation.call_with(text.as_bytes(), policy.as_deref()).map_err(Failure::from))
        });
        call.await.unwrap_or_else(panicked)
    }

    /// Runs the validators, until `cancelled` or the end.
    async fn run(&self, arguments: Arguments, cancelled: impl Future<Output = ()>) -> CallToolResult {
        let (interrupt, env) = (Arc::new(AtomicBool::new(false)), self.env.clone());
        let stop = Arc::clone(&interrupt);
        let mut run = task::spawn_blocking(move || {
            let Arguments { text, permit: _permit } = arguments;
            result(collect_and_decide(&text, &stop, &env))
        });
        let mut end = self.stop.clone();
        let first = select! {
            answer = &mut run => Some(answer),
            () = cancelled => None,
            _ = end.wait_for(|end| *end) => None,
        };
        let answer = match first {
            Some(answer) => answer,
            None => {
                interrupt.store(true, Ordering::Relaxed);
                run.await
            }
        };
        answer.unwrap_or_else(panicked)
    }
}

/// Runs the validators, and decides.
fn collect_and_decide(arguments: &str, stop: &AtomicBool, env: &Environment) -> Result<String, Failure> {
    let tape = json::read(arguments.as_bytes(), ReadLimits::DOCUMENT)?;
    let RunCall { base, new_run } = document::read(tape.root())?;
    let (stop, may_run_baseline) = (Some(stop), true);
    let options =
        CollectOptions { base, new_run, stop, may_run_baseline, wait: WAIT, ..CollectOptions::default() };
    Ok(decide(&Repository::open(&folder(env)?, env)?, &options, env)?.evaluation.to_json())
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let config = ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("adjudicate", env!("CARGO_PKG_VERSION")));
        match self.tools.iter().any(|(name, _)| *name == ToolName::Run) {
            true => config.with_instructions(INSTRUCTIONS),
            false => config,
        }
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.iter().map(|(_, tool)| tool.clone()).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(arguments) = Arguments::take(&mut context.extensions) else {
            return Err(ErrorData::internal_error("the call has lost its arguments", None));
        };
        let result = match self.tools.iter().find(|(_, tool)| tool.name == request.name) {
            Some((ToolName::Run, _)) => self.run(arguments, context.ct.cancelled()).await,
            Some((ToolName::Operation(operation), _)) => self.call(*operation, arguments).await,
            None if self.forbidden.is_some_and(|tool| tool.text() == request.name) => {
                let message = format!(
                    "the tool `{}` needs a token of the role `admin`; the tools of this client are {}",
                    request.name,
                    self.names()
                );
                result(Err(Error::new(codes::FORBIDDEN, message).into()))
            }
            None => {
                let message = format!("unknown tool `{}`; the tools are {}", request.name, self.names());
                return Err(ErrorData::invalid_params(message, None));
            }
        };
        Ok(result.into())
    }
}

/// Returns the result of a call: the answer or the error, as text and as structured content.
fn result(answer: Result<String, Failure>) -> CallToolResult {
    let is_error = answer.is_err();
    let text = answer.unwrap_or_else(|failure| failure.line().unwrap_or_default());
    let mut result = CallToolResult::success(vec![]);
    result.is_error = Some(is_error);
    result.structured_content = json::read(text.as_bytes(), ReadLimits::ANSWER)
        .ok()
        .and_then(|tape| serde_json::to_value(OwnedValue::from(tape.root())).ok());
    result.content = vec![ContentBlock::text(text)];
    result
}

/// Returns the result of a call that panicked.
fn panicked(error: task::JoinError) -> CallToolResult {
    let message = "the call failed; the reason is on standard error";
    result(Err(Error::caused_by(codes::HOST_FAULT, message, error).into()))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_panic_is_the_error_of_its_call() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let call = runtime.block_on(async { task::spawn_blocking(|| panic!("as a test does")).await });
        let result = call.unwrap_or_else(panicked);
        let code = result.structured_content.as_ref().and_then(|it| it.pointer("/error/code"));
        assert_eq!((result.is_error, code), (Some(true), Some(&Value::from("host_fault"))));
    }

    /// The reader of `serde_json` returns another float.
    #[test]
    fn numbers_are_the_nearest_floats() {
        let number = "0.84128423462134467";
        let nearest: f64 = number.parse().unwrap();
        assert_ne!(serde_json::from_str::<f64>(number).unwrap().to_bits(), nearest.to_bits());
        let result = result(Ok(format!(r#"{{"a":{number}}}"#)));
        let read = result.structured_content.unwrap()["a"].as_f64().unwrap();
        assert_eq!(read.to_bits(), nearest.to_bits());
    }
}
