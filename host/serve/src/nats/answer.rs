//! One message, from its subject to its reply.

use std::{sync::Arc, time::Instant};

use adjudicate_core::{Error, Operation};
use adjudicate_host::Decided;
use adjudicate_sandbox::counted;
use async_nats::{HeaderMap, HeaderValue, Message, Subject, client::PublishErrorKind};
use axum::{body::Bytes, http};
use tokio::time::timeout;

use super::{Service, subject::Asked};
use crate::{
    account::Account,
    body::Share,
    calls::{self, Calls},
    codes, memory,
    reply::{Refusal, Told},
};

/// Bytes of an answer that counts until it is written.
const LARGE: usize = 16 << 10;

/// How many characters of an error's message are said in a header.
const HEADER: usize = 400;

/// Why there is no answer, as services say it.
const SERVICE_ERROR: &str = "Nats-Service-Error";
const SERVICE_ERROR_CODE: &str = "Nats-Service-Error-Code";

/// What is said to a message.
struct Said {
    headers: HeaderMap,
    body: Bytes,
    status: u16,
    told: Told,
}

/// Takes a message. It is answered beside; without a place it is refused at once, so that whoever asks can ask again while others
/// have places.
pub(super) async fn answer(service: &Service, message: Message) {
    let Service { observers, face, .. } = service;
    let begun = Instant::now();
    let reply = message.reply.clone().filter(|reply| face.subjects.is_reply(reply));
    let Some(reply) = reply else {
        observers.metrics.without_reply.inc();
        return;
    };
    let account = Account::of_message(observers, &traced(&message));
    let Ok(place) = Arc::clone(&face.places).try_acquire_owned() else {
        let refusal = Refusal::new(codes::HOST_OVERLOADED, "too many calls wait already; try again");
        return tell(service, account, begun, &message, reply, refusal.into()).await;
    };
    let service = service.clone();
    tokio::spawn(async move {
        let _place = place;
        let said = ask(&service, &message).await.unwrap_or_else(Said::from);
        tell(&service, account, begun, &message, reply, said).await;
    });
}

/// The headers that a trace is read from.
fn traced(message: &Message) -> http::HeaderMap {
    let mut headers = http::HeaderMap::new();
    let named = message.headers.iter().flat_map(|headers| headers.get_all("traceparent"));
    for value in named.filter_map(|value| http::HeaderValue::from_str(value.as_str()).ok()).take(2) {
        headers.append("traceparent", value);
    }
    headers
}

async fn ask(service: &Service, message: &Message) -> Result<Said, Refusal> {
    let Service { calls, face, .. } = service;
    let Some(asked) = face.subjects.read(&message.subject) else {
        return Err(Refusal::new(codes::NOT_FOUND, "there is nothing at this subject"));
    };
    if message.payload.len() > calls.limits.body {
        let message = format!("the call is over the limit of {}", counted(calls.limits.body, "byte"));
        return Err(Refusal::new(codes::LIMIT_EXCEEDED, message));
    }
    let mut share = calls.room.share();
    share.fit(message.payload.len())?;
    let input = message.payload.clone();
    match asked {
        Asked::Native(operation) => native(calls, operation, input, share).await,
        Asked::Slot(name, operation) => slot(calls, name.to_owned(), operation, input, share).await,
    }
}

async fn native(
    calls: &Arc<Calls>,
    operation: Operation,
    input: Bytes,
    share: Share,
) -> Result<Said, Refusal> {
    let answering = Arc::clone(calls);
    calls.left_behind.note(input.len());
    let computed = calls.lanes.run(memory::of_engine(input.len()), move || {
        let _held = share;
        answering.answers.answer(operation, &input)
    });
    Ok(Said { headers: HeaderMap::new(), body: computed.await??.into(), status: 200, told: Told::default() })
}

