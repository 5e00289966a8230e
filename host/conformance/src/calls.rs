//! Checks of calls: they end, reply by the contract, and always reply the same.

use adjudicate_core::{Error, Operation};
use adjudicate_sandbox::Module;

use crate::{
    inputs,
    probe::{Breach, Probe, ProbeReply},
    report::ReportBuilder,
    requirement::{
        ANSWERS, CALL_ENDS, COST_FUEL, COST_GROWTH, DETERMINISM, GARBAGE, GARBAGE_ERROR, MEANINGLESS, NAN,
        PLACE, REPLY_CONTRACT, REPLY_FORM, REPLY_RECORD, REPLY_STAYS, REPLY_STEP, REPLY_UTF8, Requirement,
        STATE, UNSUPPORTED,
    },
};

/// A call and the reply of a fresh instance.
pub(super) struct RecordedCall {
    pub(super) operation: Operation,
    pub(super) input: String,
    pub(super) reply: ProbeReply,
}

/// Calls every offered operation with each of its inputs. Returns the calls with their replies.
pub(super) fn check(report: &mut ReportBuilder, module: &Module) -> Result<Vec<RecordedCall>, Error> {
    let mut all = Vec::new();
    for &operation in module.manifest().operations.iter() {
        let mut answered = false;
        for input in inputs::valid(operation) {
            let Some(recorded) = call(report, module, operation, input)? else { continue };
            answered |= recorded.reply.error.is_none();
            all.push(recorded);
        }
        let silent = || format!("`{}` answers no input with `ok`", operation.name());
        report.judge(ANSWERS, answered.then_some(()).ok_or_else(silent));
    }
    // An error neither meets nor breaks the output contract.
    const SILENT: &str = "no call was answered with `ok`";
    report.not_judged(REPLY_CONTRACT, SILENT);
    if module.manifest().operations.iter().any(|operation| operation.names_step()) {
        report.not_judged(REPLY_STEP, SILENT);
    } else {
        report.skip(REPLY_STEP, "the module offers no operation with a next step");
    }
    Ok(all)
}

/// Makes a call in a fresh instance and repeats it in another one.
fn call(
    report: &mut ReportBuilder,
    module: &Module,
    operation: Operation,
    input: String,
) -> Result<Option<RecordedCall>, Error> {
    let mut probe = Probe::start(module)?;
    let before = probe.memory_bytes();
    let outcome = probe.call(operation.number(), input.as_bytes());
    let (fuel, after) = (probe.fuel_used(), probe.memory_bytes());
    drop(probe);
    let reply = match outcome {
        Ok(reply) => reply,
        Err(Breach { requirement, detail }) => {
            report.fail(requirement, format!("`{}`: {detail}", operation.name()));
            return Ok(None);
        }
    };
    for requirement in [CALL_ENDS, REPLY_RECORD, REPLY_UTF8, REPLY_FORM] {
        report.pass(requirement);
    }
    if reply.error.is_none() {
        contract(report, operation, reply.check(operation, &input));
    }
    let limit = module.limits().fuel;
    let costly = || format!("`{}` takes {fuel} of {limit}", operation.name());
    report.judge(COST_FUEL, (fuel <= limit / 2).then_some(()).ok_or_else(costly));
    let grown = || format!("`{}` grows the memory from {before} to {after} bytes", operation.name());
    report.judge(COST_GROWTH, (before == after).then_some(()).ok_or_else(grown));
    let again = Probe::start(module)?.call(operation.number(), input.as_bytes());
    report.judge(DETERMINISM, same(&reply, again, operation));
    Ok(Some(RecordedCall { operation, input, reply }))
}

/// Judges an answer by the result of the contract check.
fn contract(report: &mut ReportBuilder, operation: Operation, outcome: Result<(), Breach>) {
    match outcome {
        Ok(()) => {
            report.pass(REPLY_CONTRACT);
            if operation.names_step() {
                report.pass(REPLY_STEP);
            }
        }
        Err(Breach { requirement, detail }) => {
            report.fail(requirement, format!("`{}`: {detail}", operation.name()));
        }
    }
}

