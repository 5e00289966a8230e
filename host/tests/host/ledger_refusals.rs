//! What somebody writes into the ledger who is no honest host: it leaves the slot as it is, and says why.

use std::sync::{Arc, atomic::Ordering};

use adjudicate_core::{Error, ErrorCode};
use adjudicate_host::{
    Action, Canary, Composition, Entry, FaultRate, OwnLimits, SlotSettings, State, Why, codes,
    trust::{SecretKey, sign},
};
use adjudicate_sandbox::Digest;

use super::{
    guests::{ENVELOPE, Parts, with_section, with_tests},
    ledger::{Board, Peer, open, told},
    slots::{flagging, trusting},
};

/// A host that trusts one key, with version 2 of a module in force.
struct Bed {
    board: Arc<Board>,
    peer: Peer,
    ours: SecretKey,
    two: Digest,
}

fn active(module: Digest) -> State {
    State { active: Some(Composition::of(module)), ..State::default() }
}

impl Bed {
    fn new() -> Self {
        let board = Board::new("one");
        let peer = Peer::strict(&board);
        let ours = SecretKey::generate().unwrap();
        peer.slots.set_trust(None, &trusting(&[&ours], "")).unwrap();
        let mut bed = Self { board, peer, ours, two: Digest::of(b"") };
        bed.two = bed.signed("2.0.0");
        bed.board.forge("release", Action::Activate, active(bed.two));
        assert_eq!(bed.bring(), []);
        bed
    }

    /// A module that is in the ledger.
    fn keep(&self, module: Vec<u8>) -> Digest {
        let digest = Digest::of(&module);
        self.board.modules.lock().unwrap().insert(digest, module);
        digest
    }

    fn signed(&self, version: &str) -> Digest {
        self.keep(sign(&flagging("test", version, version), &self.ours).unwrap())
    }

    fn bring(&self) -> Vec<Error> {
        self.board.bring(&self.peer.slots)
    }

