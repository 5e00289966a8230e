//! One HTTP request, from its head to its reply: guards, route, token, media type, and the call.

use std::sync::Arc;

use adjudicate_sandbox::counted;
use axum::{
    Router,
    body::Bytes,
    extract::{FromRequestParts, RawPathParams, Request},
    http::{HeaderValue, StatusCode, request::Parts},
    routing::{MethodFilter, on},
};
use tower::ServiceExt;

use crate::{
    account::{Account, Observers},
    admin::{self, Desks},
    body::{Media, media, transferred_plainly},
    calls::{self, Asked, Calls},
    codes,
    gate::Gate,
    health::{self, Health},
    lines, owed,
    query::query,
    reply::{self, Refusal, Reply, Told},
    routes::{Does, Route, Takes, routes},
    settings::Limits,
    stream::Peer,
};

/// The state that all requests share.
pub(crate) struct App {
    pub(crate) gate: Gate,
    pub(crate) calls: Arc<Calls>,
    pub(crate) desks: Desks,
    pub(crate) health: Arc<Health>,
    pub(crate) observers: Arc<Observers>,
    pub(crate) document: Bytes,
    pub(crate) clock: fn() -> i64,
}

/// Builds the router from the table of routes.
pub(crate) fn router(app: &Arc<App>) -> Router {
    let mut router = Router::new();
    for route in routes() {
        let Ok(filter) = MethodFilter::try_from(route.method.clone()) else { continue };
        for path in [Some(&route.path), route.alias.as_ref()].into_iter().flatten() {
            let app = Arc::clone(app);
            router = router.route(path, on(filter, move |request: Request| handle(app, route, request)));
        }
    }
    let nothing =
        || async { Refusal::new(codes::NOT_FOUND, "there is nothing at this address").into_reply() };
    let not_so = || async {
        Refusal::new(codes::METHOD_NOT_ALLOWED, "the address does not take this method; `allow` says which")
            .into_reply()
    };
    router.fallback(nothing).method_not_allowed_fallback(not_so)
}

/// Answers a request, and records it in metrics, log and traces.
pub(crate) async fn serve(app: Arc<App>, router: Router, peer: Peer, request: Request) -> Reply {
    let mut account = Account::open(&app.observers, peer.address, request.method(), request.headers());
    let (head, body) = request.into_parts();
    let refused = within(&app.calls.limits, &head)
        .and_then(|()| transferred_plainly(&head.headers))
        .and_then(|()| app.gate.refuse_pages(&head));
    let mut request = Request::from_parts(head, body);
    request.extensions_mut().insert(peer);
    let mut reply = match refused {
        Ok(()) => match router.oneshot(request).await {
            Ok(reply) => reply,
            Err(never) => match never {},
        },
        Err(refusal) => refusal.into_reply(),
    };
    let told = reply.extensions_mut().remove::<Told>().unwrap_or_default();
    if let Some(slot_entry) = told.entry {
        let headers = reply.headers_mut();
        headers.insert("adjudicate-entry", HeaderValue::from(slot_entry));
        if let Some(by) = told.by {
            headers.insert("adjudicate-by", HeaderValue::from_static(by));
        }
    }
    account.close(reply.status().as_u16(), told);
    reply
}

/// Refuses requests with too many header fields. The HTTP/1 parser already refused them; HTTP/2 limits only bytes.
fn within(limits: &Limits, head: &Parts) -> Result<(), Refusal> {
    if head.headers.len() <= limits.headers {
        return Ok(());
    }
    let message = format!("the head is over the limit of {}", counted(limits.headers, "field"));
    Err(Refusal::new(codes::LIMIT_EXCEEDED, message).with_status(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE))
}

/// Answers a request that matched a route.
async fn handle(app: Arc<App>, route: &'static Route, request: Request) -> Reply {
    let mut token = None;
    let mut reply = match admitted(&app, route, request, &mut token).await {
        Ok(reply) => reply,
        Err(refusal) => refusal.into_reply(),
    };
    let mut told = reply.extensions_mut().remove::<Told>().unwrap_or_default();
    told.route = Some(&route.path);
    told.token = token;
    reply.extensions_mut().insert(told);
    reply
}

async fn admitted(
    app: &Arc<App>,
    route: &'static Route,
    request: Request,
    token: &mut Option<String>,
) -> Result<Reply, Refusal> {
    let (mut head, body) = request.into_parts();
    let Some(peer) = head.extensions.get::<Peer>().cloned() else {
        return Err(Refusal::new(codes::HOST_FAULT, "the request has no sender"));
    };
    *token = app.gate.admit(route.access, &head.headers, peer.address.ip(), app.now())?;
    query(head.uri.query(), route.query)?;
    let media = media(&head.headers);
    let is_stream = media == Some(Media::Lines);
    let is_taken = match route.takes {
        Takes::Nothing => true,
        Takes::Calls => matches!(media, Some(Media::Json | Media::Lines)),
        Takes::Json(_) => media == Some(Media::Json),
        Takes::Wasm => media == Some(Media::Wasm),
    };
    if !is_taken {
        return Err(unsupported(route.takes));
    }
    let place = RawPathParams::from_request_parts(&mut head, &()).await;
    // A path without a parameter has an empty one. A parameter that is not UTF-8 is an error, not empty.
    let place = place.map_err(|_| Refusal::new(codes::WRONG_USAGE, "the address is not UTF-8"))?;
    let place = place.iter().next().map(|(_, value)| value.to_owned()).unwrap_or_default();
    let asked = Asked { route, head, body, place, token: token.clone() };
    let reply = match route.does {
        Does::Call(_) | Does::CallSlot(_) if is_stream => {
            return lines::answer(&app.calls, &app.observers.metrics, asked, peer).await;
        }
        Does::Call(operation) => calls::native(&app.calls, asked, operation).await,
        Does::CallSlot(operation) => calls::slot(&app.calls, asked, operation).await,
        Does::Health => Ok(health::alive()),
        Does::Ready => app.health.ready(app.gate.is_readable(app.now())),
        Does::Metrics => app.health.metrics().await,
        Does::OpenApi => Ok(reply::json(app.document.clone())),
        _ => admin::answer(&app.calls, &app.desks, asked, app.now()).await,
    };
    owed::counted_reply(&app.calls, &peer, reply?).await
}

fn unsupported(takes: Takes) -> Refusal {
    let expected = match takes {
        Takes::Calls => "`application/json`, or `application/x-ndjson` for a stream",
        Takes::Wasm => "`application/wasm`",
        _ => "`application/json`",
    };
    let message = format!("expected a body of content type {expected}, not packed");
    Refusal::new(codes::UNSUPPORTED_MEDIA_TYPE, message)
}

impl App {
    /// Returns the time, in milliseconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        (self.clock)()
    }
}
