//! The arguments of `serve`.

use std::{net::SocketAddr, path::PathBuf};

use clap::Args;

use crate::{cluster::Membership, exit, input::Source, known_engine::KnownEngine, place::StorePlace};

/// Answer over HTTP: every operation natively and of slots, streams of calls, and the administration of the store. With --nats
/// over NATS, too, as one of several hosts that have the same slots.
#[derive(Debug, Args)]
#[command(after_help = exit::SERVE_HELP)]
pub(crate) struct Serve {
    /// The address to listen on. Port 0 is any free port; the server prints the address
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8420")]
    pub(crate) listen: SocketAddr,
    #[command(flatten)]
    pub(crate) place: StorePlace,
    /// Serve only the built-in engine
    #[cfg_attr(feature = "nats", arg(long, conflicts_with_all = ["store", "nats", "known_engine"]))]
    #[cfg_attr(not(feature = "nats"), arg(long, conflicts_with_all = ["store", "known_engine"]))]
    pub(crate) no_store: bool,
    #[command(flatten)]
    pub(crate) nats: Membership,
    /// If the NATS servers cannot be reached at the start, answer over HTTP with the state of the store, which may be older than the
    /// cluster's, and join the cluster later
    #[cfg(feature = "nats")]
    #[arg(long)]
    pub(crate) start_without_nats: bool,
    /// The policy of the built-in engine (YAML if it ends in .yaml or .yml)
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<Source>,
    /// An engine to trust, by its digest or its FILE, wherever it is in force: it runs without fuel and deadline, and its answers
    /// are not checked. Of a file, policies that are baked into it are trusted, too
    #[arg(long, value_name = "DIGEST|FILE")]
    pub(crate) known_engine: Vec<KnownEngine>,
    /// The TLS certificate and its chain (PEM); read again at SIGHUP
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The certificate's key (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Listen without TLS on an address that other machines can reach, because a proxy in front of the server does TLS
    #[arg(long, conflicts_with = "tls_cert")]
    pub(crate) insecure_plaintext: bool,
    /// On loopback, while the store never had a token: allow administration to all programs on this machine
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
    /// Send traces to this collector (OTLP over plain HTTP), such as `http://localhost:4318`
    #[arg(long, value_name = "URL")]
    pub(crate) otlp: Option<String>,
    /// The highest number of connections at once
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) max_connections: u32,
    /// The highest number of idle connections from one address; by default a quarter of --max-connections
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) max_idle_per_address: Option<u32>,
    /// The highest number of calls that run at once; by default one for each processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) max_calls: Option<u32>,
    /// The most memory, in bytes, of all running calls together: their inputs, instances and answers
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 30, value_parser = clap::value_parser!(u64).range(64 << 20..=1 << 41))]
    pub(crate) max_memory: u64,
    /// The most bytes of a body, or of a line of a stream, up to the engine's own limit of 8 MiB
    #[arg(long, value_name = "BYTES", default_value_t = 8 << 20, value_parser = clap::value_parser!(u32).range(1..=8 << 20))]
    pub(crate) max_body: u32,
    /// The seconds in which a body must arrive
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) request_timeout: u64,
    /// The seconds that a connection may be idle, or take to send the head of a request
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) idle_timeout: u64,
    /// After SIGTERM, keep accepting requests for this many seconds while `/readyz` returns 503
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=3600))]
    pub(crate) drain_delay: u64,
    /// The seconds that running requests may then take to end
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(0..=3600))]
    pub(crate) drain_timeout: u64,
}
