//! What NATS' tools ask of every service: who is there, what it offers, and what it has done (the services API, ADR-32).

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use async_nats::Message;
use serde_json::{Value, json};

use super::{Face, Nats, SERVICE, subject::Subjects};
use crate::{reply::Told, trace::hex};

/// The questions.
const VERBS: [&str; 3] = ["PING", "INFO", "STATS"];

#[derive(Debug)]
pub(super) struct Discovery {
    id: String,
    started: String,
    metadata: Value,
    endpoints: Vec<Endpoint>,
}

/// A subject, and what was done there.
#[derive(Debug)]
struct Endpoint {
    subject: String,
    name: String,
    requests: AtomicU64,
    errors: AtomicU64,
    nanoseconds: AtomicU64,
    last_error: Mutex<String>,
}

impl Discovery {
    pub(super) fn new(nats: &Nats, subjects: &Subjects) -> Self {
        let mut random = [0; 11];
        // Without randomness services cannot be told apart by their tools, which is no reason to answer nobody.
        let _ = getrandom::fill(&mut random);
        let endpoint = |subject: &str| Endpoint {
            subject: subject.to_owned(),
            // A name has letters, digits, `-` and `_`.
            name: subject.rsplit("v1.").next().unwrap_or_default().trim_end_matches(".>").to_owned(),
            requests: AtomicU64::new(0),
            errors: AtomicU64::new(0),
            nanoseconds: AtomicU64::new(0),
            last_error: Mutex::default(),
        };
        Self {
            id: hex(&random),
            started: jiff::Timestamp::now().to_string(),
            metadata: json!({ "cluster": nats.cluster, "cluster_id": nats.id, "host": nats.host }),
            endpoints: subjects.all().map(endpoint).collect(),
        }
    }

    /// Where questions come.
    pub(super) fn subjects(&self) -> Vec<String> {
        let to = |verb: &str| {
            let all = format!("$SRV.{verb}");
            [format!("{all}.{SERVICE}.{}", self.id), format!("{all}.{SERVICE}"), all]
        };
        VERBS.iter().flat_map(|verb| to(verb)).collect()
    }

    /// A request at an endpoint ended.
    pub(super) fn count(&self, place: usize, took: Duration, told: &Told, status: u16) {
        let Some(endpoint) = self.endpoints.get(place) else { return };
        let nanoseconds = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        endpoint.requests.fetch_add(1, Ordering::Relaxed);
        endpoint.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
        if status != 200 {
            endpoint.errors.fetch_add(1, Ordering::Relaxed);
            let error = format!("{status}:{}", told.code.unwrap_or_default());
            *endpoint.last_error.lock().unwrap_or_else(PoisonError::into_inner) = error;
        }
    }

    pub(super) async fn answer(&self, face: &Face, question: Message) {
        let (Some(reply), Some(client)) = (question.reply, face.client()) else { return };
        let answer = self.of(question.subject.split('.').nth(1).unwrap_or_default(), &face.nats.cluster);
        // Who asked and went away is told nothing.
        let _ = client.publish(reply, answer.to_string().into()).await;
    }

    fn of(&self, verb: &str, queue_group: &str) -> Value {
        let kind = format!("io.nats.micro.v1.{}_response", verb.to_ascii_lowercase());
        let mut answer = json!({
            "type": kind,
            "name": SERVICE,
            "id": self.id,
            "version": env!("CARGO_PKG_VERSION"),
            "metadata": self.metadata,
        });
        let more = match verb {
            "INFO" => json!({
                "description": "policy decisions on what agent runs did",
                "endpoints": self.endpoints.iter().map(|of| of.info(queue_group)).collect::<Vec<_>>(),
            }),
            "STATS" => json!({
                "started": self.started,
                "endpoints": self.endpoints.iter().map(|of| of.statistics(queue_group)).collect::<Vec<_>>(),
            }),
            _ => Value::Null,
        };
        if let (Value::Object(answer), Value::Object(more)) = (&mut answer, more) {
            answer.extend(more);
        }
        answer
    }
}

impl Endpoint {
    fn info(&self, queue_group: &str) -> Value {
        json!({ "name": self.name, "subject": self.subject, "queue_group": queue_group, "metadata": {} })
    }

    fn statistics(&self, queue_group: &str) -> Value {
        let [requests, errors, nanoseconds] =
            [&self.requests, &self.errors, &self.nanoseconds].map(|count| count.load(Ordering::Relaxed));
        json!({
            "name": self.name,
            "subject": self.subject,
            "queue_group": queue_group,
            "num_requests": requests,
            "num_errors": errors,
            "last_error": *self.last_error.lock().unwrap_or_else(PoisonError::into_inner),
            "processing_time": nanoseconds,
            "average_processing_time": nanoseconds / requests.max(1),
        })
    }
}
