//! Entries in the ledger that no honest host wrote: the slot keeps its state and reports the problem.

use std::sync::{Arc, atomic::Ordering};

use adjudicate_core::{Error, ErrorCode};
use adjudicate_host::{
    Canary, ChangeReason, Composition, FaultRate, OwnLimits, SlotAction, SlotEntry, SlotSettings, SlotState,
    codes,
    trust::{SecretKey, sign},
};
use adjudicate_sandbox::Digest;

use super::{
    guests::{ENVELOPE, Parts, with_section, with_tests},
    ledger::{Board, Peer, observed, open},
    slots::{flagging, trusting},
};

/// A host that trusts one key, with version 2 of a module active.
struct Bed {
    board: Arc<Board>,
    peer: Peer,
    ours: SecretKey,
    two: Digest,
}

fn active(module: Digest) -> SlotState {
    SlotState { active: Some(Composition::new(module)), ..SlotState::default() }
}

impl Bed {
    fn new() -> Self {
        let board = Board::new("one");
        let peer = Peer::strict(&board);
        let ours = SecretKey::generate().unwrap();
        peer.slots.set_trust(None, &trusting(&[&ours], "")).unwrap();
        let mut bed = Self { board, peer, ours, two: Digest::sha256(b"") };
        bed.two = bed.signed("2.0.0");
        bed.board.forge("release", SlotAction::Activate, active(bed.two));
        assert_eq!(bed.bring(), []);
        bed
    }

    /// Stores a module in the ledger.
    fn keep(&self, module: Vec<u8>) -> Digest {
        let digest = Digest::sha256(&module);
        self.board.modules.lock().unwrap().insert(digest, module);
        digest
    }

    fn signed(&self, version: &str) -> Digest {
        self.keep(sign(&flagging("test", version, version), &self.ours).unwrap())
    }

    fn bring(&self) -> Vec<Error> {
        self.board.bring(&self.peer.slots)
    }

