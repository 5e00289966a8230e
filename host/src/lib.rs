//! Keeps versions of policy modules in a store, and swaps the active one without losing a call.
//!
//! ```text
//! bytes -> install: trusted? compiles? passes its own tests? -> Store -> activate, shadow, canary, rollback -> Slot
//! Slot + input -> the modules that are active -> answer, or what the slot does about a fault -> decision record
//! Slots of several hosts -> a Ledger that they share -> follow -> each host's Store, by its own rules
//! records, or any calls -> reevaluation: what another version would have decided -> report
//! ```
//!
//! This crate owns the store (one SQLite database), slots, keys and trust policies, decision records, re-evaluation, and the handling
//! of entries of a ledger that hosts share. It runs modules through `adjudicate-sandbox`. It has no rules of its own, no HTTP and no
//! protocol for such a ledger, and reads no files except its store and keys. A call of a module that fails is an error, never an
//! answer; to get a decision instead, set [`OnFault`] of the slot.
//!
//! The crate re-exports the types of `adjudicate-sandbox` in its signatures: [`Host`], [`Module`], [`Manifest`], [`Limits`],
//! [`Digest`], [`CallError`]; and the types of the signature section, in [`trust`]. Use all other types as `adjudicate_sandbox::...`.
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
