//! Hosts that change the same slots concurrently through one ledger that sometimes loses answers. In every order, each number is
//! one change, and all hosts get the same history.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use adjudicate_core::Error;
use adjudicate_host::{
    Canary, ChangeReason, Composition, Slot, SlotAction, SlotEntry, SlotSettings, Slots, codes,
};
use adjudicate_sandbox::Digest;

use super::{
    ledger::{Board, Peer, open},
    slot_model::Random,
    slots::{flagging, until},
};

/// The number of successful changes.
const CHANGES: usize = 300;
const SLOTS: [&str; 2] = ["one", "two"];

fn composition(random: &mut Random, modules: &[Digest]) -> Composition {
    let mut one = || modules[random.below(modules.len())];
    let (composition, restricting) = (Composition::new(one()), one());
    if random.one_in(3) { composition.restricted_by(restricting) } else { composition }.unsigned()
}

/// A change of some kind.
fn change(slot: &Slot, random: &mut Random, modules: &[Digest]) -> Result<SlotEntry, Error> {
    let composition = composition(random, modules);
    let why = ChangeReason::note(format!("{}", random.below(1000)));
    match random.below(7) {
        0..=2 => slot.activate(composition, &why),
        3 => slot.shadow(random.one_in(2).then_some(composition), &why),
        4 => slot.canary(random.one_in(2).then_some(Canary::new(composition, 500)), &why),
        5 => slot.configure(random.settings(), &why),
        _ => {
            let history = slot.history(u32::MAX)?;
            let to = random.one_in(2).then(|| history[random.below(history.len())].id);
            slot.rollback(to, &why)
        }
    }
}

/// The state that all changing threads share.
struct Run {
    board: Arc<Board>,
    modules: Vec<Digest>,
    won: Mutex<Vec<SlotEntry>>,
    /// Puts that succeeded, but whose answers were lost.
    lost: AtomicUsize,
    is_over: AtomicBool,
}

impl Run {
    /// Changes slots, as a second process next to the follower. Now and then the process ends, and another one begins.
    fn change(&self, peer: &Peer, mut random: Random) {
        let mut slots = open(&peer.directory, &self.board, true).unwrap();
        while !self.is_over.load(Ordering::SeqCst) {
            if random.one_in(60) {
                slots = open(&peer.directory, &self.board, true).unwrap();
            }
            if random.one_in(25) {
                self.board.loses_the_answer.store(true, Ordering::SeqCst);
            }
            let slot = slots.slot(SLOTS[random.below(SLOTS.len())]).unwrap();
            match change(&slot, &mut random, &self.modules) {
                Ok(entry) => {
                    let mut won = self.won.lock().unwrap();
                    won.push(entry);
                    self.is_over.store(won.len() >= CHANGES, Ordering::SeqCst);
                }
                Err(error) if error.code() == codes::CLUSTER_FAULT => {
                    self.lost.fetch_add(1, Ordering::SeqCst);
                }
                Err(error) => {
                    let expected = [codes::MODULE_DOWNGRADE, codes::SLOT_CHANGED, codes::UNKNOWN_VERSION];
                    assert!(expected.contains(&error.code()), "{error}");
                }
            }
            thread::sleep(Duration::from_millis(random.below(3) as u64));
        }
    }

    /// Follows the ledger until there are no more changes. Now and then it misses entries for a while.
    fn follow(&self, slots: &Slots, mut random: Random) {
        let mut seen = 0;
        while !self.is_over.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(if random.one_in(10) { 100 } else { 1 }));
            seen = self.bring(slots, seen);
        }
    }

    /// Applies the entries after the first `seen`.
    fn bring(&self, slots: &Slots, seen: usize) -> usize {
        let entries = self.board.entries.lock().unwrap().clone();
        for (place, entry) in entries.iter().enumerate().skip(seen) {
            let is_latest = !entries[place + 1..].iter().any(|later| later.slot == entry.slot);
            // A host with the same rules accepts the entries of another one.
            let followed = slots.follow(entry.clone(), is_latest);
            assert_eq!(followed, Ok(()), "{entry:?} of {entries:?}");
        }
        entries.len()
    }
}

#[test]
#[ignore = "depends on the order of threads: `cargo xtask test tests-further`"]
fn concurrent_changes_give_all_hosts_one_history() {
    let board = Board::new("one");
    let peers = [Peer::new(&board), Peer::new(&board), Peer::new(&board)];
    let modules =
        [("x", "1.0.0"), ("x", "2.0.0"), ("x", "3.0.0"), ("y", "1.0.0"), ("y", "1.1.0"), ("z", "1.0.0")];
    let modules = modules.map(|(name, version)| peers[0].install(&flagging(name, version, "a"))).to_vec();
    for name in SLOTS {
        peers[0].slots.create(name, SlotSettings::default(), &ChangeReason::default()).unwrap();
    }
    for peer in &peers {
        assert!(board.bring(&peer.slots).is_empty());
    }
    let run = Run {
        board: Arc::clone(&board),
        modules,
        won: Mutex::default(),
        lost: AtomicUsize::new(0),
        is_over: AtomicBool::new(false),
    };
    thread::scope(|scope| {
        for (seed, peer) in peers.iter().enumerate() {
            let run = &run;
            let ends = || {
                // A thread that fails ends the others.
                struct Ends<'a>(&'a AtomicBool);
                impl Drop for Ends<'_> {
                    fn drop(&mut self) {
                        self.0.store(true, Ordering::SeqCst);
                    }
                }
                Ends(&run.is_over)
            };
            let [one, two] = [ends(), ends()];
            scope.spawn(move || {
                let _ends = one;
                run.change(peer, Random(seed as u64 + 1));
            });
            scope.spawn(move || {
                let _ends = two;
                run.follow(&peer.slots, Random(seed as u64 + 101));
            });
        }
    });
    let entries = board.entries.lock().unwrap().clone();
    let mut won = run.won.into_inner().unwrap();
    won.sort_by_key(|entry| entry.id);
    assert!(won.windows(2).all(|pair| pair[0].id < pair[1].id), "a number is one change");
    assert!(won.iter().all(|entry| entries.contains(entry)));
    let lost = run.lost.load(Ordering::SeqCst);
    assert_eq!(entries.len(), won.len() + lost + SLOTS.len());
    assert!(lost > 0 && won.len() >= CHANGES);
    let of = |action| won.iter().filter(|entry| entry.action == action).count();
    use SlotAction::{Activate, Canary, Configure, Rollback, Shadow};
    assert!([Activate, Canary, Configure, Rollback, Shadow].into_iter().all(|action| of(action) > 5));
    for peer in &peers {
        assert_eq!(board.bring(&peer.slots), []);
        assert!(peer.slots.problems().is_empty(), "{:?}", peer.slots.problems());
        for name in SLOTS {
            assert_eq!(peer.history(name), board.of(name));
            // The watcher applies the last changes of the host's other process a moment later.
            let (slot, last) = (peer.slots.slot(name).unwrap(), board.of(name).pop());
            until("the last entry of each slot", || Some(slot.entry()) == last);
        }
    }
}