    /// Brings an entry that is refused with this code: the slot stays as it was, and says so.
    fn is_refused(&self, entry: &Entry, code: ErrorCode, what: &str) {
        let before = self.peer.slot().entry();
        let followed = self.peer.slots.follow(entry.clone(), true);
        let error = followed.err().unwrap_or_else(|| panic!("{what} is taken"));
        assert_eq!(error.code(), code, "{what}: {error}");
        let slot = self.peer.slot();
        assert_eq!((slot.entry(), told(&slot).as_str()), (before.clone(), r#"["2.0.0"]"#), "{what}");
        assert_eq!(self.peer.slots.store().slot("release").unwrap(), before, "{what}");
        let troubles = self.peer.slots.troubles();
        assert_eq!(troubles.get("release"), Some(&error), "{what}");
        assert_eq!(slot.statistics().trouble, Some(error.to_string()), "{what}");
    }

    /// Something good comes behind it, and all is well.
    fn goes_on(&self, what: &str) {
        self.board.forge("release", Action::Activate, active(self.two));
        assert_eq!(self.bring(), [], "{what}");
        assert!(self.peer.slots.troubles().is_empty(), "{what}");
        assert_eq!(told(&self.peer.slot()), r#"["2.0.0"]"#, "{what}");
        assert_eq!(self.peer.history("release"), self.board.of("release"), "{what}");
        assert_eq!(self.peer.slot().entry(), self.board.of("release").pop().unwrap(), "{what}");
    }
}

#[test]
fn what_is_refused_leaves_the_slot_as_it_is_until_something_better_comes() {
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
    let crowded = (0..17).fold(Composition::of(three), |composition, _| composition.restricted_by(three));
    let state = |active| State { active: Some(active), ..State::default() };
    let beside = |shadow, canary| State { shadow, canary, ..active(bed.two) };
    use Action::{
        Activate, AutomaticRollback, Canary as Tries, CanaryWithdrawn, Configure, Rollback, Shadow,
    };
    let one = bed.signed("1.0.0");
    let unmarked = Composition::of(three);
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
        ("nowhere", Activate, active(Digest::of(b"nowhere")), codes::UNKNOWN_MODULE),
        ("an earlier version", Activate, active(one), codes::MODULE_DOWNGRADE),
        ("back to what never was", Rollback, active(one), codes::MODULE_DOWNGRADE),
        ("back to what was refused", AutomaticRollback, active(one), codes::MODULE_DOWNGRADE),
        ("in the name of settings", Configure, active(one), codes::MODULE_DOWNGRADE),
        ("in the name of a shadow", Shadow, active(one), codes::MODULE_DOWNGRADE),
        ("in the name of a canary", CanaryWithdrawn, active(one), codes::MODULE_DOWNGRADE),
        (
            "an earlier canary",
            Tries,
            beside(None, Some(Canary::of(Composition::of(one), 1))),
            codes::MODULE_DOWNGRADE,
        ),
        (
            "a shadow that nobody knows",
            Shadow,
            beside(Some(Composition::of(untrusted)), None),
            codes::MODULE_UNTRUSTED_KEY,
        ),
        ("more than the whole", Tries, beside(None, Some(Canary::of(unmarked, 1001))), codes::WRONG_USAGE),
        ("a crowd", Activate, state(crowded), codes::WRONG_USAGE),
    ] {
        let entry = bed.board.forge("release", action, state);
        bed.is_refused(&entry, code, what);
        // Asked again, it costs nothing where nothing new is to be expected.
        let fetched = bed.board.fetched.load(Ordering::SeqCst);
        bed.is_refused(&entry, code, what);
        let is_asked_again = matches!(code, codes::CLUSTER_FAULT | codes::UNKNOWN_MODULE);
        assert_eq!(bed.board.fetched.load(Ordering::SeqCst) - fetched, usize::from(is_asked_again), "{what}");
        bed.goes_on(what);
    }
}

#[test]
fn what_no_host_would_have_put_is_refused() {
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
        let mut entry = bed.board.forge("release", Action::Activate, active(three));
        (entry.settings, entry.note) = (settings, note.to_owned());
        *bed.board.entries.lock().unwrap().last_mut().unwrap() = entry.clone();
        bed.is_refused(&entry, code, what);
        bed.goes_on(what);
    }
    // What is no entry of a slot at all.
    let good = bed.board.forge("release", Action::Activate, active(bed.two));
    let error = bed.peer.slots.follow(Entry { id: 0, ..good.clone() }, true).unwrap_err();
    assert_eq!(error.code(), codes::CLUSTER_FAULT);
    let error = bed.peer.slots.follow(Entry { slot: "A b".to_owned(), ..good.clone() }, true).unwrap_err();
    assert_eq!((error.code(), bed.peer.slots.troubles().get("A b")), (codes::WRONG_USAGE, Some(&error)));
    bed.peer.slots.note_trouble("A b", None);
    bed.goes_on("names and numbers");
    // A ledger whose history is another one than it was.
    let first = bed.board.of("release").remove(0);
    let other = Entry { note: "another".to_owned(), ..first.clone() };
    for entry in [other, Entry { slot: "other".to_owned(), ..first }] {
        for is_latest in [false, true] {
            let error = bed.peer.slots.follow(entry.clone(), is_latest).unwrap_err();
            assert_eq!(error.code(), codes::CLUSTER_FAULT, "{error}");
            assert!(bed.peer.slots.troubles().contains_key(&entry.slot));
        }
    }
    assert_eq!(bed.peer.history("release"), bed.board.of("release"));
}

#[test]
fn what_was_refused_is_taken_when_the_host_trusts_it() {
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
        let entry = bed.board.forge("release", Action::Activate, active(bed.keep(module)));
        assert_eq!(bed.bring().len(), 1, "{what}");
        // Nothing can be changed here, and who tries hears why.
        let error = bed.peer.slot().configure(SlotSettings::default(), &Why::default()).unwrap_err();
        assert_eq!(error.code(), codes::SLOT_CHANGED);
        assert!(error.message().contains("which this host refuses"), "{error}");
        bed.peer.slots.set_trust(Some("release"), &trusted(&bed, more)).unwrap();
        // Another trust policy is no reason to forget what is wrong.
        assert!(bed.peer.slot().statistics().trouble.is_some(), "{what}");
        assert_eq!(bed.bring(), [], "{what}");
        assert_eq!(
            (bed.peer.slot().entry(), told(&bed.peer.slot()).as_str()),
            (entry, r#"["new"]"#),
            "{what}"
        );
        assert!(bed.peer.slots.troubles().is_empty(), "{what}");
        bed.peer.slot().configure(SlotSettings::default(), &Why::default()).unwrap();
        assert_eq!(bed.peer.history("release"), bed.board.of("release"));
    }
}

#[test]
fn what_is_to_decide_without_a_signature_needs_a_host_that_was_started_so() {
    let mut bed = Bed::new();
    let module = bed.keep(flagging("test", "3.0.0", "new"));
    let state = State { active: Some(Composition::of(module).unsigned()), ..State::default() };
    bed.board.forge("release", Action::Activate, state.clone());
    assert_eq!(bed.bring().len(), 1);
    // Nor does this host say so to others.
    let error = bed.peer.slot().activate(state.active.unwrap(), &Why::default()).unwrap_err();
    assert_eq!(error.code(), codes::MODULE_UNSIGNED, "{error}");
    bed.peer.slots = open(&bed.peer.directory, &bed.board, true).unwrap();
    assert_eq!(bed.bring(), []);
    assert_eq!(told(&bed.peer.slot()), r#"["new"]"#);
    // Started without again, it does not decide any more.
    bed.peer.slots = open(&bed.peer.directory, &bed.board, false).unwrap();
    assert_eq!(told(&bed.peer.slot()), "module_unsigned");
}

#[test]
fn a_slot_that_was_never_here_is_told_of_and_can_be_trusted() {
    let bed = Bed::new();
    let theirs = SecretKey::generate().unwrap();
    let module = bed.keep(sign(&flagging("test", "1.0.0", "new"), &theirs).unwrap());
    let entry = bed.board.forge("fresh", Action::Activate, active(module));
    assert_eq!(bed.bring().len(), 1);
    assert_eq!(bed.peer.slots.slot("fresh").unwrap_err().code(), codes::UNKNOWN_SLOT);
    let code = |slot: &str| bed.peer.slots.troubles().get(slot).map(Error::code);
    assert_eq!((code("fresh"), code("release")), (Some(codes::MODULE_UNTRUSTED_KEY), None));
    // By a process that does not follow, too.
    let plain = super::slots::open(&bed.peer.directory);
    plain.set_trust(Some("fresh"), &trusting(&[&theirs], "")).unwrap();
    bed.peer.slots.follow(entry, true).unwrap();
    assert_eq!(told(&bed.peer.slots.slot("fresh").unwrap()), r#"["new"]"#);
    assert!(bed.peer.slots.troubles().is_empty());
}

#[test]
fn an_earlier_version_is_not_smuggled_in_as_history() {
    let bed = Bed::new();
    let one = bed.signed("1.0.0");
    // While nobody follows, it is put in force and superseded, so that nothing judges it.
    let smuggled = bed.board.forge("release", Action::Activate, active(one));
    bed.goes_on("superseded");
    let entry = bed.board.forge("release", Action::Rollback, active(one));
    bed.is_refused(&entry, codes::MODULE_DOWNGRADE, "back to it");
    bed.goes_on("again");
    // What is superseded after it was refused is history, whether or not somebody brings it once more.
    let refused = bed.board.forge("release", Action::Activate, active(one));
    bed.is_refused(&refused, codes::MODULE_DOWNGRADE, "refused");
    let next = bed.board.forge("release", Action::Activate, active(one));
    bed.is_refused(&next, codes::MODULE_DOWNGRADE, "refused again");
    let good = bed.board.forge("release", Action::Activate, active(bed.two));
    assert_eq!(bed.peer.slots.follow(good, true), Ok(()));
    assert_eq!(bed.peer.history("release"), bed.board.of("release"));
    // Nor does this host go back to it, by itself or when it is told to.
    let slot = bed.peer.slot();
    let error = slot.rollback(Some(smuggled.id), &Why::default()).unwrap_err();
    assert_eq!(error.code(), codes::MODULE_DOWNGRADE, "{error}");
    let error = slot.rollback(None, &Why::default()).unwrap_err();
    assert_eq!(error.code(), codes::MODULE_DOWNGRADE, "{error}");
    let three = bed.signed("3.0.0");
    bed.board.forge("release", Action::Activate, active(one));
    bed.board.forge("release", Action::Activate, active(three));
    assert_eq!(bed.bring(), []);
    let back = slot.rollback(None, &Why::default()).unwrap();
    assert_eq!(back.state.active, Some(Composition::of(bed.two)));

    // What was superseded before it came here, and was no step back then, is something to go back to.
    let four = bed.signed("4.0.0");
    bed.board.forge("release", Action::Activate, active(four));
    bed.board.forge("release", Action::Activate, active(bed.signed("5.0.0")));
    assert_eq!(bed.bring(), []);
    let entry = bed.board.forge("release", Action::Rollback, active(four));
    assert_eq!(bed.bring(), []);
    assert_eq!((slot.entry(), told(&slot).as_str()), (entry, r#"["4.0.0"]"#));
    assert_eq!(bed.peer.history("release"), bed.board.of("release"));
}

#[test]
fn what_others_would_refuse_is_not_put_by_who_missed_it() {
    let board = Board::new("one");
    let [always, seldom] = [Peer::of(&board), Peer::of(&board)];
    let module = |version: &str| always.install(&flagging("test", version, version));
    let [one, middle, two] = ["1.0.0", "1.5.0", "2.0.0"].map(module);
    let slot = always.slots.create("release", SlotSettings::default(), &Why::default()).unwrap();
    for module in [one, two] {
        slot.activate(super::slots::alone(module), &Why::default()).unwrap();
    }
    slot.rollback(None, &Why::default()).unwrap();
    assert_eq!(board.bring(&seldom.slots), []);
    assert_eq!(told(&seldom.slot()), r#"["1.0.0"]"#);
    let error = seldom.slot().activate(super::slots::alone(middle), &Why::default()).unwrap_err();
    assert_eq!(error.code(), codes::MODULE_DOWNGRADE, "{error}");
    seldom.slot().activate(super::slots::alone(two), &Why::default()).unwrap();
    assert_eq!(board.bring(&always.slots), []);
}

#[test]
fn a_canary_is_judged_by_what_was_in_force_when_it_was_put() {
    let board = Board::new("one");
    let [always, seldom] = [Peer::of(&board), Peer::of(&board)];
    let module = |version: &str| always.install(&flagging("test", version, version));
    let [one, two, three] = ["1.0.0", "2.0.0", "3.0.0"].map(|version| super::slots::alone(module(version)));
    let slot = always.slots.create("release", SlotSettings::default(), &Why::default()).unwrap();
    slot.activate(one, &Why::default()).unwrap();
    assert_eq!(board.bring(&seldom.slots), []);
    slot.canary(Some(Canary::of(two, 1)), &Why::default()).unwrap();
    slot.activate(three.clone(), &Why::default()).unwrap();
    let entry = slot.shadow(None, &Why::default()).unwrap();
    // What came between is history here, and somebody found out what was in force then, before the last one comes.
    for entry in &board.of("release")[2..4] {
        seldom.slots.follow(entry.clone(), false).unwrap();
    }
    let error = seldom.slot().activate(three, &Why::default()).unwrap_err();
    assert_eq!(error.code(), codes::SLOT_CHANGED);
    assert_eq!(seldom.slots.follow(entry.clone(), true), Ok(()));
    assert_eq!(seldom.slot().entry(), entry);
}

#[test]
fn what_was_in_force_is_found_out_however_often_it_came_back() {
    let board = Board::new("one");
    let [always, seldom] = [Peer::of(&board), Peer::of(&board)];
    let module = |name: &str, version: &str| always.install(&flagging(name, version, version));
    let [x1, x2] = ["1.0.0", "2.0.0"].map(|version| module("x", version));
    let [y2, y3] = ["2.0.0", "3.0.0"].map(|version| module("y", version));
    let slot = always.slots.create("release", SlotSettings::default(), &Why::default()).unwrap();
    let first = slot.activate(Composition::of(x1).restricted_by(y3).unsigned(), &Why::default()).unwrap();
    slot.activate(super::slots::alone(x2), &Why::default()).unwrap();
    slot.rollback(Some(first.id), &Why::default()).unwrap();
    slot.activate(super::slots::alone(x2), &Why::default()).unwrap();
    // Here the other version was in force between the two, of which both are history only.
    for (place, entry) in board.of("release").into_iter().enumerate() {
        seldom.slots.follow(entry, matches!(place, 2 | 4)).unwrap();
    }
    let lower = Composition::of(x2).restricted_by(y2).unsigned();
    let error = seldom.slot().activate(lower, &Why::default()).unwrap_err();
    assert_eq!(error.code(), codes::MODULE_DOWNGRADE, "{error}");
}

#[test]
fn what_was_in_force_here_is_gone_back_to_whatever_was_said_of_it_since() {
    let board = Board::new("one");
    let [always, seldom] = [Peer::of(&board), Peer::of(&board)];
    let module = |version: &str| super::slots::alone(always.install(&flagging("test", version, version)));
    let [one, two, three] = ["1.0.0", "2.0.0", "3.0.0"].map(module);
    let slot = always.slots.create("release", SlotSettings::default(), &Why::default()).unwrap();
    slot.activate(one.clone(), &Why::default()).unwrap();
    slot.activate(two, &Why::default()).unwrap();
    assert_eq!(board.bring(&seldom.slots), []);
    slot.rollback(None, &Why::default()).unwrap();
    assert_eq!(board.bring(&seldom.slots), []);
    // The same state again, which comes here as history only: below what was in force before, so that it says nothing by itself.
    slot.configure(SlotSettings::default(), &Why::default()).unwrap();
    slot.activate(three, &Why::default()).unwrap();
    assert_eq!(board.bring(&seldom.slots), []);
    let back = seldom.slot().rollback(None, &Why::default()).unwrap();
    assert_eq!(back.state.active, Some(one));
    assert_eq!(board.bring(&always.slots), []);
}
