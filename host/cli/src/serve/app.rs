//! One request, from its head to its reply: who may ask, what is asked, and what is told of it.

use std::{
    net::SocketAddr,
    sync::{
        Arc, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use adjudicate_core::{Error, ErrorCode};
use adjudicate_host::Slots;
use axum::{
    Router,
    body::{Body, Bytes},
    extract::{FromRequestParts, RawPathParams, Request},
    http::{HeaderValue, Method, header, request::Parts},
    routing::{MethodFilter, on},
};
use tokio::sync::Semaphore;
use tower::ServiceExt;

use crate::{
    admin,
    answers::Answers,
    body::{Media, Room, media},
    calls,
    gate::Gate,
    lanes::Lanes,
    lines,
    log::{Line, Log},
    metrics::{ByRoute, Metrics, Outcome, class},
    otlp::{Attribute, Exporter, Span},
    reply::{Refusal, Reply, Told},
    routes::{self, Does, Route, Takes, routes},
    settings::Limits,
    stream::UnderWay,
    trace::{Trace, hex},
};

/// What all requests share.
pub(crate) struct App {
    pub(crate) answers: Box<dyn Answers>,
    pub(crate) slots: Option<Slots>,
    pub(crate) gate: Gate,
    pub(crate) limits: Limits,
    pub(crate) lanes: Lanes,
    /// Where the store is looked at.
    pub(crate) desk: Lanes,
    /// Where it is changed: installing and loading take long.
    pub(crate) workshop: Lanes,
    /// What keeps slots from answering, as of a moment ago.
    pub(crate) troubles: RwLock<Vec<String>>,
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) room: Room,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) log: Option<Log>,
    pub(crate) exporter: Option<Exporter>,
    pub(crate) is_draining: AtomicBool,
    pub(crate) document: Bytes,
}

/// A request whose route is known and whose sender may ask.
pub(crate) struct Asked {
    pub(crate) route: &'static Route,
    pub(crate) head: Parts,
    pub(crate) body: Body,
    /// What stands in the place of the braces.
    pub(crate) place: String,
    pub(crate) token: Option<String>,
}

/// Who is at the other end of a connection, and that something is going on there.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    pub(crate) _under_way: Arc<UnderWay>,
}

/// Milliseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The router over the table.
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
        || async { Refusal::new(ErrorCode::NotFound, "there is nothing at this address").into_reply() };
    let not_so = || async {
        Refusal::new(ErrorCode::MethodNotAllowed, "the address does not take this method; `allow` says which")
            .into_reply()
    };
    router.fallback(nothing).method_not_allowed_fallback(not_so)
}

/// Answers a request, and tells of it.
pub(crate) async fn serve(app: Arc<App>, router: Router, peer: Peer, request: Request) -> Reply {
    let mut account = Account::open(&app, peer.address, &request);
    let (head, body) = request.into_parts();
    let refused = app.gate.refuse_pages(&head);
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

/// A request that came to a route.
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
        return Err(Refusal::new(ErrorCode::HostFault, "the request has no sender"));
    };
    *token = app.gate.admit(route.access, &head.headers, peer.address.ip(), now())?;
    routes::query(head.uri.query(), route.query)?;
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
    let place = place.ok().and_then(|params| params.iter().next().map(|(_, value)| value.to_owned()));
    let asked = Asked { route, head, body, place: place.unwrap_or_default(), token: token.clone() };
    match route.does {
        Does::Call(_) | Does::CallSlot(_) if is_stream => lines::answer(app, asked, peer).await,
        Does::Call(operation) => calls::native(app, asked, operation).await,
        Does::CallSlot(operation) => calls::slot(app, asked, operation).await,
        _ => admin::answer(app, asked).await,
    }
}

fn unsupported(takes: Takes) -> Refusal {
    let expected = match takes {
        Takes::Calls => "`application/json`, or `application/x-ndjson` for a stream",
        Takes::Wasm => "`application/wasm`",
        _ => "`application/json`",
    };
    let message = format!("expected a body of content type {expected}, not packed");
    Refusal::new(ErrorCode::UnsupportedMediaType, message)
}

impl App {
    /// Bytes of a module that may be installed: as much as the host takes at most.
    pub(crate) fn slots_limit(&self) -> usize {
        adjudicate_host::Limits::default().module_bytes.max(self.limits.body)
    }

    /// Lets the exporter send what it has, and end.
    pub(crate) fn stop_exporting(&self) {
        if let Some(exporter) = &self.exporter {
            exporter.stop();
        }
    }

