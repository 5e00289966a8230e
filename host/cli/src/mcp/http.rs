//! The tools over HTTP: `adjudicate serve --mcp`. Each message is a request of its own, so the server keeps no sessions.
//!
//! ```text
//! body -> message, and the text of its arguments -> rmcp: protocol version, method -> tool -> one message of JSON
//! ```

use std::{
    fmt,
    path::{self, Path, PathBuf},
    sync::Arc,
};

use adjudicate_core::{Error, Policy};
use adjudicate_host::TokenRole;
use adjudicate_serve::{
    Body, Bytes, CallPermit, McpHandler, McpReply,
    http::{HeaderValue, Request, Response, StatusCode, header},
};
use clap::Args;
use rmcp::{
    ErrorData,
    model::ServerJsonRpcMessage,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};
use tokio::{sync::watch, task};

use super::{
    message::{self, Arguments, MAX_MESSAGE_BYTES, Refusal},
    server::Server,
    tools::{NAMES, ToolName},
};
use crate::{codes, environment::Environment};

/// The options of `serve` for coding agents.
#[derive(Debug, Args)]
pub(crate) struct McpOptions {
    /// Offer the tools of `adjudicate mcp` at `/mcp`, except `run` (MCP, streamable HTTP)
    #[arg(long)]
    mcp: bool,
    /// Also offer the tool `run`, which runs the validators of this folder
    ///
    /// Each client of the role `admin` can then start the commands of the `adjudicate.yaml` of this folder. Other clients do not
    /// have the tool.
    #[arg(long, value_name = "DIR", requires = "mcp")]
    mcp_directory: Option<PathBuf>,
}

impl McpOptions {
    pub(crate) const fn offers_run(&self) -> bool {
        self.mcp_directory.is_some()
    }

    /// Returns the handler of messages, if the options ask for it.
    pub(crate) fn handler(
        &self,
        policy: Option<&Arc<Policy>>,
        env: &Environment,
    ) -> Result<Option<Arc<dyn McpHandler>>, Error> {
        if !self.mcp {
            return Ok(None);
        }
        let folder = self.mcp_directory.as_deref().map(|folder| existing(folder, env)).transpose()?;
        let env = Environment { folder: folder.unwrap_or_default(), ..env.clone() };
        Ok(Some(Arc::new(HttpServer::new(self.offers_run(), policy, &env)?)))
    }
}

/// Returns the absolute path of a folder.
fn existing(folder: &Path, env: &Environment) -> Result<PathBuf, Error> {
    let path = path::absolute(env.path(folder)).ok().filter(|path| path.is_dir());
    path.ok_or_else(|| {
        let message = format!("`--mcp-directory` needs a folder, found `{}`", folder.display());
        Error::new(codes::UNREADABLE_INPUT, message)
    })
}

type Service = StreamableHttpService<Arc<Server>, NeverSessionManager>;

/// The server of all clients.
struct HttpServer {
    /// The tools for clients of the role `evaluate`.
    evaluate: Service,
    /// The tools for clients of the role `admin`.
    admin: Service,
    stop: watch::Sender<bool>,
}

impl HttpServer {
    fn new(has_run: bool, policy: Option<&Arc<Policy>>, env: &Environment) -> Result<Self, Error> {
        let (stop, end) = watch::channel(false);
        let without_run: Vec<_> = NAMES.iter().copied().filter(|name| *name != ToolName::Run).collect();
        let server = |names: &[ToolName]| Server::new(names, policy.cloned(), end.clone(), env);
        let admin = server(if has_run { NAMES } else { &without_run })?;
        Ok(Self {
            evaluate: service(server(&without_run)?.forbidding(has_run.then_some(ToolName::Run))),
            admin: service(admin),
            stop,
        })
    }
}

fn service(server: Server) -> Service {
    let server = Arc::new(server);
    // `adjudicate-serve` has checked the host, the origin and the length of the body.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(MAX_MESSAGE_BYTES);
    StreamableHttpService::new(move || Ok(Arc::clone(&server)), Arc::default(), config)
}

impl fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpServer").finish_non_exhaustive()
    }
}

impl McpHandler for HttpServer {
    fn answer(&self, request: Request<Bytes>, role: TokenRole, permit: CallPermit) -> McpReply<'_> {
        let service = if role.covers(TokenRole::Admin) { &self.admin } else { &self.evaluate };
        Box::pin(async move {
            let (mut head, body) = request.into_parts();
            let held = permit.clone();
            let read = task::spawn_blocking(move || {
                let _held = held;
                message::split(&body)
            });
            match read.await {
                Ok(Ok(message)) => {
                    let arguments = Arguments { text: message.arguments, permit: Some(Arc::new(permit)) };
                    head.extensions.insert(arguments);
                    let request = Request::from_parts(head, Body::from(message.rest));
                    service.handle(request).await.map(Body::new)
                }
                Ok(Err(refusal)) => refused(StatusCode::BAD_REQUEST, refusal),
                Err(error) => {
                    let error = ErrorData::internal_error(error.to_string(), None);
                    refused(StatusCode::INTERNAL_SERVER_ERROR, Refusal { error, id: None })
                }
            }
        })
    }

    fn stop(&self) {
        self.stop.send_replace(true);
    }
}

/// Returns the reply to a body that is no message.
fn refused(status: StatusCode, refusal: Refusal) -> Response<Body> {
    let message = ServerJsonRpcMessage::error(refusal.error, refusal.id);
    let mut reply = Response::new(Body::from(serde_json::to_vec(&message).unwrap_or_default()));
    *reply.status_mut() = status;
    reply.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    reply
}
