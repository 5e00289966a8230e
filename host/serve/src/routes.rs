//! The table of all routes. The router and the OpenAPI document are made from it.

use std::sync::LazyLock;

use adjudicate_core::Operation;
use axum::http::Method;

/// The authorization that a request needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// None.
    Open,
    /// A token of any role, except on loopback.
    Numbers,
    /// A token, except on loopback if the store never had a token.
    Evaluate,
    /// A token of the role `admin`.
    Admin,
}

/// The body of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestContent {
    /// No body.
    Nothing,
    /// A call, or a stream of calls.
    Calls,
    /// JSON with this schema of the OpenAPI document.
    Json(&'static str),
    /// A message of MCP.
    Message,
    /// A module.
    Wasm,
}

/// The body of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyContent {
    /// An answer, or a stream of answers.
    CallHandler,
    /// JSON with this schema of the OpenAPI document.
    Json(&'static str),
    /// A message of MCP, or nothing.
    Message,
    /// A module.
    Wasm,
    /// Text.
    Text,
}

/// The action of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteAction {
    /// Calls the built-in engine.
    Call(Operation),
    /// Calls a slot.
    CallSlot(Operation),
    /// Answers a message of MCP.
    Mcp,
    /// Reports that the process runs.
    Health,
    /// Reports if the server can answer requests.
    Ready,
    /// Returns the metrics.
    Metrics,
    /// Returns the OpenAPI document.
    OpenApi,
    /// Lists the slots.
    ListSlots,
    /// Returns one slot.
    ShowSlot,
    /// Creates a slot, or changes the settings of an existing one.
    CreateSlot,
    /// Changes a slot's settings.
    Configure,
    /// Activates a composition.
    Activate,
    /// Sets or removes the shadow.
    Shadow,
    /// Sets or removes the canary.
    Canary,
    /// Rolls a slot back.
    RollBack,
    /// Returns the history of a slot.
    History,
    /// Returns the counts of a slot.
    Statistics,
    /// Returns the differences of a shadow.
    Differences,
    /// Returns the trust policy of a slot.
    ShowSlotTrust,
    /// Returns the trust policy of the store.
    ShowTrust,
    /// Sets the trust policy of a slot.
    SetSlotTrust,
    /// Removes the own trust policy of a slot.
    UnsetSlotTrust,
    /// Sets the trust policy of the store.
    SetTrust,
    /// Lists the modules.
    ListModules,
    /// Returns one module.
    ShowModule,
    /// Returns the bytes of a module.
    FetchModule,
    /// Installs a module.
    Install,
    /// Removes a module.
    Uninstall,
    /// Deletes a slot.
    DeleteSlot,
    /// Removes modules and other data that no slot needs.
    Collect,
}

/// A path and a method.
#[derive(Clone, Debug)]
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path. A name in braces stands for one segment.
    pub path: String,
    /// The path with dashes, if the name of the operation has underscores.
    pub alias: Option<String>,
    /// The authorization that it needs.
    pub access: Access,
    /// The body of the request.
    pub accepts: RequestContent,
    /// The body of the reply.
    pub returns: ReplyContent,
    /// The parameters of the query, each with its description.
    pub query: &'static [(&'static str, &'static str)],
    /// The action.
    pub action: RouteAction,
    /// A summary in one sentence.
    pub summary: &'static str,
}

impl Route {
    /// Returns whether the request may name the entry of the slot that the caller expects (`if-match`).
    pub(crate) fn accepts_if_match(&self) -> bool {
        let changes =
            matches!((self.accepts, self.returns), (RequestContent::Json(_), ReplyContent::Json("Entry")));
        changes || self.action == RouteAction::DeleteSlot
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
                accepts: RequestContent::Calls,
                returns: ReplyContent::CallHandler,
                query: NONE,
                action: if is_slot {
                    RouteAction::CallSlot(*operation)
                } else {
                    RouteAction::Call(*operation)
                },
                summary: operation.summary(),
            }
        }));
    }
    routes
}

struct Row(
    Method,
    &'static str,
    Access,
    RequestContent,
    ReplyContent,
    &'static [(&'static str, &'static str)],
    RouteAction,
    &'static str,
);

impl Row {
    fn route(&self) -> Route {
        let Self(method, path, access, accepts, returns, query, action, summary) = self;
        Route {
            method: method.clone(),
            path: (*path).to_owned(),
            alias: None,
            access: *access,
            accepts: *accepts,
            returns: *returns,
            query,
            action: *action,
            summary,
        }
    }
}

const HISTORY: &[(&str, &str)] = &[("limit", "the highest number of entries, 1 to 1000; 50 by default")];
const KEEP: &[(&str, &str)] = &[(
    "keep",
    "the part of each slot's history whose modules stay: a time (`30d`, `36h`) or a number of entries; `30d` by default",
)];
const INSTALL: &[(&str, &str)] = &[
    ("slot", "apply the trust policy and limits of this slot; by default those of the store"),
    ("unsigned", "`true`: accept a module without a signature, for local development"),
];

