//! Hosts that share slots through a ledger in memory, which can fail like a network.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use adjudicate_core::{Error, Operation};
use adjudicate_host::{
    ChangeReason, Composition, DecidedBy, InstallOptions, Proposed, Slot, SlotAction, SlotEntry, SlotLedger,
    SlotSettings, SlotState, Slots, Store, codes, trust::SecretKey,
};
use adjudicate_sandbox::{Digest, Host, HostSettings};
use tempfile::TempDir;

use super::{
    guests::ENVELOPE,
    slots::{alone, fail_thrice, flagging, flags, trapping, trusting, until},
};

/// An action that runs once after the next put, before its answer.
type Interference = Box<dyn FnOnce() + Send>;

/// A ledger in memory.
#[derive(Default)]
pub(crate) struct Board {
    id: &'static str,
    pub(crate) entries: Mutex<Vec<SlotEntry>>,
    pub(crate) modules: Mutex<BTreeMap<Digest, Vec<u8>>>,
    /// No request is answered.
    pub(crate) is_away: AtomicBool,
    /// The next put succeeds, but its answer is lost.
    pub(crate) loses_the_answer: AtomicBool,
    interference: Mutex<Option<Interference>>,
    pub(crate) fetched: AtomicUsize,
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Board").field("id", &self.id).finish_non_exhaustive()
    }
}

fn away() -> Error {
    Error::new(codes::CLUSTER_FAULT, "nobody answers")
}

impl Board {
    pub(crate) fn new(id: &'static str) -> Arc<Self> {
        Arc::new(Self { id, ..Self::default() })
    }

    fn reach(&self) -> Result<(), Error> {
        if self.is_away.load(Ordering::SeqCst) { Err(away()) } else { Ok(()) }
    }

    /// The entries of a slot, oldest first.
    pub(crate) fn of(&self, slot: &str) -> Vec<SlotEntry> {
        self.entries.lock().unwrap().iter().filter(|entry| entry.slot == slot).cloned().collect()
    }

    /// Adds an entry that no host wrote.
    pub(crate) fn forge(&self, slot: &str, action: SlotAction, state: SlotState) -> SlotEntry {
        let mut entries = self.entries.lock().unwrap();
        let id = entries.last().map_or(1, |last| last.id + 1);
        let (slot, note) = (slot.to_owned(), String::new());
        let entry = SlotEntry { id, slot, at: 7, action, note, state, settings: SlotSettings::default() };
        entries.push(entry.clone());
        entry
    }

    /// Lets a host follow every entry, as a new follower does. Returns the errors of rejected entries.
    pub(crate) fn bring(&self, slots: &Slots) -> Vec<Error> {
        let entries = self.entries.lock().unwrap().clone();
        let is_latest =
            |entry: &SlotEntry| !entries.iter().any(|it| it.slot == entry.slot && it.id > entry.id);
        let follow = |entry: &SlotEntry| slots.follow(entry.clone(), is_latest(entry)).err();
        entries.iter().filter_map(follow).collect()
    }
}

impl SlotLedger for Board {
    fn id(&self) -> &str {
        self.id
    }

    fn put(&self, slot: &str, before: Option<i64>, proposed: &Proposed<'_>) -> Result<i64, Error> {
        self.reach()?;
        let id = {
            let mut entries = self.entries.lock().unwrap();
            let last = entries.iter().rfind(|entry| entry.slot == slot).map(|entry| entry.id);
            if last != before {
                return Err(Error::new(codes::SLOT_CHANGED, format!("it is in {last:?}, not {before:?}")));
            }
            let id = entries.last().map_or(1, |last| last.id + 1);
            let Proposed { at, action, note, state, settings } = *proposed;
            let (slot, note) = (slot.to_owned(), note.to_owned());
            let (state, settings) = (state.clone(), settings.clone());
            entries.push(SlotEntry { id, slot, at, action, note, state, settings });
            id
        };
        // The interfering action may put an entry, too.
        let interference = self.interference.lock().unwrap().take();
        interference.into_iter().for_each(|interfere| interfere());
        if self.loses_the_answer.swap(false, Ordering::SeqCst) { Err(away()) } else { Ok(id) }
    }

    fn store_module(&self, digest: Digest, bytes: &[u8]) -> Result<(), Error> {
        self.reach()?;
        self.modules.lock().unwrap().entry(digest).or_insert_with(|| bytes.to_vec());
        Ok(())
    }

