//! Callers choose inputs. No input that the engine rejects, and no lack of memory, leads to an earlier version
//! (docs/reference/slots.md).

use adjudicate_core::Operation;
use adjudicate_host::{ChangeReason, Digest, Slot, SlotAction};

use super::{
    guests::{ENVELOPE, Parts},
    slots::{Bed, alone, bed, flagging, manifest_of, run, until},
};

/// A slot in which `lax` was active before this module, with a rollback after three faults.
fn slot_with(bed: &Bed, module: &[u8]) -> (Slot, Digest) {
    let slot = bed.slot(r#"{"rollback":{"faults":3,"calls":100}}"#);
    let [lax, active] = [&flagging("test", "1.0.0", "lax"), module].map(|module| bed.install(module));
    for module in [lax, active] {
        slot.activate(alone(module), &ChangeReason::default()).unwrap();
    }
    (slot, active)
}

fn fails(slot: &Slot, input: &str) -> String {
    slot.call(Operation::Evaluate, input.as_bytes()).unwrap_err().code().to_owned()
}

/// Envelopes without allowed steps, each for another reason.
fn invalid() -> [String; 4] {
    let steps = r#""allowed_next_steps":["publish","fix"]"#;
    ["null", "\"fix\"", "5", "{}"]
        .map(|value| ENVELOPE.replacen(steps, &format!(r#""allowed_next_steps":{value}"#), 1))
}

/// The attack: an example module of `adjudicate new` answers an envelope whose `allowed_next_steps` is not a list. Three such
/// envelopes rolled the slot back to a version that allowed more.
#[test]
fn inputs_that_the_engine_rejects_cause_no_rollback() {
    let trapping =
        Parts { call: "(unreachable)", manifest: Some(manifest_of("test", "2.0.0")), ..Parts::default() };
    let answering = Parts { manifest: Some(manifest_of("test", "2.0.0")), ..Parts::default() };
    for (module, code) in [(answering.build(), "module_invalid_decision"), (trapping.build(), "module_trap")]
    {
        let bed = bed();
        let (slot, active) = slot_with(&bed, &module);
        for input in invalid() {
            assert_eq!(fails(&slot, &input), code);
        }
        // The watcher is notified at once, and acts within this time in all other tests.
        std::thread::sleep(std::time::Duration::from_millis(300));
        let entry = slot.entry();
        assert_eq!((entry.action, entry.state.active), (SlotAction::Activate, Some(alone(active))));
        // The statistics still count them.
        assert_eq!(slot.statistics().faults.get(code), Some(&4));
    }
}

/// After a denied growth, a module may write to address 0 and then break the contract in any way.
#[test]
fn a_contract_broken_for_lack_of_memory_counts_as_a_limit() {
    const GROW: &str = "(drop (memory.grow (i32.const 1000)))";
    let manifest = Some(manifest_of("test", "2.0.0"));
    let record = |call: &str| -> &'static str { Box::leak(format!("{GROW} {call}").into_boxed_str()) };
    let replying = |reply: &[u8]| Parts {
        call: record("(i32.const 16)"),
        reply: reply.to_vec(),
        manifest,
        ..Parts::default()
    };
    let illegal = super::guests::answer().replacen(r#""next_step":"publish""#, r#""next_step":"ship""#, 1);
    for (module, code) in [
        (Parts { call: record("(i32.const -1)"), manifest, ..Parts::default() }, "module_bad_pointer"),
        (replying(&[0xff]), "module_not_utf8"),
        (replying(b"{"), "module_malformed_reply"),
        (replying(br#"{"ok":{}}"#), "module_invalid_decision"),
        (replying(format!(r#"{{"ok":{illegal}}}"#).as_bytes()), "module_illegal_next_step"),
    ] {
        let bed = bed();
        let (slot, active) = slot_with(&bed, &module.build());
        for number in 0..4 {
            let error = slot.call(Operation::Evaluate, run(number).as_bytes()).unwrap_err();
            assert_eq!(error.code(), "module_memory");
            assert!(error.to_string().contains(&format!("`{code}`")), "{error}");
        }
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert_eq!(slot.entry().state.active, Some(alone(active)));
        // The same module breaks the contract with enough memory, too.
        let own = Parts { call: Box::leak(module.call.replace(GROW, "").into_boxed_str()), ..module };
        let elsewhere = super::slots::bed();
        let (slot, _) = slot_with(&elsewhere, &own.build());
        (0..3).for_each(|number| assert_eq!(fails(&slot, &run(number)), code));
        until("the rollback", || slot.entry().action == SlotAction::AutomaticRollback);
    }
}
