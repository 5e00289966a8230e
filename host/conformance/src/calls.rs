//! Calls: that they end, what is replied, and that it is always the same.

use adjudicate_core::{Error, Operation};
use adjudicate_sandbox::Module;

use crate::{
    inputs,
    probe::{Broken, Probe, Told},
    report::Sheet,
    requirement::{
        ANSWERS, CALL_ENDS, COST_FUEL, COST_GROWTH, DETERMINISM, GARBAGE, GARBAGE_ERROR, MEANINGLESS, NAN,
        PLACE, REPLY_CONTRACT, REPLY_FORM, REPLY_RECORD, REPLY_STAYS, REPLY_STEP, REPLY_UTF8, Requirement,
        STATE, UNSUPPORTED,
    },
};

/// A call, and the reply of a fresh instance.
pub(super) struct Asked {
    pub(super) operation: Operation,
    pub(super) input: String,
    pub(super) told: Told,
}

/// Calls every operation that is offered with every input there is for it; what was replied.
pub(super) fn check(sheet: &mut Sheet, module: &Module) -> Result<Vec<Asked>, Error> {
    let mut all = Vec::new();
    for &operation in &module.manifest().operations {
        let mut answered = false;
        for input in inputs::valid(operation) {
            let Some(asked) = ask(sheet, module, operation, input)? else { continue };
            answered |= asked.told.error.is_none();
            all.push(asked);
        }
        let silent = || format!("`{}` answers no input with `ok`", operation.name());
        sheet.judge(ANSWERS, answered.then_some(()).ok_or_else(silent));
    }
    // An error keeps no contract and breaks none.
    const SILENT: &str = "no call was answered with `ok`";
    sheet.leave(REPLY_CONTRACT, SILENT);
    if module.manifest().operations.iter().any(|operation| names_step(*operation)) {
        sheet.leave(REPLY_STEP, SILENT);
    } else {
        sheet.skip(REPLY_STEP, "no operation that the module offers names a next step");
    }
    Ok(all)
}

/// Whether answers of an operation name a next step.
const fn names_step(operation: Operation) -> bool {
    matches!(operation, Operation::Evaluate | Operation::Refine | Operation::Explain)
}

/// One call in a fresh instance, and once more in another one.
fn ask(
    sheet: &mut Sheet,
    module: &Module,
    operation: Operation,
    input: String,
) -> Result<Option<Asked>, Error> {
    let mut probe = Probe::start(module)?;
    let before = probe.memory_bytes();
    let outcome = probe.ask(operation.number(), input.as_bytes());
    let (fuel, after) = (probe.fuel_used(), probe.memory_bytes());
    drop(probe);
    let told = match outcome {
        Ok(told) => told,
        Err(Broken { requirement, detail }) => {
            sheet.fail(requirement, format!("`{}`: {detail}", operation.name()));
            return Ok(None);
        }
    };
    for requirement in [CALL_ENDS, REPLY_RECORD, REPLY_UTF8, REPLY_FORM] {
        sheet.pass(requirement);
    }
    if told.error.is_none() {
        contract(sheet, operation, told.check(operation, &input));
    }
    let limit = module.limits().fuel;
    let costly = || format!("`{}` takes {fuel} of {limit}", operation.name());
    sheet.judge(COST_FUEL, (fuel <= limit / 2).then_some(()).ok_or_else(costly));
    let grown = || format!("`{}` grows the memory from {before} to {after} bytes", operation.name());
    sheet.judge(COST_GROWTH, (before == after).then_some(()).ok_or_else(grown));
    let again = Probe::start(module)?.ask(operation.number(), input.as_bytes());
    sheet.judge(DETERMINISM, same(&told, again, operation));
    Ok(Some(Asked { operation, input, told }))
}

/// Judges an answer by what came of holding it against the contract.
fn contract(sheet: &mut Sheet, operation: Operation, outcome: Result<(), Broken>) {
    match outcome {
        Ok(()) => {
            sheet.pass(REPLY_CONTRACT);
            if names_step(operation) {
                sheet.pass(REPLY_STEP);
            }
        }
        Err(Broken { requirement, detail }) => {
            sheet.fail(requirement, format!("`{}`: {detail}", operation.name()));
        }
    }
}

