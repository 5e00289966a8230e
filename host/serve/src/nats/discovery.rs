//! The services API of NATS (ADR-32): discovery, description and statistics of the service.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use async_nats::Message;
use serde_json::{Value, json};

use super::{Nats, NatsTransport, SERVICE, subject::Subjects};
use crate::reply::RequestFields;

/// The requests of the services API.
const REQUEST_KINDS: [&str; 3] = ["PING", "INFO", "STATS"];

#[derive(Debug)]
pub(super) struct Discovery {
    id: String,
    started: String,
    metadata: Value,
    endpoints: Vec<Endpoint>,
}

/// A subject with its statistics.
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
        let mut random = [0; 16];
        // Without randomness services have equal ids; that is no reason to reject calls.
        let _ = getrandom::fill(&mut random);
        let endpoint = |subject: &str| Endpoint {
            subject: subject.to_owned(),
            // Names may contain letters, digits, `-` and `_`.
            name: subject.rsplit("v1.").next().unwrap_or_default().trim_end_matches(".>").to_owned(),
            requests: AtomicU64::new(0),
            errors: AtomicU64::new(0),
            nanoseconds: AtomicU64::new(0),
            last_error: Mutex::default(),
        };
        Self {
            id: format!("{:032x}", u128::from_le_bytes(random)),
            started: jiff::Timestamp::now().to_string(),
            metadata: json!({ "cluster": nats.cluster, "cluster_id": nats.id, "host": nats.host }),
            endpoints: subjects.all().map(endpoint).collect(),
        }
    }

    /// Returns the subjects of the requests.
    pub(super) fn subjects(&self) -> Vec<String> {
        let to = |kind: &str| {
            let all = format!("$SRV.{kind}");
            [format!("{all}.{SERVICE}.{}", self.id), format!("{all}.{SERVICE}"), all]
        };
        REQUEST_KINDS.iter().flat_map(|kind| to(kind)).collect()
    }

    /// Counts a request that ended at an endpoint.
    pub(super) fn count(&self, index: usize, took: Duration, fields: &RequestFields, status: u16) {
        let Some(endpoint) = self.endpoints.get(index) else { return };
        let nanoseconds = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        endpoint.requests.fetch_add(1, Ordering::Relaxed);
        endpoint.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
        if status != 200 {
            endpoint.errors.fetch_add(1, Ordering::Relaxed);
            let error = format!("{status}:{}", fields.code.unwrap_or_default());
            *endpoint.last_error.lock().unwrap_or_else(PoisonError::into_inner) = error;
        }
    }

    pub(super) async fn answer(&self, transport: &NatsTransport, request: Message) {
        let (Some(reply), Some(client)) = (request.reply, transport.client()) else { return };
        let answer =
            self.answer_to(request.subject.split('.').nth(1).unwrap_or_default(), &transport.nats.cluster);
        // The client may have gone away.
        let _ = client.publish(reply, answer.to_string().into()).await;
    }

    fn answer_to(&self, kind: &str, queue_group: &str) -> Value {
        let answer_type = format!("io.nats.micro.v1.{}_response", kind.to_ascii_lowercase());
        let mut answer = json!({
            "type": answer_type,
            "name": SERVICE,
            "id": self.id,
            "version": env!("CARGO_PKG_VERSION"),
            "metadata": self.metadata,
        });
        let more = match kind {
            "INFO" => json!({
                "description": "policy decisions about agent runs",
                "endpoints": self.endpoints.iter().map(|endpoint| endpoint.info(queue_group)).collect::<Vec<_>>(),
            }),
            "STATS" => json!({
                "started": self.started,
                "endpoints": self.endpoints.iter().map(|endpoint| endpoint.statistics(queue_group)).collect::<Vec<_>>(),
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
