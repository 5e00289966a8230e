//! Request bodies: limits for the size and time of each, and for the memory of all together.

use std::sync::Arc;

use adjudicate_sandbox::counted;
use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, HeaderValue, header},
};
use http_body_util::BodyExt;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout_at},
};

use crate::{codes, reply::Refusal, settings::Limits};

/// The declared content type of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    Json,
    Lines,
    Wasm,
}

/// Returns the content type of a body; `None` for an encoded body, and without a known content type.
pub(crate) fn media(headers: &HeaderMap) -> Option<Media> {
    let mut kinds = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(kind), None) = (kinds.next(), kinds.next()) else { return None };
    let mut codings = headers.get_all(header::CONTENT_ENCODING).iter();
    if codings.any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return None;
    }
    let (kind, parameters) = kind.to_str().ok()?.split_once(';').unwrap_or((kind.to_str().ok()?, ""));
    let is_utf8 = parameters.split(';').all(|parameter| match parameter.trim().split_once('=') {
        None => parameter.trim().is_empty(),
        Some((name, value)) => {
            name.eq_ignore_ascii_case("charset") && value.trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
    });
    let kinds = [
        ("application/json", Media::Json),
        ("application/x-ndjson", Media::Lines),
        ("application/wasm", Media::Wasm),
    ];
    let known = kinds.into_iter().find(|(name, _)| kind.trim().eq_ignore_ascii_case(name));
    known.map(|(_, media)| media).filter(|_| is_utf8)
}

/// Refuses a body with another transfer coding than one `chunked`, because this server decodes no other. The connection is not read
/// further, because a proxy in front of the server may see another end of the body.
pub(crate) fn transferred_plainly(headers: &HeaderMap) -> Result<(), Refusal> {
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    match (codings.next(), codings.next()) {
        (None, _) => Ok(()),
        (Some(only), None) if only.as_bytes().eq_ignore_ascii_case(b"chunked") => Ok(()),
        _ => {
            let message = "unsupported Transfer-Encoding: send `chunked` alone, or a Content-Length";
            Err(Refusal::new(codes::UNREADABLE_INPUT, message).closing())
        }
    }
}

/// The space for bodies, in KiB.
#[derive(Clone, Debug)]
pub(crate) struct Room(Arc<Semaphore>);

/// A share of the space.
#[derive(Debug)]
pub(crate) struct Share {
    room: Arc<Semaphore>,
    held: Option<OwnedSemaphorePermit>,
}

impl Room {
    pub(crate) fn new(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new((bytes >> 10).clamp(1, Semaphore::MAX_PERMITS))))
    }

    pub(crate) fn share(&self) -> Share {
        Share { room: Arc::clone(&self.0), held: None }
    }
}

impl Share {
    /// Makes the share so large that this many bytes fit.
    pub(crate) fn fit(&mut self, bytes: usize) -> Result<(), Refusal> {
        let needed = bytes.div_ceil(1 << 10);
        let held = self.held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        if needed < held {
            // What is split off is given back.
            drop(self.held.as_mut().and_then(|all| all.split(held - needed)));
            return Ok(());
        }
        if needed == held {
            return Ok(());
        }
        let more = u32::try_from(needed - held).ok();
        let more = more.and_then(|more| Arc::clone(&self.room).try_acquire_many_owned(more).ok());
        let Some(more) = more else {
            let message = "there is no room for the body now; try again";
            return Err(Refusal::new(codes::HOST_OVERLOADED, message).closing());
        };
        match &mut self.held {
            Some(all) => all.merge(more),
            none => *none = Some(more),
        }
        Ok(())
    }
}

/// A complete body, with its share of the space.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) bytes: Bytes,
    _share: Share,
}

