//! The documents of requests and replies that belong to no operation. The table of routes has their names.

use adjudicate_core::{
    document::{Describe, Document, Type},
    json::Nullable,
};
use adjudicate_host::{
    Canary, Composition, DeletedSlot, DifferenceList, History, Installed, InstalledModule, Removals,
    SlotEntry, SlotSettings, Statistics, Uninstalled, trust::TrustPolicy,
};
use serde::Serialize;

/// The types of the documents.
pub(crate) const TYPES: &[fn() -> Type] = &[
    OpenApi::describe,
    Liveness::describe,
    Readiness::describe,
    SettingsChange::describe,
    CompositionChange::describe,
    ShadowChange::describe,
    CanaryChange::describe,
    RollbackChange::describe,
    TrustPolicy::describe,
    Collection::describe,
    SlotEntry::describe,
    SlotList::describe,
    History::describe,
    DeletedSlot::describe,
    Statistics::describe,
    DifferenceList::describe,
    InstalledModule::describe,
    ModuleList::describe,
    Installed::describe,
    Uninstalled::describe,
    Removals::describe,
    Done::describe,
];

/// Declares the changes of a slot.
macro_rules! changes {
    ($($(#[$about:meta])* $name:ident { $(#[$meta:meta])* $field:ident: $type:ty })+) => { $(
        #[derive(Document)]
        $(#[$about])*
        pub(crate) struct $name {
            $(#[$meta])*
            pub(crate) $field: $type,
            /// The reason for the change, for the history.
            #[serde(default)]
            pub(crate) note: String,
            /// The entry that the slot must have, as in `if-match`. If it has another one, the error is `slot_changed`.
            pub(crate) expected: Option<i64>,
        }
    )+ };
}

changes! {
    /// New settings of a slot.
    #[document(expecting = "an object with `settings`", root)]
    SettingsChange {
        /// All settings; a setting that is absent gets its default.
        settings: SlotSettings
    }
    /// An activation.
    #[document(expecting = "an object with `composition`", root)]
    CompositionChange {
        /// The composition that becomes active.
        composition: Composition
    }
    /// A new shadow of a slot.
    #[document(expecting = "an object with `composition`", root)]
    ShadowChange {
        /// The shadow; null removes it.
        composition: Nullable<Composition>
    }
    /// A new canary of a slot.
    #[document(expecting = "an object with `canary`", root)]
    CanaryChange {
        /// The canary; null removes it.
        canary: Nullable<Canary>
    }
    /// A rollback.
    #[document(expecting = "an object with the optional field `to`", root)]
    RollbackChange {
        /// The earlier entry. Without it, the slot rolls back to the newest earlier composition that may be active.
        #[serde(default)]
        to: Option<i64>
    }
}

/// The terms of a collection of unused data.
#[derive(Document)]
#[document(expecting = "an object with the optional fields `keep` and `dry_run`", root)]
pub(crate) struct Collection {
    /// The part of each slot's history whose modules stay: an age such as `30d` or `36h`, or a number of entries. The default is `30d`.
    pub(crate) keep: Option<String>,
    /// True to remove nothing, and to list what a collection would remove.
    #[serde(default)]
    pub(crate) dry_run: bool,
}

/// The state of the process.
#[derive(Describe, Serialize)]
pub(crate) struct Liveness {
    /// Always `alive`.
    #[document(schema = r#"{"const": "alive"}"#)]
    pub(crate) status: &'static str,
}

/// A change without further data.
#[derive(Describe, Serialize)]
pub(crate) struct Done {
    /// Always true.
    #[document(schema = r#"{"const": true}"#)]
    pub(crate) done: bool,
}

/// The slots of the store.
#[derive(Describe, Serialize)]
pub(crate) struct SlotList {
    /// The current entry of each slot, by the name of the slot.
    pub(crate) slots: Vec<SlotEntry>,
}

/// The modules of the store.
#[derive(Describe, Serialize)]
pub(crate) struct ModuleList {
    /// The modules, by name, version and digest.
    pub(crate) modules: Vec<InstalledModule>,
}

/// The ability of the server to answer requests.
#[derive(Describe, Serialize)]
pub(crate) struct Readiness {
    /// True if there are no problems.
    pub(crate) ready: bool,
    /// The problems that keep the server from answering.
    #[serde(rename = "troubles")]
    pub(crate) problems: Vec<String>,
    /// The membership in a cluster, if the server has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cluster: Option<Membership>,
}

/// The membership of the server in its cluster.
#[derive(Describe, Serialize)]
pub(crate) struct Membership {
    /// The name of the cluster.
    pub(crate) name: String,
    /// The id of this host.
    pub(crate) host: String,
    /// True while the host has a connection to the cluster.
    pub(crate) connected: bool,
    /// The number of differences between this host and the cluster.
    #[serde(rename = "troubles")]
    pub(crate) problems: usize,
    /// The number of decision records that the cluster has not confirmed yet.
    #[serde(skip)]
    pub(crate) records_waiting: u64,
    /// The number of reconnections to NATS.
    #[serde(skip)]
    pub(crate) reconnects: u64,
}

/// An OpenAPI document.
#[derive(Describe)]
#[document(open)]
#[expect(dead_code, reason = "`openapi` writes the document part by part")]
struct OpenApi {
    /// The version of OpenAPI.
    openapi: String,
}
