//! The transport: messages as lines on standard input and output.

use std::{
    io::{self, Write},
    sync::Arc,
    thread,
};

use adjudicate_core::json::MAX_DOCUMENT_BYTES;
use rmcp::{
    ErrorData, RoleServer,
    model::{ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId, ServerJsonRpcMessage},
    transport::Transport,
};
use tokio::{
    select,
    sync::{mpsc, watch},
    task,
};

use super::message::{self, Refusal};
use crate::{
    environment::Environment,
    lines::{InputLine, Lines},
    output,
};

/// The longest line: the largest document of the engine, and a message around it.
const MAX_LINE_BYTES: usize = MAX_DOCUMENT_BYTES + (64 << 10);

/// Lines of standard input, and of standard output.
pub(super) struct StdioTransport {
    lines: mpsc::Receiver<io::Result<InputLine>>,
    env: Environment,
    /// Becomes true at the end of the input, and at a signal.
    stop: watch::Sender<bool>,
    /// The requests without a response.
    pending: Arc<watch::Sender<Vec<RequestId>>>,
}

impl StdioTransport {
    /// Begins to read.
    pub(super) fn new(stop: watch::Sender<bool>, env: &Environment) -> io::Result<Self> {
        let (sender, lines) = mpsc::channel(1);
        let input = env.input.clone();
        // The thread ends with the process, because nothing ends its wait for a line.
        thread::Builder::new().spawn(move || {
            let mut lines = Lines::new(input, MAX_LINE_BYTES);
            while sender.blocking_send(lines.next()).is_ok() {}
        })?;
        Ok(Self { lines, env: env.clone(), stop, pending: Arc::default() })
    }

    /// Returns the next line; `None` at the end.
    async fn next_line(&mut self) -> Option<InputLine> {
        let mut stop = self.stop.subscribe();
        let line = select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return None,
            line = self.lines.recv() => line?,
        };
        match line {
            Ok(InputLine::End) => None,
            Ok(line) => Some(line),
            Err(error) => {
                output::error_line(&self.env, &format!("standard input cannot be read: {error}"));
                None
            }
        }
    }

    /// Keeps account of the requests without a response.
    fn note(&self, message: &ClientJsonRpcMessage) {
        match message {
            JsonRpcMessage::Request(request) => {
                self.pending.send_modify(|pending| pending.push(request.id.clone()));
            }
            // A cancelled request gets no response.
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.pending.send_modify(|pending| pending.retain(|other| other != id));
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    /// Replies to a line that is no message. Clients drop replies without an id, so the reply is on standard error, too.
    fn refuse(&self, refusal: Refusal) {
        output::error_line(&self.env, &refusal.error.message);
        let reply = ServerJsonRpcMessage::error(refusal.error, refusal.id);
        if let Err(error) = write(&self.env, &reply) {
            output::error_line(&self.env, &format!("standard output cannot be written: {error}"));
        }
    }
}

impl Transport<RoleServer> for StdioTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (env, pending) = (self.env.clone(), Arc::clone(&self.pending));
        async move {
            let id = match &message {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
            };
            let written = task::spawn_blocking(move || write(&env, &message)).await;
            if let Some(id) = id {
                pending.send_modify(|pending| pending.retain(|other| *other != id));
            }
            written?
        }
    }

    /// Returns the next message. At the end of the input, the calls in progress are answered first.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        while let Some(line) = self.next_line().await {
            let message = match line {
                InputLine::Whole(line) if line.trim_ascii().is_empty() => continue,
                InputLine::Whole(line) => message::read(&line),
                InputLine::TooLong | InputLine::End => {
                    let text = format!("the line is over the limit of {MAX_LINE_BYTES} bytes");
                    Err(Refusal { error: ErrorData::invalid_request(text, None), id: None })
                }
            };
            match message {
                Ok(message) => {
                    self.note(&message);
                    return Some(message);
                }
                Err(refusal) => self.refuse(refusal),
            }
        }
        self.stop.send_replace(true);
        let _ = self.pending.subscribe().wait_for(Vec::is_empty).await;
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a message as one line.
fn write(env: &Environment, message: &ServerJsonRpcMessage) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut out = env.output.clone();
    out.write_all(&line)?;
    out.flush()
}
