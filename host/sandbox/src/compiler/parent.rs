//! The host's side: starting the child, feeding it, and saying what became of it.

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

use super::{
    Child,
    order::{Order, Reply},
    refusal,
};
use crate::{
    codes,
    compiled::{self, Origin},
    engine::ClassEngine,
};

/// How much of what the child complains of is kept.
const COMPLAINT_BYTES: u64 = 1 << 10;
/// How long to wait before looking again whether a child that said everything has ended.
const PAUSE: Duration = Duration::from_millis(1);
/// How long to wait for a reply before looking again whether the child computes.
const LOOK: Duration = Duration::from_millis(50);

/// Has a child compile a module.
pub(super) fn compile(
    child: &Child,
    engine: &ClassEngine,
    origin: &Origin,
    module: &[u8],
) -> Result<wasmtime::Module, Error> {
    let mut key = [0; 64];
    getrandom::fill(&mut key).map_err(|error| fault(&error.to_string()))?;
    let order = Order {
        memory_bytes: child.memory_bytes,
        cpu_seconds: child.cpu_seconds(),
        class: engine.class,
        is_pooled: engine.is_pooled,
        key,
        module_bytes: module.len() as u64,
    };
    let mut running = Running::start(child)?;
    let talk = running.talk(&order, module).map_err(|error| fault(&error.to_string()))?;
    match running.end(&talk, child)? {
        Reply::Code(sealed) => compiled::unseal(&key, origin, &sealed, &engine.wasmtime).ok_or_else(|| {
            refusal("the compiling process gave code that is not of this module, or for another engine")
        }),
        Reply::Refused(reason) => Err(refusal(&reason)),
    }
}

/// A child, which does not outlive this value.
struct Running {
    process: Process,
    idleness: Idleness,
    /// Whether the system has forgotten it; its number may then be somebody else's.
    has_ended: bool,
}

/// What comes from a child, when it comes.
struct Talk {
    reply: Receiver<io::Result<Reply>>,
    complaint: Receiver<String>,
}

impl Running {
    fn start(child: &Child) -> Result<Self, Error> {
        let mut command = Command::new(&child.program);
        command.args(&child.arguments).env_clear().current_dir("/");
        // In a group of its own, so that what it may start ends with it.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let process = command.spawn().map_err(|error| {
            fault(&format!("the program `{}` cannot be started: {error}", child.program.display()))
        })?;
        let idleness = Idleness { since: Instant::now(), computed: None, limit: child.idle };
        Ok(Self { process, idleness, has_ended: false })
    }

    /// Hands the module over, and listens. On threads of their own, for each of the pipes may fill up. They end with the
    /// pipes, which end with the child.
    fn talk(&mut self, order: &Order, module: &[u8]) -> io::Result<Talk> {
        let closed = || io::Error::other("the compiling process has no pipes");
        let mut stdin = self.process.stdin.take().ok_or_else(closed)?;
        let stdout = self.process.stdout.take().ok_or_else(closed)?;
        let mut stderr = self.process.stderr.take().ok_or_else(closed)?;
        let mut input = Vec::with_capacity(module.len() + 256);
        order.write(&mut input)?;
        input.extend(module);
        let thread = |name: &str| thread::Builder::new().name(format!("adjudicate-compile-{name}"));
        // A child that does not read what it is given gives no code either.
        thread("in").spawn(move || drop(stdin.write_all(&input)))?;
        let (sender, reply) = channel();
        thread("out").spawn(move || drop(sender.send(Reply::read(stdout))))?;
        let (sender, complaint) = channel();
        thread("err").spawn(move || {
            let mut text = Vec::new();
            let _ = stderr.by_ref().take(COMPLAINT_BYTES).read_to_end(&mut text);
            let _ = sender.send(String::from_utf8_lossy(&text).trim().to_owned());
            // The rest is not wanted, but who writes it must not be kept waiting.
            let _ = io::copy(&mut stderr, &mut io::sink());
        })?;
        Ok(Talk { reply, complaint })
    }

    /// Waits for the reply and the end, and says what went wrong if something did.
    fn end(&mut self, talk: &Talk, child: &Child) -> Result<Reply, Error> {
        let reply = loop {
            match talk.reply.recv_timeout(LOOK) {
                Ok(reply) => break reply,
                Err(RecvTimeoutError::Timeout) if !self.is_stuck() => {}
                Err(_) => return Err(stuck(child)),
            }
        };
        if let Err(error) = &reply
            && error.kind() != io::ErrorKind::UnexpectedEof
        {
            return Err(refusal(&format!("the compiling process gave no compiled code: {error}")));
        }
        let Some(status) = self.wait().map_err(|error| fault(&error.to_string()))? else {
            return Err(stuck(child));
        };
        match reply {
            Ok(reply) if status.success() => Ok(reply),
            _ => {
                // It has ended, so what it complained of has come or is about to.
                let complaint = talk.complaint.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
                Err(refusal(&ending(status, &complaint, child)))
            }
        }
    }

    /// Whether the child has computed nothing for as long as it may.
    fn is_stuck(&mut self) -> bool {
        let computed = computed(self.process.id());
        self.idleness.is_over(computed, Instant::now())
    }

    /// How the child ended; `None` if it is stuck before.
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

