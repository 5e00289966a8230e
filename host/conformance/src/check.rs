//! Checks a module, from its bytes to the report.

use adjudicate_core::Error;
use adjudicate_sandbox::{Host, Inspection, Limits, Module, codes, manifest::ModuleNeeds};
use wasmparser::{Parser, Payload};

use crate::{
    allocation, calls, configure,
    probe::Probe,
    report::{ConformanceReport, ReportBuilder},
    requirement::{BOUNDS, COST_MEMORY, COST_START, NAN, RUNS, TESTS, VERSION},
    structure::{self, reply},
};

/// Fuel and reply size of each call of the check. The inputs are small; a manifest can request more.
const CALL: (u64, usize) = (10_000_000, 1 << 20);

/// The recommended limit of fuel for starting an instance.
const START: u64 = 100_000;

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
    if let Some(inspection) = structure::check(&mut report, module, host.limits()) {
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
    if !check_start(report, &module)? || !allocation::check(report, &module)? {
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
    report.judge(COST_START, (fuel < START).then_some(()).ok_or_else(costly));
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