/// Reads a body.
pub(crate) async fn read(
    mut body: Body,
    headers: &HeaderMap,
    most: usize,
    room: &Room,
    limits: &Limits,
) -> Result<Held, Refusal> {
    let said = headers.get(header::CONTENT_LENGTH).map(HeaderValue::to_str);
    let said = said.and_then(Result::ok).and_then(|length| length.parse::<usize>().ok());
    if said.is_some_and(|length| length > most) {
        return Err(too_large(most));
    }
    let end = Instant::now() + limits.request;
    let mut share = room.share();
    let mut first = Bytes::new();
    let mut whole = Vec::new();
    while let Some(part) = next(&mut body, end, limits).await? {
        let so_far = first.len().max(whole.len());
        let length = so_far.saturating_add(part.len());
        if length > most {
            return Err(too_large(most));
        }
        share.fit(length)?;
        // Most bodies come in one part, which is not copied.
        if so_far == 0 {
            first = part;
            continue;
        }
        if whole.is_empty() {
            whole = first.to_vec();
            first = Bytes::new();
        }
        whole.extend_from_slice(&part);
    }
    let bytes = if whole.is_empty() { first } else { whole.into() };
    Ok(Held { bytes, _share: share })
}

/// Refuses a body of a request that accepts none, because the server would ignore a condition in it, such as `expected`.
pub(crate) async fn none(mut body: Body, limits: &Limits) -> Result<(), Refusal> {
    let end = Instant::now() + limits.request;
    while let Some(part) = next(&mut body, end, limits).await? {
        if !part.is_empty() {
            let message = "the request takes no body; to name the entry that you expect, send `if-match`";
            return Err(Refusal::new(codes::WRONG_USAGE, message).closing());
        }
    }
    Ok(())
}

/// The next part of a body.
pub(crate) async fn next(body: &mut Body, end: Instant, limits: &Limits) -> Result<Option<Bytes>, Refusal> {
    loop {
        let soon = end.min(Instant::now() + limits.pause);
        return match timeout_at(soon, body.frame()).await {
            Ok(None) => Ok(None),
            Ok(Some(Ok(frame))) => match frame.into_data() {
                Ok(part) => Ok(Some(part)),
                // Trailers are ignored.
                Err(_) => continue,
            },
            Ok(Some(Err(_))) => Err(Refusal::new(codes::UNREADABLE_INPUT, "the body broke off").closing()),
            Err(_) => Err(Refusal::new(codes::REQUEST_TIMEOUT, "the body did not come in time")),
        };
    }
}

fn too_large(most: usize) -> Refusal {
    // The rest of it is not read, so nothing can follow it.
    Refusal::new(codes::LIMIT_EXCEEDED, format!("the body is over the limit of {}", counted(most, "byte")))
        .closing()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_says_what_it_is() {
        let of = |headers: &[(header::HeaderName, &str)]| {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.append(name, value.parse().unwrap());
            }
            media(&map)
        };
        let kind = |value| of(&[(header::CONTENT_TYPE, value)]);
        for json in [
            "application/json",
            "Application/JSON",
            "application/json; charset=utf-8",
            "application/json;charset=\"UTF-8\";",
        ] {
            assert_eq!(kind(json), Some(Media::Json), "{json}");
        }
        assert_eq!(kind("application/x-ndjson"), Some(Media::Lines));
        assert_eq!(kind("application/wasm"), Some(Media::Wasm));
        for other in [
            "",
            "text/plain",
            "text/json",
            "application/json, application/json",
            "application/json; charset=utf-16",
            "application/json; x",
            "application/jsonp",
            "application/x-www-form-urlencoded",
            "multipart/form-data",
        ] {
            assert_eq!(kind(other), None, "{other}");
        }
        let json = (header::CONTENT_TYPE, "application/json");
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[json.clone(), json.clone()]), None);
        assert_eq!(of(&[json.clone(), (header::CONTENT_ENCODING, "gzip")]), None);
        assert_eq!(of(&[json, (header::CONTENT_ENCODING, "identity")]), Some(Media::Json));
    }

    #[test]
    fn a_share_is_given_back() {
        let room = Room::new(10 << 10);
        let mut one = room.share();
        let mut other = room.share();
        assert!(one.fit(6 << 10).is_ok() && other.fit(4 << 10).is_ok());
        assert_eq!(other.fit((4 << 10) + 1).unwrap_err().code(), "host_overloaded");
        one.fit(2 << 10).unwrap();
        assert!(other.fit(8 << 10).is_ok());
        drop(other);
        assert!(one.fit(10 << 10).is_ok());
        assert!(one.fit(usize::MAX).is_err());
    }
}
