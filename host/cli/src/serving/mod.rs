//! The command `serve`.

mod args;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use adjudicate_core::Error;
use adjudicate_host::Slots;
use adjudicate_serve::{Drained, Exposure, LogTo, Native, RequestLimits, Server, ServerSettings, TlsFiles};

use crate::{
    cluster::SyncedSlots,
    codes,
    environment::Environment,
    exit::Exit,
    failure::Failure,
    input::Source,
    known_engine::KnownEngines,
    layout, output,
    server_lines::{EndedLine, ListeningLine},
    sharing::Sharing,
};
pub(crate) use args::Serve;

pub(crate) fn run(args: &Serve, env: &Environment) -> Result<Exit, Failure> {
    check(args, env)?;
    let policy = args.policy.as_ref().map(|source| source.policy(None, env)).transpose()?.map(Arc::new);
    let settings = settings(args, env);
    #[cfg(feature = "mcp")]
    let settings = ServerSettings { mcp: args.mcp.handler(policy.as_ref(), env)?, ..settings };
    let native = policy.map_or_else(Native::default, Native::with_policy);
    let KnownEngines { digests: known_engines, modules: engines } =
        KnownEngines::read(&args.known_engine, env)?;
    let host = adjudicate_sandbox::HostSettings { known_engines, engines, ..Default::default() };
    let slots = if args.no_store { None } else { Some(open(args, host, env)?) };
    let (slots, other_hosts) = slots.map(SyncedSlots::into_parts).unzip();
    let store = slots.as_ref().map(|slots| slots.store().clone());
    let tokens = match &store {
        Some(store) => store.keyring()?.len(),
        None => 0,
    };
    let sharing = match slots.as_ref().zip(other_hosts) {
        Some((slots, Some(other_hosts))) => Some(Sharing::begin(other_hosts, slots, env)?),
        _ => None,
    };
    let server = Server::start(settings, native, slots.clone())?;
    let signals = server.signals()?;
    if let Some(sharing) = &sharing {
        sharing.join(&server)?;
    }
    let listening = ListeningLine {
        listening: server.address().to_string(),
        socket: args.socket.as_ref().map(|path| path.display().to_string()),
        tls: server.is_secured(),
        store: store.map(|store| store.directory().display().to_string()),
        tokens,
        cluster: sharing.as_ref().map(Sharing::cluster_report),
    };
    output::error_line(env, &layout::json(&listening));
    sharing.iter().for_each(Sharing::start_logging);
    server.wait(signals, |line| output::error_line(env, line));
    end(args, server, slots.as_ref(), sharing, env)
}

fn open(
    args: &Serve,
    host: adjudicate_sandbox::HostSettings,
    env: &Environment,
) -> Result<SyncedSlots, Failure> {
    #[cfg(feature = "nats")]
    let may_start_without = args.start_without_nats;
    #[cfg(not(feature = "nats"))]
    let may_start_without = false;
    SyncedSlots::open(&args.location, &args.nats, host, may_start_without, env)
}

/// Ends the server: answers its calls, writes their records, then sends the records to the cluster.
fn end(
    args: &Serve,
    server: Server,
    slots: Option<&Slots>,
    sharing: Option<Sharing>,
    env: &Environment,
) -> Result<Exit, Failure> {
    let end = Instant::now() + Duration::from_secs(args.drain_delay.saturating_add(args.drain_timeout));
    if let Some(sharing) = &sharing {
        sharing.leave();
    }
    let Drained { connections_cut, messages_cut, is_log_written } = server.drain();
    let messages_cut = sharing.as_ref().map(|_| messages_cut);
    // A call that was cut off may still hold the slots, so queued records must be written here.
    let records = slots.map_or(Ok(()), Slots::close);
    let records_forwarded = sharing.map(|sharing| sharing.end(end, env));
    // If the log is standard error and its reader does not read, this line would block.
    if is_log_written || !is_log_on_stderr(args) {
        let log_written = (!is_log_written).then_some(false);
        let ended = EndedLine { ended: true, connections_cut, log_written, messages_cut, records_forwarded };
        output::error_line(env, &layout::json(&ended));
    }
    records?;
    Ok(Exit::Answered)
}

fn settings(args: &Serve, env: &Environment) -> ServerSettings {
    let defaults = RequestLimits::default();
    let calls = args.max_calls.unwrap_or(defaults.calls);
    let limits = RequestLimits {
        connections: args.max_connections,
        idle_by_address: args.max_idle_per_address.unwrap_or((args.max_connections / 4).max(1)),
        calls,
        memory: usize::try_from(args.max_memory).unwrap_or(usize::MAX),
        queue: calls.saturating_mul(64),
        queue_wait: Duration::from_secs(args.queue_wait),
        body: args.max_body as usize,
        request: Duration::from_secs(args.request_timeout),
        head: Duration::from_secs(args.idle_timeout),
        ..defaults
    };
    let files = args.tls_cert.as_deref().zip(args.tls_key.as_deref());
    ServerSettings {
        listen: args.listen,
        socket: args.socket.as_deref().map(|path| env.path(path)),
        tls: files
            .map(|(certificates, key)| TlsFiles { certificates: env.path(certificates), key: env.path(key) }),
        exposure: Exposure {
            insecure_plaintext: args.insecure_plaintext,
            allow_local_admin: args.allow_local_admin,
            hosts: args.host.clone(),
            origins: args.origin.clone(),
        },
        limits,
        drain_delay: Duration::from_secs(args.drain_delay),
        drain_deadline: Duration::from_secs(args.drain_timeout),
        log: args.log.as_deref().map(|path| match is_log_on_stderr(args) {
            true => LogTo::Stderr,
            false => LogTo::File(env.path(path)),
        }),
        otlp: args.otlp.clone().or_else(|| collector(env)),
        ..ServerSettings::default()
    }
}

/// Returns the URL of the collector that the variables of OpenTelemetry name.
fn collector(env: &Environment) -> Option<String> {
    let variable = |name| env.variable(name)?.into_string().ok();
    let base = || variable("OTEL_EXPORTER_OTLP_ENDPOINT");
    variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
        .or_else(|| base().map(|url| format!("{}/v1/traces", url.trim_end_matches('/'))))
}

fn is_log_on_stderr(args: &Serve) -> bool {
    args.log.as_ref().is_some_and(|path| path.as_os_str() == "-")
}

/// Rejects arguments that exclude each other.
pub(crate) fn check(args: &Serve, env: &Environment) -> Result<(), Error> {
    #[cfg(feature = "nats")]
    if args.start_without_nats && args.nats.settings(env)?.is_none() {
        let message = "`--start-without-nats` needs a cluster: `--nats` or $ADJUDICATE_NATS";
        return Err(Error::new(codes::WRONG_USAGE, message));
    }
    if args.policy == Some(Source::Stdin) {
        return Err(Error::new(codes::WRONG_USAGE, "`--policy` of a server cannot be standard input"));
    }
    if args.no_store && args.nats.settings(env)?.is_some() {
        let message = "`--no-store` cannot be used with a cluster (`--nats` or $ADJUDICATE_NATS)";
        return Err(Error::new(codes::WRONG_USAGE, message));
    }
    #[cfg(feature = "mcp")]
    if args.no_store && !args.allow_local_admin && args.mcp.offers_run() {
        let message =
            "`--mcp-directory` needs a token of the role `admin` in a store, or `--allow-local-admin`";
        return Err(Error::new(codes::WRONG_USAGE, message));
    }
    Ok(())
}
