//! The command `mcp`: a server of the Model Context Protocol on standard input and output. `http` offers the same tools over HTTP.
//!
//! ```text
//! line -> message, with the text of its arguments -> tool: operation of the engine, or a run of the validators -> line
//! ```
//!
//! Standard output has messages only.

mod args;
#[cfg(feature = "serve")]
mod http;
mod message;
mod schemas;
mod server;
mod tools;
mod transport;

use std::{io, sync::Arc};

use adjudicate_core::Error;
use rmcp::{
    serve_server,
    service::{QuitReason, ServerInitializeError},
};
use tokio::{runtime::Builder, sync::watch};

pub(crate) use self::args::Mcp;
#[cfg(feature = "serve")]
pub(crate) use self::http::McpOptions;
use self::{server::Server, transport::StdioTransport};
use crate::{
    codes, environment::Environment, exit::Exit, failure::Failure, input::Source, options::usage_error,
    threads::STACK_BYTES,
};

pub(crate) fn run(args: &Mcp, env: &Environment) -> Result<Exit, Failure> {
    if args.policy == Some(Source::Stdin) {
        usage_error("standard input has the messages, so `--policy` needs the name of a file")?;
    }
    let policy = args.policy.as_ref().map(|source| source.policy(None, env)).transpose()?;
    let names = if args.tools.is_empty() { tools::NAMES } else { &args.tools };
    let (stop, end) = watch::channel(false);
    let server = Server::new(names, policy.map(Arc::new), end, env)?;
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(STACK_BYTES)
        .enable_all()
        .build()
        .map_err(|error| Error::caused_by(codes::HOST_FAULT, "no threads can be started", error))?;
    // The end of the runtime waits for the validators.
    runtime.block_on(serve(server, stop, env))?;
    Ok(Exit::Answered)
}

/// Serves until the end of the input, or a signal.
async fn serve(server: Server, stop: watch::Sender<bool>, env: &Environment) -> Result<(), Error> {
    let fault = |text: &str, error: io::Error| Error::caused_by(codes::HOST_FAULT, text, error);
    #[cfg(unix)]
    {
        let mut signals =
            crate::collect::Signals::listen().map_err(|error| fault("signals cannot be handled", error))?;
        let stop = stop.clone();
        tokio::spawn(async move {
            signals.next().await;
            stop.send_replace(true);
        });
    }
    let transport =
        StdioTransport::new(stop, env).map_err(|error| fault("no thread can be started", error))?;
    let service = match serve_server(server, transport).await {
        Ok(service) => service,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => {
            let message = "the first message of a session is the request `initialize`";
            return Err(Error::caused_by(codes::INVALID_VALUE, message, error));
        }
    };
    match service.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => {
            Err(Error::caused_by(codes::HOST_FAULT, "the session ended", error))
        }
        Ok(_) => Ok(()),
    }
}