    fn module(&self, digest: Digest, most: usize) -> Result<Vec<u8>, Error> {
        self.reach()?;
        self.fetched.fetch_add(1, Ordering::SeqCst);
        let found = self.modules.lock().unwrap().get(&digest).cloned();
        let bytes = found.ok_or_else(|| Error::new(codes::UNKNOWN_MODULE, "no such module"))?;
        if bytes.len() > most {
            return Err(Error::new(codes::MODULE_TOO_LARGE, format!("more than {most} bytes")));
        }
        Ok(bytes)
    }
}

/// A host with a store of its own.
pub(crate) struct Peer {
    pub(crate) directory: TempDir,
    pub(crate) slots: Slots,
}

pub(crate) fn open(directory: &TempDir, board: &Arc<Board>, allow_unsigned: bool) -> Result<Slots, Error> {
    let store = Store::open(&directory.path().join("store")).unwrap();
    let settings = HostSettings { cache: store.cache().ok(), instances: 8, ..HostSettings::default() };
    Slots::open_shared(store, Host::new(settings).unwrap(), Arc::clone(board) as _, allow_unsigned)
}

impl Peer {
    pub(crate) fn new(board: &Arc<Board>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self { slots: open(&directory, board, true).unwrap(), directory }
    }

    /// A host that accepts only signed modules.
    pub(crate) fn strict(board: &Arc<Board>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self { slots: open(&directory, board, false).unwrap(), directory }
    }

    pub(crate) fn slot(&self) -> Slot {
        self.slots.slot("release").unwrap()
    }

    pub(crate) fn install(&self, module: &[u8]) -> Digest {
        let terms = InstallOptions { unsigned: true, ..InstallOptions::default() };
        self.slots.install(module, &terms).unwrap().module.digest
    }

    /// The history of a slot, oldest first.
    pub(crate) fn history(&self, slot: &str) -> Vec<SlotEntry> {
        let mut history = self.slots.store().history(slot, u32::MAX).unwrap();
        history.reverse();
        history
    }
}

/// The flags of the answer, or the code of the error.
pub(crate) fn observed(slot: &Slot) -> String {
    match slot.call(Operation::Evaluate, ENVELOPE.as_bytes()) {
        Ok(decided) => flags(&decided.text),
        Err(error) => error.code().to_owned(),
    }
}

fn create(peer: &Peer, name: &str, settings: &str) -> Slot {
    let settings = SlotSettings::parse(settings.as_bytes()).unwrap();
    peer.slots.create(name, settings, &ChangeReason::default()).unwrap()
}

