//! One HTTP request, from its headers to its reply: guards, route, token, media type, and the call.

use std::sync::Arc;

use adjudicate_trust::counted;
use axum::{
    Extension, Router,
    extract::{FromRequestParts, RawPathParams, Request},
    http::{HeaderMap, HeaderValue, StatusCode, Uri},
    routing::{MethodFilter, on},
};
use tower::ServiceExt;

use crate::{
    activity::Peer,
    admin::{self, StorePools},
    auth::{Auth, RequestClient},
    backpressure,
    body::{IncomingBody, Media, media, transferred_plainly},
    call_stream,
    calls::{self, CallTarget, Calls, RoutedRequest},
    codes,
    documents::Liveness,
    handler::McpHandler,
    health::Health,
    hooks, mcp, openapi,
    reply::{self, Refusal, Reply, RequestFields, to_json},
    request_record::{Observers, RequestRecord},
    routes::{BodyContent, HttpRoute, RouteAction, routes},
    settings::RequestLimits,
};

/// The state that all requests share.
pub(crate) struct App {
    pub(crate) auth: Auth,
    pub(crate) calls: Arc<Calls>,
    pub(crate) mcp: Option<Arc<dyn McpHandler>>,
    pub(crate) store_pools: StorePools,
    pub(crate) health: Health,
    pub(crate) observers: Arc<Observers>,
    pub(crate) clock: fn() -> i64,
}

/// Builds the router from the table of routes.
pub(crate) fn router(app: &Arc<App>) -> Router {
    let mut router = Router::new();
    for route in routes() {
        let Ok(filter) = MethodFilter::try_from(route.method.clone()) else { continue };
        for path in [Some(&route.path), route.alias.as_ref()].into_iter().flatten() {
            let app = Arc::clone(app);
            let handler = move |Extension(peer), request| handle(app, route, peer, request);
            router = router.route(path, on(filter, handler));
        }
    }
    let not_found = |uri: Uri| async move {
        let message = "unknown path; `/openapi.json` lists all paths";
        hooks::refuse(uri.path(), Refusal::new(codes::NOT_FOUND, message))
    };
    let method_not_allowed = |uri: Uri| async move {
        let message = "unsupported method; the header `allow` lists the supported ones";
        hooks::refuse(uri.path(), Refusal::new(codes::METHOD_NOT_ALLOWED, message))
    };
    router.fallback(not_found).method_not_allowed_fallback(method_not_allowed)
}

/// Answers a request, and records it in metrics, log and traces.
pub(crate) async fn serve(app: Arc<App>, router: Router, peer: Peer, mut request: Request) -> Reply {
    let request_record =
        RequestRecord::of_http(&app.observers, peer.address, request.method(), request.headers());
    let checked = check_header_count(&app.calls.limits, request.headers())
        .and_then(|()| transferred_plainly(request.headers()))
        .and_then(|()| app.auth.reject_pages(&request));
    let mut reply = match checked {
        Ok(()) => {
            request.extensions_mut().insert(peer);
            let Ok(reply) = router.oneshot(request).await;
            reply
        }
        Err(refusal) => hooks::refuse(request.uri().path(), refusal),
    };
    let fields = reply.extensions_mut().remove::<RequestFields>().unwrap_or_default();
    request_record.finish(reply.status().as_u16(), fields);
    reply
}

/// Rejects requests with too many header fields. The HTTP/1 parser already rejected them; HTTP/2 limits only bytes.
fn check_header_count(limits: &RequestLimits, headers: &HeaderMap) -> Result<(), Refusal> {
    if headers.len() <= limits.headers {
        return Ok(());
    }
    let message = format!("the request headers are over the limit of {}", counted(limits.headers, "field"));
    Err(Refusal::new(codes::LIMIT_EXCEEDED, message).with_status(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE))
}

