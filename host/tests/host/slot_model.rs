//! A slot compared with a model. The same random changes are applied to both, through two hosts that share a store and are reopened
//! now and then. Both must have the same states, errors and answers.

use std::{collections::BTreeMap, thread, time::Duration};

use adjudicate_core::{Error, Operation};
use adjudicate_host::{
    Canary, ChangeReason, Composition, FaultRate, OnFault, Slot, SlotAction, SlotSettings, SlotState, Slots,
    codes,
};
use adjudicate_sandbox::Digest;

use super::{
    guests::ENVELOPE,
    slots::{bed, fail_thrice, flagging, open, trapping},
};

/// The number of changes and calls.
const STEPS: usize = 400;

/// A module in the model.
#[derive(Clone, Copy)]
struct Known {
    digest: Digest,
    name: &'static str,
    version: u32,
    /// The flag of its answer; `None` if it traps.
    flag: Option<&'static str>,
}

/// An entry of the expected history.
#[derive(Clone)]
struct Line {
    id: i64,
    action: SlotAction,
    state: SlotState,
    settings: SlotSettings,
}

struct Model {
    modules: Vec<Known>,
    history: Vec<Line>,
    heights: BTreeMap<&'static str, u32>,
    /// The minimum versions of the trust policy.
    minimum: BTreeMap<&'static str, u32>,
}

/// The rollback target of an entry.
enum Before {
    Line(Composition),
    /// All earlier entries are forbidden.
    PassedOver,
    Nothing,
}

/// The outcome of a call.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Answer(&'static str, Vec<String>),
    Code(String),
}

impl Model {
    fn now(&self) -> &Line {
        self.history.last().unwrap()
    }

    fn known(&self, digest: Digest) -> Known {
        *self.modules.iter().find(|module| module.digest == digest).unwrap()
    }

    fn is_below(&self, composition: &Composition) -> bool {
        composition.members().any(|member| {
            let Known { name, version, .. } = self.known(member.module);
            self.heights.get(name).is_some_and(|height| version < *height)
        })
    }

    /// True if the trust policy forbids a composition, whatever was active.
    fn is_forbidden(&self, composition: &Composition) -> bool {
        composition.members().any(|member| {
            let Known { name, version, .. } = self.known(member.module);
            self.minimum.get(name).is_some_and(|minimum| version < *minimum)
        })
    }

    /// The rollback target of the last entry: the latest entry with another composition that may be active and was not rolled back
    /// automatically since.
    fn before(&self) -> Before {
        let line = self.history.len() - 1;
        let active = &self.history[line].state.active;
        let mut candidates = (0..line).rev().filter_map(|at| {
            let candidate = self.history[at].state.active.as_ref()?;
            let is_given_up = (at + 1..=line).any(|later| {
                self.history[later].action == SlotAction::AutomaticRollback
                    && self.history[later - 1].state.active.as_ref() == Some(candidate)
            });
            (Some(candidate) != active.as_ref() && !is_given_up).then(|| candidate.clone())
        });
        let found = candidates.clone().find(|candidate| !self.is_forbidden(candidate));
        match found {
            Some(found) => Before::Line(found),
            None if candidates.next().is_some() => Before::PassedOver,
            None => Before::Nothing,
        }
    }

    /// The composition after a rollback, if there is one.
    fn target(&self) -> Option<Composition> {
        match self.before() {
            Before::Line(composition) => Some(composition),
            Before::PassedOver | Before::Nothing => None,
        }
    }

    fn push(&mut self, id: i64, action: SlotAction, state: SlotState, settings: SlotSettings) {
        for member in state.active.iter().flat_map(|active| active.members()) {
            let Known { name, version, .. } = self.known(member.module);
            let height = self.heights.entry(name).or_default();
            *height = version.max(*height);
        }
        assert!(self.history.last().is_none_or(|last| last.id < id));
        self.history.push(Line { id, action, state, settings });
    }

    /// The flags of a composition's answer; `None` if a module traps.
    fn flags(&self, composition: &Composition) -> Option<Vec<String>> {
        let flags: Option<Vec<_>> =
            composition.members().map(|member| self.known(member.module).flag).collect();
        let base = usize::from(composition.overrides.is_some());
        let mut flags: Vec<String> = flags?.into_iter().skip(base).map(str::to_owned).collect();
        flags.sort();
        flags.dedup();
        Some(flags)
    }

