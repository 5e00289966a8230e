//! Checks a module, from its bytes to the report.

use adjudicate_core::{Error, ErrorCode};
use adjudicate_sandbox::{Host, Inspection, Limits, Module, codes, inspect, manifest::ModuleNeeds};
use adjudicate_trust::{Credentials, counted};
use wasmparser::{Parser, Payload};

use crate::{
    calls, configure,
    probe::{Breach, Probe},
    report::{ConformanceReport, ReportBuilder},
    requirement::{
        ALLOC, ALLOC_REFUSES, ALLOC_REPEATED, ALLOC_ZERO, BOUNDS, COST_MEMORY, COST_START, EXPORTS, FEATURES,
        IMPORTS, LIMITS_MEMORY, LIMITS_NEEDS, MANIFEST, MEMORY, NAN, RUNS, Requirement, SIGNATURE, START,
        TESTS, VALID, VERSION,
    },
};

/// Fuel and reply size of each call of the check. The inputs are small; a manifest can request more.
const CALL: (u64, usize) = (10_000_000, 1 << 20);

/// The recommended limit of fuel for starting an instance.
const START_FUEL: u64 = 100_000;

/// The recommended limit of the initial memory. A host resets such a memory without a system call.
const SMALL_MEMORY: u64 = 256 << 10;

/// Checks a module against the interface and the output contract, under the limits of a host.
///
/// The inputs of the check are small. Each call gets 10 million units of fuel and 1 MiB for its reply, or as much as the manifest
/// requests, within the limits of the host. The module's own tests run with the limits of the host.
///
/// The module runs as an unknown engine, even if this host knows it: with fuel, and with checks of its answers.
///
/// # Errors
///
/// [`codes::HOST_FAULT`] and [`codes::HOST_OVERLOADED`] if the host failed. Faults of the module are in the report.
///
/// ```
/// use adjudicate_conformance::{self as conformance, Corpus};
/// use adjudicate_sandbox::{Host, HostSettings};
/// let corpus = Corpus::read()?;
/// let host = Host::new(HostSettings::default())?;
/// let report = conformance::check(&host, &corpus.module(corpus.good()?)?)?;
/// assert!(report.conforms, "{report:?}");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check(host: &Host, module: &[u8]) -> Result<ConformanceReport, Error> {
    let mut report = ReportBuilder::default();
    if let Some(inspection) = check_bytes(&mut report, module, host.limits()) {
        behaviour(&mut report, host, module, &inspection)?;
    }
    Ok(report.finish())
}

fn behaviour(
    report: &mut ReportBuilder,
    host: &Host,
    bytes: &[u8],
    inspection: &Inspection,
) -> Result<(), Error> {
    let large = || format!("the memory begins with {} bytes", inspection.memory.initial_bytes);
    let small = inspection.memory.initial_bytes <= SMALL_MEMORY;
    report.judge(COST_MEMORY, small.then_some(()).ok_or_else(large));
    let module = match host.load_to_probe(bytes, true) {
        Ok(module) => module,
        Err(error) if is_host_fault(&error) => return Err(error),
        Err(error) => {
            report.stop(BOUNDS, reply(&error));
            return Ok(());
        }
    };
    let tested = module.clone();
    let module = module.within(call_limits(*host.limits(), module.manifest().limits.unwrap_or_default()))?;
    if !check_start(report, &module)? || !check_allocation(report, &module)? {
        return Ok(());
    }
    let recorded = calls::check(report, &module)?;
    calls::check_constancy(report, &module, &recorded)?;
    calls::check_invalid_calls(report, &module)?;
    if has_floats(bytes) {
        let with_any_nan = host.load_to_probe(bytes, false)?;
        calls::check_nan(report, &with_any_nan, &recorded)?;
    } else {
        report.skip(NAN, "the module has no instruction with floats");
    }
    configure::check(report, &module)?;
    tests(report, &tested)
}

/// The limits of a call of the check.
fn call_limits(host: Limits, needs: ModuleNeeds) -> Limits {
    let (fuel, output_bytes) = CALL;
    let wanted = usize::try_from(needs.output_bytes.unwrap_or_default()).unwrap_or(usize::MAX);
    Limits {
        fuel: host.fuel.min(fuel.max(needs.fuel.unwrap_or_default())),
        output_bytes: host.output_bytes.min(output_bytes.max(wanted)),
        ..host
    }
}

