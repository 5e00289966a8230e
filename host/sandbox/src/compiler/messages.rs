//! The messages between host and child: frames with fixed headers and declared lengths. The child sets the limits, then reads and
//! compiles the module.

use std::{
    fs::File,
    io::{self, Read, Write},
    os::fd::AsFd,
};

use rustix::process::{Resource, Rlimit, setrlimit};
use wasmtime::Engine;

use crate::{
    Digest,
    compiled::{self, Key, Origin},
    engine::{self, Class, Metering},
};

/// The beginning of a request, with the number of its format. Host and child have the same version.
const REQUEST: [u8; 16] = *b"adjudicate cc 2\n";
/// The beginning of a reply.
const REPLY: [u8; 16] = *b"adjudicate cc 1:";

/// Largest accepted size of the code of a module.
const MAX_CODE_BYTES: u64 = 256 << 20;

/// One module to compile: the class of the engine and the limits.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CompileRequest {
    pub(super) memory_bytes: u64,
    pub(super) cpu_seconds: u64,
    pub(super) class: Class,
    pub(super) is_pooled: bool,
    /// The key for the seal of the code.
    pub(super) key: Key,
    /// The length of the module, which follows the request.
    pub(super) module_bytes: u64,
}

/// The result of a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// The sealed code.
    Code(Vec<u8>),
    /// The reason why the module cannot be compiled.
    Refused(String),
}

impl CompileRequest {
    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let mut header = REQUEST.to_vec();
        let is_metered = self.class.metering == Metering::Fuel;
        for number in [
            self.memory_bytes,
            self.cpu_seconds,
            self.class.stack_bytes as u64,
            u64::from(is_metered),
            u64::from(self.class.canonical_nan),
            u64::from(self.is_pooled),
            self.module_bytes,
        ] {
            header.extend(number.to_le_bytes());
        }
        header.extend(self.key);
        to.write_all(&header)
    }

    /// Reads a request, but not the module after it.
    pub(super) fn read(from: &mut impl Read) -> io::Result<Self> {
        if bytes(from)? != REQUEST {
            return Err(io::Error::other(
                "expected an order to compile a module on standard input; only a host starts this command",
            ));
        }
        let [memory_bytes, cpu_seconds, stack_bytes] = [number(from)?, number(from)?, number(from)?];
        let metering = if number(from)? == 0 { Metering::Known } else { Metering::Fuel };
        let stack_bytes = usize::try_from(stack_bytes).map_err(io::Error::other)?;
        Ok(Self {
            memory_bytes,
            cpu_seconds,
            class: Class { metering, stack_bytes, canonical_nan: number(from)? != 0 },
            is_pooled: number(from)? != 0,
            module_bytes: number(from)?,
            key: bytes(from)?,
        })
    }
}

impl Reply {
    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let (kind, payload) = match self {
            Self::Code(code) => (0_u64, code.as_slice()),
            Self::Refused(reason) => (1, reason.as_bytes()),
        };
        to.write_all(&REPLY)?;
        to.write_all(&kind.to_le_bytes())?;
        to.write_all(&(payload.len() as u64).to_le_bytes())?;
        to.write_all(payload)
    }

    /// Reads a reply and the end of the stream. Rejects every other input as early as possible.
    pub(super) fn read(mut from: impl Read) -> io::Result<Self> {
        if bytes(&mut from)? != REPLY {
            return Err(io::Error::other("unknown beginning of a reply"));
        }
        let (kind, length) = (number(&mut from)?, number(&mut from)?);
        if length > MAX_CODE_BYTES {
            return Err(io::Error::other(format!(
                "{length} bytes of code are over the limit of {MAX_CODE_BYTES}"
            )));
        }
        let payload = exactly(&mut from, length)?;
        if from.read(&mut [0])? != 0 {
            return Err(io::Error::other("there are bytes after the end of the reply"));
        }
        match kind {
            0 => Ok(Self::Code(payload)),
            1 => String::from_utf8(payload).map(Self::Refused).map_err(io::Error::other),
            _ => Err(io::Error::other("unknown kind of reply")),
        }
    }
}

