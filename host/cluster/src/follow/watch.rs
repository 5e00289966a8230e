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

use super::{Found, News, Shared};
use crate::{
    connected::Watched,
    fault::{failed, fault},
};

/// How often it is asked whether the connection is another one by now.
const LOOK: Duration = Duration::from_millis(250);
/// How long to wait after a failure.
const PAUSE: Duration = Duration::from_secs(1);
/// After how long the whole bucket is read again, whatever happened: a key that was purged away is not heard of.
const WHOLE: Duration = Duration::from_secs(300);
/// How many changes are told at once.
const MOST: usize = 256;

/// Watches until nobody listens.
pub(super) async fn run(watched: Watched, shared: Arc<Shared>, news: Sender<News>) {
    loop {
        // The library panics at some of what somebody may send to a watch: that is no reason to see nothing any more.
        let round = AssertUnwindSafe(round(&watched, &shared, &news)).catch_unwind().await;
        match round.unwrap_or_else(|_| Err(fault("the watch of the bucket got what it cannot read"))) {
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

/// Tells the whole bucket, and then what comes, until the whole is to be told again; whether somebody listens.
async fn round(watched: &Watched, shared: &Shared, news: &Sender<News>) -> Result<bool, Error> {
    // Known before: a connection that is made meanwhile is a new one.
    let connections = watched.connections();
    let read = tokio::select! {
        read = whole(watched) => read,
        // What was asked of the one before is not answered any more.
        () = watched.reconnected(connections) => return Ok(true),
    };
    let (watch, found) = read?;
    if news.send(News::Whole(found)).await.is_err() {
        return Ok(false);
    }
    more(watch, watched, connections, shared, news).await?;
    Ok(true)
}

/// All that the bucket holds, oldest first, and what goes on from there.
async fn whole(watched: &Watched) -> Result<(Watch, Found), Error> {
    let unreadable = |why: &dyn std::fmt::Display| failed("the bucket of slots cannot be read", why);
    let info = watched.slots.stream.get_info().await.map_err(|error| unreadable(&error))?;
    let mut watch = watched.slots.watch_all_from_revision(1).await.map_err(|error| unreadable(&error))?;
    let mut found = Found::default();
    let mut is_all = info.state.messages == 0;
    while !is_all {
        let next = timeout(watched.patience, watch.next()).await;
        let next = next.map_err(|_| unreadable(&"nothing more of it came"))?;
        let next = next.ok_or_else(|| unreadable(&"the watch ended"))?;
        let entry = next.map_err(|error| unreadable(&error))?;
        is_all = entry.seen_current;
        found.take(&entry.key, entry.revision, entry.operation, &entry.value);
    }
    Ok((watch, found))
}

/// What comes, until the whole bucket is to be read again.
async fn more(
    mut watch: Watch,
    watched: &Watched,
    connections: u64,
    shared: &Shared,
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
        let (mut found, mut count) = (Found::default(), 0);
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
