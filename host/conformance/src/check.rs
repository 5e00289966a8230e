//! The check of a module, from its bytes to a report.

use adjudicate_core::Error;
use adjudicate_sandbox::{Host, Inspection, Limits, Module, codes, manifest::Needs};
use wasmparser::{Parser, Payload};

use crate::{
    calls, configure,
    probe::Probe,
    report::{Report, Sheet},
    requirement::{BOUNDS, COST_MEMORY, COST_START, NAN, RUNS, TESTS, VERSION},
    room,
    structure::{self, told},
};

/// Units of fuel for each call of the check, and bytes of its reply. The inputs are small; a manifest can ask for more.
const CALL: (u64, usize) = (10_000_000, 1 << 20);

/// Units of fuel in which an instance should start.
const START: u64 = 100_000;

/// What an instance may begin with so that a host resets it without a system call.
const SMALL_MEMORY: u64 = 256 << 10;

/// Checks a module against the interface and the output contract, under the limits of a host.
///
/// The inputs of the check are small: each call has 10 million units of fuel and a reply of 1 MiB, or as much as the module's manifest
/// asks for, and never more than the host gives. The module's own tests run under the limits of the host.
///
/// The module runs as an engine that no host knows, even if this host knows it: metered, and with its answers checked.
///
/// # Errors
///
/// [`codes::HOST_FAULT`] and [`codes::HOST_OVERLOADED`], where it was the host that failed. What is wrong with
/// the module stands in the report.
///
/// ```
/// use adjudicate_conformance::{self as conformance, Corpus};
/// use adjudicate_sandbox::{Host, Settings};
/// let corpus = Corpus::read()?;
/// let host = Host::new(Settings::default())?;
/// let report = conformance::check(&host, &corpus.module(corpus.good()?)?)?;
/// assert!(report.conforms, "{report:?}");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check(host: &Host, module: &[u8]) -> Result<Report, Error> {
    let mut sheet = Sheet::default();
    if let Some(inspection) = structure::check(&mut sheet, module, host.limits()) {
        behaviour(&mut sheet, host, module, &inspection)?;
    }
    Ok(sheet.finish())
}

fn behaviour(sheet: &mut Sheet, host: &Host, bytes: &[u8], inspection: &Inspection) -> Result<(), Error> {
    let large = || format!("the memory begins with {} bytes", inspection.memory.initial_bytes);
    let small = inspection.memory.initial_bytes <= SMALL_MEMORY;
    sheet.judge(COST_MEMORY, small.then_some(()).ok_or_else(large));
    let module = match host.load_to_probe(bytes, true) {
        Ok(module) => module,
        Err(error) if is_the_hosts(&error) => return Err(error),
        Err(error) => {
            sheet.stop(BOUNDS, told(&error));
            return Ok(());
        }
    };
    let tested = module.clone();
    let module = module.within(of_a_call(*host.limits(), module.manifest().limits.unwrap_or_default()))?;
    if !starts(sheet, &module)? || !room::check(sheet, &module)? {
        return Ok(());
    }
    let asked = calls::check(sheet, &module)?;
    calls::check_constancy(sheet, &module, &asked)?;
    calls::check_strangers(sheet, &module)?;
    if has_floats(bytes) {
        let as_it_comes = host.load_to_probe(bytes, false)?;
        calls::check_nan(sheet, &as_it_comes, &asked)?;
    } else {
        sheet.skip(NAN, "the module has no instruction of floats");
    }
    configure::check(sheet, &module)?;
    tests(sheet, &tested)
}

/// The limits of a call of the check.
fn of_a_call(host: Limits, needs: Needs) -> Limits {
    let (fuel, output_bytes) = CALL;
    let wanted = usize::try_from(needs.output_bytes.unwrap_or_default()).unwrap_or(usize::MAX);
    Limits {
        fuel: host.fuel.min(fuel.max(needs.fuel.unwrap_or_default())),
        output_bytes: host.output_bytes.min(output_bytes.max(wanted)),
        ..host
    }
}

/// Whether an instance starts, and speaks the version.
fn starts(sheet: &mut Sheet, module: &Module) -> Result<bool, Error> {
    let mut probe = match Probe::start(module) {
        Ok(probe) => probe,
        Err(error) if is_the_hosts(&error) => return Err(error),
        Err(error) => {
            sheet.stop(RUNS, told(&error));
            return Ok(false);
        }
    };
    sheet.pass(RUNS);
    let fuel = probe.fuel_used();
    let costly = || format!("starting takes {fuel} units");
    sheet.judge(COST_START, (fuel < START).then_some(()).ok_or_else(costly));
    match probe.check_version() {
        Ok(()) => sheet.pass(VERSION),
        Err(error) => sheet.stop(VERSION, told(&error)),
    }
    Ok(!sheet.is_stopped())
}

fn tests(sheet: &mut Sheet, module: &Module) -> Result<(), Error> {
    match module.pass_tests() {
        Ok(0) => sheet.skip(TESTS, "the module brings no tests"),
        Ok(_) => sheet.pass(TESTS),
        Err(error) if is_the_hosts(&error) => return Err(error),
        Err(error) => sheet.fail(TESTS, told(&error)),
    }
    Ok(())
}

fn is_the_hosts(error: &Error) -> bool {
    matches!(error.code(), codes::HOST_FAULT | codes::HOST_OVERLOADED)
}

/// Whether a valid module has any instruction on floats.
fn has_floats(module: &[u8]) -> bool {
    let bodies = Parser::new(0).parse_all(module).filter_map(|payload| match payload {
        Ok(Payload::CodeSectionEntry(body)) => body.get_operators_reader().ok(),
        _ => None,
    });
    bodies.flat_map(IntoIterator::into_iter).flatten().any(|operator| {
        let mut name = Beginning::default();
        // It ends with an error as soon as it is known.
        let _ = std::fmt::write(&mut name, format_args!("{operator:?}"));
        name.is_float
    })
}

/// Looks at the beginning of an instruction's name.
#[derive(Default)]
struct Beginning {
    is_float: bool,
}

impl std::fmt::Write for Beginning {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        // Conversions from floats begin with the type that they lead to.
        self.is_float = ["F32", "F64"].iter().any(|ty| text.contains(ty));
        Err(std::fmt::Error)
    }
}
