//! Every address in one table: what is routed, what it needs, and what the OpenAPI document says of it.

use std::sync::LazyLock;

use adjudicate_core::Operation;
use axum::http::Method;

/// What a request needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing.
    Open,
    /// A token of any role, but on loopback.
    Numbers,
    /// A token, but on loopback where there never was one.
    Evaluate,
    /// A token for administration.
    Admin,
}

/// What a request brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// No body.
    Nothing,
    /// A call, or a stream of calls.
    Calls,
    /// JSON, described by this schema of the document.
    Json(&'static str),
    /// A module.
    Wasm,
}

/// What a reply brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// An answer, or a stream of answers.
    Answers,
    /// JSON, described by this schema of the document.
    Json(&'static str),
    /// A module.
    Wasm,
    /// Text.
    Text,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Asks the engine that is built in.
    Call(Operation),
    /// Asks a slot.
    CallSlot(Operation),
    /// Whether the process lives.
    Health,
    /// Whether it can be asked.
    Ready,
    /// Numbers.
    Metrics,
    /// The document of this table.
    OpenApi,
    /// The slots.
    ListSlots,
    /// One slot.
    ShowSlot,
    /// Makes a slot.
    CreateSlot,
    /// Changes a slot's settings.
    Configure,
    /// Puts a composition in force.
    Activate,
    /// Tries a composition beside.
    Shadow,
    /// Lets a composition answer some runs.
    Canary,
    /// Goes back.
    RollBack,
    /// A slot's history.
    History,
    /// What a slot has seen.
    Statistics,
    /// Where a shadow differed.
    Differences,
    /// Whom a slot trusts.
    ShowSlotTrust,
    /// Whom the store trusts.
    ShowTrust,
    /// Puts a trust policy in force for a slot.
    SetSlotTrust,
    /// Takes a slot's own trust policy away.
    UnsetSlotTrust,
    /// Puts the store's trust policy in force.
    SetTrust,
    /// The modules.
    ListModules,
    /// One module.
    ShowModule,
    /// A module's bytes.
    FetchModule,
    /// Installs a module.
    Install,
    /// Removes a module.
    Uninstall,
    /// Deletes a slot.
    DeleteSlot,
    /// Removes what no history within a retention needs.
    Collect,
}

/// An address and a method.
#[derive(Clone, Debug)]
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path; what is in braces is one segment.
    pub path: String,
    /// The same with dashes, where the operation's name has underscores.
    pub alias: Option<String>,
    /// What it needs.
    pub access: Access,
    /// What the request brings.
    pub takes: Takes,
    /// What the reply brings.
    pub gives: Gives,
    /// What members its query may have.
    pub query: &'static [(&'static str, &'static str)],
    /// What is done.
    pub does: Does,
    /// In a sentence.
    pub summary: &'static str,
}

impl Route {
    /// Returns whether the request may name the entry of the slot that the caller expects (`if-match`).
    pub(crate) fn takes_condition(&self) -> bool {
        let changes = matches!((self.takes, self.gives), (Takes::Json(_), Gives::Json("Entry")));
        changes || self.does == Does::DeleteSlot
    }
}

const NONE: &[(&str, &str)] = &[];

static ROUTES: LazyLock<Vec<Route>> = LazyLock::new(table);

/// Every route of the server.
///
/// ```
/// use adjudicate_serve::{Access, routes};
/// let route = routes().iter().find(|route| route.path == "/v1/evaluate").unwrap();
/// assert_eq!((route.method.as_str(), route.access), ("POST", Access::Evaluate));
/// ```
#[must_use]
pub fn routes() -> &'static [Route] {
    &ROUTES
}

fn table() -> Vec<Route> {
    let mut routes: Vec<Route> = FIXED.iter().map(Row::route).collect();
    for (prefix, is_slot) in [("/v1", false), ("/v1/slots/{slot}", true)] {
        routes.extend(Operation::ALL.iter().map(|operation| {
            let name = operation.name();
            let dashed = name.replace('_', "-");
            Route {
                method: Method::POST,
                path: format!("{prefix}/{name}"),
                alias: (dashed != name).then(|| format!("{prefix}/{dashed}")),
                access: Access::Evaluate,
                takes: Takes::Calls,
                gives: Gives::Answers,
                query: NONE,
                does: if is_slot { Does::CallSlot(*operation) } else { Does::Call(*operation) },
                summary: summary(*operation),
            }
        }));
    }
    routes
}