    /// The outcome of a call, and the part that failed: the active composition or the canary.
    fn call(&self) -> (Outcome, Option<SlotAction>) {
        let Line { state, settings, .. } = self.now();
        let canary = state.canary.as_ref().filter(|canary| canary.permille == 1000);
        let (seat, by, stand_in, action) = match (canary, &state.active) {
            (Some(canary), active) => {
                (&canary.composition, "canary", active.clone(), SlotAction::CanaryWithdrawn)
            }
            (None, Some(active)) => (active, "active", self.target(), SlotAction::AutomaticRollback),
            (None, None) if settings.on_fault == OnFault::Error => {
                return (Outcome::Code("slot_empty".to_owned()), None);
            }
            (None, None) => {
                return (Outcome::Answer("fail_closed", vec!["policy_module_fault".to_owned()]), None);
            }
        };
        if let Some(flags) = self.flags(seat) {
            return (Outcome::Answer(by, flags), None);
        }
        let outcome = match (settings.on_fault, stand_in.and_then(|stand_in| self.flags(&stand_in))) {
            (OnFault::Error, _) => Outcome::Code("module_trap".to_owned()),
            (OnFault::LastGood, Some(mut flags)) => {
                flags.push("module_fault".to_owned());
                flags.sort();
                Outcome::Answer("last_good", flags)
            }
            _ => Outcome::Answer("fail_closed", vec!["policy_module_fault".to_owned()]),
        };
        (outcome, Some(action))
    }
}

fn call(slot: &Slot) -> Outcome {
    match slot.call(Operation::Evaluate, ENVELOPE.as_bytes()) {
        Ok(decided) => {
            let value: serde_json::Value = serde_json::from_str(&decided.text).unwrap();
            let flags = value["decision"]["risk_flags"].as_array().unwrap();
            let mut flags: Vec<_> = flags.iter().map(|flag| flag.as_str().unwrap().to_owned()).collect();
            flags.sort();
            Outcome::Answer(decided.by.as_str(), flags)
        }
        Err(error) => Outcome::Code(error.code().to_owned()),
    }
}

pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    pub(crate) fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }

    fn composition(&mut self, modules: &[Known]) -> Composition {
        let mut one = || modules[self.below(modules.len())].digest;
        let composition = Composition::new(one());
        let (restricting, overriding) = (one(), one());
        let composition = if self.one_in(4) { composition.restricted_by(restricting) } else { composition };
        if self.one_in(6) { composition.overridden_by(overriding) } else { composition }.unsigned()
    }

    pub(crate) fn settings(&mut self) -> SlotSettings {
        let on_fault = [OnFault::Error, OnFault::FailClosed, OnFault::LastGood][self.below(3)];
        let rollback = self.one_in(2).then_some(FaultRate { faults: 3, calls: 3 });
        SlotSettings { on_fault, rollback, ..SlotSettings::default() }
    }
}

/// Applies a change to both and compares the results.
fn change(model: &mut Model, slot: &Slot, random: &mut Random) {
    let now = model.now().clone();
    let (mut state, mut settings) = (now.state.clone(), now.settings.clone());
    let composition = random.composition(&model.modules);
    let is_stale = random.one_in(12);
    let expected = if is_stale { Some(now.id - 1) } else { random.one_in(3).then_some(now.id) };
    let why = ChangeReason { note: String::new(), expected };
    let forbidden = model.is_forbidden(&composition).then_some(codes::MODULE_DOWNGRADE);
    let below = forbidden.or(model.is_below(&composition).then_some(codes::MODULE_DOWNGRADE));
    // Errors of a rollback that come before the check of the expected entry.
    let mut refused_first = None;
    let (done, action, refused): (Result<_, Error>, _, _) = match random.below(6) {
        0 | 1 => {
            state.canary.take_if(|canary| canary.composition == composition);
            state.shadow.take_if(|shadow| *shadow == composition);
            state.active = Some(composition.clone());
            (slot.activate(composition, &why), SlotAction::Activate, below)
        }
        2 => {
            state.shadow = random.one_in(2).then_some(composition);
            let refused = forbidden.filter(|_| state.shadow.is_some());
            (slot.shadow(state.shadow.clone(), &why), SlotAction::Shadow, refused)
        }
        3 => {
            let permille = [0, 1000][random.below(2)];
            let canary = Canary::new(composition, permille);
            state.canary = random.one_in(2).then_some(canary);
            let refused = below.filter(|_| state.canary.is_some());
            (slot.canary(state.canary.clone(), &why), SlotAction::Canary, refused)
        }
        4 => {
            settings = random.settings();
            (slot.configure(settings.clone(), &why), SlotAction::Configure, None)
        }
        _ => {
            let to = random.one_in(2).then(|| random.below(model.history.len()));
            let (target, refused) = match to.map(|line| model.history[line].state.active.clone()) {
                Some(None) => (None, Some(codes::UNKNOWN_VERSION)),
                Some(Some(target)) => {
                    let is_forbidden = model.is_forbidden(&target);
                    (Some(target), is_forbidden.then_some(codes::MODULE_DOWNGRADE))
                }
                None => match model.before() {
                    Before::Line(target) => (Some(target), None),
                    Before::PassedOver => (None, Some(codes::MODULE_DOWNGRADE)),
                    Before::Nothing => (None, Some(codes::UNKNOWN_VERSION)),
                },
            };
            refused_first = refused.filter(|_| target.is_none());
            state = SlotState { active: target, ..SlotState::default() };
            (slot.rollback(to.map(|line| model.history[line].id), &why), SlotAction::Rollback, refused)
        }
    };
    let stale = is_stale.then_some(codes::SLOT_CHANGED);
    let refused = refused_first.or(stale).or(refused);
    match (done, refused) {
        (Ok(entry), None) => {
            assert_eq!((entry.action, &entry.state, &entry.settings), (action, &state, &settings));
            model.push(entry.id, action, state, settings);
        }
        (Err(error), Some(code)) => assert_eq!(error.code(), code, "{action:?}: {error}"),
        (done, refused) => panic!("{action:?}: {done:?}, where {refused:?} was expected"),
    }
}

