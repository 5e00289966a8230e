//! The costs of HTTP, and the cost of a swap for concurrent callers: `serve`, on loopback, with two persistent
//! connections.

use std::{
    fmt::Write as _,
    io::{BufRead, BufReader, Read, Write as _},
    net::{SocketAddr, TcpStream},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use adjudicate_core::{Error, Operation};
use adjudicate_host::{ChangeReason, Composition, InstallOptions, Slot, SlotSettings, Slots, Store};
use adjudicate_sandbox::{Digest, Host, HostSettings};
use adjudicate_serve::{CallHandler, Native, Server, ServerSettings};
use tempfile::TempDir;

use crate::{Failure, Values, workload::Workload};

/// The number of connections that call at once.
const CONNECTIONS: usize = 2;
/// The number of times that one version replaces the other.
const SWAPS: u32 = 200;
/// The time between two swaps: far shorter than between real swaps.
const PAUSE: Duration = Duration::from_millis(20);
/// The number of turns in which swaps and quiet times alternate, so that other load on the machine affects both.
const TURNS: u32 = 10;

/// Returns an empty answer at once, so only the server itself is measured.
struct Empty;

impl CallHandler for Empty {
    fn answer(&self, _: Operation, _: &[u8]) -> Result<String, Error> {
        Ok("{}".to_owned())
    }
}

/// Measures throughput and swaps.
pub(crate) fn measure(engine: &[u8], turn: Duration) -> Result<Values, Failure> {
    let workload = Workload::short()?;
    let mut values = throughput(engine, &workload, turn)?;
    values.extend(swaps(engine, &workload)?);
    Ok(values)
}

/// Calls per second of the engine and of an empty handler in the same server, in turns.
fn throughput(engine: &[u8], workload: &Workload, turn: Duration) -> Result<Values, Failure> {
    let directory = tempfile::tempdir()?;
    let digest = Digest::sha256(engine);
    let (slots, _) = slot(&directory, &[engine], [digest].into())?;
    let native = Server::start(ServerSettings::default(), Native::default(), Some(slots))?;
    let empty = Server::start(ServerSettings::default(), Empty, None)?;
    let contestants = [
        ("empty", empty.address(), "/v1/evaluate"),
        ("native", native.address(), "/v1/evaluate"),
        ("slot", native.address(), "/v1/slots/release/evaluate"),
    ];
    let mut calls = [0_usize; 3];
    for round in 0..11 {
        for ((_, address, path), calls) in contestants.iter().zip(&mut calls) {
            let latencies = load(*address, path, &workload.envelope, || thread::sleep(turn))?;
            // The first round is the warm-up.
            *calls += if round > 0 { latencies.len() } else { 0 };
        }
    }
    let seconds = turn.as_secs_f64() * 10.0;
    let [empty_rate, native_rate, slot_rate] = calls.map(|calls| calls as f64 / seconds);
    native.drain();
    empty.drain();
    Ok(Values::from([
        ("serve_empty_per_second".into(), empty_rate),
        ("serve_native_per_second".into(), native_rate),
        ("serve_slot_per_second".into(), slot_rate),
        ("serve_native_ratio".into(), native_rate / empty_rate),
        ("serve_slot_ratio".into(), slot_rate / empty_rate),
    ]))
}

/// The slowest hundredth of calls while versions are swapped, against the same without swaps.
fn swaps(engine: &[u8], workload: &Workload) -> Result<Values, Failure> {
    let directory = tempfile::tempdir()?;
    // The same code under another digest, so that only the swap makes a difference: one more custom section.
    let other = [engine, b"\0\x03\x01x\0"].concat();
    let (slots, slot) = slot(&directory, &[engine, &other], [].into())?;
    let versions = [engine, &other].map(|module| Composition::new(Digest::sha256(module)).unsigned());
    let server = Server::start(ServerSettings::default(), Native::default(), Some(slots))?;
    let path = "/v1/slots/release/evaluate";
    let (mut quiet, mut swapping) = (Vec::new(), Vec::new());
    let mut swapped = versions.iter().cycle().skip(1);
    for turn in 0..=TURNS {
        let still =
            load(server.address(), path, &workload.envelope, || thread::sleep(PAUSE * (SWAPS / TURNS)))?;
        let mut failed = None;
        let busy = load(server.address(), path, &workload.envelope, || {
            for version in swapped.by_ref().take((SWAPS / TURNS) as usize) {
                failed = slot.activate(version.clone(), &ChangeReason::default()).err().or(failed.take());
                thread::sleep(PAUSE);
            }
        })?;
        if let Some(error) = failed {
            return Err(error.to_string().into());
        }
        // The first turn is the warm-up.
        if turn > 0 {
            quiet.extend(still);
            swapping.extend(busy);
        }
    }
    server.drain();
    let [quiet_99, swapping_99] = [&mut quiet, &mut swapping].map(|latencies| percentile(latencies, 0.99));
    let [quiet_50, swapping_50] = [&mut quiet, &mut swapping].map(|latencies| percentile(latencies, 0.5));
    Ok(Values::from([
        ("swap_p99_ratio".into(), swapping_99 / quiet_99),
        ("swap_p50_ratio".into(), swapping_50 / quiet_50),
        ("swap_quiet_p99_us".into(), quiet_99),
        ("swap_p99_us".into(), swapping_99),
        ("swap_calls".into(), swapping.len() as f64),
    ]))
}

/// A store with these modules; the first of them is active.
pub(crate) fn slot(
    directory: &TempDir,
    modules: &[&[u8]],
    known_engines: std::collections::BTreeSet<Digest>,
) -> Result<(Slots, Slot), Failure> {
    let store = Store::open(&directory.path().join("store"))?;
    let cache = Some(store.cache()?);
    let slots =
        Slots::open(store, Host::new(HostSettings { cache, known_engines, ..HostSettings::default() })?)?;
    for module in modules {
        slots.install(module, &InstallOptions { unsigned: true, ..InstallOptions::default() })?;
    }
    let slot = slots.create("release", SlotSettings::default(), &ChangeReason::default())?;
    let first = modules.first().ok_or("no module")?;
    slot.activate(Composition::new(Digest::sha256(first)).unsigned(), &ChangeReason::default())?;
    Ok((slots, slot))
}

/// Calls over some connections while `meanwhile` runs. Returns the time of each call in microseconds. An answer other
/// than 200 fails the whole measurement.
fn load(address: SocketAddr, path: &str, body: &str, meanwhile: impl FnOnce()) -> Result<Vec<f64>, Failure> {
    let is_over = AtomicBool::new(false);
    let mut all = Vec::new();
    let outcomes = thread::scope(|scope| {
        let call = || -> Result<Vec<f64>, String> {
            let mut connection = Connection::open(address, path, body).map_err(|error| error.to_string())?;
            let mut latencies = Vec::new();
            while !is_over.load(Ordering::Relaxed) {
                let begun = Instant::now();
                connection.call().map_err(|error| error.to_string())?;
                latencies.push(begun.elapsed().as_secs_f64() * 1e6);
            }
            Ok(latencies)
        };
        let callers: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(call)).collect();
        meanwhile();
        is_over.store(true, Ordering::Relaxed);
        callers.into_iter().map(thread::ScopedJoinHandle::join).collect::<Vec<_>>()
    });
    for outcome in outcomes {
        all.extend(outcome.map_err(|_| "a caller panicked")??);
    }
    Ok(all)
}

/// A persistent connection.
pub(crate) struct Connection {
    socket: BufReader<TcpStream>,
    request: String,
    line: String,
    answer: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr, path: &str, body: &str) -> Result<Self, Failure> {
        let socket = TcpStream::connect(address)?;
        socket.set_nodelay(true)?;
        let mut request =
            format!("POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n");
        write!(request, "content-length: {}\r\n\r\n{body}", body.len())?;
        Ok(Self { socket: BufReader::new(socket), request, line: String::new(), answer: Vec::new() })
    }

    pub(crate) fn call(&mut self) -> Result<(), Failure> {
        self.socket.get_mut().write_all(self.request.as_bytes())?;
        let mut length = 0;
        let mut is_first = true;
        loop {
            self.line.clear();
            self.socket.read_line(&mut self.line)?;
            let line = self.line.trim_end();
            if is_first && line != "HTTP/1.1 200 OK" {
                return Err(format!("a call failed: `{line}`").into());
            }
            is_first = false;
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.parse()?;
            }
        }
        self.answer.resize(length, 0);
        self.socket.read_exact(&mut self.answer)?;
        Ok(())
    }
}

fn percentile(values: &mut [f64], part: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let at = (values.len() as f64 * part) as usize;
    values.get(at.min(values.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}
