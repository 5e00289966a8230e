//! Which faults lead back to what was active before, and take a canary away.

use std::sync::Arc;

use adjudicate_core::{Error, ErrorCode};

use super::{
    super::{Canary, FaultRate, OwnLimits, SlotSettings, Why, route::Seat, watcher::Task, window::Window},
    fill, silent, unwatched,
};
use crate::{
    Compiler,
    conformance::{Corpus, Outcome},
    panel::Failed,
};

/// Any fault is one too many.
const AT_ONCE: Option<FaultRate> = Some(FaultRate { faults: 1, calls: 1 });

/// Errors of calls that say nothing of the module: what the host, the store or the cluster could not do.
const OF_THE_HOST: &[ErrorCode] = {
    use ErrorCode::*;
    &[EngineLoad, Trap, HostOverloaded, HostFault, SlotEmpty, StoreFault, ClusterFault]
};

/// Errors that are about the call, and not about whoever answers it.
const OF_THE_CALL: &[ErrorCode] = {
    use ErrorCode::*;
    &[
        MalformedJson,
        DuplicateKey,
        LimitExceeded,
        UnknownField,
        MissingField,
        InvalidValue,
        UnsupportedOperation,
        InvalidPolicy,
        InvalidExpression,
        InvalidSchema,
        MalformedYaml,
        UnreadableInput,
        UnwritableOutput,
        WrongUsage,
        ModuleInputTooLarge,
        UnknownSlot,
        UnknownModule,
        UnknownVersion,
        SlotChanged,
        BrokenChain,
        Unauthorized,
        Forbidden,
        NotFound,
        MethodNotAllowed,
        UnsupportedMediaType,
        RequestTimeout,
    ]
};

/// Why a module is not loaded: it is not in force then, and no call is its own.
const OF_LOADING: &[ErrorCode] = {
    use ErrorCode::*;
    &[
        ModuleMalformed,
        ModuleTooLarge,
        ModuleManifest,
        ModuleNeeds,
        ModuleImports,
        ModuleExports,
        ModuleAbi,
        ModuleFeature,
        ModuleMemoryType,
        ModuleStart,
        ModuleCompile,
        ModuleUnsigned,
        ModuleSignature,
        ModuleUntrustedKey,
        ModuleKeyExpired,
        ModuleKeyRevoked,
        ModuleBelowThreshold,
        ModuleNotPinned,
        ModuleDowngrade,
        ModuleTests,
    ]
};

/// A code that is new belongs to one of the four lists, and somebody has to say to which.
#[test]
fn every_code_counts_for_going_back_or_it_is_said_why_not() {
    let directory = tempfile::tempdir().unwrap();
    let (slots, tasks) = unwatched(&directory.path().join("store"), Compiler::InProcess);
    let slot = fill(&slots, &silent(), SlotSettings { rollback: AT_ONCE, ..SlotSettings::default() });
    let route = slot.state.route.load_full();
    let active = route.active.as_ref().unwrap();
    for code in ErrorCode::ALL {
        let lists = [&FaultRate::COUNTED[..], OF_THE_HOST, OF_THE_CALL, OF_LOADING];
        let found: Vec<_> = (0..lists.len()).filter(|list| lists[*list].contains(code)).collect();
        assert_eq!(found.len(), 1, "`{}` is to be in one of the lists, it is in {found:?}", code.as_str());
        for task in [Task::RollBack, Task::WithdrawCanary] {
            let seat = Seat { window: Arc::new(Window::default()), ensemble: Arc::clone(&active.ensemble) };
            let failed = Failed { origin: "test".to_owned(), error: Error::new(*code, "on purpose").into() };
            slot.count_fault(&route, &seat, seat.window.count(), &failed, task);
            assert_eq!(tasks.try_recv().is_ok(), found == [0], "{}", code.as_str());
        }
    }
    // Whoever runs the host finds its own failures among the faults all the same.
    assert_eq!(slot.statistics().faults.get("host_fault"), Some(&2));
}

#[test]
fn modules_that_fail_in_every_way_are_gone_back_from_and_no_others() {
    let corpus = Corpus::read().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let (slots, tasks) = unwatched(&directory.path().join("store"), Compiler::InProcess);
    let mut told = Vec::new();
    for case in corpus.cases() {
        let Outcome::Call(code) = &case.outcome else { continue };
        if told.contains(code) {
            continue;
        }
        told.push(code.clone());
        let settings = SlotSettings {
            limits: OwnLimits::of(&corpus.limits(case)),
            rollback: AT_ONCE,
            ..SlotSettings::default()
        };
        let slot = fill(&slots, &corpus.module(case).unwrap(), settings);
        let counts = ErrorCode::from_text(code).is_some_and(|code| FaultRate::COUNTED.contains(&code));
        let call = corpus.call(case).unwrap();
        let ask = || {
            let answer = slot.call(call.operation, call.input.as_bytes());
            assert_eq!(answer.unwrap_err().code(), code, "{}", case.name);
            let task = tasks.try_recv().ok();
            if let Some(Task::RollBack(seen) | Task::WithdrawCanary(seen)) = &task {
                // As whoever acts says that it is done: the next fault asks again.
                seen.window.answered();
            }
            task
        };
        assert!(matches!(ask(), Some(Task::RollBack(_))) == counts, "{}", case.name);
        let active = slot.entry().state.active.unwrap();
        slot.canary(Some(Canary::of(active, 1000)), &Why::default()).unwrap();
        assert!(matches!(ask(), Some(Task::WithdrawCanary(_))) == counts, "{}", case.name);
        slot.canary(None, &Why::default()).unwrap();
    }
    let mut lacking = FaultRate::COUNTED.to_vec();
    lacking.retain(|code| !told.iter().any(|told| told == code.as_str()));
    // That takes a second of computing: the tests of limits have it.
    assert_eq!(lacking, [ErrorCode::ModuleDeadline]);
    for other in ["module_input_too_large", "missing_field", "own_code"] {
        assert!(told.iter().any(|code| code == other), "{other}");
    }
}

#[test]
fn what_counts_is_written_where_it_is_set() {
    let (settings, serve) = (include_str!("../settings.rs"), include_str!("../../../cli/SERVE.md"));
    let named = |text: &str| -> Vec<String> {
        let row = |line: &str| {
            let code = line.split('`').nth(1)?;
            ErrorCode::from_text(code).map(|_| code.to_owned())
        };
        let rows = text.lines().map(|line| line.trim_start_matches("/// "));
        rows.filter(|line| line.starts_with("| `")).filter_map(row).collect()
    };
    let counted: Vec<_> = FaultRate::COUNTED.iter().map(|code| code.as_str().to_owned()).collect();
    assert_eq!(named(settings), counted);
    let (_, said) = serve.split_once("**Going back by itself.**").unwrap();
    let (list, _) = said.split_once("**").unwrap();
    let codes = list.split('`').skip(1).step_by(2).filter(|code| counted.iter().any(|other| other == code));
    assert_eq!(codes.collect::<Vec<_>>(), counted);
}
