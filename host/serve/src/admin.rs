//! The administration of slots, modules and trust.
//!
//! Unknown fields, repeated fields and wrong types are errors with a path. A change of a slot may name the entry that the caller
//! expects (`expected`, or `if-match`). If the slot is in another entry, the change fails.

use std::collections::BTreeMap;

use adjudicate_core::{
    Error,
    document::{self, Document},
    json,
};
use adjudicate_host::{
    ChangeReason, DeletedSlot, DifferenceList, History, InstallOptions, Installed, Retention, Slot,
    SlotEntry, Slots, Uninstalled,
};
use adjudicate_sandbox::Digest;
use axum::http::{HeaderValue, Method, StatusCode, header, request::Parts};

use crate::{
    body::BufferedBody,
    calls::{Calls, RoutedRequest},
    codes,
    documents::{
        CanaryChange, Collection, CompositionChange, Done, ModuleList, RollbackChange, SettingsChange,
        ShadowChange, SlotList,
    },
    limiter::ConcurrencyLimiter,
    reply::{self, Refusal, Reply, RequestFields, json as json_reply, to_json},
    routes::{BodyContent, RouteAction},
};

/// The limit for the bytes of a document of administration.
const DOCUMENT_BYTES: usize = 1 << 20;

/// The thread pools for work on the store.
pub(crate) struct StorePools {
    /// For reads.
    pub(crate) reading: ConcurrencyLimiter,
    /// For changes: installing and loading take long.
    pub(crate) changing: ConcurrencyLimiter,
}

/// Answers a request of administration; `now` is in milliseconds since 1970.
pub(crate) async fn answer(
    calls: &Calls,
    store_pools: &StorePools,
    routed: RoutedRequest,
    now: i64,
) -> Result<Reply, Refusal> {
    let slots = calls.slots()?.clone();
    let RoutedRequest { route, head, body, path_parameter, query, token } = routed;
    let expected = if_match(&head)?;
    if expected.is_some() && !route.accepts_if_match() {
        let message = "unexpected header `if-match`: only changes of a slot use it";
        return Err(Refusal::new(codes::WRONG_USAGE, message));
    }
    let limit = match route.accepts {
        // The largest module that the host accepts.
        BodyContent::Wasm => adjudicate_sandbox::Limits::default().module_bytes.max(calls.limits.body),
        _ => DOCUMENT_BYTES,
    };
    let buffered = match route.accepts {
        BodyContent::Nothing => {
            body.none(&calls.limits).await?;
            None
        }
        _ => Some(body.read(&head.headers, limit, &calls.budget, &calls.limits).await?),
    };
    let action = route.action;
    let request = Request { action, path_parameter, buffered, expected, query, token, now };
    let slot = route.path.starts_with("/v1/slots/").then(|| request.path_parameter.clone());
    // Changes have a queue of their own, so that calls and reads do not wait for them.
    let limiter = if route.method == Method::GET { &store_pools.reading } else { &store_pools.changing };
    let mut reply = limiter.run(0, move || request.run(&slots)).await??;
    reply.extensions_mut().insert(RequestFields { slot, ..RequestFields::default() });
    Ok(reply)
}

/// Returns the entry in `if-match`, which the caller expects to be current.
fn if_match(head: &Parts) -> Result<Option<i64>, Error> {
    let mut all = head.headers.get_all(header::IF_MATCH).iter();
    let Some(only) = all.next() else { return Ok(None) };
    let entry = only.to_str().ok().and_then(|text| text.strip_prefix('"')?.strip_suffix('"')?.parse().ok());
    match (entry, all.next()) {
        (Some(entry), None) => Ok(Some(entry)),
        _ => Err(Error::new(codes::WRONG_USAGE, "expected one entity tag in `if-match`, such as `\"12\"`")),
    }
}

