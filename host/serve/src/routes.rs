//! The table of all routes. The router and the OpenAPI document are made from it.

use std::{collections::BTreeMap, sync::LazyLock};

use adjudicate_collect::hooks::HookForm;
use adjudicate_core::{Error, Operation};
use axum::http::Method;

use crate::codes;

/// The authorization that a request needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequiredAccess {
    /// None.
    Open,
    /// A token of any role, except on loopback.
    Numbers,
    /// A token, except on loopback if the store never had a token.
    Evaluate,
    /// A token of the role `admin`.
    Admin,
}

/// The body of a request or of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyContent {
    /// No body.
    Nothing,
    /// A call or its answer, or a stream of them.
    Call,
    /// JSON with this schema of the OpenAPI document.
    Json(&'static str),
    /// A message of MCP. A reply may be empty.
    Message,
    /// An event of a hook, or the answer, in the form of its host.
    Event,
    /// A module.
    Wasm,
    /// Text.
    Text,
}

/// The action of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RouteAction {
    Call(Operation),
    CallSlot(Operation),
    Hook(HookForm),
    Mcp,
    Health,
    Ready,
    Metrics,
    OpenApi,
    ListSlots,
    ShowSlot,
    CreateSlot,
    Configure,
    Activate,
    Shadow,
    Canary,
    RollBack,
    History,
    Statistics,
    Differences,
    ShowSlotTrust,
    ShowTrust,
    SetSlotTrust,
    UnsetSlotTrust,
    SetTrust,
    ListModules,
    ShowModule,
    FetchModule,
    Install,
    Uninstall,
    DeleteSlot,
    Collect,
}

/// A path and a method.
#[derive(Clone, Debug)]
pub struct HttpRoute {
    /// The method.
    pub method: Method,
    /// The path. A name in braces stands for one segment.
    pub path: String,
    /// The path with dashes, if the name of the operation has underscores.
    pub alias: Option<String>,
    /// The authorization that it needs.
    pub access: RequiredAccess,
    /// The body of the request.
    pub accepts: BodyContent,
    /// The body of the reply.
    pub returns: BodyContent,
    /// The parameters of the query, each with its description.
    pub query: &'static [(&'static str, &'static str)],
    pub(crate) action: RouteAction,
    /// A summary in one sentence.
    pub summary: &'static str,
}

impl HttpRoute {
    /// Returns whether the request may name the entry of the slot that the caller expects (`if-match`).
    pub(crate) fn accepts_if_match(&self) -> bool {
        let changes =
            matches!((self.accepts, self.returns), (BodyContent::Json(_), BodyContent::Json("Entry")));
        changes || self.action == RouteAction::DeleteSlot
    }

    /// Reads the query of a URL, the text after the `?`. Each parameter must be known and given once. Values are not percent-decoded.
    pub(crate) fn read_query(&self, text: Option<&str>) -> Result<BTreeMap<&'static str, String>, Error> {
        let wrong = |message: String| Err(Error::new(codes::WRONG_USAGE, message));
        let mut parameters = BTreeMap::new();
        for parameter in text.unwrap_or_default().split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let shown: String = name.chars().take(40).collect();
            let Some((name, _)) = self.query.iter().find(|(known, _)| *known == name) else {
                return wrong(format!("unknown query parameter `{shown}`"));
            };
            if parameters.contains_key(name) {
                return wrong(format!("query parameter `{shown}` is given twice"));
            }
            if !value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte)) {
                return wrong(format!("invalid character in query parameter `{shown}`"));
            }
            parameters.insert(*name, value.to_owned());
        }
        Ok(parameters)
    }
}

const NONE: &[(&str, &str)] = &[];

/// The path of the hooks, before the name of the form and the slot.
const HOOKS: &str = "/v1/hooks/";

static ROUTES: LazyLock<Vec<HttpRoute>> = LazyLock::new(table);

/// Every route of the server.
///
/// ```
/// use adjudicate_serve::{RequiredAccess, routes};
/// let route = routes().iter().find(|route| route.path == "/v1/evaluate").unwrap();
/// assert_eq!((route.method.as_str(), route.access), ("POST", RequiredAccess::Evaluate));
/// ```
#[must_use]
pub fn routes() -> &'static [HttpRoute] {
    &ROUTES
}