/// Answers a request that matched a route.
async fn handle(app: Arc<App>, route: &'static HttpRoute, peer: Peer, request: Request) -> Reply {
    let client = app.auth.admit(route.access, request.headers(), peer.address.ip(), app.now());
    let token = client.as_ref().ok().and_then(|client| client.token.clone());
    let answered = match client {
        Ok(client) => answer(&app, route, request, client, &peer).await,
        Err(refusal) => Err(refusal),
    };
    let mut reply = answered.unwrap_or_else(|refusal| hooks::refuse(&route.path, refusal));
    let fields = reply.extensions_mut().get_or_insert_default::<RequestFields>();
    fields.route = &route.path;
    fields.token = token;
    reply
}

async fn answer(
    app: &Arc<App>,
    route: &'static HttpRoute,
    request: Request,
    client: RequestClient,
    peer: &Peer,
) -> Result<Reply, Refusal> {
    let (mut head, body) = request.into_parts();
    let query = route.read_query(head.uri.query())?;
    let media = media(&head.headers);
    let is_accepted = match route.accepts {
        BodyContent::Nothing => true,
        BodyContent::Call => matches!(media, Some(Media::Json | Media::Lines)),
        BodyContent::Json(_) | BodyContent::Message | BodyContent::Event => media == Some(Media::Json),
        BodyContent::Wasm => media == Some(Media::Wasm),
        BodyContent::Text => false,
    };
    if !is_accepted {
        return Err(unsupported(route.accepts));
    }
    let path_parameter = RawPathParams::from_request_parts(&mut head, &()).await;
    // A path without a parameter has an empty one. A parameter that is not UTF-8 is an error, not empty.
    let path_parameter =
        path_parameter.map_err(|_| Refusal::new(codes::WRONG_USAGE, "the path is not UTF-8"))?;
    let path_parameter = path_parameter.iter().next().map(|(_, value)| value.to_owned()).unwrap_or_default();
    let body = IncomingBody { body, in_progress: Arc::clone(&peer.in_progress) };
    let target = CallTarget::new(route, &path_parameter);
    let routed = RoutedRequest { route, head, body, path_parameter, query, token: client.token };
    let reply = match (target, route.action) {
        (Some(target), _) if media == Some(Media::Lines) => {
            call_stream::answer(&app.calls, &app.observers.metrics, routed.body, target, peer.clone()).await
        }
        (Some(target), _) => calls::answer(&app.calls, routed, target).await,
        (None, RouteAction::Hook(form)) => hooks::answer(&app.calls, routed, form, peer.address).await,
        (None, RouteAction::Mcp) => mcp::answer(&app.calls, app.mcp.as_deref(), routed, client.role).await,
        (None, RouteAction::Health) => to_json(&Liveness { status: "alive" }),
        (None, RouteAction::Ready) => app.health.ready(app.auth.is_readable(app.now())),
        (None, RouteAction::Metrics) => metrics(app).await,
        (None, RouteAction::OpenApi) => Ok(reply::json(openapi::TEXT.clone())),
        _ => admin::answer(&app.calls, &app.store_pools, routed, app.now()).await,
    };
    backpressure::reserve_reply(&app.calls, peer, reply?).await
}

fn unsupported(accepts: BodyContent) -> Refusal {
    let expected = match accepts {
        BodyContent::Call => "`application/json`, or `application/x-ndjson` for a stream",
        BodyContent::Wasm => "`application/wasm`",
        _ => "`application/json`",
    };
    let message = format!("unsupported body: expected the Content-Type {expected}, without Content-Encoding");
    Refusal::new(codes::UNSUPPORTED_MEDIA_TYPE, message)
}

/// Returns the metrics in the text format of OpenMetrics.
async fn metrics(app: &Arc<App>) -> Result<Reply, Refusal> {
    let read = Arc::clone(app);
    let text = app.store_pools.reading.run(0, move || {
        let membership = read.health.transport.get().map(|transport| transport.membership());
        read.observers.metrics.text(read.calls.slots().ok(), membership.as_ref())
    });
    let kind = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    Ok(reply::body(text.await?, kind))
}

impl App {
    /// Returns the time, in milliseconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        (self.clock)()
    }

    /// Updates the problems of the slots, and loads slots that are not loaded.
    pub(crate) fn check_slots(&self) {
        if let Ok(slots) = self.calls.slots() {
            self.health.check(slots);
        }
    }
}