/// A request of administration with its complete body.
struct Request {
    action: RouteAction,
    path_parameter: String,
    buffered: Option<BufferedBody>,
    expected: Option<i64>,
    query: BTreeMap<&'static str, String>,
    token: Option<String>,
    /// Milliseconds since 1970.
    now: i64,
}

impl Request {
    fn run(&self, slots: &Slots) -> Result<Reply, Refusal> {
        match self.action {
            RouteAction::ListSlots => to_json(&SlotList { slots: slots.store().slots()? }),
            RouteAction::ShowSlot => entry_reply(&self.slot(slots)?.entry()),
            RouteAction::CreateSlot => {
                let SettingsChange { settings, note, expected } = self.document()?;
                let reason = self.change_reason(note, expected)?;
                entry_reply(&slots.create(&self.path_parameter, settings, &reason)?.entry())
            }
            RouteAction::Configure => {
                let SettingsChange { settings, note, expected } = self.document()?;
                entry_reply(&self.slot(slots)?.configure(settings, &self.change_reason(note, expected)?)?)
            }
            RouteAction::Activate => {
                let CompositionChange { composition, note, expected } = self.document()?;
                entry_reply(&self.slot(slots)?.activate(composition, &self.change_reason(note, expected)?)?)
            }
            RouteAction::Shadow => {
                let ShadowChange { composition, note, expected } = self.document()?;
                entry_reply(&self.slot(slots)?.shadow(composition.0, &self.change_reason(note, expected)?)?)
            }
            RouteAction::Canary => {
                let CanaryChange { canary, note, expected } = self.document()?;
                entry_reply(&self.slot(slots)?.canary(canary.0, &self.change_reason(note, expected)?)?)
            }
            RouteAction::RollBack => {
                let RollbackChange { to, note, expected } = self.document()?;
                entry_reply(&self.slot(slots)?.rollback(to, &self.change_reason(note, expected)?)?)
            }
            RouteAction::History => to_json(&History { history: self.slot(slots)?.history(self.limit()?)? }),
            RouteAction::Statistics => to_json(&self.slot(slots)?.statistics()),
            RouteAction::Differences => {
                let slot = self.slot(slots)?;
                let differences = slots.store().differences(slot.name(), self.limit()?)?;
                to_json(&DifferenceList { differences })
            }
            RouteAction::ShowTrust => trust(slots, None),
            RouteAction::ShowSlotTrust => trust(slots, Some(&self.path_parameter)),
            RouteAction::SetTrust => self.set_trust(slots, None),
            RouteAction::SetSlotTrust => self.set_trust(slots, Some(&self.path_parameter)),
            RouteAction::UnsetSlotTrust => {
                slots.unset_trust(&self.path_parameter)?;
                to_json(&Done { done: true })
            }
            RouteAction::ListModules => to_json(&ModuleList { modules: slots.store().modules()? }),
            RouteAction::ShowModule => to_json(&slots.store().find_module(&self.path_parameter)?),
            RouteAction::FetchModule => {
                let bytes = slots.store().module_bytes(self.digest()?)?;
                Ok(reply::body(bytes, HeaderValue::from_static("application/wasm")))
            }
            RouteAction::Install => self.install(slots),
            RouteAction::Uninstall => {
                let retention = retention(self.query_value("keep"))?;
                let uninstalled = slots.store().uninstall(self.digest()?, retention, self.now)?;
                to_json(&Uninstalled { uninstalled })
            }
            RouteAction::DeleteSlot => {
                let deleted = slots.delete(&self.path_parameter, self.expected)?;
                to_json(&DeletedSlot { deleted })
            }
            RouteAction::Collect => {
                let Collection { keep, dry_run } = self.document()?;
                to_json(&slots.store().collect(retention(keep.as_deref())?, self.now, dry_run)?)
            }
            _ => Err(Refusal::new(codes::NOT_FOUND, "unknown path; `/openapi.json` lists all paths")),
        }
    }

    fn slot(&self, slots: &Slots) -> Result<Slot, Error> {
        slots.slot(&self.path_parameter)
    }

