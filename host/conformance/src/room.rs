//! `adjudicate_alloc`.

use adjudicate_core::Error;
use adjudicate_sandbox::{Module, counted};

use crate::{
    probe::{Broken, Probe},
    report::Sheet,
    requirement::{ALLOC, ALLOC_REFUSES, ALLOC_REPEATED, ALLOC_ZERO},
};

/// What every module has room for, in bytes.
const SMALL: [u32; 3] = [1, 1_000, 4_096];

/// What a module may refuse.
const LARGE: [u32; 6] = [64 << 10, 1 << 20, 8 << 20, i32::MAX.cast_unsigned(), 1 << 31, u32::MAX];

/// How often room is asked for without a call.
const TIMES: usize = 64;

/// Judges how a module gives room; whether it gives any.
pub(super) fn check(sheet: &mut Sheet, module: &Module) -> Result<bool, Error> {
    for bytes in SMALL {
        match Probe::start(module)?.room(bytes) {
            Ok(0) => sheet.stop(ALLOC, format!("refuses room for {}", counted(bytes, "byte"))),
            Ok(_) => sheet.pass(ALLOC),
            Err(Broken { detail, .. }) => sheet.stop(ALLOC, detail),
        }
    }
    for bytes in LARGE {
        let outcome = Probe::start(module)?.room(bytes);
        sheet.judge(ALLOC_REFUSES, outcome.map(drop).map_err(|broken| broken.detail));
    }
    let mut probe = Probe::start(module)?;
    let outcome = (0..TIMES).try_for_each(|_| probe.room(1_000).map(drop));
    sheet.judge(ALLOC_REPEATED, outcome.map_err(|broken| broken.detail));
    drop(probe);
    let outcome = Probe::start(module)?.room(0);
    sheet.judge(ALLOC_ZERO, outcome.map(drop).map_err(|broken| broken.detail));
    Ok(!sheet.is_stopped())
}
