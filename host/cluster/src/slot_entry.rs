//! The entries of the bucket of slots: keys and values.
//!
//! ```text
//! slot.NAME   {"format", "slot", "at", "action", "note", "state", "settings"}; the entry's number is the key's revision
//! cluster     the cluster's id
//! ```

use std::borrow::Cow;

use adjudicate_core::{
    Error,
    document::{self, Document},
    json,
};
use adjudicate_host::{Proposed, SlotAction, SlotEntry, SlotSettings, SlotState};
use async_nats::jetstream::kv::Operation;
use serde::Serialize;

use crate::fault::{failed, fault, wrong_usage};

/// The format of entries that this version writes, and the only one that it reads.
const FORMAT: u32 = 1;
/// The prefix of the keys of slots.
pub(crate) const PREFIX: &str = "slot.";
/// The most characters of a name that messages show, as many as the longest name of a slot has.
const SHOWN: usize = 64;

#[derive(Document, Serialize)]
#[document(expecting = "an entry of a slot")]
struct EntryDocument {
    format: u32,
    slot: String,
    at: i64,
    action: SlotAction,
    note: String,
    state: SlotState,
    settings: SlotSettings,
}

pub(crate) fn key(slot: &str) -> Result<String, Error> {
    if slot.split('.').any(str::is_empty) {
        return Err(wrong_usage(format!(
            "`{slot}` cannot be a slot of a cluster: expected text before, after and between its dots"
        )));
    }
    Ok(format!("{PREFIX}{slot}"))
}

pub(crate) fn write(slot: &str, proposed: &Proposed<'_>) -> Result<Vec<u8>, Error> {
    let Proposed { at, action, note, state, settings } = *proposed;
    let (slot, note, state, settings) = (slot.to_owned(), note.to_owned(), state.clone(), settings.clone());
    let written = EntryDocument { format: FORMAT, slot, at, action, note, state, settings };
    serde_json::to_vec(&written).map_err(|error| failed("a slot's state cannot be written", error))
}

/// Reads the entry under a slot's key. A deleted key and a value that is not an entry are errors.
pub(crate) fn entry(
    slot: &str,
    operation: Operation,
    revision: u64,
    value: &[u8],
) -> Result<SlotEntry, Error> {
    let how = match operation {
        Operation::Put => return read(slot, revision, value),
        Operation::Delete => "deleted",
        Operation::Purge => "purged",
    };
    Err(fault(format!(
        "the slot's key was {how} in the bucket, at {revision}: this does not delete the slot, which stays as it is"
    )))
}

/// Cuts a name for a message, because keys and values of the bucket can have any text. A cut name ends in `…`, so it is no slot's.
pub(crate) fn shown(slot: &str) -> Cow<'_, str> {
    let end = slot.char_indices().nth(SHOWN).map(|(end, _)| end);
    end.and_then(|end| slot.get(..end)).map_or(Cow::Borrowed(slot), |cut| Cow::Owned(format!("{cut}…")))
}

fn read(slot: &str, revision: u64, value: &[u8]) -> Result<SlotEntry, Error> {
    let name = shown(slot);
    let malformed =
        |error| failed(&format!("entry {revision} of the slot `{name}` in the bucket cannot be read"), error);
    let id = i64::try_from(revision).map_err(|_| fault("the bucket counts further than a host"))?;
    let tape = json::read(value, json::ReadLimits::DOCUMENT).map_err(malformed)?;
    // Checks the format first, because a later format may have other fields.
    let format = tape.root().member("format").and_then(|node| node.as_number().map(str::to_owned));
    if format.as_deref() != Some("1") {
        let form = format.unwrap_or_else(|| "none".to_owned());
        return Err(fault(format!(
            "entry {revision} of the slot `{name}` in the bucket has format {form}, this host supports {FORMAT}"
        )));
    }
    let read: EntryDocument = document::read(tape.root()).map_err(malformed)?;
    if read.slot != slot {
        return Err(fault(format!(
            "entry {revision} of the slot `{name}` in the bucket belongs to the slot `{}`",
            shown(&read.slot)
        )));
    }
    let EntryDocument { slot, at, action, note, state, settings, .. } = read;
    Ok(SlotEntry { id, slot, at, action, note, state, settings })
}

#[cfg(test)]
mod tests {
    use adjudicate_host::codes;

    use super::*;

    #[test]
    fn long_keys_are_cut_in_messages_and_are_not_slots() {
        assert_eq!(shown(&"r".repeat(64)), "r".repeat(64));
        assert_eq!(shown(&"r".repeat(65)), format!("{}…", "r".repeat(64)));
        let key = "é".repeat(2000);
        let other = format!(
            r#"{{"format":1,"slot":"{key}x","at":1,"action":"configure","note":"","state":{{}},"settings":{{}}}}"#
        );
        for value in ["\u{1}", "{}", r#"{"format":1}"#, r#"{"format":2}"#, &other] {
            let error = entry(&key, Operation::Put, 7, value.as_bytes()).unwrap_err();
            assert_eq!(error.code(), codes::CLUSTER_FAULT, "{error}");
            assert!(error.message().contains(&*shown(&key)) && error.message().len() < 500, "{error}");
        }
    }
}