#[rustfmt::skip]
const FIXED: &[Row] = {
    use {Access as A, RouteAction as D, ReplyContent as G, RequestContent as T};
    const GET: Method = Method::GET;
    const POST: Method = Method::POST;
    const PUT: Method = Method::PUT;
    const DELETE: Method = Method::DELETE;
    const SLOT: &str = "/v1/slots/{slot}";
    &[
        Row(GET, "/healthz", A::Open, T::Nothing, G::Json("Liveness"), NONE, D::Health, "Report that the process runs"),
        Row(GET, "/readyz", A::Open, T::Nothing, G::Json("Readiness"), NONE, D::Ready, "Report if the server can answer requests"),
        Row(GET, "/metrics", A::Numbers, T::Nothing, G::Text, NONE, D::Metrics, "Metrics for Prometheus"),
        Row(GET, "/openapi.json", A::Open, T::Nothing, G::Json("OpenApi"), NONE, D::OpenApi, "This document"),
        Row(POST, "/mcp", A::Evaluate, T::Message, G::Message, NONE, D::Mcp, "Answer a message of the Model Context Protocol, if the server offers it"),
        Row(GET, "/v1/slots", A::Admin, T::Nothing, G::Json("SlotList"), NONE, D::ListSlots, "List the slots, each with its current entry"),
        Row(GET, SLOT, A::Admin, T::Nothing, G::Json("Entry"), NONE, D::ShowSlot, "Show a slot, with the entry that this server runs"),
        Row(PUT, SLOT, A::Admin, T::Json("SettingsChange"), G::Json("Entry"), NONE, D::CreateSlot, "Create a slot, or change the settings of an existing one"),
        Row(DELETE, SLOT, A::Admin, T::Nothing, G::Json("DeletedSlot"), NONE, D::DeleteSlot, "Delete a slot with its settings and its history"),
        Row(PUT, "/v1/slots/{slot}/settings", A::Admin, T::Json("SettingsChange"), G::Json("Entry"), NONE, D::Configure, "Change the settings of an existing slot"),
        Row(POST, "/v1/slots/{slot}/activate", A::Admin, T::Json("CompositionChange"), G::Json("Entry"), NONE, D::Activate, "Activate a composition"),
        Row(POST, "/v1/slots/{slot}/shadow", A::Admin, T::Json("ShadowChange"), G::Json("Entry"), NONE, D::Shadow, "Set or remove the shadow, which is called in addition to the active composition"),
        Row(POST, "/v1/slots/{slot}/canary", A::Admin, T::Json("CanaryChange"), G::Json("Entry"), NONE, D::Canary, "Set or remove the canary, which decides a share of the runs"),
        Row(POST, "/v1/slots/{slot}/rollback", A::Admin, T::Json("RollbackChange"), G::Json("Entry"), NONE, D::RollBack, "Roll a slot back to an earlier composition"),
        Row(GET, "/v1/slots/{slot}/history", A::Admin, T::Nothing, G::Json("History"), HISTORY, D::History, "Show the history of a slot, the latest entry first"),
        Row(GET, "/v1/slots/{slot}/statistics", A::Admin, T::Nothing, G::Json("Statistics"), NONE, D::Statistics, "Show the counts of a slot since this server opened it"),
        Row(GET, "/v1/slots/{slot}/differences", A::Admin, T::Nothing, G::Json("DifferenceList"), HISTORY, D::Differences, "List the calls that the shadow answered differently, the latest first"),
        Row(GET, "/v1/slots/{slot}/trust", A::Admin, T::Nothing, G::Json("TrustPolicy"), NONE, D::ShowSlotTrust, "Show the trust policy of a slot"),
        Row(PUT, "/v1/slots/{slot}/trust", A::Admin, T::Json("TrustPolicy"), G::Json("Done"), NONE, D::SetSlotTrust, "Set the trust policy of a slot"),
        Row(DELETE, "/v1/slots/{slot}/trust", A::Admin, T::Nothing, G::Json("Done"), NONE, D::UnsetSlotTrust, "Remove the own trust policy of a slot; then that of the store applies"),
        Row(GET, "/v1/trust", A::Admin, T::Nothing, G::Json("TrustPolicy"), NONE, D::ShowTrust, "Show the trust policy of the store, for slots without their own"),
        Row(PUT, "/v1/trust", A::Admin, T::Json("TrustPolicy"), G::Json("Done"), NONE, D::SetTrust, "Set the trust policy of the store, for slots without their own"),
        Row(GET, "/v1/modules", A::Admin, T::Nothing, G::Json("ModuleList"), NONE, D::ListModules, "List the installed modules"),
        Row(POST, "/v1/modules", A::Admin, T::Wasm, G::Json("Installed"), INSTALL, D::Install, "Install a module, after its signatures and tests were checked"),
        Row(GET, "/v1/modules/{digest}", A::Admin, T::Nothing, G::Json("InstalledModule"), NONE, D::ShowModule, "Show a module"),
        Row(GET, "/v1/modules/{digest}/wasm", A::Admin, T::Nothing, G::Wasm, NONE, D::FetchModule, "Fetch the bytes of a module"),
        Row(DELETE, "/v1/modules/{digest}", A::Admin, T::Nothing, G::Json("Uninstalled"), KEEP, D::Uninstall, "Remove a module that no slot needs"),
        Row(POST, "/v1/gc", A::Admin, T::Json("Collection"), G::Json("Collected"), NONE, D::Collect, "Remove modules, compiled code and differences that no slot needs"),
        Row(PUT, "/v1/modules/{digest}", A::Admin, T::Wasm, G::Json("Installed"), INSTALL, D::Install, "Install the module with this digest"),
    ]
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_method_and_path_have_two_routes() {
        let mut seen = BTreeSet::new();
        for route in routes() {
            for path in [Some(&route.path), route.alias.as_ref()].into_iter().flatten() {
                assert!(seen.insert((route.method.as_str(), path.as_str())), "{path}");
                assert!(path.starts_with('/') && !path.ends_with('/') && !path.contains("//"));
            }
        }
        assert_eq!(
            routes().iter().filter(|route| matches!(route.action, RouteAction::Call(_))).count(),
            Operation::ALL.len()
        );
    }
}
