//! The child's side: the limits first, and then the module.

use std::{fs::File, io, os::fd::AsFd};

use rustix::process::{Resource, Rlimit, setrlimit};
use wasmtime::Engine;

use super::order::{Order, Reply, exactly};
use crate::{
    compiled::{self, Origin},
    digest::Digest,
    engine,
};

/// How many files may be open: the three that there are, and what a runtime may open to look at the machine.
const OPEN_FILES: u64 = 16;

/// Compiles the one module that comes.
pub(super) fn serve() -> io::Result<()> {
    // Not by the standard handles: they read ahead, and nothing of the module is to be read before the limits hold.
    let mut input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let order = Order::read(&mut input)?;
    limit(&order)?;
    let module = exactly(&mut input, order.module_bytes)?;
    let reply = compile(&order, &module)?;
    reply.write(&mut File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

/// Takes the limits. They last as long as the process: none of them can be raised again.
fn limit(order: &Order) -> io::Result<()> {
    // Nobody waits for the code any more when the host ends, and its thread that does ends no sooner.
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    let cpu = order.cpu_seconds;
    for (resource, soft, hard) in [
        (Resource::Core, 0, 0),
        (Resource::Fsize, 0, 0),
        (Resource::Nofile, OPEN_FILES, OPEN_FILES),
        (Resource::As, order.memory_bytes, order.memory_bytes),
        // At the first the process gets the signal that says so; a second later it is killed.
        (Resource::Cpu, cpu, cpu.saturating_add(1)),
    ] {
        setrlimit(resource, Rlimit { current: Some(soft), maximum: Some(hard) })?;
    }
    Ok(())
}

fn compile(order: &Order, module: &[u8]) -> io::Result<Reply> {
    let config = engine::compiling(order.class, order.is_pooled);
    let engine = Engine::new(&config).map_err(|error| io::Error::other(format!("no engine: {error:#}")))?;
    Ok(match engine.precompile_module(module) {
        Ok(code) => {
            let origin = Origin::new(Digest::of(module), &engine);
            Reply::Code(compiled::seal(&order.key, &origin, &code))
        }
        Err(error) => Reply::Refused(format!("{error:#}")),
    })
}
