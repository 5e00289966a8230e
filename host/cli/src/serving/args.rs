//! The arguments of `serve`.

use std::{net::SocketAddr, path::PathBuf};

use clap::Args;

use crate::{cluster::Membership, input::Source, known_engine::KnownEngine, store_location::StoreLocation};

/// Serve every operation, slots, and the administration of the store over HTTP.
///
/// With --nats the server also answers over NATS, as one of several hosts that share their slots.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// The address to listen on; port 0 is any free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8420")]
    pub(crate) listen: SocketAddr,
    /// Listen on this Unix socket, too; only your user can connect to it
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) location: StoreLocation,
    /// Serve only the built-in engine
    #[cfg_attr(feature = "nats", arg(long, conflicts_with_all = ["store", "nats", "known_engine"]))]
    #[cfg_attr(not(feature = "nats"), arg(long, conflicts_with_all = ["store", "known_engine"]))]
    pub(crate) no_store: bool,
    #[command(flatten)]
    pub(crate) nats: Membership,
    /// Start without the NATS servers if they cannot be reached, and join later
    ///
    /// Until then the server answers over HTTP with the state of the store, which may be older than that of the cluster.
    #[cfg(feature = "nats")]
    #[arg(long)]
    pub(crate) start_without_nats: bool,
    /// The policy of the built-in engine (YAML if it ends in .yaml or .yml)
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<Source>,
    /// Trust this engine: it runs without fuel and deadline, and its answers are not checked
    ///
    /// Name the engine by its digest or its file. With a file, modules that contain this engine and a policy are trusted, too.
    /// The trust counts in every slot.
    #[arg(long, value_name = "DIGEST|FILE")]
    pub(crate) known_engine: Vec<KnownEngine>,
    #[cfg(feature = "mcp")]
    #[command(flatten)]
    pub(crate) mcp: crate::mcp::McpOptions,
    /// The TLS certificate and its chain (PEM); read again at SIGHUP
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The certificate's key (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Listen without TLS on a public address, behind a proxy that does TLS
    #[arg(long, conflicts_with = "tls_cert")]
    pub(crate) insecure_plaintext: bool,
    /// On loopback without tokens, let all local programs administer the store and call `run`
    ///
    /// The option has no effect once the store has had a token.
    #[arg(long)]
    pub(crate) allow_local_admin: bool,
    /// A host name of the server, in addition to `localhost`
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    /// The origin of a web page whose requests are accepted, such as `https://console.example`
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) origin: Vec<String>,
    /// Log each request to this file, as a line of JSON; `-` for standard error
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Send traces to this collector (OTLP over HTTP), such as `http://localhost:4318`
    ///
    /// Without this option, to the one of `OTEL_EXPORTER_OTLP_ENDPOINT`. Other variables of OpenTelemetry apply, too.
    #[arg(long, value_name = "URL")]
    pub(crate) otlp: Option<String>,
    /// The highest number of connections at once
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) max_connections: u32,
    /// The highest number of idle connections per address [default: a quarter of all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) max_idle_per_address: Option<u32>,
    /// The highest number of calls at once [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) max_calls: Option<u32>,
    /// The time that a call may wait for its turn; then it gets 503
    #[arg(long, value_name = "SECONDS", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) queue_wait: u64,
    /// The memory limit of all running calls together: inputs, instances and answers
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 30, value_parser = clap::value_parser!(u64).range(64 << 20..=1 << 41))]
    pub(crate) max_memory: u64,
    /// The size limit of a body, or of a line of a stream; at most 8 MiB
    #[arg(long, value_name = "BYTES", default_value_t = 8 << 20, value_parser = clap::value_parser!(u32).range(1..=8 << 20))]
    pub(crate) max_body: u32,
    /// The time limit for the body of a request
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) request_timeout: u64,
    /// The time limit for an idle connection, and for the headers of a request
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) idle_timeout: u64,
    /// After SIGTERM, accept requests for this time while `/readyz` returns 503
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=3600))]
    pub(crate) drain_delay: u64,
    /// The time limit for running requests after SIGTERM and `--drain-delay`
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(0..=3600))]
    pub(crate) drain_timeout: u64,
}