impl Drop for Running {
    /// Ends the child, with what it may have started, and lets the system forget it.
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

/// Since when a child has computed nothing.
#[derive(Debug)]
struct Idleness {
    since: Instant,
    /// What it had computed then, where the system says so.
    computed: Option<u64>,
    limit: Duration,
}

impl Idleness {
    /// Whether that is longer than it may, with what it has computed by now.
    fn is_over(&mut self, computed: Option<u64>, now: Instant) -> bool {
        if computed.is_some() && computed != self.computed {
            (self.since, self.computed) = (now, computed);
        }
        now.saturating_duration_since(self.since) >= self.limit
    }
}

/// What a process has computed, in ticks of the system's clock; `None` where the system does not say.
#[cfg(target_os = "linux")]
fn computed(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Behind the name, which is in parentheses and may be anything: the 12th and the 13th are times in user and system code.
    let (_, fields) = status.rsplit_once(')')?;
    let mut times = fields.split_ascii_whitespace().skip(11).map(|field| field.parse::<u64>().ok());
    times.next()??.checked_add(times.next()??)
}

#[cfg(not(target_os = "linux"))]
const fn computed(_process: u32) -> Option<u64> {
    None
}

/// Why a child that gave no code ended.
fn ending(status: ExitStatus, complaint: &str, child: &Child) -> String {
    let signal = status.signal().and_then(Signal::from_named_raw);
    let said = if complaint.is_empty() { String::new() } else { format!(": {complaint}") };
    match (signal, status.code()) {
        (Some(Signal::XCPU), _) => {
            format!("compiling took more than {} s of computing time", child.cpu_seconds())
        }
        // How Rust programs end that are out of memory, and how Cranelift does where it is what asks for more.
        (Some(Signal::ABORT), _) if complaint.contains("memory allocation") => too_large(child),
        (_, Some(101)) if complaint.contains("unhandled out-of-memory error") => too_large(child),
        (Some(Signal::KILL), _) => {
            "the compiling process was killed, perhaps because the machine has no memory left".to_owned()
        }
        (Some(Signal::SEGV), _) => {
            "the compiling process ran out of stack, or of memory for its stack".to_owned()
        }
        (_, None) => format!("the compiling process was ended by {status}{said}"),
        (_, Some(0)) => format!("the compiling process ended and gave no compiled code{said}"),
        (_, Some(code)) => format!("the compiling process failed with status {code}{said}"),
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
    fn who_has_no_memory_left_is_told_of_it_wherever_that_was_found() {
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
    fn whoever_computes_is_not_stuck_however_long_it_takes() {
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
            // A system that no longer says so.
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
    fn what_this_process_computes_is_counted() {
        let own = std::process::id();
        let before = computed(own).unwrap();
        while computed(own).unwrap() == before {
            std::hint::spin_loop();
        }
        assert_eq!(computed(u32::MAX), None);
    }
}