const fn summary(operation: Operation) -> &'static str {
    match operation {
        Operation::Evaluate => "Decide on an evaluator envelope",
        Operation::Refine => "Draw from an envelope what the revision loop needs",
        Operation::ValidatePlan => "Judge a plan before it runs",
        Operation::MergeDiagnostics => "Merge diagnostics into one bundle",
        Operation::ObserveOutput => "Hold an output against its contract",
        Operation::ApplyGuardrails => "Apply runtime policies to an event",
        Operation::NormalizePlan => "Bring a plan into canonical form",
        Operation::VerifyReplay => "Tell whether a run is one of a plan",
        Operation::Deliberate => "Tell whether planning may go on",
        Operation::CheckPolicy => "Find what is wrong with a policy document",
        Operation::Explain => "Tell what would have to change for success",
        _ => "Ask the engine",
    }
}

struct Row(
    Method,
    &'static str,
    Access,
    Takes,
    Gives,
    &'static [(&'static str, &'static str)],
    Does,
    &'static str,
);

impl Row {
    fn route(&self) -> Route {
        let Self(method, path, access, takes, gives, query, does, summary) = self;
        Route {
            method: method.clone(),
            path: (*path).to_owned(),
            alias: None,
            access: *access,
            takes: *takes,
            gives: *gives,
            query,
            does: *does,
            summary,
        }
    }
}

const HISTORY: &[(&str, &str)] = &[("limit", "how many at most, 1 to 1000; 50 without")];
const KEEP: &[(&str, &str)] = &[(
    "keep",
    "the modules of what slots were set to within this time (`30d`, `36h`), or in so many last entries, are needed; `30d` without",
)];
const INSTALL: &[(&str, &str)] = &[
    ("slot", "the slot whose trust policy and limits count; without one, the store's"),
    ("unsigned", "`true`: it needs no signature, for local development"),
];

