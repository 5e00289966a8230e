//! The task that watches the bucket.

use std::{
    panic::AssertUnwindSafe,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use adjudicate_core::Error;
use async_nats::jetstream::kv::Watch;
use futures_util::{FutureExt, StreamExt};
use tokio::{
    sync::mpsc::Sender,
    time::{Instant, sleep, timeout},
};

use super::{BucketContent, FollowState, News};
use crate::{
    connection::BucketWatch,
    fault::{failed, fault},
};

/// Interval at which the connection is checked for a change.
const LOOK: Duration = Duration::from_millis(250);
/// Pause after a failure.
const PAUSE: Duration = Duration::from_secs(1);
/// Interval at which the whole bucket is read again, because the watch does not report purged keys.
const WHOLE: Duration = Duration::from_secs(300);
/// The largest number of changes in one message.
const MOST: usize = 256;

/// Watches until the receiver is dropped.
pub(super) async fn run(watched: BucketWatch, shared: Arc<FollowState>, news: Sender<News>) {
    loop {
        // The library panics at some values that other clients may store. The watch must survive that.
        let round = AssertUnwindSafe(round(&watched, &shared, &news)).catch_unwind().await;
        match round.unwrap_or_else(|_| Err(fault("the watch of the bucket received an unreadable value"))) {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                if news.send(News::Lost(error)).await.is_err() {
                    return;
                }
                sleep(PAUSE).await;
            }
        }
    }
}

/// Sends the whole bucket and then its changes, until the whole bucket must be read again. Returns false if the receiver is
/// dropped.
async fn round(watched: &BucketWatch, shared: &FollowState, news: &Sender<News>) -> Result<bool, Error> {
    // Read first, so that a connection made meanwhile counts as new.
    let connections = watched.connections();
    let read = tokio::select! {
        read = whole(watched) => read,
        // Requests through the earlier connection get no answer.
        () = watched.reconnected(connections) => return Ok(true),
    };
    let (watch, found) = read?;
    if news.send(News::Whole(found)).await.is_err() {
        return Ok(false);
    }
    more(watch, watched, connections, shared, news).await?;
    Ok(true)
}

/// Reads the whole bucket, oldest values first. Also returns the watch that continues from there.
async fn whole(watched: &BucketWatch) -> Result<(Watch, BucketContent), Error> {
    const WHAT: &str = "the bucket of slots cannot be read";
    let info = watched.slots.stream.get_info().await.map_err(|error| failed(WHAT, error))?;
    let mut watch = watched.slots.watch_all_from_revision(1).await.map_err(|error| failed(WHAT, error))?;
    let mut found = BucketContent::default();
    let mut is_all = info.state.messages == 0;
    while !is_all {
        let next = timeout(watched.patience, watch.next()).await;
        let next = next.map_err(|_| fault(format!("{WHAT}: the server stopped sending")))?;
        let next = next.ok_or_else(|| fault(format!("{WHAT}: the watch ended")))?;
        let entry = next.map_err(|error| failed(WHAT, error))?;
        is_all = entry.seen_current;
        found.take(&entry.key, entry.revision, entry.operation, &entry.value);
    }
    Ok((watch, found))
}

/// Sends changes until the whole bucket must be read again.
async fn more(
    mut watch: Watch,
    watched: &BucketWatch,
    connections: u64,
    shared: &FollowState,
    news: &Sender<News>,
) -> Result<(), Error> {
    let since = Instant::now();
    loop {
        let is_due = since.elapsed() >= WHOLE || shared.again.swap(false, Ordering::AcqRel);
        if is_due || watched.connections() != connections {
            return Ok(());
        }
        let Ok(next) = timeout(LOOK, watch.next()).await else { continue };
        let mut next = Some(next);
        let (mut found, mut count) = (BucketContent::default(), 0);
        while let Some(entry) = next {
            let entry = entry.ok_or_else(|| fault("the watch of the bucket ended"))?;
            let entry = entry.map_err(|error| failed("the bucket of slots cannot be watched", error))?;
            found.take(&entry.key, entry.revision, entry.operation, &entry.value);
            count += 1;
            next = if count < MOST { watch.next().now_or_never() } else { None };
        }
        if news.send(News::More(found)).await.is_err() {
            return Ok(());
        }
    }
}
