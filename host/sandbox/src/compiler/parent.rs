//! The host's side: starts the child, sends the module, and reports how the child ended.

use std::{
    io::{self, Read, Write},
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Child as Process, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use adjudicate_core::Error;
use rustix::process::{Pid, Signal, kill_process_group};
#[cfg(target_os = "linux")]
use rustix::process::{Resource, Rlimit, prlimit};

use super::{
    Child,
    messages::{CompileRequest, Reply},
    refusal,
};
use crate::{
    codes,
    compiled::{self, Origin},
    engine::ClassEngine,
};

/// The most bytes of the child's standard error that are kept.
const COMPLAINT_BYTES: u64 = 1 << 10;
/// Interval at which the host checks whether a child that has replied has ended.
const PAUSE: Duration = Duration::from_millis(1);
/// Interval at which the host checks whether a child that has not replied computes.
const LOOK: Duration = Duration::from_millis(50);

/// Compiles a module in a child.
pub(super) fn compile(
    child: &Child,
    engine: &ClassEngine,
    origin: &Origin,
    module: &[u8],
) -> Result<wasmtime::Module, Error> {
    let mut key = [0; 64];
    getrandom::fill(&mut key).map_err(|error| fault(&error.to_string()).with_source(error))?;
    let request = CompileRequest {
        memory_bytes: child.memory_bytes,
        cpu_seconds: child.cpu_seconds(),
        class: engine.class,
        is_pooled: engine.is_pooled,
        key,
        module_bytes: module.len() as u64,
    };
    let mut running = ChildProcess::start(child)?;
    let talk =
        running.talk(&request, module).map_err(|error| fault(&error.to_string()).with_source(error))?;
    match running.end(&talk, child)? {
        Reply::Code(sealed) => compiled::unseal(&key, origin, &sealed, &engine.wasmtime).ok_or_else(|| {
            refusal("the compiling process returned code of another module or for another engine")
        }),
        Reply::Refused(reason) => Err(refusal(&reason)),
    }
}

/// A child process. Dropping this value ends it.
struct ChildProcess {
    process: Process,
    idleness: Idleness,
    /// True if the child was waited for. Its process id may then belong to another process.
    has_ended: bool,
}

/// The output of a child, as it arrives.
struct ChildOutput {
    reply: Receiver<io::Result<Reply>>,
    complaint: Receiver<String>,
}

impl ChildProcess {
    fn start(child: &Child) -> Result<Self, Error> {
        let mut command = Command::new(&child.program);
        command.args(&child.arguments).env_clear().current_dir("/");
        // The child has a process group of its own, so that processes that it starts end with it.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let process = command.spawn().map_err(|error| {
            fault(&format!("the program `{}` cannot be started: {error}", child.program.display()))
                .with_source(error)
        })?;
        // A program that does not serve as a child sets no limits, and could compute for ever.
        #[cfg(target_os = "linux")]
        if let Some(id) = Pid::from_raw(process.id().cast_signed()) {
            let seconds = child.cpu_seconds();
            let limit = Rlimit { current: Some(seconds), maximum: Some(seconds.saturating_add(1)) };
            // If this fails, the child has ended, or its own limit holds.
            let _ = prlimit(Some(id), Resource::Cpu, limit);
        }
        let idleness = Idleness { since: Instant::now(), computed: None, limit: child.idle };
        Ok(Self { process, idleness, has_ended: false })
    }

    /// Sends the module and reads the output. Each pipe has a thread of its own, because each pipe can fill up. The threads end
    /// with the pipes, and the pipes end with the child.
    fn talk(&mut self, request: &CompileRequest, module: &[u8]) -> io::Result<ChildOutput> {
        let closed = || io::Error::other("the compiling process has no pipes");
        let mut stdin = self.process.stdin.take().ok_or_else(closed)?;
        let stdout = self.process.stdout.take().ok_or_else(closed)?;
        let mut stderr = self.process.stderr.take().ok_or_else(closed)?;
        let mut input = Vec::with_capacity(module.len() + 256);
        request.write(&mut input)?;
        input.extend(module);
        let thread = |name: &str| thread::Builder::new().name(format!("adjudicate-compile-{name}"));
        // A child that does not read its input returns no code either.
        thread("in").spawn(move || drop(stdin.write_all(&input)))?;
        let (sender, reply) = channel();
        thread("out").spawn(move || drop(sender.send(Reply::read(stdout))))?;
        let (sender, complaint) = channel();
        thread("err").spawn(move || {
            let mut text = Vec::new();
            let _ = stderr.by_ref().take(COMPLAINT_BYTES).read_to_end(&mut text);
            let _ = sender.send(String::from_utf8_lossy(&text).trim().to_owned());
            // The rest is dropped, but must be read: otherwise the child blocks while it writes.
            let _ = io::copy(&mut stderr, &mut io::sink());
        })?;
        Ok(ChildOutput { reply, complaint })
    }

    /// Waits for the reply and for the end of the child.
    fn end(&mut self, talk: &ChildOutput, child: &Child) -> Result<Reply, Error> {
        let reply = loop {
            match talk.reply.recv_timeout(LOOK) {
                Ok(reply) => break reply,
                Err(RecvTimeoutError::Timeout) if !self.is_stuck() => {}
                Err(_) => return Err(stuck(child)),
            }
        };
        let reply = match reply {
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
                let reason = format!("the compiling process returned no code: {error}");
                return Err(refusal(&reason).with_source(error));
            }
            reply => reply,
        };
        let Some(status) = self.wait().map_err(|error| fault(&error.to_string()).with_source(error))? else {
            return Err(stuck(child));
        };
        match reply {
            Ok(reply) if status.success() => Ok(reply),
            _ => {
                // The child has ended, so its last output has arrived or is about to.
                let complaint = talk.complaint.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
                Err(refusal(&ending(status, &complaint, child)))
            }
        }
    }

    /// True if the child has computed nothing for longer than its limit.
    fn is_stuck(&mut self) -> bool {
        let computed = computed(self.process.id());
        self.idleness.is_over(computed, Instant::now())
    }

    /// Waits for the child to end. Returns `None` if it gets stuck.
    fn wait(&mut self) -> io::Result<Option<ExitStatus>> {
        loop {
            if let Some(status) = self.process.try_wait()? {
                self.has_ended = true;
                return Ok(Some(status));
            }
            if self.is_stuck() {
                return Ok(None);
            }
            thread::sleep(PAUSE);
        }
    }
}

