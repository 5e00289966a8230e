//! The services API of NATS (ADR-32): discovery, description and statistics of the service.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use async_nats::{Client, Message};
use serde_json::{Value, json};

use super::{Nats, SERVICE, answer::Subjects};
use crate::reply::RequestFields;

/// The requests of the services API.
const REQUEST_KINDS: [&str; 3] = ["PING", "INFO", "STATS"];

#[derive(Debug)]
pub(super) struct Discovery {
    id: String,
    started: String,
    metadata: Value,
    /// The name of the cluster.
    queue_group: String,
    endpoints: Vec<Endpoint>,
}

/// A subject with its statistics.
#[derive(Debug)]
struct Endpoint {
    subject: String,
    name: String,
    counts: Mutex<EndpointCounts>,
}

/// The requests that ended at a subject.
#[derive(Debug, Default)]
struct EndpointCounts {
    requests: u64,
    errors: u64,
    nanoseconds: u64,
    last_error: String,
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
            counts: Mutex::default(),
        };
        Self {
            id: format!("{:032x}", u128::from_le_bytes(random)),
            started: jiff::Timestamp::now().to_string(),
            metadata: json!({ "cluster": nats.cluster, "cluster_id": nats.id, "host": nats.host }),
            queue_group: nats.cluster.clone(),
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
        let mut counts = endpoint.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.requests += 1;
        counts.nanoseconds += u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        if status != 200 {
            counts.errors += 1;
            counts.last_error = format!("{status}:{}", fields.code.unwrap_or_default());
        }
    }

    pub(super) async fn answer(&self, client: &Client, request: Message) {
        let Some(reply) = request.reply else { return };
        let answer = self.answer_to(request.subject.split('.').nth(1).unwrap_or_default());
        // The client may have gone away.
        let _ = client.publish(reply, answer.to_string().into()).await;
    }

    fn answer_to(&self, kind: &str) -> Value {
        let mut answer = json!({
            "type": format!("io.nats.micro.v1.{}_response", kind.to_ascii_lowercase()),
            "name": SERVICE,
            "id": self.id,
            "version": env!("CARGO_PKG_VERSION"),
            "metadata": self.metadata,
        });
        let more = match kind {
            "INFO" => json!({
                "description": "policy decisions about agent runs",
                "endpoints": self.endpoints.iter().map(|endpoint| self.info(endpoint)).collect::<Vec<_>>(),
            }),
            "STATS" => json!({
                "started": self.started,
                "endpoints": self.endpoints.iter().map(|endpoint| self.statistics(endpoint)).collect::<Vec<_>>(),
            }),
            _ => Value::Null,
        };
        if let (Value::Object(answer), Value::Object(more)) = (&mut answer, more) {
            answer.extend(more);
        }
        answer
    }

    fn info(&self, endpoint: &Endpoint) -> Value {
        let Endpoint { name, subject, .. } = endpoint;
        json!({ "name": name, "subject": subject, "queue_group": self.queue_group, "metadata": {} })
    }

    fn statistics(&self, endpoint: &Endpoint) -> Value {
        let counts = endpoint.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let EndpointCounts { requests, errors, nanoseconds, ref last_error } = *counts;
        json!({
            "name": endpoint.name,
            "subject": endpoint.subject,
            "queue_group": self.queue_group,
            "num_requests": requests,
            "num_errors": errors,
            "last_error": last_error,
            "processing_time": nanoseconds,
            "average_processing_time": nanoseconds / requests.max(1),
        })
    }
}
