//! What servers said that no request was the answer to: that something is not permitted, mostly.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use async_nats::{ClientError, Event, ServerError};

/// The last thing that a server said. A request that is not permitted gets no answer: why is said beside it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notices(Arc<Mutex<Option<(Instant, String)>>>);

impl Notices {
    /// Hears what happened to the connection.
    pub(crate) fn hear(&self, event: &Event) {
        let text = match event {
            Event::ServerError(ServerError::Other(text)) => text.clone(),
            Event::ServerError(ServerError::AuthorizationViolation) => "not authorised".to_owned(),
            Event::ClientError(ClientError::Other(text)) => text.clone(),
            _ => return,
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), text));
    }

    /// What was said within this time.
    pub(crate) fn within(&self, time: Duration) -> Option<String> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().filter(|(at, _)| at.elapsed() <= time).map(|(_, text)| text.clone())
    }
}