impl Drop for ChildProcess {
    /// Ends the child's process group and reaps the child.
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        if let Some(group) = Pid::from_raw(self.process.id().cast_signed()) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.process.wait();
    }
}

/// Detects a child that no longer computes.
#[derive(Debug)]
struct Idleness {
    since: Instant,
    /// The computing time at `since`, if the system reports it.
    computed: Option<u64>,
    limit: Duration,
}

impl Idleness {
    /// Takes a reading of the computing time. Returns whether the time since the last change reaches the limit.
    fn is_over(&mut self, computed: Option<u64>, now: Instant) -> bool {
        if computed.is_some() && computed != self.computed {
            (self.since, self.computed) = (now, computed);
        }
        now.saturating_duration_since(self.since) >= self.limit
    }
}

/// The computing time of a process in clock ticks; `None` if the system does not report it.
#[cfg(target_os = "linux")]
fn computed(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program, in parentheses, may hold any text. Behind it, fields 12 and 13 are the times in user and system
    // code.
    let (_, fields) = status.rsplit_once(')')?;
    let mut times = fields.split_ascii_whitespace().skip(11).map(|field| field.parse::<u64>().ok());
    times.next()??.checked_add(times.next()??)
}

#[cfg(not(target_os = "linux"))]
const fn computed(_process: u32) -> Option<u64> {
    None
}

/// Describes how a child without code ended.
fn ending(status: ExitStatus, complaint: &str, child: &Child) -> String {
    let signal = status.signal().and_then(Signal::from_named_raw);
    let detail = if complaint.is_empty() { String::new() } else { format!(": {complaint}") };
    match (signal, status.code()) {
        (Some(Signal::XCPU), _) => {
            format!("compiling took more than {} s of computing time", child.cpu_seconds())
        }
        // Rust programs abort when they are out of memory. Cranelift panics when its own allocation fails.
        (Some(Signal::ABORT), _) if complaint.contains("memory allocation") => too_large(child),
        (_, Some(101)) if complaint.contains("unhandled out-of-memory error") => too_large(child),
        (Some(Signal::KILL), _) => {
            "the compiling process was killed, perhaps because the machine has no memory left".to_owned()
        }
        (Some(Signal::SEGV), _) => {
            "the compiling process ran out of stack, or of memory for its stack".to_owned()
        }
        (_, None) => format!("the compiling process was ended by {status}{detail}"),
        (_, Some(0)) => format!("the compiling process ended without code{detail}"),
        (_, Some(code)) => format!("the compiling process failed with status {code}{detail}"),
    }
}

fn too_large(child: &Child) -> String {
    format!("compiling took more than {} bytes of memory", child.memory_bytes)
}

fn stuck(child: &Child) -> Error {
    refusal(&format!(
        "the compiling process is stuck: it computed nothing for {} s",
        child.idle.as_secs_f64()
    ))
}

fn fault(reason: &str) -> Error {
    Error::new(codes::HOST_FAULT, format!("no process to compile in: {reason}"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn every_form_of_memory_exhaustion_is_reported_as_such() {
        let child = Child { memory_bytes: 7, ..Child::new("/nowhere", [""]) };
        let aborted = ExitStatus::from_raw(Signal::ABORT.as_raw());
        let panicked = ExitStatus::from_raw(101 << 8);
        let of_memory = "compiling took more than 7 bytes of memory";
        assert_eq!(ending(aborted, "memory allocation of 9 bytes failed", &child), of_memory);
        let complaint = "thread 'main' panicked at x.rs:1:1:\nunhandled out-of-memory error: out of memory";
        assert_eq!(ending(panicked, complaint, &child), of_memory);
        assert_ne!(ending(panicked, "thread 'main' panicked at x.rs:1:1: no", &child), of_memory);
    }

    #[test]
    fn a_child_that_computes_is_not_stuck() {
        let began = Instant::now();
        let after = |seconds: u64| began + Duration::from_secs(seconds);
        let mut idleness = Idleness { since: began, computed: None, limit: Duration::from_secs(60) };
        for (at, computed, is_over) in [
            (59, Some(0), false),
            (118, Some(1), false),
            (177, Some(2), false),
            (236, Some(2), false),
            (237, Some(2), true),
            (237, Some(3), false),
            // A system that stops to report the computing time.
            (296, None, false),
            (297, None, true),
        ] {
            assert_eq!(idleness.is_over(computed, after(at)), is_over, "{at}");
        }
        let mut silent = Idleness { since: began, computed: None, limit: Duration::from_secs(60) };
        assert!(!silent.is_over(None, after(59)) && silent.is_over(None, after(60)));
        let mut endless = Idleness { since: began, computed: None, limit: Duration::MAX };
        assert!(!endless.is_over(None, after(1 << 20)));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_computing_time_of_this_process_is_counted() {
        let own = std::process::id();
        let before = computed(own).unwrap();
        while computed(own).unwrap() == before {
            std::hint::spin_loop();
        }
        assert_eq!(computed(u32::MAX), None);
    }
}
