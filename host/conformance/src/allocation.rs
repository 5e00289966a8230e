//! Checks of `adjudicate_alloc`.

use adjudicate_core::Error;
use adjudicate_sandbox::Module;
use adjudicate_trust::counted;

use crate::{
    probe::{Breach, Probe},
    report::ReportBuilder,
    requirement::{ALLOC, ALLOC_REFUSES, ALLOC_REPEATED, ALLOC_ZERO},
};

/// Sizes that every module must allocate, in bytes.
const SMALL: [u32; 3] = [1, 1_000, 4_096];

/// Sizes that a module may refuse.
const LARGE: [u32; 6] = [64 << 10, 1 << 20, 8 << 20, i32::MAX.cast_unsigned(), 1 << 31, u32::MAX];

/// The number of allocations without a call.
const TIMES: usize = 64;

/// Judges how a module allocates buffers. Returns false if it does not.
pub(super) fn check(report: &mut ReportBuilder, module: &Module) -> Result<bool, Error> {
    for bytes in SMALL {
        match Probe::start(module)?.allocate(bytes) {
            Ok(0) => report.stop(ALLOC, format!("does not allocate {}", counted(bytes, "byte"))),
            Ok(_) => report.pass(ALLOC),
            Err(Breach { detail, .. }) => report.stop(ALLOC, detail),
        }
    }
    for bytes in LARGE {
        let outcome = Probe::start(module)?.allocate(bytes);
        report.judge(ALLOC_REFUSES, outcome.map(drop).map_err(|broken| broken.detail));
    }
    let mut probe = Probe::start(module)?;
    let outcome = (0..TIMES).try_for_each(|_| probe.allocate(1_000).map(drop));
    report.judge(ALLOC_REPEATED, outcome.map_err(|broken| broken.detail));
    drop(probe);
    let outcome = Probe::start(module)?.allocate(0);
    report.judge(ALLOC_ZERO, outcome.map(drop).map_err(|broken| broken.detail));
    Ok(!report.is_stopped())
}
