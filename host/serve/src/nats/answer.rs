//! The subjects of calls, and one message, from its subject to its reply.

use std::{sync::Arc, time::Instant};

use adjudicate_core::Operation;
use adjudicate_trust::counted;
use async_nats::{HeaderMap, HeaderValue, Message, Subject, client::PublishErrorKind};
use axum::{body::Bytes, http};
use tokio::time::timeout;

use super::NatsTransport;
use crate::{
    body::BufferedBody,
    calls::{self, Answer, CallTarget},
    codes,
    reply::{Refusal, RequestFields},
    request_record::RequestRecord,
    routes::{RouteAction, routes},
};

/// The size from which an answer counts against the memory until it is written.
const LARGE: usize = 16 << 10;

/// The number of characters of an error message in a header.
const HEADER: usize = 400;

/// The header for the error, by the services API.
const SERVICE_ERROR: &str = "Nats-Service-Error";
const SERVICE_ERROR_CODE: &str = "Nats-Service-Error-Code";

/// The reply to a message.
struct NatsReply {
    headers: HeaderMap,
    body: Bytes,
    status: u16,
    fields: RequestFields,
}

/// A message that has to be answered.
struct Received {
    transport: Arc<NatsTransport>,
    message: Message,
    /// The subject of the reply.
    reply: Subject,
    begun: Instant,
    request_record: RequestRecord,
}

/// Starts a task that answers a message. If too many messages are in progress, it is rejected at once, so that the client can try
/// another host.
pub(super) async fn answer(transport: &Arc<NatsTransport>, message: Message) {
    let observers = &transport.observers;
    let reply = message.reply.clone().filter(|reply| transport.subjects.is_reply(reply));
    let Some(reply) = reply else {
        observers.metrics.without_reply.inc();
        return;
    };
    let request_record = RequestRecord::of_message(observers, &traced(&message));
    let (transport, begun) = (Arc::clone(transport), Instant::now());
    let place = Arc::clone(&transport.permits).try_acquire_owned();
    let received = Received { transport, message, reply, begun, request_record };
    let Ok(place) = place else {
        let refusal = Refusal::new(codes::HOST_OVERLOADED, "too many calls are waiting; try again");
        return received.end(refusal.into()).await;
    };
    tokio::spawn(async move {
        let _place = place;
        let nats_reply = received.call().await.unwrap_or_else(NatsReply::from);
        received.end(nats_reply).await;
    });
}

/// Returns the headers with the trace context.
fn traced(message: &Message) -> http::HeaderMap {
    let mut headers = http::HeaderMap::new();
    let named = message.headers.iter().flat_map(|headers| headers.get_all("traceparent"));
    for value in named.filter_map(|value| http::HeaderValue::from_str(value.as_str()).ok()).take(2) {
        headers.append("traceparent", value);
    }
    headers
}

impl Received {
    async fn call(&self) -> Result<NatsReply, Refusal> {
        let NatsTransport { calls, subjects, .. } = &*self.transport;
        let payload = &self.message.payload;
        let Some(target) = subjects.read(&self.message.subject) else {
            return Err(Refusal::new(codes::NOT_FOUND, "unknown subject"));
        };
        if payload.len() > calls.limits.body {
            let message = format!("the call is over the limit of {}", counted(calls.limits.body, "byte"));
            return Err(Refusal::new(codes::LIMIT_EXCEEDED, message));
        }
        let mut share = calls.budget.share();
        share.fit(payload.len())?;
        let input = BufferedBody::new(payload.clone(), share);
        let Answer { text, headers: decision, fields } = calls::run(calls, target, input).await?;
        let mut headers = HeaderMap::new();
        for (name, value) in &decision {
            headers.insert(name.as_str(), value.to_str().unwrap_or_default());
        }
        Ok(NatsReply { headers, body: text.into(), status: 200, fields })
    }

    /// Sends a reply, or the error for which it cannot be sent, and records it.
    async fn end(self, mut nats_reply: NatsReply) {
        if let Err(refusal) = self.publish(&nats_reply).await {
            nats_reply = refusal.into();
            // The error is short, so it can be sent unless the connection is gone.
            let _ = self.publish(&nats_reply).await;
        }
        let Self { transport, message, begun, request_record, .. } = self;
        let NatsReply { status, fields, .. } = nats_reply;
        let index = transport.subjects.index(&message.subject);
        transport.discovery.count(index, begun.elapsed(), &fields, status);
        let target = transport.subjects.read(&message.subject);
        let fields = RequestFields {
            route: target.as_ref().and_then(route).unwrap_or(fields.route),
            slot: match target {
                Some(CallTarget::Slot(slot, _)) => Some(slot.as_ref().to_owned()),
                _ => None,
            },
            bytes: message.payload.len() as u64,
            ..fields
        };
        request_record.finish(status, fields);
    }

    /// Sends a reply. Returns the error for which an answer cannot be sent.
    async fn publish(&self, nats_reply: &NatsReply) -> Result<(), Refusal> {
        let NatsTransport { calls, client, .. } = &*self.transport;
        // A message arrived, so there is a connection.
        let Some(client) = client.get() else { return Ok(()) };
        let NatsReply { headers, body, status, .. } = nats_reply;
        let length = body.len();
        let mut share = calls.answer_budget.share();
        if length > LARGE && share.fit(length.min(calls.limits.bodies)).is_err() {
            let message = "no memory for the answer until other answers are written; try again";
            return Err(Refusal::new(codes::HOST_OVERLOADED, message));
        }
        match client.publish_with_headers(self.reply.clone(), headers.clone(), body.clone()).await {
            Err(error) if error.kind() == PublishErrorKind::MaxPayloadExceeded && *status == 200 => {
                let most = client.max_payload();
                let message = format!(
                    "the answer has {length} bytes; messages may have {most} bytes, headers included"
                );
                return Err(Refusal::new(codes::LIMIT_EXCEEDED, message));
            }
            // The connection is closed for good, or the reply subject is invalid: the error cannot be reported.
            Err(_) => {}
            // The connection holds the answer until it is written.
            Ok(()) if length > LARGE => {
                let _ = timeout(calls.limits.request, client.flush()).await;
            }
            Ok(()) => {}
        }
        Ok(())
    }
}