    fn bytes(&self) -> &[u8] {
        self.buffered.as_ref().map_or(&[], |buffered| &buffered.bytes)
    }

    fn document<T: for<'t> Document<'t>>(&self) -> Result<T, Error> {
        document::parse(self.bytes(), json::ReadLimits::DOCUMENT)
    }

    fn digest(&self) -> Result<Digest, Error> {
        self.path_parameter.parse()
    }

    /// Returns the reason of a change. Its note names the token.
    fn change_reason(&self, note: String, expected: Option<i64>) -> Result<ChangeReason, Error> {
        if let (Some(header), Some(member)) = (self.expected, expected)
            && header != member
        {
            let message = "`if-match` and `expected` name different entries";
            return Err(Error::new(codes::WRONG_USAGE, message));
        }
        let note = match &self.token {
            Some(token) if note.is_empty() => format!("by token {token}"),
            Some(token) => format!("{note} (by token {token})"),
            None => note,
        };
        Ok(ChangeReason { note, expected: self.expected.or(expected) })
    }

    fn query_value(&self, name: &str) -> Option<&str> {
        self.query.get(name).map(String::as_str)
    }

    fn limit(&self) -> Result<u32, Error> {
        let limit = self.query_value("limit").map_or(Ok(50), str::parse).ok();
        limit.filter(|limit| (1..=1000).contains(limit)).ok_or_else(|| {
            Error::new(codes::WRONG_USAGE, "query parameter `limit` must be a whole number from 1 to 1000")
        })
    }

    fn set_trust(&self, slots: &Slots, slot: Option<&str>) -> Result<Reply, Refusal> {
        let document = std::str::from_utf8(self.bytes())
            .map_err(|_| Error::new(codes::MALFORMED_JSON, "the trust policy is not UTF-8"))?;
        slots.set_trust(slot, document)?;
        to_json(&Done { done: true })
    }

    fn install(&self, slots: &Slots) -> Result<Reply, Refusal> {
        if !self.path_parameter.is_empty() && self.digest()? != Digest::sha256(self.bytes()) {
            let message = format!(
                "the digest of the body is {}, not the one in the path",
                Digest::sha256(self.bytes())
            );
            return Err(Refusal::new(codes::INVALID_VALUE, message));
        }
        let unsigned = match self.query_value("unsigned") {
            None | Some("false") => false,
            Some("true") => true,
            Some(_) => {
                let message = "query parameter `unsigned` must be `true` or `false`";
                return Err(Refusal::new(codes::WRONG_USAGE, message));
            }
        };
        let terms = InstallOptions { slot: self.query_value("slot").map(str::to_owned), unsigned };
        let installed: Installed = slots.install(self.bytes(), &terms)?;
        let mut reply = to_json(&installed)?;
        if installed.is_new {
            *reply.status_mut() = StatusCode::CREATED;
            if let Ok(location) = format!("/v1/modules/{}", installed.module.digest).try_into() {
                reply.headers_mut().insert(header::LOCATION, location);
            }
        }
        Ok(reply)
    }
}

fn retention(query_value: Option<&str>) -> Result<Retention, Error> {
    query_value.map_or(Ok(Retention::default()), str::parse)
}

/// Returns a trust policy as it was written, or `{}` if there is none.
fn trust(slots: &Slots, slot: Option<&str>) -> Result<Reply, Refusal> {
    Ok(json_reply(slots.trust(slot)?.unwrap_or_else(|| "{}".to_owned())))
}

/// Returns an entry, with its number as the `etag` for a later `if-match`.
fn entry_reply(entry: &SlotEntry) -> Result<Reply, Refusal> {
    let mut reply = to_json(entry)?;
    if let Ok(tag) = format!("\"{}\"", entry.id).try_into() {
        reply.headers_mut().insert(header::ETAG, tag);
    }
    Ok(reply)
}
