//! A client of the hosts over NATS.

use std::time::Duration;

use async_nats::{Client, HeaderMap, Message, Request, client::RequestErrorKind};
use futures_util::future::join_all;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

/// Long enough for a machine that is busy with other things, and no test waits so long that passes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection of its own.
pub(crate) struct NatsClient {
    pub(crate) runtime: Runtime,
    pub(crate) client: Client,
}

/// The reply of a host.
#[derive(Clone, Debug)]
pub(crate) struct NatsReply {
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl NatsReply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.as_str())
    }

    pub(crate) fn is_answer(&self) -> bool {
        self.header("Nats-Service-Error").is_none()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The code in the header, and that of the error.
    pub(crate) fn error(&self) -> (u16, String) {
        let code = self.header("Nats-Service-Error-Code").unwrap_or_else(|| panic!("no error: {self:?}"));
        (code.parse().unwrap(), self.json()["error"]["code"].as_str().unwrap().to_owned())
    }
}

impl From<Message> for NatsReply {
    fn from(message: Message) -> Self {
        let body = String::from_utf8(message.payload.to_vec()).unwrap();
        Self { headers: message.headers.unwrap_or_default(), body }
    }
}

impl NatsClient {
    pub(crate) fn to(url: &str) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let client = runtime.block_on(async_nats::connect(url)).unwrap();
        Self { runtime, client }
    }

    /// Sends one request. There must be a responder, and an answer or an error.
    pub(crate) fn ask(&self, subject: &str, body: impl AsRef<[u8]>) -> NatsReply {
        self.try_ask(subject, body).unwrap_or_else(|error| panic!("{subject}: {error:?}"))
    }

    /// The same with headers.
    pub(crate) fn ask_with(&self, subject: &str, headers: HeaderMap, body: &str) -> NatsReply {
        let request = Request::new().payload(body.to_owned().into()).headers(headers).timeout(Some(PATIENCE));
        self.runtime.block_on(self.client.send_request(subject.to_owned(), request)).unwrap().into()
    }

    pub(crate) fn try_ask(
        &self,
        subject: &str,
        body: impl AsRef<[u8]>,
    ) -> Result<NatsReply, RequestErrorKind> {
        self.ask_within(subject, body, PATIENCE)
    }

    pub(crate) fn ask_within(
        &self,
        subject: &str,
        body: impl AsRef<[u8]>,
        patience: Duration,
    ) -> Result<NatsReply, RequestErrorKind> {
        let request = Request::new().payload(body.as_ref().to_vec().into()).timeout(Some(patience));
        let reply = self.runtime.block_on(self.client.send_request(subject.to_owned(), request));
        reply.map(NatsReply::from).map_err(|error| error.kind())
    }

    /// Sends the same request `many` times at once.
    pub(crate) fn ask_all(
        &self,
        subject: &str,
        body: &str,
        many: usize,
    ) -> Vec<Result<NatsReply, RequestErrorKind>> {
        let requests = (0..many).map(|_| {
            let request = Request::new().payload(body.to_owned().into()).timeout(Some(PATIENCE));
            self.client.send_request(subject.to_owned(), request)
        });
        let replies = self.runtime.block_on(join_all(requests));
        replies.into_iter().map(|reply| reply.map(NatsReply::from).map_err(|error| error.kind())).collect()
    }

    /// Publishes a message and waits for no answer.
    pub(crate) fn say(&self, subject: &str, body: impl AsRef<[u8]>) {
        let body = body.as_ref().to_vec().into();
        self.runtime.block_on(async {
            self.client.publish(subject.to_owned(), body).await.unwrap();
            self.client.flush().await.unwrap();
        });
    }

    /// Publishes a message with this reply subject.
    pub(crate) fn say_with_reply(&self, subject: &str, reply: &str, body: &str) {
        let (subject, reply, body) = (subject.to_owned(), reply.to_owned(), body.to_owned().into());
        self.runtime.block_on(async {
            self.client.publish_with_reply(subject, reply, body).await.unwrap();
            self.client.flush().await.unwrap();
        });
    }
}