    /// The slots, where there is a store.
    pub(crate) fn slots(&self) -> Result<&Slots, Error> {
        self.slots.as_ref().ok_or_else(|| {
            Error::new(ErrorCode::NotFound, "the server has no store, and so no slots and modules")
        })
    }
}

/// What is told of a request when it ends, also when the client goes away first.
struct Account {
    app: Arc<App>,
    begun: Instant,
    /// Nanoseconds since 1970.
    start: u64,
    client: SocketAddr,
    method: Method,
    trace: Option<Trace>,
    is_closed: bool,
}

impl Account {
    fn open(app: &Arc<App>, client: SocketAddr, request: &Request) -> Self {
        app.metrics.in_flight.inc();
        let is_told = app.log.is_some() || app.exporter.is_some();
        Self {
            app: Arc::clone(app),
            begun: Instant::now(),
            start: if is_told { nanoseconds() } else { 0 },
            client,
            method: request.method().clone(),
            trace: is_told.then(|| Trace::of(request.headers())),
            is_closed: false,
        }
    }

    fn close(&mut self, status: u16, told: Told) {
        self.is_closed = true;
        self.tell(Some(status), &told);
    }

    fn tell(&self, status: Option<u16>, told: &Told) {
        let app = &self.app;
        let took = self.begun.elapsed();
        let route = told.route.unwrap_or("none");
        let method = known(&self.method);
        app.metrics.in_flight.dec();
        let outcome = Outcome { route, method, status: status.map_or("gone", class) };
        app.metrics.requests.get_or_create(&outcome).inc();
        app.metrics.duration.get_or_create(&ByRoute { route }).observe(took.as_secs_f64());
        if let Some(code) = &told.code {
            app.metrics.error(code);
            if code == "host_overloaded" {
                app.metrics.shed("request");
            }
        }
        let Some(trace) = self.trace else { return };
        if let Some(log) = &app.log {
            log.take(&Line {
                time: jiff::Timestamp::from_nanosecond(self.start.into()).unwrap_or_default().to_string(),
                client: self.client.ip().to_canonical().to_string(),
                method,
                route,
                status,
                code: told.code.as_deref(),
                ms: (took.as_secs_f64() * 1e6).round() / 1e3,
                bytes: told.bytes,
                token: told.token.as_deref(),
                slot: told.slot.as_deref(),
                entry: told.entry,
                by: told.by,
                trace: hex(&trace.trace),
            });
        }
        if let Some(exporter) = &app.exporter {
            exporter.take(self.span(trace, status, route, method, told));
        }
    }

    fn span(&self, trace: Trace, status: Option<u16>, route: &str, method: &str, told: &Told) -> Span {
        let text = |text: &str| Attribute::Text(text.to_owned());
        let mut attributes = vec![("http.request.method", text(method)), ("http.route", text(route))];
        if let Some(status) = status {
            attributes.push(("http.response.status_code", Attribute::Number(status.into())));
        }
        if let Some(code) = &told.code {
            attributes.push(("error.type", text(code)));
        }
        if let Some(slot) = &told.slot {
            attributes.push(("adjudicate.slot", text(slot)));
        }
        if let Some(entry) = told.entry {
            attributes.push(("adjudicate.entry", Attribute::Number(entry)));
        }
        if let Some(by) = told.by {
            attributes.push(("adjudicate.by", text(by)));
        }
        Span {
            trace,
            name: format!("{method} {route}"),
            start: self.start,
            end: nanoseconds(),
            is_error: status.is_none_or(|status| status >= 500),
            attributes,
        }
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        if !self.is_closed {
            self.tell(None, &Told::default());
        }
    }
}

fn nanoseconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// A method's name if it is one that everybody knows: others are the caller's words.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::PATCH => "PATCH",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// Whether the server is about to end.
pub(crate) fn is_draining(app: &App) -> bool {
    app.is_draining.load(Ordering::Relaxed)
}

/// The value of `if-match`: the entry that the caller believes to be current.
pub(crate) fn if_match(head: &Parts) -> Result<Option<i64>, Error> {
    let mut all = head.headers.get_all(header::IF_MATCH).iter();
    let Some(only) = all.next() else { return Ok(None) };
    let entry = only.to_str().ok().and_then(|text| text.strip_prefix('"')?.strip_suffix('"')?.parse().ok());
    match (entry, all.next()) {
        (Some(entry), None) => Ok(Some(entry)),
        _ => Err(Error::new(ErrorCode::WrongUsage, "`if-match` takes one entity tag, such as `\"12\"`")),
    }
}
