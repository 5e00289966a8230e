//! The administration of slots, modules and trust.
//!
//! Bodies are read as every document is: unknown fields, repeated fields and wrong types are errors with a path. A change of a
//! slot may name the entry that the caller expects (`expected`, or `if-match`); if the slot is in another one, the change fails.

use std::sync::Arc;

use adjudicate_core::{Error, json};
use adjudicate_host::{
    Canary, Composition, Entry, Installed, Retention, Slot, SlotSettings, Slots, Terms, Why,
};
use adjudicate_sandbox::Digest;
use axum::http::{HeaderValue, Method, StatusCode, header, request::Parts};
use serde::{Deserialize, Serialize, de::IgnoredAny};

use crate::{
    body::{self, Held},
    calls::{Asked, Calls},
    codes,
    lanes::Lanes,
    query::query,
    reply::{self, Refusal, Reply, Told, json as json_reply, written},
    routes::{Does, Takes},
};

/// The limit for the bytes of a document of administration.
const DOCUMENT: usize = 1 << 20;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `settings`")]
struct SettingsChange {
    settings: SlotSettings,
    #[serde(default)]
    note: String,
    #[serde(default)]
    expected: Option<i64>,
    #[serde(rename = "$schema", default)]
    _schema: IgnoredAny,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `composition`")]
struct CompositionChange {
    composition: Composition,
    #[serde(default)]
    note: String,
    #[serde(default)]
    expected: Option<i64>,
    #[serde(rename = "$schema", default)]
    _schema: IgnoredAny,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `composition`")]
struct ShadowChange {
    composition: json::Nullable<Composition>,
    #[serde(default)]
    note: String,
    #[serde(default)]
    expected: Option<i64>,
    #[serde(rename = "$schema", default)]
    _schema: IgnoredAny,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `canary`")]
struct CanaryChange {
    canary: json::Nullable<Canary>,
    #[serde(default)]
    note: String,
    #[serde(default)]
    expected: Option<i64>,
    #[serde(rename = "$schema", default)]
    _schema: IgnoredAny,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object, perhaps with `to`")]
struct RollbackChange {
    #[serde(default)]
    to: Option<i64>,
    #[serde(default)]
    note: String,
    #[serde(default)]
    expected: Option<i64>,
    #[serde(rename = "$schema", default)]
    _schema: IgnoredAny,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object, perhaps with `keep` and `dry_run`")]
struct Collection {
    #[serde(default)]
    keep: Option<String>,
    #[serde(default)]
    dry_run: bool,
    #[serde(rename = "$schema", default)]
    _schema: IgnoredAny,
}

#[derive(Serialize)]
struct Listed<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    slots: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<T>,
}

/// The thread pools for work on the store.
pub(crate) struct Desks {
    /// For reads.
    pub(crate) reading: Arc<Lanes>,
    /// For changes: installing and loading take long.
    pub(crate) changing: Lanes,
}

/// Answers a request of administration; `now` is in milliseconds since 1970.
pub(crate) async fn answer(calls: &Calls, desks: &Desks, asked: Asked, now: i64) -> Result<Reply, Refusal> {
    let slots = calls.slots()?.clone();
    let Asked { route, head, body, place, token, .. } = asked;
    let expected = if_match(&head)?;
    if expected.is_some() && !route.takes_condition() {
        let message = "`if-match` has no meaning for this request: only changes of a slot take it";
        return Err(Refusal::new(codes::WRONG_USAGE, message));
    }
    let limit = match route.takes {
        // The largest module that the host accepts.
        Takes::Wasm => adjudicate_sandbox::Limits::default().module_bytes.max(calls.limits.body),
        _ => DOCUMENT,
    };
    let held = match route.takes {
        Takes::Nothing => {
            body::none(body, &calls.limits).await?;
            None
        }
        _ => Some(body::read(body, &head.headers, limit, &calls.room, &calls.limits).await?),
    };
    let request = Request {
        does: route.does,
        place,
        held,
        expected,
        query: query(head.uri.query(), route.query)?.into_iter().map(own).collect(),
        token,
        now,
    };
    let slot = route.path.starts_with("/v1/slots/").then(|| request.place.clone());
    // Changes have a queue of their own, so that calls and reads do not wait for them.
    let lanes = if route.method == Method::GET { &desks.reading } else { &desks.changing };
    let reply = lanes.run(0, move || request.run(&slots)).await?;
    let mut reply = reply?;
    reply.extensions_mut().insert(Told { slot, ..Told::default() });
    Ok(reply)
}

/// Returns the entry in `if-match`, which the caller expects to be current.
fn if_match(head: &Parts) -> Result<Option<i64>, Error> {
    let mut all = head.headers.get_all(header::IF_MATCH).iter();
    let Some(only) = all.next() else { return Ok(None) };
    let entry = only.to_str().ok().and_then(|text| text.strip_prefix('"')?.strip_suffix('"')?.parse().ok());
    match (entry, all.next()) {
        (Some(entry), None) => Ok(Some(entry)),
        _ => Err(Error::new(codes::WRONG_USAGE, "`if-match` takes one entity tag, such as `\"12\"`")),
    }
}

fn own((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// A request of administration with its complete body.
struct Request {
    does: Does,
    place: String,
    held: Option<Held>,
    expected: Option<i64>,
    query: Vec<(String, String)>,
    token: Option<String>,
    /// Milliseconds since 1970.
    now: i64,
}

impl Request {
    fn run(&self, slots: &Slots) -> Result<Reply, Refusal> {
        match self.does {
            Does::ListSlots => {
                let entries = slots.store().slots()?;
                written(&Listed { slots: Some(entries), history: None })
            }
            Does::ShowSlot => of_entry(&self.slot(slots)?.entry()),
            Does::CreateSlot => {
                let SettingsChange { settings, note, expected, .. } = self.document()?;
                of_entry(&slots.create(&self.place, settings, &self.why(note, expected)?)?.entry())
            }
            Does::Configure => {
                let SettingsChange { settings, note, expected, .. } = self.document()?;
                of_entry(&self.slot(slots)?.configure(settings, &self.why(note, expected)?)?)
            }
            Does::Activate => {
                let CompositionChange { composition, note, expected, .. } = self.document()?;
                of_entry(&self.slot(slots)?.activate(composition, &self.why(note, expected)?)?)
            }
            Does::Shadow => {
                let ShadowChange { composition, note, expected, .. } = self.document()?;
                of_entry(&self.slot(slots)?.shadow(composition.0, &self.why(note, expected)?)?)
            }
            Does::Canary => {
                let CanaryChange { canary, note, expected, .. } = self.document()?;
                of_entry(&self.slot(slots)?.canary(canary.0, &self.why(note, expected)?)?)
            }
            Does::RollBack => {
                let RollbackChange { to, note, expected, .. } = self.document()?;
                of_entry(&self.slot(slots)?.rollback(to, &self.why(note, expected)?)?)
            }
            Does::History => {
                let history = self.slot(slots)?.history(self.limit()?)?;
                written(&Listed { slots: None, history: Some(history) })
            }
            Does::Statistics => written(&self.slot(slots)?.statistics()),
            Does::Differences => {
                let slot = self.slot(slots)?;
                let differences = slots.store().differences(slot.name(), self.limit()?)?;
                written(&serde_json::json!({ "differences": differences }))
            }
            Does::ShowTrust => trust(slots, None),
            Does::ShowSlotTrust => trust(slots, Some(&self.place)),
            Does::SetTrust => self.set_trust(slots, None),
            Does::SetSlotTrust => self.set_trust(slots, Some(&self.place)),
            Does::UnsetSlotTrust => {
                slots.unset_trust(&self.place)?;
                Ok(done())
            }
            Does::ListModules => written(&serde_json::json!({ "modules": slots.store().modules()? })),
            Does::ShowModule => written(&slots.store().find_module(&self.place)?),
            Does::FetchModule => {
                let bytes = slots.store().module_bytes(self.digest()?)?;
                Ok(reply::bytes(bytes.into(), HeaderValue::from_static("application/wasm")))
            }
            Does::Install => self.install(slots),
            Does::Uninstall => {
                let retention = retention(self.said("keep"))?;
                let uninstalled = slots.store().uninstall(self.digest()?, retention, self.now)?;
                written(&serde_json::json!({ "uninstalled": uninstalled }))
            }
            Does::DeleteSlot => {
                let deleted = slots.delete(&self.place, self.expected)?;
                written(&serde_json::json!({ "deleted": deleted }))
            }
            Does::Collect => {
                let Collection { keep, dry_run, .. } = self.document()?;
                written(&slots.store().collect(retention(keep.as_deref())?, self.now, dry_run)?)
            }
            _ => Err(Refusal::new(codes::NOT_FOUND, "there is nothing at this address")),
        }
    }

    fn slot(&self, slots: &Slots) -> Result<Slot, Error> {
        slots.slot(&self.place)
    }

    fn bytes(&self) -> &[u8] {
        self.held.as_ref().map_or(&[], |held| &held.bytes)
    }

    fn document<T: for<'de> Deserialize<'de>>(&self) -> Result<T, Error> {
        json::read(self.bytes(), json::Limits::DOCUMENT)?.decode()
    }

    fn digest(&self) -> Result<Digest, Error> {
        self.place.parse()
    }

    /// Returns the reason of a change. Its note names the token.
    fn why(&self, note: String, expected: Option<i64>) -> Result<Why, Error> {
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
        Ok(Why { note, expected: self.expected.or(expected) })
    }

    fn said(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn limit(&self) -> Result<u32, Error> {
        let limit = self.said("limit").map_or(Ok(50), str::parse).ok();
        limit.filter(|limit| (1..=1000).contains(limit)).ok_or_else(|| {
            Error::new(codes::WRONG_USAGE, "the query's `limit` is a whole number from 1 to 1000")
        })
    }

    fn set_trust(&self, slots: &Slots, slot: Option<&str>) -> Result<Reply, Refusal> {
        let document = std::str::from_utf8(self.bytes())
            .map_err(|_| Error::new(codes::MALFORMED_JSON, "the trust policy is not UTF-8"))?;
        slots.set_trust(slot, document)?;
        Ok(done())
    }

    fn install(&self, slots: &Slots) -> Result<Reply, Refusal> {
        if !self.place.is_empty() && self.digest()? != Digest::of(self.bytes()) {
            let message = format!("the body has another digest: {}", Digest::of(self.bytes()));
            return Err(Refusal::new(codes::INVALID_VALUE, message));
        }
        let unsigned = match self.said("unsigned") {
            None | Some("false") => false,
            Some("true") => true,
            Some(_) => {
                let message = "the query's `unsigned` is `true` or `false`";
                return Err(Refusal::new(codes::WRONG_USAGE, message));
            }
        };
        let terms = Terms { slot: self.said("slot").map(str::to_owned), unsigned };
        let installed: Installed = slots.install(self.bytes(), &terms)?;
        let mut reply = written(&installed)?;
        if installed.is_new {
            *reply.status_mut() = StatusCode::CREATED;
            if let Ok(place) = HeaderValue::from_str(&format!("/v1/modules/{}", installed.module.digest)) {
                reply.headers_mut().insert(header::LOCATION, place);
            }
        }
        Ok(reply)
    }
}

fn retention(said: Option<&str>) -> Result<Retention, Error> {
    said.map_or(Ok(Retention::default()), str::parse)
}

fn done() -> Reply {
    json_reply(r#"{"done":true}"#)
}

/// Returns a trust policy as it was written, or `{}` if there is none.
fn trust(slots: &Slots, slot: Option<&str>) -> Result<Reply, Refusal> {
    Ok(json_reply(slots.trust(slot)?.unwrap_or_else(|| "{}".to_owned())))
}

/// Returns an entry, with its number as the `etag` for a later `if-match`.
fn of_entry(entry: &Entry) -> Result<Reply, Refusal> {
    let mut reply = written(entry)?;
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{}\"", entry.id)) {
        reply.headers_mut().insert(header::ETAG, tag);
    }
    Ok(reply)
}
