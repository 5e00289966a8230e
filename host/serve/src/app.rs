//! One HTTP request, from its headers to its reply: guards, route, token, media type, and the call.

use std::sync::Arc;

use adjudicate_trust::counted;
use axum::{
    Router,
    extract::{FromRequestParts, RawPathParams, Request},
    http::{StatusCode, Uri, request::Parts},
    routing::{MethodFilter, on},
};
use tower::ServiceExt;

use crate::{
    activity::Peer,
    admin::{self, StorePools},
    auth::Auth,
    backpressure,
    body::{IncomingBody, Media, media, transferred_plainly},
    call_stream,
    calls::{self, CallTarget, Calls, RoutedRequest},
    codes,
    health::{self, Health},
    hooks, mcp,
    mcp_handler::McpHandler,
    openapi,
    query::query,
    reply::{self, Refusal, Reply, RequestFields},
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
    pub(crate) health: Arc<Health>,
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
            router = router.route(path, on(filter, move |request: Request| handle(app, route, request)));
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
pub(crate) async fn serve(app: Arc<App>, router: Router, peer: Peer, request: Request) -> Reply {
    let mut request_record =
        RequestRecord::of_http(&app.observers, peer.address, request.method(), request.headers());
    let (head, body) = request.into_parts();
    let refused = check_header_count(&app.calls.limits, &head)
        .and_then(|()| transferred_plainly(&head.headers))
        .and_then(|()| app.auth.reject_pages(&head));
    let mut request = Request::from_parts(head, body);
    request.extensions_mut().insert(peer);
    let mut reply = match refused {
        Ok(()) => match router.oneshot(request).await {
            Ok(reply) => reply,
            Err(never) => match never {},
        },
        Err(refusal) => hooks::refuse(request.uri().path(), refusal),
    };
    let fields = reply.extensions_mut().remove::<RequestFields>().unwrap_or_default();
    request_record.finish(reply.status().as_u16(), fields);
    reply
}

/// Rejects requests with too many header fields. The HTTP/1 parser already rejected them; HTTP/2 limits only bytes.
fn check_header_count(limits: &RequestLimits, head: &Parts) -> Result<(), Refusal> {
    if head.headers.len() <= limits.headers {
        return Ok(());
    }
    let message = format!("the request headers are over the limit of {}", counted(limits.headers, "field"));
    Err(Refusal::new(codes::LIMIT_EXCEEDED, message).with_status(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE))
}

/// Answers a request that matched a route.
async fn handle(app: Arc<App>, route: &'static HttpRoute, request: Request) -> Reply {
    let mut token = None;
    let answered = answer(&app, route, request, &mut token).await;
    let mut reply = answered.unwrap_or_else(|refusal| hooks::refuse(&route.path, refusal));
    let mut fields = reply.extensions_mut().remove::<RequestFields>().unwrap_or_default();
    fields.route = &route.path;
    fields.token = token;
    reply.extensions_mut().insert(fields);
    reply
}

async fn answer(
    app: &Arc<App>,
    route: &'static HttpRoute,
    request: Request,
    token: &mut Option<String>,
) -> Result<Reply, Refusal> {
    let (mut head, body) = request.into_parts();
    let Some(peer) = head.extensions.get::<Peer>().cloned() else {
        return Err(Refusal::new(codes::HOST_FAULT, "the request has no client address"));
    };
    let client = app.auth.admit(route.access, &head.headers, peer.address.ip(), app.now())?;
    token.clone_from(&client.token);
    query(head.uri.query(), route.query)?;
    let media = media(&head.headers);
    let is_stream = media == Some(Media::Lines);
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
    let routed = RoutedRequest { route, head, body, path_parameter, token: client.token };
    if let Some(target) = target {
        if is_stream {
            return call_stream::answer(&app.calls, &app.observers.metrics, routed.body, target, peer).await;
        }
        let reply = calls::answer(&app.calls, routed, target).await?;
        return backpressure::reserve_reply(&app.calls, &peer, reply).await;
    }
    let reply = match route.action {
        RouteAction::Hook(form) => hooks::answer(&app.calls, routed, form, peer.address).await,
        RouteAction::Mcp => mcp::answer(&app.calls, app.mcp.as_deref(), routed, client.role).await,
        RouteAction::Health => health::alive(),
        RouteAction::Ready => app.health.ready(app.auth.is_readable(app.now())),
        RouteAction::Metrics => app.health.metrics().await,
        RouteAction::OpenApi => Ok(reply::json(openapi::TEXT.clone())),
        _ => admin::answer(&app.calls, &app.store_pools, routed, app.now()).await,
    };
    backpressure::reserve_reply(&app.calls, &peer, reply?).await
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

impl App {
    /// Returns the time, in milliseconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        (self.clock)()
    }
}