/// Returns the form of the hook at a path, also at one without a slot.
pub(crate) fn hook_form(path: &str) -> Option<HookForm> {
    let name = path.strip_prefix(HOOKS)?.split('/').next()?;
    HookForm::all().find(|form| form.name() == name)
}

fn table() -> Vec<HttpRoute> {
    let mut routes = fixed();
    let actions: [fn(Operation) -> RouteAction; 2] = [RouteAction::Call, RouteAction::CallSlot];
    for (prefix, action) in ["/v1", "/v1/slots/{slot}"].into_iter().zip(actions) {
        routes.extend(Operation::ALL.iter().map(|operation| {
            let name = operation.name();
            let dashed = name.replace('_', "-");
            HttpRoute {
                method: Method::POST,
                path: format!("{prefix}/{name}"),
                alias: (dashed != name).then(|| format!("{prefix}/{dashed}")),
                access: RequiredAccess::Evaluate,
                accepts: BodyContent::Call,
                returns: BodyContent::Call,
                query: NONE,
                action: action(*operation),
                summary: operation.summary(),
            }
        }));
    }
    routes.extend(HookForm::all().map(|form| HttpRoute {
        method: Method::POST,
        path: format!("{HOOKS}{}/{{slot}}", form.name()),
        alias: None,
        access: RequiredAccess::Evaluate,
        accepts: BodyContent::Event,
        returns: BodyContent::Event,
        query: NONE,
        action: RouteAction::Hook(form),
        summary: "Answer the hook of an agent on this machine by the decision of a slot",
    }));
    routes
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

/// Returns the routes that are no calls.
#[rustfmt::skip]
fn fixed() -> Vec<HttpRoute> {
    use {RequiredAccess as A, RouteAction as D, BodyContent as C};
    let row = |method, path: &str, access, accepts, returns, query, action, summary| {
        HttpRoute { method, path: path.to_owned(), alias: None, access, accepts, returns, query, action, summary }
    };
    const GET: Method = Method::GET;
    const POST: Method = Method::POST;
    const PUT: Method = Method::PUT;
    const DELETE: Method = Method::DELETE;
    const SLOT: &str = "/v1/slots/{slot}";
    vec![
        row(GET, "/healthz", A::Open, C::Nothing, C::Json("Liveness"), NONE, D::Health, "Report that the process runs"),
        row(GET, "/readyz", A::Open, C::Nothing, C::Json("Readiness"), NONE, D::Ready, "Report if the server can answer requests"),
        row(GET, "/metrics", A::Numbers, C::Nothing, C::Text, NONE, D::Metrics, "Metrics for Prometheus"),
        row(GET, "/openapi.json", A::Open, C::Nothing, C::Json("OpenApi"), NONE, D::OpenApi, "This document"),
        row(POST, "/mcp", A::Evaluate, C::Message, C::Message, NONE, D::Mcp, "Answer a message of the Model Context Protocol, if the server offers it"),
        row(GET, "/v1/slots", A::Admin, C::Nothing, C::Json("SlotList"), NONE, D::ListSlots, "List the slots, each with its current entry"),
        row(GET, SLOT, A::Admin, C::Nothing, C::Json("Entry"), NONE, D::ShowSlot, "Show a slot, with the entry that this server runs"),
        row(PUT, SLOT, A::Admin, C::Json("SettingsChange"), C::Json("Entry"), NONE, D::CreateSlot, "Create a slot, or change the settings of an existing one"),
        row(DELETE, SLOT, A::Admin, C::Nothing, C::Json("DeletedSlot"), NONE, D::DeleteSlot, "Delete a slot with its settings and its history"),
        row(PUT, "/v1/slots/{slot}/settings", A::Admin, C::Json("SettingsChange"), C::Json("Entry"), NONE, D::Configure, "Change the settings of an existing slot"),
        row(POST, "/v1/slots/{slot}/activate", A::Admin, C::Json("CompositionChange"), C::Json("Entry"), NONE, D::Activate, "Activate a composition"),
        row(POST, "/v1/slots/{slot}/shadow", A::Admin, C::Json("ShadowChange"), C::Json("Entry"), NONE, D::Shadow, "Set or remove the shadow, which is called in addition to the active composition"),
        row(POST, "/v1/slots/{slot}/canary", A::Admin, C::Json("CanaryChange"), C::Json("Entry"), NONE, D::Canary, "Set or remove the canary, which decides a share of the runs"),
        row(POST, "/v1/slots/{slot}/rollback", A::Admin, C::Json("RollbackChange"), C::Json("Entry"), NONE, D::RollBack, "Roll a slot back to an earlier composition"),
        row(GET, "/v1/slots/{slot}/history", A::Admin, C::Nothing, C::Json("History"), HISTORY, D::History, "Show the history of a slot, the latest entry first"),
        row(GET, "/v1/slots/{slot}/statistics", A::Admin, C::Nothing, C::Json("Statistics"), NONE, D::Statistics, "Show the counts of a slot since this server opened it"),
        row(GET, "/v1/slots/{slot}/differences", A::Admin, C::Nothing, C::Json("DifferenceList"), HISTORY, D::Differences, "List the calls that the shadow answered differently, the latest first"),
        row(GET, "/v1/slots/{slot}/trust", A::Admin, C::Nothing, C::Json("TrustPolicy"), NONE, D::ShowSlotTrust, "Show the trust policy of a slot"),
        row(PUT, "/v1/slots/{slot}/trust", A::Admin, C::Json("TrustPolicy"), C::Json("Done"), NONE, D::SetSlotTrust, "Set the trust policy of a slot"),
        row(DELETE, "/v1/slots/{slot}/trust", A::Admin, C::Nothing, C::Json("Done"), NONE, D::UnsetSlotTrust, "Remove the own trust policy of a slot; then that of the store applies"),
        row(GET, "/v1/trust", A::Admin, C::Nothing, C::Json("TrustPolicy"), NONE, D::ShowTrust, "Show the trust policy of the store, for slots without their own"),
        row(PUT, "/v1/trust", A::Admin, C::Json("TrustPolicy"), C::Json("Done"), NONE, D::SetTrust, "Set the trust policy of the store, for slots without their own"),
        row(GET, "/v1/modules", A::Admin, C::Nothing, C::Json("ModuleList"), NONE, D::ListModules, "List the installed modules"),
        row(POST, "/v1/modules", A::Admin, C::Wasm, C::Json("Installed"), INSTALL, D::Install, "Install a module, after its signatures and tests were checked"),
        row(GET, "/v1/modules/{digest}", A::Admin, C::Nothing, C::Json("InstalledModule"), NONE, D::ShowModule, "Show a module"),
        row(GET, "/v1/modules/{digest}/wasm", A::Admin, C::Nothing, C::Wasm, NONE, D::FetchModule, "Fetch the bytes of a module"),
        row(DELETE, "/v1/modules/{digest}", A::Admin, C::Nothing, C::Json("Uninstalled"), KEEP, D::Uninstall, "Remove a module that no slot needs"),
        row(POST, "/v1/gc", A::Admin, C::Json("Collection"), C::Json("Collected"), NONE, D::Collect, "Remove modules, compiled code and differences that no slot needs"),
        row(PUT, "/v1/modules/{digest}", A::Admin, C::Wasm, C::Json("Installed"), INSTALL, D::Install, "Install the module with this digest"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_repeated_and_encoded_parameters_are_errors() {
        let route = routes().iter().find(|route| route.action == RouteAction::History).unwrap();
        let read = |text| route.read_query(Some(text)).map_err(|error| error.code().as_str());
        assert_eq!(read(""), Ok(BTreeMap::new()));
        assert_eq!(read("limit=7"), Ok(BTreeMap::from([("limit", "7".to_owned())])));
        for bad in ["limits=7", "limit=7&limit=8", "limit=%37", "limit=+7", "limit=a/b", "=", "limit[]=1"] {
            assert_eq!(read(bad), Err("wrong_usage"), "{bad}");
        }
    }
}