#[rustfmt::skip]
const FIXED: &[Row] = {
    use {Access as A, Does as D, Gives as G, Takes as T};
    const GET: Method = Method::GET;
    const POST: Method = Method::POST;
    const PUT: Method = Method::PUT;
    const DELETE: Method = Method::DELETE;
    const SLOT: &str = "/v1/slots/{slot}";
    &[
        Row(GET, "/healthz", A::Open, T::Nothing, G::Json("Health"), NONE, D::Health, "Whether the process lives"),
        Row(GET, "/readyz", A::Open, T::Nothing, G::Json("Readiness"), NONE, D::Ready, "Whether requests can be answered"),
        Row(GET, "/metrics", A::Numbers, T::Nothing, G::Text, NONE, D::Metrics, "Numbers for Prometheus"),
        Row(GET, "/openapi.json", A::Open, T::Nothing, G::Json("Anything"), NONE, D::OpenApi, "This document"),
        Row(GET, "/v1/slots", A::Admin, T::Nothing, G::Json("Entries"), NONE, D::ListSlots, "The slots, each with the state that it is in"),
        Row(GET, SLOT, A::Admin, T::Nothing, G::Json("Entry"), NONE, D::ShowSlot, "A slot, with the state that this server has in force"),
        Row(PUT, SLOT, A::Admin, T::Json("SettingsChange"), G::Json("Entry"), NONE, D::CreateSlot, "Make a slot, or give the one that is there these settings"),
        Row(DELETE, SLOT, A::Admin, T::Nothing, G::Json("Deleted"), NONE, D::DeleteSlot, "Delete a slot with its settings and its history"),
        Row(PUT, "/v1/slots/{slot}/settings", A::Admin, T::Json("SettingsChange"), G::Json("Entry"), NONE, D::Configure, "Change the settings of a slot that is there"),
        Row(POST, "/v1/slots/{slot}/activate", A::Admin, T::Json("CompositionChange"), G::Json("Entry"), NONE, D::Activate, "Put a composition in force"),
        Row(POST, "/v1/slots/{slot}/shadow", A::Admin, T::Json("ShadowChange"), G::Json("Entry"), NONE, D::Shadow, "Try a composition beside the active one, or no longer"),
        Row(POST, "/v1/slots/{slot}/canary", A::Admin, T::Json("CanaryChange"), G::Json("Entry"), NONE, D::Canary, "Let a composition answer some of the runs, or no longer"),
        Row(POST, "/v1/slots/{slot}/rollback", A::Admin, T::Json("RollbackChange"), G::Json("Entry"), NONE, D::RollBack, "Put an earlier composition in force again"),
        Row(GET, "/v1/slots/{slot}/history", A::Admin, T::Nothing, G::Json("Entries"), HISTORY, D::History, "What was done to a slot, the latest first"),
        Row(GET, "/v1/slots/{slot}/statistics", A::Admin, T::Nothing, G::Json("Statistics"), NONE, D::Statistics, "What a slot has seen since this server opened it"),
        Row(GET, "/v1/slots/{slot}/differences", A::Admin, T::Nothing, G::Json("Differences"), HISTORY, D::Differences, "Calls to which the shadow gave another answer, the latest first"),
        Row(GET, "/v1/slots/{slot}/trust", A::Admin, T::Nothing, G::Json("TrustPolicy"), NONE, D::ShowSlotTrust, "The trust policy that is in force for a slot"),
        Row(PUT, "/v1/slots/{slot}/trust", A::Admin, T::Json("TrustPolicy"), G::Json("Done"), NONE, D::SetSlotTrust, "Put a trust policy in force for a slot"),
        Row(DELETE, "/v1/slots/{slot}/trust", A::Admin, T::Nothing, G::Json("Done"), NONE, D::UnsetSlotTrust, "Take a slot's own trust policy away: from then on that of all slots counts"),
        Row(GET, "/v1/trust", A::Admin, T::Nothing, G::Json("TrustPolicy"), NONE, D::ShowTrust, "The trust policy of slots that have none of their own"),
        Row(PUT, "/v1/trust", A::Admin, T::Json("TrustPolicy"), G::Json("Done"), NONE, D::SetTrust, "Put the trust policy of slots in force that have none of their own"),
        Row(GET, "/v1/modules", A::Admin, T::Nothing, G::Json("Modules"), NONE, D::ListModules, "The modules that are installed"),
        Row(POST, "/v1/modules", A::Admin, T::Wasm, G::Json("Installed"), INSTALL, D::Install, "Install a module: check, judge and compile it, and run its tests"),
        Row(GET, "/v1/modules/{digest}", A::Admin, T::Nothing, G::Json("Module"), NONE, D::ShowModule, "A module"),
        Row(GET, "/v1/modules/{digest}/wasm", A::Admin, T::Nothing, G::Wasm, NONE, D::FetchModule, "A module's bytes"),
        Row(DELETE, "/v1/modules/{digest}", A::Admin, T::Nothing, G::Json("Uninstalled"), KEEP, D::Uninstall, "Remove a module that no slot needs"),
        Row(POST, "/v1/gc", A::Admin, T::Json("Collection"), G::Json("Collected"), NONE, D::Collect, "Remove what no slot's history within a retention needs"),
        Row(PUT, "/v1/modules/{digest}", A::Admin, T::Wasm, G::Json("Installed"), INSTALL, D::Install, "Install the module that has this digest"),
    ]
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_address_means_two_things() {
        let mut seen = BTreeSet::new();
        for route in routes() {
            for path in [Some(&route.path), route.alias.as_ref()].into_iter().flatten() {
                assert!(seen.insert((route.method.as_str(), path.as_str())), "{path}");
                assert!(path.starts_with('/') && !path.ends_with('/') && !path.contains("//"));
            }
        }
        assert_eq!(
            routes().iter().filter(|route| matches!(route.does, Does::Call(_))).count(),
            Operation::ALL.len()
        );
    }
}