/// Compares a reply with an earlier one.
fn same(reply: &ProbeReply, again: Result<ProbeReply, Breach>, operation: Operation) -> Result<(), String> {
    let name = operation.name();
    match again {
        Ok(again) if again.text == reply.text => Ok(()),
        Ok(again) => Err(format!("`{name}` replied `{}`, and then `{}`", reply.text, again.text)),
        Err(Breach { requirement, detail }) => {
            Err(format!("`{name}` replied, and then broke `{}`: {detail}", requirement.id))
        }
    }
}

/// Judges whether a reply stays in memory, and whether it depends on other calls.
pub(super) fn check_constancy(
    report: &mut ReportBuilder,
    module: &Module,
    recorded: &[RecordedCall],
) -> Result<(), Error> {
    for RecordedCall { operation, input, reply } in recorded {
        let mut probe = Probe::start(module)?;
        if let Ok(reply) = probe.call(operation.number(), input.as_bytes()) {
            // Later allocations, even failing ones, must not change the reply.
            let outcome =
                [1, 100, 5_000, 100_000].into_iter().try_for_each(|bytes| probe.allocate(bytes).map(drop));
            let again = outcome.and_then(|()| probe.again(&reply));
            report.judge(REPLY_STAYS, same(&reply, again, *operation));
        }
        drop(probe);
        let mut probe = Probe::start(module)?;
        let again = probe.allocate(1_000).and_then(|_| probe.call(operation.number(), input.as_bytes()));
        report.judge(PLACE, same(reply, again, *operation));
    }
    let mut probe = Probe::start(module)?;
    for RecordedCall { operation, input, reply } in recorded.iter().chain(recorded.iter().rev()) {
        let again = probe.call(operation.number(), input.as_bytes());
        report.judge(STATE, same(reply, again, *operation));
    }
    Ok(())
}

/// Judges with a module whose NaNs keep the bits of the processor.
pub(super) fn check_nan(
    report: &mut ReportBuilder,
    with_any_nan: &Module,
    recorded: &[RecordedCall],
) -> Result<(), Error> {
    for RecordedCall { operation, input, reply } in recorded {
        let again = Probe::start(with_any_nan)?.call(operation.number(), input.as_bytes());
        report.judge(NAN, same(reply, again, *operation));
    }
    Ok(())
}

/// Judges unknown operations, JSON that is not an input, and bytes that are not JSON.
pub(super) fn check_invalid_calls(report: &mut ReportBuilder, module: &Module) -> Result<(), Error> {
    let offered = &*module.manifest().operations;
    for number in inputs::numbers(offered) {
        let reply = Probe::start(module)?.call(number, b"{}");
        report.judge(UNSUPPORTED, unsupported(number, reply));
    }
    for &operation in offered {
        for input in inputs::garbage() {
            check_invalid_call(report, module, operation, &input, GARBAGE_ERROR)?;
        }
        for input in inputs::MEANINGLESS {
            // For some operations this text is an input.
            if operation.call(input.as_bytes()).is_err() {
                check_invalid_call(report, module, operation, input.as_bytes(), MEANINGLESS)?;
            }
        }
    }
    Ok(())
}

fn unsupported(number: i32, reply: Result<ProbeReply, Breach>) -> Result<(), String> {
    match reply {
        Ok(ProbeReply { error: Some((code, _)), .. }) if code == "unsupported_operation" => Ok(()),
        Ok(reply) => Err(format!("{number} is answered by `{}`", reply.text)),
        Err(Breach { requirement, detail }) => Err(format!("{number} breaks `{}`: {detail}", requirement.id)),
    }
}

/// Makes a call with an invalid input. It must end with a reply, which should be an error.
fn check_invalid_call(
    report: &mut ReportBuilder,
    module: &Module,
    operation: Operation,
    input: &[u8],
    should: Requirement,
) -> Result<(), Error> {
    let shown: String = String::from_utf8_lossy(input).chars().take(60).collect();
    match Probe::start(module)?.call(operation.number(), input) {
        Ok(reply) => {
            report.pass(GARBAGE);
            let answered = || format!("`{}` answers `{}` with `ok`", operation.name(), shown.escape_debug());
            report.judge(should, reply.error.map(drop).ok_or_else(answered));
        }
        Err(Breach { requirement, detail }) => {
            let shown = shown.escape_debug();
            report.fail(
                GARBAGE,
                format!("`{}` of `{shown}` breaks `{}`: {detail}", operation.name(), requirement.id),
            );
        }
    }
    Ok(())
}