impl From<Refusal> for NatsReply {
    fn from(refusal: Refusal) -> Self {
        let status = refusal.status.as_u16();
        let mut headers = HeaderMap::new();
        headers.insert(SERVICE_ERROR, header(refusal.message()));
        headers.insert(SERVICE_ERROR_CODE, status.to_string());
        let fields = RequestFields { code: Some(refusal.code()), ..RequestFields::default() };
        Self { headers, body: refusal.line().into(), status, fields }
    }
}

/// Returns the beginning of a text as the value of a header, on one line.
fn header(text: &str) -> HeaderValue {
    let line = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(HEADER);
    HeaderValue::from(line.collect::<String>())
}

/// The subjects of a cluster: `NAME.v1.OPERATION` and `NAME.v1.slots.SLOT.OPERATION`.
#[derive(Debug)]
pub(super) struct Subjects {
    /// `NAME.`
    own: String,
    /// `NAME.v1.`
    prefix: String,
    all: Vec<String>,
}

impl Subjects {
    pub(super) fn new(cluster: &str) -> Self {
        let own = format!("{cluster}.");
        let prefix = format!("{own}v1.");
        let names = Operation::ALL.iter().map(|operation| operation.name());
        let all = names.chain(["slots.>"]).map(|rest| format!("{prefix}{rest}")).collect();
        Self { own, prefix, all }
    }

    /// Returns the subjects of all subscriptions.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(String::as_str)
    }

    /// Returns the index of the subscription in [`all`](Self::all) that a subject belongs to.
    pub(super) fn index(&self, subject: &str) -> usize {
        self.all.iter().position(|known| known == subject).unwrap_or(self.all.len().saturating_sub(1))
    }

    /// Returns true if answers may be sent to this subject. Otherwise a client could make this host write with the host's permissions:
    /// into the bucket of slots, or into the stream of records.
    pub(super) fn is_reply(&self, subject: &str) -> bool {
        !subject.starts_with('$') && !subject.starts_with(&self.own)
    }

    /// Returns the call; `None` for an unknown operation, or without the name of a slot.
    pub(super) fn read(&self, subject: &str) -> Option<CallTarget> {
        let rest = subject.strip_prefix(&self.prefix)?;
        match rest.strip_prefix("slots.") {
            None => Operation::from_name(rest).map(CallTarget::Native),
            Some(rest) => {
                // Names of slots may contain dots; names of operations contain none.
                let (slot, operation) = rest.rsplit_once('.')?;
                Operation::from_name(operation).map(|operation| CallTarget::Slot(slot.into(), operation))
            }
        }
    }
}

/// Returns the path of the same call over HTTP, which names the call in the log and metrics.
pub(super) fn route(target: &CallTarget) -> Option<&'static str> {
    let action = match target {
        CallTarget::Native(operation) => RouteAction::Call(*operation),
        CallTarget::Slot(_, operation) => RouteAction::CallSlot(*operation),
    };
    routes().iter().find(|route| route.action == action).map(|route| route.path.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_read_to_the_last_token() {
        let subjects = Subjects::new("adj");
        let new = |subject| subjects.read(subject);
        assert_eq!(new("adj.v1.evaluate"), Some(CallTarget::Native(Operation::Evaluate)));
        assert_eq!(new("adj.v1.validate_plan"), Some(CallTarget::Native(Operation::ValidatePlan)));
        assert_eq!(
            new("adj.v1.slots.release.evaluate"),
            Some(CallTarget::Slot("release".into(), Operation::Evaluate))
        );
        assert_eq!(new("adj.v1.slots.a.b.refine"), Some(CallTarget::Slot("a.b".into(), Operation::Refine)));
        for other in [
            "",
            "adj",
            "adj.v1.",
            "adj.v1.nothing",
            "adj.v1.slots",
            "adj.v1.slots.evaluate",
            "adj.v1.slots.release.nothing",
            "adj.v1.slots.release.evaluate.",
            "adj.v2.evaluate",
            "other.v1.evaluate",
        ] {
            assert_eq!(new(other), None, "{other}");
        }
    }

    #[test]
    fn answers_never_go_to_the_subjects_of_the_cluster() {
        let subjects = Subjects::new("adj");
        for reply in ["_INBOX.a.b", "_R_.a.b", "mine.1", "adj", "adjacent.1"] {
            assert!(subjects.is_reply(reply), "{reply}");
        }
        for reply in
            ["$KV.adj-slots.slot.release", "$JS.API.STREAM.DELETE.x", "adj.records.h.s", "adj.v1.evaluate"]
        {
            assert!(!subjects.is_reply(reply), "{reply}");
        }
    }

    #[test]
    fn every_call_has_a_subscription_and_a_route() {
        let subjects = Subjects::new("adj");
        for operation in Operation::ALL {
            let subject = format!("adj.v1.{}", operation.name());
            assert_eq!(subjects.all().nth(subjects.index(&subject)), Some(subject.as_str()));
            assert_eq!(route(&CallTarget::Native(*operation)).unwrap(), format!("/v1/{}", operation.name()));
            assert!(route(&CallTarget::Slot("s".into(), *operation)).is_some());
        }
        assert_eq!(subjects.all().nth(subjects.index("adj.v1.slots.a.evaluate")), Some("adj.v1.slots.>"));
    }
}
