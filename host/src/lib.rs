//! Keeps versions of policy modules in a store, and swaps the one that decides without losing a call.
//!
//! ```text
//! bytes -> install: trusted? compiles? passes its own tests? -> Store -> activate, shadow, canary, rollback -> Slot
//! Slot + input -> the modules that are active -> answer, or what the slot does about a fault -> decision record
//! Slots of several hosts -> a Ledger that they share -> follow -> each host's Store, by its own rules
//! records, or any calls -> reevaluation: what another version would have decided -> report
//! ```
//!
//! This crate owns the store (one SQLite database), slots, keys and trust policies, decision records, re-evaluation, and what becomes
//! of an entry of a ledger that hosts share. It runs modules through `adjudicate-sandbox`, judges nothing itself, does not speak HTTP
//! or the protocol of such a ledger, and reads no files except its store and keys. A module that fails yields an error, never an
//! answer; a slot can be set to make that the fail-closed decision, or to ask the last good version.
//!
//! The types of `adjudicate-sandbox` that signatures here show are re-exported: [`Host`], [`Module`], [`Manifest`], [`Limits`],
//! [`Digest`], [`CallError`]; and those of its signature section, in [`trust`]. Everything else has one name, `adjudicate_sandbox::...`.
//!
//! ```no_run
//! use adjudicate_core::Operation;
//! use adjudicate_sandbox::Host;
//! use adjudicate_host::{Composition, SlotSettings, Slots, Store, Terms, Why};
//! use adjudicate_sandbox::Settings;
//!
//! let store = Store::open("policies".as_ref())?;
//! let slots = Slots::open(store, Host::new(Settings::default())?)?;
//! let installed = slots.install(&std::fs::read("engine.wasm")?, &Terms::default())?;
//! let slot = slots.create("release", SlotSettings::default(), &Why::default())?;
//! slot.activate(Composition::of(installed.module.digest), &Why::default())?;
//! let decided = slot.call(Operation::Evaluate, &std::fs::read("envelope.json")?)?;
//! println!("{} (entry {})", decided.text, decided.entry);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod codes;
mod history;
pub mod record;
mod recorder;
pub mod reevaluation;
mod retention;
mod slot;
mod store;
mod token;
pub mod trust;

pub use adjudicate_sandbox::{CallError, Digest, Host, Limits, Manifest, Module};
pub use history::{
    Action, Canary, Composition, Difference, Entry, FaultRate, Member, OnFault, OwnLimits, SlotSettings,
    State, Why,
};
pub use record::{Acknowledge, By, Chain, HashKind, Link, Observation, Pattern, Record, RecordSettings};
pub use recorder::Recorder;
pub use retention::Retention;
pub use slot::{Decided, Deployment, Installed, Ledger, Proposed, Slot, Slots, Statistics, Terms};
pub use store::{Collected, InstalledModule, RecordRange, Store};
pub use token::{Keyring, Role, Token};
