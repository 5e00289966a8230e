//! Request bodies: limits for the size and time of each, and for the memory of all together.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use adjudicate_trust::counted;
use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, HeaderValue, header},
};
use http_body_util::BodyExt;
use tokio::time::{Instant, timeout_at};

use crate::{activity::RequestInProgress, codes, reply::Refusal, settings::RequestLimits};

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
    let mut is_quoted = false;
    let mut parameters = parameters.split(|c| {
        is_quoted ^= c == '"';
        c == ';' && !is_quoted
    });
    // Other parameters, such as `profile`, change nothing.
    let is_utf8 = parameters.all(|parameter| match parameter.trim().split_once('=') {
        None => parameter.trim().is_empty(),
        Some((name, value)) => {
            !name.eq_ignore_ascii_case("charset") || value.trim_matches('"').eq_ignore_ascii_case("utf-8")
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

/// Rejects a body with another transfer coding than one `chunked`, because this server decodes no other. The connection is not read
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

/// The free space for bodies, in KiB.
#[derive(Clone, Debug)]
pub(crate) struct ByteBudget {
    free: Arc<Mutex<usize>>,
    /// The space that only small bodies use, so that large ones do not shut them out.
    reserve: usize,
}

/// The largest small body in KiB.
const SMALL: usize = 64;

/// A share of the space, which returns it when it is dropped.
#[derive(Debug)]
pub(crate) struct BudgetShare {
    budget: ByteBudget,
    held: usize,
}

impl ByteBudget {
    /// A space of so many bytes, of which a sixteenth is kept for small bodies, if the largest body fits into the rest.
    pub(crate) fn new(bytes: usize, largest: usize) -> Self {
        let space = (bytes >> 10).max(1);
        let reserve = (space / 16).min(space.saturating_sub(largest.div_ceil(1 << 10)));
        Self { free: Arc::new(Mutex::new(space)), reserve }
    }

    pub(crate) fn share(&self) -> BudgetShare {
        BudgetShare { budget: self.clone(), held: 0 }
    }

    fn free(&self) -> MutexGuard<'_, usize> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BudgetShare {
    /// Makes the share so large that this many bytes fit.
    ///
    /// A share that is refused is empty from then on. One lock covers both, so that of two shares that grow at the same time
    /// the second finds the space of the first.
    pub(crate) fn fit(&mut self, bytes: usize) -> Result<(), Refusal> {
        self.fit_part(bytes, bytes)
    }

    /// Like [`fit`](Self::fit) for the beginning of a body that will have `whole` bytes.
    fn fit_part(&mut self, bytes: usize, whole: usize) -> Result<(), Refusal> {
        let needed = bytes.div_ceil(1 << 10);
        let mut free = self.budget.free();
        *free += self.held;
        let usable =
            if whole.div_ceil(1 << 10) <= SMALL { *free } else { free.saturating_sub(self.budget.reserve) };
        self.held = if needed <= usable { needed } else { 0 };
        *free -= self.held;
        if self.held == needed {
            return Ok(());
        }
        Err(Refusal::new(codes::HOST_OVERLOADED, "no memory for the body now; try again").closing())
    }
}

impl Drop for BudgetShare {
    fn drop(&mut self) {
        *self.budget.free() += self.held;
    }
}

/// The longest time for the rest of a body that is too large.
const DRAINING: Duration = Duration::from_secs(2);

/// A complete body, with its share of the space.
#[derive(Debug)]
pub(crate) struct BufferedBody {
    pub(crate) bytes: Bytes,
    _share: BudgetShare,
}

impl BufferedBody {
    pub(crate) const fn new(bytes: Bytes, share: BudgetShare) -> Self {
        Self { bytes, _share: share }
    }
}

/// The body of a request, of which the server has not read all parts. While the server waits for a part, the request counts as waiting, so
/// that its connection may be idle.
pub(crate) struct IncomingBody {
    pub(crate) body: Body,
    pub(crate) in_progress: Arc<RequestInProgress>,
}

impl IncomingBody {
    /// Reads the complete body: at most `most` bytes, in memory of `budget`, and within the time limits.
    pub(crate) async fn read(
        mut self,
        headers: &HeaderMap,
        most: usize,
        budget: &ByteBudget,
        limits: &RequestLimits,
    ) -> Result<BufferedBody, Refusal> {
        let declared = headers.get(header::CONTENT_LENGTH).map(HeaderValue::to_str);
        let declared = declared.and_then(Result::ok).and_then(|length| length.parse::<usize>().ok());
        if declared.is_some_and(|length| length > most) {
            return Err(self.too_large(headers, declared, most, limits).await);
        }
        let end = Instant::now() + limits.request;
        let mut share = budget.share();
        let mut whole = Vec::new();
        while let Some(part) = self.next(end, limits).await? {
            let length = whole.len().saturating_add(part.len());
            if length > most {
                return Err(self.too_large(headers, declared, most, limits).await);
            }
            share.fit_part(length, declared.unwrap_or(usize::MAX).max(length))?;
            whole.extend_from_slice(&part);
        }
        Ok(BufferedBody::new(whole.into(), share))
    }

    /// Rejects a body of a request that accepts none, because the server would ignore a condition in it, such as `expected`.
    pub(crate) async fn none(mut self, limits: &RequestLimits) -> Result<(), Refusal> {
        let end = Instant::now() + limits.request;
        while let Some(part) = self.next(end, limits).await? {
            if !part.is_empty() {
                let message = "the request takes no body; to name the entry that you expect, send `if-match`";
                return Err(Refusal::new(codes::WRONG_USAGE, message).closing());
            }
        }
        Ok(())
    }

    /// Returns the refusal of a body over the limit, after the server has read the rest of it, up to twice the limit. Most clients read no
    /// reply before they have sent the body, and would only see that the connection ends.
    async fn too_large(
        mut self,
        headers: &HeaderMap,
        declared: Option<usize>,
        most: usize,
        limits: &RequestLimits,
    ) -> Refusal {
        let mut left = most.saturating_mul(2);
        // A client that waits for `100 Continue` has not sent the body.
        if !headers.contains_key(header::EXPECT) && declared.is_none_or(|length| length <= left) {
            let end = Instant::now() + DRAINING;
            while let Ok(Some(part)) = self.next(end, limits).await {
                match left.checked_sub(part.len()) {
                    Some(rest) => left = rest,
                    None => break,
                }
            }
        }
        let message = format!("the body is over the limit of {}", counted(most, "byte"));
        // The rest of the body would be read as the next request.
        Refusal::new(codes::LIMIT_EXCEEDED, message).closing()
    }

    /// Reads the next part of a body.
    pub(crate) async fn next(
        &mut self,
        end: Instant,
        limits: &RequestLimits,
    ) -> Result<Option<Bytes>, Refusal> {
        loop {
            let soon = end.min(Instant::now() + limits.pause);
            let waiting = self.in_progress.wait();
            let frame = timeout_at(soon, self.body.frame()).await;
            drop(waiting);
            return match frame {
                Ok(None) => Ok(None),
                Ok(Some(Ok(frame))) => match frame.into_data() {
                    Ok(part) => Ok(Some(part)),
                    // Trailers are ignored.
                    Err(_) => continue,
                },
                Ok(Some(Err(_))) => {
                    Err(Refusal::new(codes::UNREADABLE_INPUT, "the body ended early").closing())
                }
                Err(_) => Err(Refusal::new(codes::REQUEST_TIMEOUT, "the body did not arrive in time")),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_type_of_a_body_is_read_from_its_headers() {
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
            "application/json; profile=\"https://example.com/a;b\"; charset=utf-8",
            "application/json; q=1",
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
            "application/json; profile=\"x\"; charset=latin1",
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
    fn a_sixteenth_of_the_space_is_for_small_bodies() {
        let budget = ByteBudget::new(1 << 20, 512 << 10);
        let [mut one, mut other, mut small] = [budget.share(), budget.share(), budget.share()];
        assert!(one.fit(512 << 10).is_ok() && other.fit(449 << 10).is_err() && other.fit(448 << 10).is_ok());
        // The beginning of a large body does not use it.
        assert!(small.fit_part(1, 65 << 10).is_err() && small.fit_part(1, usize::MAX).is_err());
        assert!(small.fit(64 << 10).is_ok() && budget.share().fit(1).is_err());
    }
}