async fn slot(
    calls: &Arc<Calls>,
    name: String,
    operation: Operation,
    input: Bytes,
    share: Share,
) -> Result<Said, Refusal> {
    let asking = Arc::clone(calls);
    calls.left_behind.note(input.len());
    let weight = memory::of_slot(input.len(), calls.slots()?.call_bytes(&name));
    let decided = calls.lanes.run(weight, move || {
        let _held = share;
        calls::ask(&asking, &name, operation, &input)
    });
    let Decided { text, entry, by, modules, fault, .. } = decided.await?.map_err(Refusal::from)?;
    let code = fault.map(|fault| fault.code().as_str());
    let modules: Vec<_> = modules.iter().map(ToString::to_string).collect();
    let mut headers = HeaderMap::new();
    headers.insert("adjudicate-entry", entry.to_string());
    headers.insert("adjudicate-by", by.as_str());
    headers.insert("adjudicate-modules", modules.join(", "));
    if let Some(code) = code {
        headers.insert("adjudicate-fault", code);
    }
    let told = Told { code, entry: Some(entry), by: Some(by.as_str()), ..Told::default() };
    Ok(Said { headers, body: text.into(), status: 200, told })
}

impl From<Refusal> for Said {
    fn from(refusal: Refusal) -> Self {
        let status = refusal.status.as_u16();
        let mut headers = HeaderMap::new();
        headers.insert(SERVICE_ERROR, header(refusal.message()));
        headers.insert(SERVICE_ERROR_CODE, status.to_string());
        let told = Told { code: Some(refusal.code()), ..Told::default() };
        Self { headers, body: refusal.line().into(), status, told }
    }
}

/// Text of any kind as the value of a header: the beginning of it, on one line.
fn header(text: &str) -> HeaderValue {
    let line = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(HEADER);
    HeaderValue::from(line.collect::<String>())
}

/// Says it, and tells of it.
async fn tell(
    service: &Service,
    mut account: Account,
    begun: Instant,
    message: &Message,
    reply: Subject,
    said: Said,
) {
    let face = &service.face;
    let asked = face.subjects.read(&message.subject);
    let said = publish(service, reply, said).await;
    face.discovery.count(face.subjects.place(&message.subject), begun.elapsed(), &said.told, said.status);
    let told = Told {
        route: asked.and_then(Asked::route),
        slot: match asked {
            Some(Asked::Slot(slot, _)) => Some(slot.to_owned()),
            _ => None,
        },
        bytes: message.payload.len() as u64,
        ..said.told
    };
    account.close(said.status, told);
}

/// Says it, or else why it cannot be said; which of them it was.
async fn publish(service: &Service, reply: Subject, said: Said) -> Said {
    let Service { calls, face, .. } = service;
    // Whoever took the message has it.
    let Some(client) = face.client() else { return said };
    let length = said.body.len();
    let mut share = calls.answers_room.share();
    if length > LARGE && share.fit(length.min(calls.limits.bodies)).is_err() {
        let message = "there is no room for the answer while others are not taken; try again";
        return Box::pin(publish(service, reply, Refusal::new(codes::HOST_OVERLOADED, message).into())).await;
    }
    let sent = client.publish_with_headers(reply.clone(), said.headers.clone(), said.body.clone()).await;
    match sent {
        Err(error) if error.kind() == PublishErrorKind::MaxPayloadExceeded && said.status == 200 => {
            let most = client.max_payload();
            let message =
                format!("the answer has {length} bytes, and messages have {most} at most, headers included");
            let refusal = Refusal::from(Error::new(codes::LIMIT_EXCEEDED, message));
            return Box::pin(publish(service, reply, refusal.into())).await;
        }
        // The connection is closed for good, or the reply is to nowhere: there is nobody to tell.
        Err(_) => {}
        // Until then the connection holds it.
        Ok(()) if length > LARGE => {
            let _ = timeout(calls.limits.request, client.flush()).await;
        }
        Ok(()) => {}
    }
    said
}