/// Whether the same was replied as before.
fn same(told: &Told, again: Result<Told, Broken>, operation: Operation) -> Result<(), String> {
    let name = operation.name();
    match again {
        Ok(again) if again.text == told.text => Ok(()),
        Ok(again) => Err(format!("`{name}` replied `{}`, and then `{}`", told.text, again.text)),
        Err(Broken { requirement, detail }) => {
            Err(format!("`{name}` replied, and then broke `{}`: {detail}", requirement.id))
        }
    }
}

/// Judges what happens to replies, and by what they change.
pub(super) fn check_constancy(sheet: &mut Sheet, module: &Module, asked: &[Asked]) -> Result<(), Error> {
    for Asked { operation, input, told } in asked {
        let mut probe = Probe::start(module)?;
        if let Ok(told) = probe.ask(operation.number(), input.as_bytes()) {
            // What room is asked for later must leave it alone, also where there is none.
            let outcome =
                [1, 100, 5_000, 100_000].into_iter().try_for_each(|bytes| probe.room(bytes).map(drop));
            let again = outcome.and_then(|()| probe.again(&told));
            sheet.judge(REPLY_STAYS, same(&told, again, *operation));
        }
        drop(probe);
        let mut probe = Probe::start(module)?;
        let again = probe.room(1_000).and_then(|_| probe.ask(operation.number(), input.as_bytes()));
        sheet.judge(PLACE, same(told, again, *operation));
    }
    let mut probe = Probe::start(module)?;
    for Asked { operation, input, told } in asked.iter().chain(asked.iter().rev()) {
        let again = probe.ask(operation.number(), input.as_bytes());
        sheet.judge(STATE, same(told, again, *operation));
    }
    Ok(())
}

/// Judges by a module that was compiled so that a NaN has the bits that it happens to have.
pub(super) fn check_nan(sheet: &mut Sheet, as_it_comes: &Module, asked: &[Asked]) -> Result<(), Error> {
    for Asked { operation, input, told } in asked {
        let again = Probe::start(as_it_comes)?.ask(operation.number(), input.as_bytes());
        sheet.judge(NAN, same(told, again, *operation));
    }
    Ok(())
}

/// Judges numbers that are no operation's, JSON that is no input, and bytes that are no JSON.
pub(super) fn check_strangers(sheet: &mut Sheet, module: &Module) -> Result<(), Error> {
    let offered = &module.manifest().operations;
    for number in inputs::numbers(offered) {
        let told = Probe::start(module)?.ask(number, b"{}");
        sheet.judge(UNSUPPORTED, unsupported(number, told));
    }
    for &operation in offered {
        for input in inputs::garbage() {
            strange(sheet, module, operation, &input, GARBAGE_ERROR)?;
        }
        for input in inputs::MEANINGLESS {
            // Of some operations it is an input.
            if operation.call(input.as_bytes()).is_err() {
                strange(sheet, module, operation, input.as_bytes(), MEANINGLESS)?;
            }
        }
    }
    Ok(())
}

fn unsupported(number: i32, told: Result<Told, Broken>) -> Result<(), String> {
    match told {
        Ok(Told { error: Some((code, _)), .. }) if code == "unsupported_operation" => Ok(()),
        Ok(told) => Err(format!("{number} is answered by `{}`", told.text)),
        Err(Broken { requirement, detail }) => Err(format!("{number} breaks `{}`: {detail}", requirement.id)),
    }
}

/// A call with an input that is none: it must end with a reply, which should be an error.
fn strange(
    sheet: &mut Sheet,
    module: &Module,
    operation: Operation,
    input: &[u8],
    should: Requirement,
) -> Result<(), Error> {
    let shown: String = String::from_utf8_lossy(input).chars().take(60).collect();
    match Probe::start(module)?.ask(operation.number(), input) {
        Ok(told) => {
            sheet.pass(GARBAGE);
            let answered = || format!("`{}` answers `{}` with `ok`", operation.name(), shown.escape_debug());
            sheet.judge(should, told.error.map(drop).ok_or_else(answered));
        }
        Err(Broken { requirement, detail }) => {
            let shown = shown.escape_debug();
            sheet.fail(
                GARBAGE,
                format!("`{}` of `{shown}` breaks `{}`: {detail}", operation.name(), requirement.id),
            );
        }
    }
    Ok(())
}