#[test]
fn hosts_on_one_ledger_have_the_same_history_under_the_same_numbers() {
    let board = Board::new("one");
    let [one, two] = [Peer::new(&board), Peer::new(&board)];
    let [a, b] = ["a", "b"].map(|flag| one.install(&flagging("test", "1.0.0", flag)));
    let slot = create(&one, "release", "{}");
    create(&one, "other", r#"{"on_fault":"last_good"}"#);
    // A change stores the modules that it names.
    board.modules.lock().unwrap().clear();
    let first = slot.activate(alone(a), &ChangeReason::note("the first")).unwrap();
    assert_eq!(board.modules.lock().unwrap().keys().copied().collect::<Vec<_>>(), [a]);
    assert_eq!((first.id, observed(&slot).as_str()), (3, r#"["a"]"#));
    assert!(board.bring(&two.slots).is_empty());
    // Fetched modules are installed and answer.
    assert_eq!((two.slot().entry(), observed(&two.slot()).as_str()), (first.clone(), r#"["a"]"#));

    // A host that is behind cannot change the slot. A current host can.
    slot.activate(alone(b), &ChangeReason::default()).unwrap();
    let stale = two.slot().shadow(Some(alone(b)), &ChangeReason::default()).unwrap_err();
    assert_eq!(stale.code(), codes::SLOT_CHANGED);
    assert!(board.bring(&two.slots).is_empty());
    let back = two.slot().rollback(None, &ChangeReason::note("back")).unwrap();
    assert_eq!((back.id, observed(&two.slot()).as_str()), (5, r#"["a"]"#));
    assert_eq!(observed(&slot), r#"["b"]"#);
    assert!(board.bring(&one.slots).is_empty());
    assert_eq!((slot.entry(), observed(&slot).as_str()), (back, r#"["a"]"#));

    // A new host gets the whole history, but fetches only the active modules. It fetches others when it rolls back.
    board.fetched.store(0, Ordering::SeqCst);
    let late = Peer::new(&board);
    assert!(board.bring(&late.slots).is_empty());
    assert_eq!(board.fetched.load(Ordering::SeqCst), 1);
    late.slot().rollback(Some(4), &ChangeReason::default()).unwrap();
    assert_eq!((observed(&late.slot()).as_str(), board.fetched.load(Ordering::SeqCst)), (r#"["b"]"#, 2));
    for peer in [&one, &two, &late] {
        assert!(board.bring(&peer.slots).is_empty());
        assert!(board.bring(&peer.slots).is_empty(), "again");
        for name in ["release", "other"] {
            assert_eq!(peer.history(name), board.of(name));
            let latest = board.of(name).pop().unwrap();
            assert_eq!(peer.slots.slot(name).unwrap().entry(), latest);
        }
        assert!(peer.slots.problems().is_empty());
    }
    let hosts = [&one, &two, &late].map(|peer| peer.slots.store().host_id().unwrap().unwrap());
    assert!(hosts.iter().all(|host| host.len() == 18 && host.starts_with("h-")), "{hosts:?}");
    assert!(hosts[0] != hosts[1] && hosts[1] != hosts[2]);
}

#[test]
fn a_store_belongs_to_one_ledger_or_to_itself() {
    let [ours, other] = ["ours", "other"].map(Board::new);
    let peer = Peer::new(&ours);
    let module = peer.install(&flagging("test", "1.0.0", "a"));
    create(&peer, "release", "{}").activate(alone(module), &ChangeReason::default()).unwrap();
    let host = peer.slots.store().host_id().unwrap();
    assert_eq!(peer.slots.store().cluster_id().unwrap().as_deref(), Some("ours"));
    let refused = open(&peer.directory, &other, true).unwrap_err();
    assert_eq!(refused.code(), codes::WRONG_USAGE);
    assert!(refused.message().contains("`ours`") && refused.message().contains("`other`"), "{refused}");
    assert!(open(&peer.directory, &ours, true).is_ok());
    assert_eq!(peer.slots.store().host_id().unwrap(), host);

    // Without the ledger, a process can read and call, but not change.
    let plain = super::slots::open(&peer.directory);
    let slot = plain.slot("release").unwrap();
    assert_eq!(observed(&slot), r#"["a"]"#);
    let settings = SlotSettings::default();
    for refused in [
        slot.activate(alone(module), &ChangeReason::default()).map(drop),
        slot.rollback(Some(2), &ChangeReason::default()).map(drop),
        slot.configure(settings.clone(), &ChangeReason::default()).map(drop),
        plain.create("release", settings.clone(), &ChangeReason::default()).map(drop),
        plain.create("new", settings, &ChangeReason::default()).map(drop),
    ] {
        let error = refused.unwrap_err();
        let expected = "the slots of this store belong to the cluster `ours`; to change them, pass --nats";
        assert_eq!((error.code(), error.message()), (codes::WRONG_USAGE, expected));
    }
    let entry = board_entry(&ours);
    assert_eq!(plain.follow(entry, true).unwrap_err().code(), codes::WRONG_USAGE);
    assert_eq!(peer.history("release"), ours.of("release"));
    // Each host has its own trust policy.
    plain.set_trust(None, &trusting(&[&SecretKey::generate().unwrap()], "")).unwrap();

    let own = super::slots::bed();
    own.slot("{}");
    let refused = open(&own.directory, &ours, true).unwrap_err();
    assert_eq!(refused.code(), codes::WRONG_USAGE);
    assert!(refused.message().contains("slots of its own"), "{refused}");
    assert_eq!(own.slots.store().cluster_id(), Ok(None));
    own.slot("{}");
}

fn board_entry(board: &Board) -> SlotEntry {
    board.of("release").pop().unwrap()
}

#[test]
fn a_put_with_a_lost_answer_is_followed() {
    let board = Board::new("one");
    let peer = Peer::new(&board);
    let [a, b] = ["a", "b"].map(|flag| peer.install(&flagging("test", "1.0.0", flag)));
    let slot = create(&peer, "release", "{}");
    slot.activate(alone(a), &ChangeReason::default()).unwrap();
    board.loses_the_answer.store(true, Ordering::SeqCst);
    assert_eq!(slot.activate(alone(b), &ChangeReason::default()).unwrap_err().code(), codes::CLUSTER_FAULT);
    // The change may have happened or not. Here it did not.
    assert_eq!((slot.entry().id, observed(&slot).as_str()), (2, r#"["a"]"#));
    assert_eq!(slot.activate(alone(a), &ChangeReason::default()).unwrap_err().code(), codes::SLOT_CHANGED);
    assert!(board.bring(&peer.slots).is_empty());
    assert_eq!((slot.entry().id, observed(&slot).as_str()), (3, r#"["b"]"#));

    board.is_away.store(true, Ordering::SeqCst);
    assert_eq!(slot.activate(alone(a), &ChangeReason::default()).unwrap_err().code(), codes::CLUSTER_FAULT);
    let created = peer.slots.create("new", SlotSettings::default(), &ChangeReason::default());
    assert_eq!(created.unwrap_err().code(), codes::CLUSTER_FAULT);
    assert_eq!(observed(&slot), r#"["b"]"#);
    board.is_away.store(false, Ordering::SeqCst);
    slot.activate(alone(a), &ChangeReason::default()).unwrap();
    assert_eq!(peer.history("release"), board.of("release"));
}

#[test]
fn a_host_that_could_not_store_its_change_follows_it_later() {
    let board = Board::new("one");
    let mut peer = Peer::new(&board);
    let [a, b] = ["a", "b"].map(|flag| peer.install(&flagging("test", "1.0.0", flag)));
    create(&peer, "release", "{}").activate(alone(a), &ChangeReason::default()).unwrap();
    // Between the two steps the store is missing, as for a process that dies there.
    let [there, aside] = ["store", "aside"].map(|name| peer.directory.path().join(name));
    let taken = (there.clone(), aside.clone());
    *board.interference.lock().unwrap() = Some(Box::new(move || std::fs::rename(taken.0, taken.1).unwrap()));
    let error = peer.slot().activate(alone(b), &ChangeReason::default()).unwrap_err();
    assert_eq!(error.code(), codes::STORE_FAULT);
    assert!(error.message().contains("entry 3 of the cluster"), "{error}");
    std::fs::rename(aside, there).unwrap();
    assert_eq!(peer.history("release").len(), 2);
    peer.slots = open(&peer.directory, &board, true).unwrap();
    assert_eq!(observed(&peer.slot()), r#"["a"]"#);
    assert!(board.bring(&peer.slots).is_empty());
    assert_eq!(observed(&peer.slot()), r#"["b"]"#);
    assert_eq!(peer.history("release"), board.of("release"));
}

#[test]
fn a_fast_follower_does_not_disturb_a_change() {
    let board = Board::new("one");
    let [one, two] = [Peer::new(&board), Peer::new(&board)];
    let [a, b] = ["a", "b"].map(|flag| one.install(&flagging("test", "1.0.0", flag)));
    let slot = create(&one, "release", "{}");
    let (fast, followed, other) = (one.slots.clone(), Arc::clone(&board), two.slots.clone());
    // While the first host waits for its answer, its follower applies its change and the change of the second host.
    *board.interference.lock().unwrap() = Some(Box::new(move || {
        assert!(followed.bring(&fast).is_empty());
        assert!(followed.bring(&other).is_empty());
        other.slot("release").unwrap().activate(alone(b), &ChangeReason::default()).unwrap();
        assert!(followed.bring(&fast).is_empty());
    }));
    two.install(&flagging("test", "1.0.0", "b"));
    let entry = slot.activate(alone(a), &ChangeReason::default()).unwrap();
    assert_eq!((entry.id, entry.state.active), (2, Some(alone(a))));
    until("the later one", || slot.entry().id == 3 && observed(&slot) == r#"["b"]"#);
    assert_eq!(one.history("release"), board.of("release"));
    assert_eq!(slot.rollback(None, &ChangeReason::default()).unwrap().state.active, Some(alone(a)));
}

#[test]
fn two_concurrent_automatic_rollbacks_make_one_entry() {
    let board = Board::new("one");
    let [one, two] = [Peer::new(&board), Peer::new(&board)];
    let (good, bad) = (one.install(&flagging("test", "1.0.0", "a")), one.install(&trapping("1.0.1")));
    let slot = create(&one, "release", r#"{"rollback":{"faults":3,"calls":10}}"#);
    slot.activate(alone(good), &ChangeReason::default()).unwrap();
    slot.activate(alone(bad), &ChangeReason::default()).unwrap();
    assert!(board.bring(&two.slots).is_empty());
    let hosts = [slot, two.slot()];
    thread::scope(|scope| {
        for slot in &hosts {
            // Each host reaches the rate with its first faults. One rolls back first, and the other one continues to fail for a
            // while.
            scope.spawn(|| fail_thrice(slot));
        }
    });
    until("the rollback", || board.of("release").len() == 4);
    // The other host follows and has nothing to do.
    until("both", || {
        [&one, &two].iter().for_each(|peer| assert!(board.bring(&peer.slots).is_empty()));
        hosts.iter().all(|slot| observed(slot) == r#"["a"]"#)
    });
    let entries = board.of("release");
    assert_eq!((entries.len(), entries[3].action), (4, SlotAction::AutomaticRollback));
    assert_eq!(entries[3].state.active, Some(alone(good)));
    assert_eq!([one.history("release"), two.history("release")], [entries.clone(), entries]);
}

#[test]
fn an_automatic_rollback_is_repeated_when_the_ledger_is_back() {
    let board = Board::new("one");
    let peer = Peer::new(&board);
    let (good, bad) = (peer.install(&flagging("test", "1.0.0", "a")), peer.install(&trapping("1.0.1")));
    let slot = create(&peer, "release", r#"{"rollback":{"faults":3,"calls":3},"on_fault":"last_good"}"#);
    slot.activate(alone(good), &ChangeReason::default()).unwrap();
    slot.activate(alone(bad), &ChangeReason::default()).unwrap();
    board.is_away.store(true, Ordering::SeqCst);
    let by = || slot.call(Operation::Evaluate, ENVELOPE.as_bytes()).unwrap().by;
    assert_eq!(by(), DecidedBy::LastGood);
    until("the trouble", || {
        fail_thrice(&slot);
        slot.statistics().problem.is_some_and(|problem| problem.contains("nobody answers"))
    });
    board.is_away.store(false, Ordering::SeqCst);
    until("the rollback", || {
        fail_thrice(&slot);
        by() == DecidedBy::Active
    });
    assert_eq!((slot.entry().action, slot.statistics().problem), (SlotAction::AutomaticRollback, None));
    assert_eq!(peer.history("release"), board.of("release"));
}

#[test]
fn no_call_fails_while_a_host_follows() {
    let board = Board::new("one");
    let [one, two] = [Peer::new(&board), Peer::new(&board)];
    let pair = ["one", "two"].map(|flag| one.install(&flagging("test", "1.0.0", flag)));
    let slot = create(&one, "release", "{}");
    slot.activate(alone(pair[0]), &ChangeReason::default()).unwrap();
    assert!(board.bring(&two.slots).is_empty());
    let following = two.slot();
    let (is_over, calls) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        let caller = || {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let decided = following.call(Operation::Evaluate, ENVELOPE.as_bytes()).unwrap();
                    let flag = if decided.modules == [pair[0]] { r#"["one"]"# } else { r#"["two"]"# };
                    assert_eq!((flags(&decided.text).as_str(), decided.by), (flag, DecidedBy::Active));
                    calls.fetch_add(1, Ordering::Relaxed);
                }
            })
        };
        let callers = [caller(), caller()];
        for swap in 0..200 {
            let before = calls.load(Ordering::Relaxed);
            let entry = slot.activate(alone(pair[(swap + 1) % 2]), &ChangeReason::default()).unwrap();
            two.slots.follow(entry.clone(), true).unwrap();
            assert_eq!(following.entry(), entry);
            // Each version is called, however slow the machine is. Threads that fail stop calling.
            while calls.load(Ordering::Relaxed) == before
                && callers.iter().any(|caller| !caller.is_finished())
            {
                thread::yield_now();
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(two.history("release"), board.of("release"));
    assert_eq!(board.of("release").len(), 202);
}

#[test]
fn a_process_without_the_ledger_sees_changes_that_another_follows() {
    let board = Board::new("one");
    let peer = Peer::new(&board);
    let [a, b] = ["a", "b"].map(|flag| peer.install(&flagging("test", "1.0.0", flag)));
    create(&peer, "first", "{}").activate(alone(a), &ChangeReason::default()).unwrap();
    let state =
        |module| SlotState { active: Some(Composition::new(module).unsigned()), ..SlotState::default() };
    let early = board.forge("second", SlotAction::Activate, state(a));
    let slot = peer.slots.slot("first").unwrap();
    slot.activate(alone(b), &ChangeReason::default()).unwrap();
    let plain = super::slots::open(&peer.directory);
    let seen = plain.slot("first").unwrap();
    assert_eq!(observed(&seen), r#"["b"]"#);
    // Numbers rise within a slot, and arrive in any order between slots.
    peer.slots.follow(early.clone(), true).unwrap();
    let second = plain.slot("second").unwrap();
    assert_eq!((second.entry(), observed(&second).as_str()), (early, r#"["a"]"#));
    let later = board.forge("second", SlotAction::Activate, state(b));
    slot.activate(alone(a), &ChangeReason::default()).unwrap();
    until("what was changed", || observed(&seen) == r#"["a"]"#);
    peer.slots.follow(later, true).unwrap();
    until("what was followed", || observed(&second) == r#"["b"]"#);
}
