//! A store for versions of policy modules, which swaps the active version without losing a call.
//!
//! ```text
//! bytes -> install: trusted? compiles? passes its own tests? -> Store -> activate, shadow, canary, rollback -> Slot
//! Slot + input -> the modules that are active -> answer, or what the slot does about a fault -> decision record
//! Slots of several hosts -> a SlotLedger that they share -> follow -> each host's Store, by its own rules
//! records, or any calls -> reevaluation: what another version would have decided -> report
//! ```
//!
//! This crate owns the store (one SQLite database), slots, decision records, re-evaluation, and the handling of entries of a shared
//! ledger. It runs modules through `adjudicate-sandbox`, and judges them by the trust policies of `adjudicate-trust`. It has no rules,
//! no HTTP and no protocol for the ledger. It reads no files except its store. If a module fails, the call fails; to get a decision
//! instead, set [`OnFault`] of the slot.
//!
//! The crate re-exports types of `adjudicate-sandbox` that its signatures use: [`Host`], [`Module`], [`Manifest`], [`Limits`],
//! [`Digest`], [`CallError`], and as [`trust`] the crate `adjudicate-trust`. For all other types, use `adjudicate_sandbox`.
//!
//! ```no_run
//! use adjudicate_core::Operation;
//! use adjudicate_sandbox::Host;
//! use adjudicate_host::{Composition, SlotSettings, Slots, Store, InstallOptions, ChangeReason};
//! use adjudicate_sandbox::HostSettings;
//!
//! let store = Store::open("policies".as_ref())?;
//! let slots = Slots::open(store, Host::new(HostSettings::default())?)?;
//! // A key of the trust policy signed this module. For local development, set `unsigned`.
//! let installed = slots.install(&std::fs::read("engine.wasm")?, &InstallOptions::default())?;
//! let slot = slots.create("release", SlotSettings::default(), &ChangeReason::default())?;
//! slot.activate(Composition::new(installed.module.digest), &ChangeReason::default())?;
//! let decided = slot.call(Operation::Evaluate, &std::fs::read("envelope.json")?)?;
//! println!("{} (entry {})", decided.text, decided.entry);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Slot::evaluate`] and [`Slot::refine`] take an owned envelope and return typed answers. [`adjudicate_core::Run`] makes the envelopes of a
//! run; `examples/kernel.rs` is a whole program.

pub mod codes;
mod history;
pub mod record;
mod recorder;
pub mod reevaluation;
mod retention;
mod slot;
mod store;
mod token;

pub use adjudicate_sandbox::{CallError, Digest, Host, Limits, Manifest, Module, OwnLimits};
pub use adjudicate_trust as trust;
pub use adjudicate_trust::redaction::RedactionPattern;
pub use history::{
    Canary, ChangeReason, ComposedModule, Composition, DeletedSlot, FaultRate, History, OnFault, SlotAction,
    SlotEntry, SlotSettings, SlotState,
};
pub use record::{Acknowledge, CallObservation, Chain, DecidedBy, HashKind, Link, Record, RecordSettings};
pub use recorder::Recorder;
pub use retention::Retention;
pub use slot::{
    Deployment, InstallOptions, Installed, Proposed, Slot, SlotAnswer, SlotLedger, Slots, Statistics,
};
pub use store::{
    DifferenceList, InstalledModule, RecordRange, Removals, ShadowDifference, Store, Uninstalled,
};
pub use token::{Keyring, Token, TokenRole};
