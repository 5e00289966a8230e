//! The verb of the HTTP face.

use std::{net::SocketAddr, path::PathBuf};

use clap::Args;

use crate::{cluster::Membership, exit, input::Source, known_engine::KnownEngine, place::StorePlace};

/// Answer over HTTP: every operation natively and of slots, streams of calls, and the administration of the store. With --nats
/// over NATS, too, as one of several hosts that have the same slots.
#[derive(Debug, Args)]
#[command(after_help = exit::SERVE_HELP)]
pub(crate) struct Serve {
    /// Where to listen; port 0 is any free one, and the line that the server prints says which
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8420")]
    pub(crate) listen: SocketAddr,
    #[command(flatten)]
    pub(crate) place: StorePlace,
    /// Serve the engine that is built in, and nothing else
    #[cfg_attr(feature = "nats", arg(long, conflicts_with_all = ["store", "nats", "known_engine"]))]
    #[cfg_attr(not(feature = "nats"), arg(long, conflicts_with_all = ["store", "known_engine"]))]
    pub(crate) no_store: bool,
    #[command(flatten)]
    pub(crate) nats: Membership,
    /// Where the NATS servers cannot be reached at the start: answer over HTTP by what the store has, which may be behind the cluster
    /// then, and join the cluster once it is there
    #[cfg(feature = "nats")]
    #[arg(long)]
    pub(crate) start_without_nats: bool,
    /// A policy that is in force where the engine that is built in answers (YAML if it ends in .yaml or .yml)
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<Source>,
    /// An engine to trust, by its digest or its FILE, wherever it is in force: it runs without fuel and deadline, and its answers
    /// are not checked. Of a file, policies that are baked into it are trusted, too
    #[arg(long, value_name = "DIGEST|FILE")]
    pub(crate) known_engine: Vec<KnownEngine>,
    /// The certificate to speak TLS with, and those between it and the authority (PEM); read again at SIGHUP
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The certificate's key (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Listen where others can come without TLS: something in front of the server speaks it
    #[arg(long, conflicts_with = "tls_cert")]
    pub(crate) insecure_plaintext: bool,
    /// On loopback, where the store never had a token: let anybody on this machine administer the store
    #[arg(long)]
    pub(crate) allow_local_admin: bool,
    /// A name that the server goes by, besides `localhost`
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    /// The origin of a page whose requests are taken, such as `https://console.example`
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) origin: Vec<String>,
    /// Tell of each request in this file, a line of JSON each; `-` for standard error
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Send traces to this collector (OTLP over plain HTTP), such as `http://localhost:4318`
    #[arg(long, value_name = "URL")]
    pub(crate) otlp: Option<String>,
    /// Connections at once
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) max_connections: u32,
    /// Idle connections of one address at once; without it, a quarter of --max-connections
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) max_idle_per_address: Option<u32>,
    /// Calls that are answered at once; without it, one for each processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) max_calls: Option<u32>,
    /// Bytes of memory that all calls that are answered at once may take together: their inputs, instances and answers
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 30, value_parser = clap::value_parser!(u64).range(64 << 20..=1 << 41))]
    pub(crate) max_memory: u64,
    /// Bytes of one body, or of one line of a stream, up to the engine's own limit of 8 MiB
    #[arg(long, value_name = "BYTES", default_value_t = 8 << 20, value_parser = clap::value_parser!(u32).range(1..=8 << 20))]
    pub(crate) max_body: u32,
    /// Seconds in which a body must be there
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) request_timeout: u64,
    /// Seconds that a connection may lie idle, or take to say what it wants
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) idle_timeout: u64,
    /// Seconds from a signal to end, in which `/readyz` says no, to the moment in which nobody new is let in
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=3600))]
    pub(crate) drain_delay: u64,
    /// Seconds that requests may take to end then
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(0..=3600))]
    pub(crate) drain_timeout: u64,
}
