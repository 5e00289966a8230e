//! A store for versions of policy modules, which swaps the active version without losing a call.
//!
//! ```text
//! bytes -> install: trusted? compiles? passes its own tests? -> Store -> activate, shadow, canary, rollback -> Slot
//! Slot + input -> the modules that are active -> answer, or what the slot does about a fault -> decision record
//! Slots of several hosts -> a Ledger that they share -> follow -> each host's Store, by its own rules
//! records, or any calls -> reevaluation: what another version would have decided -> report
//! ```
//!
//! This crate owns the store (one SQLite database), slots, keys and trust policies, decision records, re-evaluation, and the
//! handling of entries of a shared ledger. It runs modules through `adjudicate-sandbox`. It has no rules, no HTTP and no protocol
//! for the ledger. It reads no files except its store and keys. If a module fails, the call fails; to get a decision instead, set
//! [`OnFault`] of the slot.
//!
//! The crate re-exports types of `adjudicate-sandbox` that its signatures use: [`Host`], [`Module`], [`Manifest`], [`Limits`],
//! [`Digest`], [`CallError`], and in [`trust`] the types of the signature section. For all other types, use `adjudicate_sandbox`.
//!
//! ```no_run
//! use adjudicate_core::Operation;
//! use adjudicate_sandbox::Host;
//! use adjudicate_host::{Composition, SlotSettings, Slots, Store, InstallOptions, ChangeReason};
//! use adjudicate_sandbox::Settings;
//!
//! let store = Store::open("policies".as_ref())?;
//! let slots = Slots::open(store, Host::new(Settings::default())?)?;
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
#![cfg_attr(not(feature = "modules"), allow(dead_code, reason = "only records need some helpers"))]

pub mod codes;
#[cfg(feature = "modules")]
mod history;
pub mod record;
#[cfg(feature = "modules")]
mod recorder;
#[cfg(feature = "modules")]
pub mod reevaluation;
#[cfg(feature = "modules")]
mod retention;
#[cfg(feature = "modules")]
mod slot;
#[cfg(feature = "modules")]
mod store;
#[cfg(feature = "modules")]
mod token;
pub mod trust;

pub use adjudicate_sandbox::{CallError, Digest, Manifest, Module};
pub use record::{Pattern, RedactedCall, redacted_call, without_member};
#[cfg(feature = "modules")]
pub use with_modules::*;

/// The store, slots and records.
#[cfg(feature = "modules")]
mod with_modules {
    pub use adjudicate_sandbox::{Host, Limits, OwnLimits};

    pub use crate::{
        history::{
            Action, Canary, ChangeReason, Composition, DeletedSlot, Difference, DifferenceList, Entry,
            FaultRate, History, Member, OnFault, SlotSettings, State,
        },
        record::{Acknowledge, Chain, DecidedBy, HashKind, Link, Observation, Record, RecordSettings},
        recorder::Recorder,
        retention::Retention,
        slot::{Decided, Deployment, InstallOptions, Installed, Ledger, Proposed, Slot, Slots, Statistics},
        store::{Collected, InstalledModule, RecordRange, Store, Uninstalled},
        token::{Keyring, Role, Token},
    };
}