/// Calls both. If the faults cause an action of the host, waits for it.
fn call_both(model: &mut Model, slot: &Slot) {
    let (outcome, failed) = model.call();
    assert_eq!(call(slot), outcome, "{:?}", model.now().state);
    let (Some(action), Some(_)) = (failed, model.now().settings.rollback) else { return };
    let (id, mut state) = (model.now().id, model.now().state.clone());
    if action == SlotAction::CanaryWithdrawn {
        state.canary = None;
    } else {
        // Without a rollback target, the slot is closed.
        state = SlotState { active: model.target(), ..SlotState::default() };
    }
    for _ in 0..1000 {
        // A failed action is requested again by the next faults.
        fail_thrice(slot);
        thread::sleep(Duration::from_millis(10));
        if slot.entry().id != id {
            break;
        }
    }
    let entry = slot.entry();
    assert_eq!((entry.action, &entry.state), (action, &state), "{}", entry.note);
    model.push(entry.id, action, state, entry.settings);
}

/// Sets a trust policy with other minimum versions.
fn trust(model: &mut Model, slots: &Slots, random: &mut Random) {
    let all = if random.one_in(2) { 9 } else { 1 };
    let names = ["one", "two", "three", "test"];
    model.minimum = names.into_iter().map(|name| (name, all + u32::from(random.one_in(3)))).collect();
    let versions: Vec<_> =
        model.minimum.iter().map(|(name, version)| format!(r#""{name}":"{version}.0.0""#)).collect();
    let policy = format!(r#"{{"minimum_versions":{{{}}}}}"#, versions.join(","));
    slots.set_trust(None, &policy).unwrap();
}

#[test]
fn a_slot_behaves_like_its_model() {
    let bed = bed();
    let module = |name, version: u32, flag: Option<&'static str>| {
        let full = format!("{version}.0.0");
        let bytes = match flag {
            Some(flag) => flagging(name, &full, flag),
            None => trapping(&full),
        };
        Known { digest: bed.install(&bytes), name, version, flag }
    };
    let modules = vec![
        module("one", 1, Some("a")),
        module("one", 2, Some("b")),
        module("two", 1, Some("c")),
        module("three", 1, Some("d")),
        module("test", 1, None),
        module("test", 2, None),
    ];
    let first = bed.slot("{}");
    let entry = first.entry();
    let mut model =
        Model { modules, history: Vec::new(), heights: BTreeMap::new(), minimum: BTreeMap::new() };
    model.push(entry.id, entry.action, entry.state, entry.settings);

    let mut random = Random(7);
    let mut hosts: [Slots; 2] = [bed.slots.clone(), open(&bed.directory)];
    for step in 0..STEPS {
        if random.one_in(40) {
            hosts[random.below(2)] = open(&bed.directory);
        }
        let slots = hosts.each_ref().map(|host| host.slot("release").unwrap());
        let which = random.below(2);
        if random.one_in(10) {
            trust(&mut model, &hosts[which], &mut random);
        } else if random.one_in(3) {
            call_both(&mut model, &slots[which]);
        } else {
            change(&mut model, &slots[which], &mut random);
        }
        for (host, slot) in hosts.iter().zip(&slots) {
            host.refresh();
            let Line { id, state, settings, .. } = model.now();
            let entry = slot.entry();
            assert_eq!((entry.id, &entry.state, &entry.settings), (*id, state, settings), "step {step}");
        }
    }
    let history = first.history(u32::MAX).unwrap();
    let observed = history.iter().rev().map(|entry| (entry.id, entry.action, entry.state.clone()));
    let expected = model.history.iter().map(|line| (line.id, line.action, line.state.clone()));
    assert_eq!(observed.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    let is_closed = |line: &Line| line.action == SlotAction::AutomaticRollback && line.state.active.is_none();
    assert!(model.history.iter().any(is_closed), "no rollback found nothing to go back to");
    assert!(SlotAction::ALL.iter().all(|action| model.history.iter().any(|line| line.action == *action)));
}
