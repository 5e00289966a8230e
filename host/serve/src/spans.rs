//! The spans of requests, sent to a collector by the exporter of OpenTelemetry: OTLP over HTTP.
//!
//! A request never waits for the collector: spans go into a bounded queue, and spans that do not fit, or that the collector rejects,
//! are dropped and counted. Variables of the environment (`OTEL_*`) set headers, times, sampling, and the name of the service.

use std::{
    env,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime},
};

use adjudicate_core::Error;
use axum::http::{HeaderMap, Uri};
use opentelemetry::{
    Context, KeyValue,
    propagation::TextMapPropagator,
    trace::{Span as _, SpanKind, Status, Tracer, TracerProvider},
};
use opentelemetry_http::HeaderExtractor;
use opentelemetry_otlp::{ExporterBuildError, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    propagation::TraceContextPropagator,
    resource::{EnvResourceDetector, TelemetryResourceDetector},
    trace::{
        BatchConfigBuilder, BatchSpanProcessor, SdkTracer, SdkTracerProvider, Span, SpanData, SpanProcessor,
    },
};

use crate::{codes, metrics::Metrics};

/// The number of spans that may wait for the collector.
const QUEUE: usize = 4096;

/// The time that the end of the server waits for the collector.
const PATIENCE: Duration = Duration::from_secs(5);

/// The maker of spans.
#[derive(Debug)]
pub(crate) struct Spans {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
}

impl Spans {
    /// Sends spans to a collector. Without one, spans only have ids, for the log.
    pub(crate) fn new(collector: Option<&str>, metrics: &Arc<Metrics>) -> Result<Self, Error> {
        let mut builder = SdkTracerProvider::builder().with_resource(resource());
        if let Some(url) = collector {
            builder = builder.with_span_processor(SpanQueue::start(exporter(url)?, metrics));
        }
        let provider = builder.build();
        Ok(Self { tracer: provider.tracer("adjudicate.serve"), provider })
    }

    /// Records a span that ends now. Returns the id of its trace, which is that of the parent if there is one.
    pub(crate) fn record(
        &self,
        parent: &Context,
        name: String,
        start: SystemTime,
        is_error: bool,
        attributes: Vec<KeyValue>,
    ) -> String {
        let builder = self.tracer.span_builder(name).with_kind(SpanKind::Server);
        let builder = builder.with_start_time(start).with_attributes(attributes);
        let mut span = builder.start_with_context(&self.tracer, parent);
        if is_error {
            span.set_status(Status::error(""));
        }
        // The span ends when it is dropped.
        span.span_context().trace_id().to_string()
    }

    /// Sends the spans that wait. Later spans are ignored.
    pub(crate) fn stop(&self) {
        // Spans that the collector does not take in time are lost, as any other.
        let _ = self.provider.shutdown_with_timeout(PATIENCE);
    }
}

/// Returns the context that the headers name (W3C Trace Context).
pub(crate) fn parent(headers: &HeaderMap) -> Context {
    TraceContextPropagator::new().extract_with_context(&Context::new(), &HeaderExtractor(headers))
}

/// Returns the description of this process. Variables of the environment win.
fn resource() -> Resource {
    let builder = Resource::builder_empty()
        .with_service_name("adjudicate")
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .with_detectors(&[Box::new(TelemetryResourceDetector), Box::new(EnvResourceDetector::new())]);
    match env::var("OTEL_SERVICE_NAME") {
        Ok(name) if !name.is_empty() => builder.with_service_name(name).build(),
        _ => builder.build(),
    }
}

/// Returns the exporter to the collector at this URL. The default path is `/v1/traces`.
fn exporter(url: &str) -> Result<SpanExporter, Error> {
    let wrong =
        |reason: &str| Error::new(codes::WRONG_USAGE, format!("invalid collector address `{url}`: {reason}"));
    let parsed = url.parse::<Uri>().ok();
    let parsed = parsed.filter(|uri| matches!(uri.scheme_str(), Some("http" | "https")));
    let parsed = parsed.ok_or_else(|| wrong("expected `http://host:port` or `https://host:port`"))?;
    let is_base = parsed.path_and_query().is_none_or(|path| path == "/");
    let endpoint = if is_base { format!("{}/v1/traces", url.trim_end_matches('/')) } else { url.to_owned() };
    // Fails if a provider is installed already, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = || SpanExporter::builder().with_http().with_endpoint(endpoint.as_str());
    let built = match builder().build() {
        // Without TLS, a machine needs no certificate authorities.
        Err(ExporterBuildError::InternalFailure(_)) if parsed.scheme_str() == Some("http") => {
            let client = reqwest::blocking::Client::builder().tls_certs_only([]).build();
            let client = client.map_err(|error| wrong("no HTTP client").with_source(error))?;
            builder().with_http_client(client).build()
        }
        built => built,
    };
    built.map_err(|error| wrong(&error.to_string()).with_source(error))
}

/// The queue of spans, which counts those that do not fit.
#[derive(Debug)]
struct SpanQueue {
    batches: BatchSpanProcessor,
    waiting: Arc<AtomicUsize>,
    metrics: Arc<Metrics>,
}

/// The exporter, which counts the spans that the collector accepts.
#[derive(Debug)]
struct CountingExporter {
    exporter: SpanExporter,
    waiting: Arc<AtomicUsize>,
    metrics: Arc<Metrics>,
}

impl SpanQueue {
    fn start(exporter: SpanExporter, metrics: &Arc<Metrics>) -> Self {
        let waiting = Arc::<AtomicUsize>::default();
        let (leaving, counts) = (Arc::clone(&waiting), Arc::clone(metrics));
        let counting = CountingExporter { exporter, waiting: leaving, metrics: counts };
        let config = BatchConfigBuilder::default().with_max_queue_size(QUEUE).build();
        let batches = BatchSpanProcessor::builder(counting).with_batch_config(config).build();
        Self { batches, waiting, metrics: Arc::clone(metrics) }
    }
}

impl SpanProcessor for SpanQueue {
    fn on_start(&self, _: &mut Span, _: &Context) {}

    fn on_end(&self, span: SpanData) {
        if self.waiting.fetch_add(1, Ordering::Relaxed) < QUEUE {
            return self.batches.on_end(span);
        }
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        self.metrics.spans_dropped.inc();
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.batches.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.batches.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.batches.set_resource(resource);
    }
}

impl opentelemetry_sdk::trace::SpanExporter for CountingExporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let count = batch.len();
        self.waiting.fetch_sub(count, Ordering::Relaxed);
        let exported = self.exporter.export(batch).await;
        let Metrics { spans_sent, spans_dropped, .. } = &*self.metrics;
        if exported.is_ok() { spans_sent } else { spans_dropped }.inc_by(count as u64);
        exported
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collectors_are_named_by_urls() {
        for good in ["http://localhost", "http://[::1]:99/", "http://otel:1/a/b", "https://otel.example"] {
            assert!(exporter(good).is_ok(), "{good}");
        }
        for bad in ["", "otel:1", "/v1/traces", "ftp://otel", "http://", "http://a\r\nb", "http://a b"] {
            assert_eq!(exporter(bad).unwrap_err().code(), codes::WRONG_USAGE, "{bad}");
        }
    }
}