/// Starts an instance and checks its version. Returns false if the check must stop.
fn check_start(report: &mut ReportBuilder, module: &Module) -> Result<bool, Error> {
    let mut probe = match Probe::start(module) {
        Ok(probe) => probe,
        Err(error) if is_host_fault(&error) => return Err(error),
        Err(error) => {
            report.stop(RUNS, reply(&error));
            return Ok(false);
        }
    };
    report.pass(RUNS);
    let fuel = probe.fuel_used();
    let costly = || format!("starting takes {fuel} units");
    report.judge(COST_START, (fuel < START_FUEL).then_some(()).ok_or_else(costly));
    match probe.check_version() {
        Ok(()) => report.pass(VERSION),
        Err(error) => report.stop(VERSION, reply(&error)),
    }
    Ok(!report.is_stopped())
}

fn tests(report: &mut ReportBuilder, module: &Module) -> Result<(), Error> {
    match module.pass_tests() {
        Ok(0) => report.skip(TESTS, "the module has no tests"),
        Ok(_) => report.pass(TESTS),
        Err(error) if is_host_fault(&error) => return Err(error),
        Err(error) => report.fail(TESTS, reply(&error)),
    }
    Ok(())
}

fn is_host_fault(error: &Error) -> bool {
    matches!(error.code(), codes::HOST_FAULT | codes::HOST_OVERLOADED)
}

/// True if a valid module has an instruction with floats.
fn has_floats(module: &[u8]) -> bool {
    let bodies = Parser::new(0).parse_all(module).filter_map(|payload| match payload {
        Ok(Payload::CodeSectionEntry(body)) => body.get_operators_reader().ok(),
        _ => None,
    });
    bodies.flat_map(IntoIterator::into_iter).flatten().any(|operator| {
        let mut name = FloatDetector::default();
        // The writer returns an error as soon as it knows the result.
        let _ = std::fmt::write(&mut name, format_args!("{operator:?}"));
        name.is_float
    })
}

/// A writer that inspects the beginning of an instruction's name.
#[derive(Default)]
struct FloatDetector {
    is_float: bool,
}

impl std::fmt::Write for FloatDetector {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        // The names of conversions from floats begin with the target type.
        self.is_float = ["F32", "F64"].iter().any(|ty| text.contains(ty));
        Err(std::fmt::Error)
    }
}

/// Sizes that every module must allocate, in bytes.
const SMALL: [u32; 3] = [1, 1_000, 4_096];

/// Sizes that a module may refuse.
const LARGE: [u32; 6] = [64 << 10, 1 << 20, 8 << 20, i32::MAX.cast_unsigned(), 1 << 31, u32::MAX];

/// The number of allocations without a call.
const TIMES: usize = 64;

/// Judges how a module allocates buffers. Returns false if it does not.
pub(super) fn check_allocation(report: &mut ReportBuilder, module: &Module) -> Result<bool, Error> {
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

/// Judges the bytes. Returns `None` if no host would run them.
pub(super) fn check_bytes(report: &mut ReportBuilder, module: &[u8], limits: &Limits) -> Option<Inspection> {
    if let Err(error) = limits.admit_bytes(module) {
        report.stop(BOUNDS, reply(&error));
        return None;
    }
    let inspection = match inspect(module) {
        Ok(inspection) => inspection,
        Err(error) => {
            report.stop(broken_by(error.code()), reply(&error));
            return None;
        }
    };
    for requirement in [VALID, FEATURES, IMPORTS, START, BOUNDS, MEMORY, EXPORTS, MANIFEST] {
        report.pass(requirement);
    }
    signature(report, module);
    if let Err(error) = limits.admit(&inspection) {
        let needs = error.code() == codes::MODULE_NEEDS;
        report.stop(if needs { LIMITS_NEEDS } else { LIMITS_MEMORY }, reply(&error));
        return None;
    }
    report.pass(LIMITS_MEMORY);
    report.pass(LIMITS_NEEDS);
    Some(inspection)
}

fn broken_by(code: ErrorCode) -> Requirement {
    match code {
        codes::MODULE_FEATURE => FEATURES,
        codes::MODULE_IMPORTS => IMPORTS,
        codes::MODULE_START => START,
        codes::MODULE_TOO_LARGE => BOUNDS,
        codes::MODULE_MEMORY_TYPE => MEMORY,
        codes::MODULE_EXPORTS => EXPORTS,
        codes::MODULE_ABI => VERSION,
        codes::MODULE_MANIFEST => MANIFEST,
        _ => VALID,
    }
}

fn signature(report: &mut ReportBuilder, module: &[u8]) {
    match Credentials::read(module) {
        Ok(credentials) if credentials.signatures().is_empty() => {
            report.skip(SIGNATURE, "the module is not signed");
        }
        Ok(_) => report.pass(SIGNATURE),
        Err(error) => report.fail(SIGNATURE, reply(&error)),
    }
}

/// The message of an error with its code and path.
pub(super) fn reply(error: &Error) -> String {
    let place = if error.path().is_empty() { String::new() } else { format!(" at `{}`", error.path()) };
    format!("{}: {}{place}", error.code(), error.message())
}