    /// Applies an entry that is rejected with this code. The slot keeps its state and has a problem.
    fn is_refused(&self, entry: &SlotEntry, code: ErrorCode, what: &str) {
        let before = self.peer.slot().entry();
        let followed = self.peer.slots.follow(entry.clone(), true);
        let error = followed.err().unwrap_or_else(|| panic!("{what} is taken"));
        assert_eq!(error.code(), code, "{what}: {error}");
        let slot = self.peer.slot();
        assert_eq!((slot.entry(), observed(&slot).as_str()), (before.clone(), r#"["2.0.0"]"#), "{what}");
        assert_eq!(self.peer.slots.store().slot("release").unwrap(), before, "{what}");
        let problems = self.peer.slots.problems();
        assert_eq!(problems.get("release"), Some(&error), "{what}");
        assert_eq!(slot.statistics().problem, Some(error.to_string()), "{what}");
    }

    /// A valid entry ends the problem.
    fn goes_on(&self, what: &str) {
        self.board.forge("release", SlotAction::Activate, active(self.two));
        assert_eq!(self.bring(), [], "{what}");
        assert!(self.peer.slots.problems().is_empty(), "{what}");
        assert_eq!(observed(&self.peer.slot()), r#"["2.0.0"]"#, "{what}");
        assert_eq!(self.peer.history("release"), self.board.of("release"), "{what}");
        assert_eq!(self.peer.slot().entry(), self.board.of("release").pop().unwrap(), "{what}");
    }
}

#[test]
fn rejected_entries_do_not_change_the_slot_until_a_valid_one_arrives() {
    let bed = Bed::new();
    let theirs = SecretKey::generate().unwrap();
    let unsigned = bed.keep(flagging("test", "3.0.0", "b"));
    let untrusted = bed.keep(sign(&flagging("test", "3.0.0", "b"), &theirs).unwrap());
    let three = bed.signed("3.0.0");
    let tests =
        format!(r#"[{{"name":"no","input":{ENVELOPE},"expect":{{"decision":{{"next_step":"fix"}}}}}}]"#);
    let failing = bed.keep(sign(&with_tests(&tests).build(), &bed.ours).unwrap());
    let tampered = {
        let mut module = sign(&flagging("test", "3.0.0", "b"), &bed.ours).unwrap();
        let last = module.len() - 1;
        module[last] ^= 1;
        bed.keep(module)
    };
    let [digest, option] = ["deadbeef", "--help"].map(|name| {
        let manifest = format!(r#"{{"abi":1,"name":"{name}","version":"3.0.0","operations":["evaluate"]}}"#);
        let bare = Parts { manifest: None, ..Parts::default() }.build();
        let module = with_section(&bare, "adjudicate.manifest", manifest.as_bytes());
        bed.keep(sign(&module, &bed.ours).unwrap())
    });
    let replaced = bed.signed("3.0.1");
    bed.board.modules.lock().unwrap().insert(replaced, b"something else".to_vec());
    let garbage = bed.keep(b"no module".to_vec());
    let crowded = (0..17).fold(Composition::new(three), |composition, _| composition.restricted_by(three));
    let state = |active| SlotState { active: Some(active), ..SlotState::default() };
    let beside = |shadow, canary| SlotState { shadow, canary, ..active(bed.two) };
    use SlotAction::{
        Activate, AutomaticRollback, Canary as Tries, CanaryWithdrawn, Configure, Rollback, Shadow,
    };
    let one = bed.signed("1.0.0");
    let unmarked = Composition::new(three);
    for (what, action, state, code) in [
        ("said to need no signature", Activate, state(unmarked.clone().unsigned()), codes::MODULE_UNSIGNED),
        ("without a signature", Activate, active(unsigned), codes::MODULE_UNSIGNED),
        ("of a key that nobody knows", Activate, active(untrusted), codes::MODULE_UNTRUSTED_KEY),
        ("changed after it was signed", Activate, active(tampered), codes::MODULE_SIGNATURE),
        ("no module", Activate, active(garbage), codes::MODULE_MALFORMED),
        ("named like a digest", Activate, active(digest), codes::MODULE_MANIFEST),
        ("named like an option", Activate, active(option), codes::MODULE_MANIFEST),
        ("failing its own tests", Activate, active(failing), codes::MODULE_TESTS),
        ("other bytes", Activate, active(replaced), codes::CLUSTER_FAULT),
        ("nowhere", Activate, active(Digest::sha256(b"nowhere")), codes::UNKNOWN_MODULE),
        ("an earlier version", Activate, active(one), codes::MODULE_DOWNGRADE),
        ("back to what never was", Rollback, active(one), codes::MODULE_DOWNGRADE),
        ("back to what was refused", AutomaticRollback, active(one), codes::MODULE_DOWNGRADE),
        ("in the name of settings", Configure, active(one), codes::MODULE_DOWNGRADE),
        ("in the name of a shadow", Shadow, active(one), codes::MODULE_DOWNGRADE),
        ("in the name of a canary", CanaryWithdrawn, active(one), codes::MODULE_DOWNGRADE),
        (
            "an earlier canary",
            Tries,
            beside(None, Some(Canary::new(Composition::new(one), 1))),
            codes::MODULE_DOWNGRADE,
        ),
        (
            "a shadow that nobody knows",
            Shadow,
            beside(Some(Composition::new(untrusted)), None),
            codes::MODULE_UNTRUSTED_KEY,
        ),
        ("more than the whole", Tries, beside(None, Some(Canary::new(unmarked, 1001))), codes::WRONG_USAGE),
        ("a crowd", Activate, state(crowded), codes::WRONG_USAGE),
    ] {
        let entry = bed.board.forge("release", action, state);
        bed.is_refused(&entry, code, what);
        // A repeated attempt is cheap if nothing can have changed.
        let fetched = bed.board.fetched.load(Ordering::SeqCst);
        bed.is_refused(&entry, code, what);
        let is_asked_again = matches!(code, codes::CLUSTER_FAULT | codes::UNKNOWN_MODULE);
        assert_eq!(bed.board.fetched.load(Ordering::SeqCst) - fetched, usize::from(is_asked_again), "{what}");
        bed.goes_on(what);
    }
}

#[test]
fn entries_that_no_host_writes_are_rejected() {
    let bed = Bed::new();
    let three = bed.signed("3.0.0");
    let small = OwnLimits { module_bytes: Some(100), ..OwnLimits::default() };
    let rollback = Some(FaultRate { faults: 0, calls: 1 });
    let default = SlotSettings::default;
    for (what, settings, note, code) in [
        ("too large", SlotSettings { limits: small, ..default() }, "", codes::MODULE_TOO_LARGE),
        ("settings", SlotSettings { rollback, ..default() }, "", codes::INVALID_VALUE),
        ("a note", default(), &*"x".repeat(4097), codes::LIMIT_EXCEEDED),
    ] {
        let mut entry = bed.board.forge("release", SlotAction::Activate, active(three));
        (entry.settings, entry.note) = (settings, note.to_owned());
        *bed.board.entries.lock().unwrap().last_mut().unwrap() = entry.clone();
        bed.is_refused(&entry, code, what);
        bed.goes_on(what);
    }
    // Values that are not entries.
    let good = bed.board.forge("release", SlotAction::Activate, active(bed.two));
    let error = bed.peer.slots.follow(SlotEntry { id: 0, ..good.clone() }, true).unwrap_err();
    assert_eq!(error.code(), codes::CLUSTER_FAULT);
    let error =
        bed.peer.slots.follow(SlotEntry { slot: "A b".to_owned(), ..good.clone() }, true).unwrap_err();
    assert_eq!((error.code(), bed.peer.slots.problems().get("A b")), (codes::WRONG_USAGE, Some(&error)));
    bed.peer.slots.note_problem("A b", None);
    bed.goes_on("names and numbers");
    // An entry whose number another entry already has.
    let first = bed.board.of("release").remove(0);
    let other = SlotEntry { note: "another".to_owned(), ..first.clone() };
    for entry in [other, SlotEntry { slot: "other".to_owned(), ..first }] {
        for is_latest in [false, true] {
            let error = bed.peer.slots.follow(entry.clone(), is_latest).unwrap_err();
            assert_eq!(error.code(), codes::CLUSTER_FAULT, "{error}");
            assert!(bed.peer.slots.problems().contains_key(&entry.slot));
        }
    }
    assert_eq!(bed.peer.history("release"), bed.board.of("release"));
}

#[test]
fn a_rejected_entry_is_applied_when_the_host_trusts_it() {
    let theirs = SecretKey::generate().unwrap();
    let trusted = |bed: &Bed, more: &str| trusting(&[&bed.ours, &theirs], more);
    for (what, version, is_theirs, is_signed, more) in [
        ("a key", "3.0.0", true, true, ""),
        ("no signature", "3.0.0", false, false, r#","unsigned":"allow""#),
        ("an earlier version", "1.0.0", false, true, r#","downgrade":"allow""#),
    ] {
        let bed = Bed::new();
        let module = flagging("test", version, "new");
        let module = match (is_signed, is_theirs) {
            (false, _) => module,
            (true, true) => sign(&module, &theirs).unwrap(),
            (true, false) => sign(&module, &bed.ours).unwrap(),
        };
        let entry = bed.board.forge("release", SlotAction::Activate, active(bed.keep(module)));
        assert_eq!(bed.bring().len(), 1, "{what}");
        // The slot cannot be changed here, and the error has the reason.
        let error = bed.peer.slot().configure(SlotSettings::default(), &ChangeReason::default()).unwrap_err();
        assert_eq!(error.code(), codes::SLOT_CHANGED);
        assert!(error.message().contains("which this host rejects"), "{error}");
        bed.peer.slots.set_trust(Some("release"), &trusted(&bed, more)).unwrap();
        // A new trust policy alone does not end the problem.
        assert!(bed.peer.slot().statistics().problem.is_some(), "{what}");
        assert_eq!(bed.bring(), [], "{what}");
        assert_eq!(
            (bed.peer.slot().entry(), observed(&bed.peer.slot()).as_str()),
            (entry, r#"["new"]"#),
            "{what}"
        );
        assert!(bed.peer.slots.problems().is_empty(), "{what}");
        bed.peer.slot().configure(SlotSettings::default(), &ChangeReason::default()).unwrap();
        assert_eq!(bed.peer.history("release"), bed.board.of("release"));
    }
}

#[test]
fn unsigned_modules_need_a_host_that_allows_them() {
    let mut bed = Bed::new();
    let module = bed.keep(flagging("test", "3.0.0", "new"));
    let state = SlotState { active: Some(Composition::new(module).unsigned()), ..SlotState::default() };
    bed.board.forge("release", SlotAction::Activate, state.clone());
    assert_eq!(bed.bring().len(), 1);
    // This host cannot publish such a module, either.
    let error = bed.peer.slot().activate(state.active.unwrap(), &ChangeReason::default()).unwrap_err();
    assert_eq!(error.code(), codes::MODULE_UNSIGNED, "{error}");
    bed.peer.slots = open(&bed.peer.directory, &bed.board, true).unwrap();
    assert_eq!(bed.bring(), []);
    assert_eq!(observed(&bed.peer.slot()), r#"["new"]"#);
    // After a restart without the option, the module stops answering.
    bed.peer.slots = open(&bed.peer.directory, &bed.board, false).unwrap();
    assert_eq!(observed(&bed.peer.slot()), "module_unsigned");
}

#[test]
fn an_unknown_slot_is_reported_and_can_be_trusted() {
    let bed = Bed::new();
    let theirs = SecretKey::generate().unwrap();
    let module = bed.keep(sign(&flagging("test", "1.0.0", "new"), &theirs).unwrap());
    let entry = bed.board.forge("fresh", SlotAction::Activate, active(module));
    assert_eq!(bed.bring().len(), 1);
    assert_eq!(bed.peer.slots.slot("fresh").unwrap_err().code(), codes::UNKNOWN_SLOT);
    let code = |slot: &str| bed.peer.slots.problems().get(slot).map(Error::code);
    assert_eq!((code("fresh"), code("release")), (Some(codes::MODULE_UNTRUSTED_KEY), None));
    // The trust policy can also be set by a process that does not follow.
    let plain = super::slots::open(&bed.peer.directory);
    plain.set_trust(Some("fresh"), &trusting(&[&theirs], "")).unwrap();
    bed.peer.slots.follow(entry, true).unwrap();
    assert_eq!(observed(&bed.peer.slots.slot("fresh").unwrap()), r#"["new"]"#);
    assert!(bed.peer.slots.problems().is_empty());
}

#[test]
fn an_earlier_version_is_not_smuggled_in_as_history() {
    let bed = Bed::new();
    let one = bed.signed("1.0.0");
    // Without a follower the entry becomes active and is superseded, so no host judges it.
    let smuggled = bed.board.forge("release", SlotAction::Activate, active(one));
    bed.goes_on("superseded");
    let entry = bed.board.forge("release", SlotAction::Rollback, active(one));
    bed.is_refused(&entry, codes::MODULE_DOWNGRADE, "back to it");
    bed.goes_on("again");
    // A rejected entry that is superseded is part of the history, even if it is followed again.
    let refused = bed.board.forge("release", SlotAction::Activate, active(one));
    bed.is_refused(&refused, codes::MODULE_DOWNGRADE, "refused");
    let next = bed.board.forge("release", SlotAction::Activate, active(one));
    bed.is_refused(&next, codes::MODULE_DOWNGRADE, "refused again");
    let good = bed.board.forge("release", SlotAction::Activate, active(bed.two));
    assert_eq!(bed.peer.slots.follow(good, true), Ok(()));
    assert_eq!(bed.peer.history("release"), bed.board.of("release"));
    // The host does not roll back to it, automatically or manually.
    let slot = bed.peer.slot();
    let error = slot.rollback(Some(smuggled.id), &ChangeReason::default()).unwrap_err();
    assert_eq!(error.code(), codes::MODULE_DOWNGRADE, "{error}");
    let error = slot.rollback(None, &ChangeReason::default()).unwrap_err();
    assert_eq!(error.code(), codes::MODULE_DOWNGRADE, "{error}");
    let three = bed.signed("3.0.0");
    bed.board.forge("release", SlotAction::Activate, active(one));
    bed.board.forge("release", SlotAction::Activate, active(three));
    assert_eq!(bed.bring(), []);
    let back = slot.rollback(None, &ChangeReason::default()).unwrap();
    assert_eq!(back.state.active, Some(Composition::new(bed.two)));

    // A superseded entry that was not a downgrade at its time is a valid rollback target.
    let four = bed.signed("4.0.0");
    bed.board.forge("release", SlotAction::Activate, active(four));
    bed.board.forge("release", SlotAction::Activate, active(bed.signed("5.0.0")));
    assert_eq!(bed.bring(), []);
    let entry = bed.board.forge("release", SlotAction::Rollback, active(four));
    assert_eq!(bed.bring(), []);
    assert_eq!((slot.entry(), observed(&slot).as_str()), (entry, r#"["4.0.0"]"#));
    assert_eq!(bed.peer.history("release"), bed.board.of("release"));
}

#[test]
fn a_host_that_missed_entries_does_not_put_a_downgrade() {
    let board = Board::new("one");
    let [always, seldom] = [Peer::new(&board), Peer::new(&board)];
    let module = |version: &str| always.install(&flagging("test", version, version));
    let [one, middle, two] = ["1.0.0", "1.5.0", "2.0.0"].map(module);
    let slot = always.slots.create("release", SlotSettings::default(), &ChangeReason::default()).unwrap();
    for module in [one, two] {
        slot.activate(super::slots::alone(module), &ChangeReason::default()).unwrap();
    }
    slot.rollback(None, &ChangeReason::default()).unwrap();
    assert_eq!(board.bring(&seldom.slots), []);
    assert_eq!(observed(&seldom.slot()), r#"["1.0.0"]"#);
    let error = seldom.slot().activate(super::slots::alone(middle), &ChangeReason::default()).unwrap_err();
    assert_eq!(error.code(), codes::MODULE_DOWNGRADE, "{error}");
    seldom.slot().activate(super::slots::alone(two), &ChangeReason::default()).unwrap();
    assert_eq!(board.bring(&always.slots), []);
}

#[test]
fn a_canary_is_judged_by_the_versions_active_at_its_time() {
    let board = Board::new("one");
    let [always, seldom] = [Peer::new(&board), Peer::new(&board)];
    let module = |version: &str| always.install(&flagging("test", version, version));
    let [one, two, three] = ["1.0.0", "2.0.0", "3.0.0"].map(|version| super::slots::alone(module(version)));
    let slot = always.slots.create("release", SlotSettings::default(), &ChangeReason::default()).unwrap();
    slot.activate(one, &ChangeReason::default()).unwrap();
    assert_eq!(board.bring(&seldom.slots), []);
    slot.canary(Some(Canary::new(two, 1)), &ChangeReason::default()).unwrap();
    slot.activate(three.clone(), &ChangeReason::default()).unwrap();
    let entry = slot.shadow(None, &ChangeReason::default()).unwrap();
    // The entries between are history here, and their active versions are known before the last entry arrives.
    for entry in &board.of("release")[2..4] {
        seldom.slots.follow(entry.clone(), false).unwrap();
    }
    let error = seldom.slot().activate(three, &ChangeReason::default()).unwrap_err();
    assert_eq!(error.code(), codes::SLOT_CHANGED);
    assert_eq!(seldom.slots.follow(entry.clone(), true), Ok(()));
    assert_eq!(seldom.slot().entry(), entry);
}

#[test]
fn active_versions_are_learned_even_after_repeated_returns() {
    let board = Board::new("one");
    let [always, seldom] = [Peer::new(&board), Peer::new(&board)];
    let module = |name: &str, version: &str| always.install(&flagging(name, version, version));
    let [x1, x2] = ["1.0.0", "2.0.0"].map(|version| module("x", version));
    let [y2, y3] = ["2.0.0", "3.0.0"].map(|version| module("y", version));
    let slot = always.slots.create("release", SlotSettings::default(), &ChangeReason::default()).unwrap();
    let first =
        slot.activate(Composition::new(x1).restricted_by(y3).unsigned(), &ChangeReason::default()).unwrap();
    slot.activate(super::slots::alone(x2), &ChangeReason::default()).unwrap();
    slot.rollback(Some(first.id), &ChangeReason::default()).unwrap();
    slot.activate(super::slots::alone(x2), &ChangeReason::default()).unwrap();
    // The other version was active between the two, and both are part of the history only.
    for (place, entry) in board.of("release").into_iter().enumerate() {
        seldom.slots.follow(entry, matches!(place, 2 | 4)).unwrap();
    }
    let lower = Composition::new(x2).restricted_by(y2).unsigned();
    let error = seldom.slot().activate(lower, &ChangeReason::default()).unwrap_err();
    assert_eq!(error.code(), codes::MODULE_DOWNGRADE, "{error}");
}

#[test]
fn a_version_that_was_active_here_stays_a_rollback_target() {
    let board = Board::new("one");
    let [always, seldom] = [Peer::new(&board), Peer::new(&board)];
    let module = |version: &str| super::slots::alone(always.install(&flagging("test", version, version)));
    let [one, two, three] = ["1.0.0", "2.0.0", "3.0.0"].map(module);
    let slot = always.slots.create("release", SlotSettings::default(), &ChangeReason::default()).unwrap();
    slot.activate(one.clone(), &ChangeReason::default()).unwrap();
    slot.activate(two, &ChangeReason::default()).unwrap();
    assert_eq!(board.bring(&seldom.slots), []);
    slot.rollback(None, &ChangeReason::default()).unwrap();
    assert_eq!(board.bring(&seldom.slots), []);
    // The same state again, as history only. It is below a version that was active before, so it proves nothing by itself.
    slot.configure(SlotSettings::default(), &ChangeReason::default()).unwrap();
    slot.activate(three, &ChangeReason::default()).unwrap();
    assert_eq!(board.bring(&seldom.slots), []);
    let back = seldom.slot().rollback(None, &ChangeReason::default()).unwrap();
    assert_eq!(back.state.active, Some(one));
    assert_eq!(board.bring(&always.slots), []);
}
