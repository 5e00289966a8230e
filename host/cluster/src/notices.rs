//! Messages of servers that do not answer a request. Most of them report a missing permission.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use async_nats::{ClientError, Event, ServerError};

/// The last message of a server. A request without permission gets no answer, only such a message.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notices(Arc<Mutex<Option<(Instant, String)>>>);

impl Notices {
    /// Receives an event of the connection.
    pub(crate) fn receive(&self, event: &Event) {
        let text = match event {
            Event::ServerError(ServerError::Other(text)) => text.clone(),
            Event::ServerError(ServerError::AuthorizationViolation) => "not authorized".to_owned(),
            Event::ClientError(ClientError::Other(text)) => text.clone(),
            _ => return,
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), text));
    }

    /// The last message within this time.
    pub(crate) fn within(&self, time: Duration) -> Option<String> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().filter(|(at, _)| at.elapsed() <= time).map(|(_, text)| text.clone())
    }
}
