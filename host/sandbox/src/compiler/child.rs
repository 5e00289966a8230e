//! The child's side: sets the limits, then reads and compiles the module.

use std::{fs::File, io, os::fd::AsFd};

use rustix::process::{Resource, Rlimit, setrlimit};
use wasmtime::Engine;

use super::messages::{CompileRequest, Reply, exactly};
use crate::{
    Digest,
    compiled::{self, Origin},
    engine,
};

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