/// Reads exactly `length` bytes. Allocates as the bytes arrive.
pub(super) fn exactly(from: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut read = Vec::new();
    from.take(length).read_to_end(&mut read)?;
    match read.len() as u64 == length {
        true => Ok(read),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

fn bytes<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn number(from: &mut impl Read) -> io::Result<u64> {
    bytes(from).map(u64::from_le_bytes)
}

/// Bound on open files: the three standard streams, and a few that a runtime opens to examine the machine.
const OPEN_FILES: u64 = 16;

/// Compiles one module from standard input.
pub(super) fn serve() -> io::Result<()> {
    // The standard handles read ahead, and the limits must hold before the first byte of the module is read.
    let mut input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let request = CompileRequest::read(&mut input)?;
    limit(&request)?;
    let module = exactly(&mut input, request.module_bytes)?;
    let reply = compile(&request, &module)?;
    reply.write(&mut File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

/// Sets the limits. They last until the process ends, because none of them can be raised again.
fn limit(request: &CompileRequest) -> io::Result<()> {
    // The code is useless without the host. The host's thread that started the child lives as long as it waits for the
    // code.
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    let cpu = request.cpu_seconds;
    for (resource, soft, hard) in [
        (Resource::Core, 0, 0),
        (Resource::Fsize, 0, 0),
        (Resource::Nofile, OPEN_FILES, OPEN_FILES),
        (Resource::As, request.memory_bytes, request.memory_bytes),
        // At the first limit the process gets `SIGXCPU`. One second later the system kills it.
        (Resource::Cpu, cpu, cpu.saturating_add(1)),
    ] {
        setrlimit(resource, Rlimit { current: Some(soft), maximum: Some(hard) })?;
    }
    Ok(())
}

fn compile(request: &CompileRequest, module: &[u8]) -> io::Result<Reply> {
    let config = engine::compiling(request.class, request.is_pooled);
    let engine = Engine::new(&config).map_err(|error| io::Error::other(format!("no engine: {error:#}")))?;
    Ok(match engine.precompile_module(module) {
        Ok(code) => {
            let origin = Origin::new(Digest::sha256(module), &engine);
            Reply::Code(compiled::seal(&request.key, &origin, &code))
        }
        Err(error) => Reply::Refused(format!("{error:#}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_survive_writing_and_reading() {
        for (metering, is_pooled) in [(Metering::Fuel, true), (Metering::Known, false)] {
            let class = Class { metering, stack_bytes: 1 << 16, canonical_nan: metering == Metering::Fuel };
            let key = std::array::from_fn(|at| u8::try_from(at).unwrap());
            let request = CompileRequest {
                memory_bytes: 1 << 40,
                cpu_seconds: 7,
                class,
                is_pooled,
                key,
                module_bytes: 3,
            };
            let mut written = Vec::new();
            request.write(&mut written).unwrap();
            written.extend(b"abc");
            let mut from = &written[..];
            assert_eq!(CompileRequest::read(&mut from).unwrap(), request);
            assert_eq!(from, b"abc", "the module is still to be read");
        }
        for reply in [Reply::Code(vec![1, 2, 3]), Reply::Code(vec![]), Reply::Refused("é".to_owned())] {
            let mut written = Vec::new();
            reply.write(&mut written).unwrap();
            assert_eq!(Reply::read(&written[..]).unwrap(), reply);
        }
    }

    #[test]
    fn damaged_replies_are_rejected() {
        let mut good = Vec::new();
        Reply::Refused("reason".to_owned()).write(&mut good).unwrap();
        for length in 0..good.len() {
            assert!(Reply::read(&good[..length]).is_err(), "{length}");
        }
        let with = |at: usize, byte: u8| {
            let mut bad = good.clone();
            bad[at] = byte;
            bad
        };
        for bad in [
            [&good[..], b"x"].concat(),
            with(0, b'b'),
            // Another kind, a longer payload, a payload of 2^56 bytes, a payload that is not text.
            with(16, 2),
            with(24, 7),
            with(31, 1),
            with(good.len() - 1, 0xff),
        ] {
            assert!(Reply::read(&bad[..]).is_err(), "{bad:?}");
        }
        let endless = io::repeat(b'y');
        assert!(Reply::read(endless).is_err());
        assert!(CompileRequest::read(&mut &good[..]).is_err());
    }
}
