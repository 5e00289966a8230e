//! The entries of the bucket of slots: keys and values.
//!
//! ```text
//! slot.NAME   {"format", "slot", "at", "action", "note", "state", "settings"}; the entry's number is the key's revision
//! cluster     the cluster's id
//! ```

use std::borrow::Cow;

use adjudicate_core::{Error, json};
use adjudicate_host::{Action, Entry, Proposed, SlotSettings, State, codes};
use async_nats::jetstream::kv::Operation;
use serde::{Deserialize, Serialize};

use crate::fault::{failed, fault};

/// The form of an entry's value that this version writes, and the only one that it reads.
const FORMAT: u32 = 1;
/// What the keys of slots begin with.
pub(crate) const PREFIX: &str = "slot.";
/// How many characters of a name are shown: as many as a slot's has at most.
const SHOWN: usize = 64;

/// An entry as it is written.
#[derive(Serialize)]
struct Written<'a> {
    format: u32,
    slot: &'a str,
    at: i64,
    action: Action,
    note: &'a str,
    state: &'a State,
    settings: &'a SlotSettings,
}

/// An entry as it is read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    #[serde(rename = "format")]
    _format: u32,
    slot: String,
    at: i64,
    action: Action,
    note: String,
    state: State,
    settings: SlotSettings,
}

/// The key of a slot.
pub(crate) fn key(slot: &str) -> Result<String, Error> {
    if slot.split('.').any(str::is_empty) {
        let message =
            format!("`{slot}` cannot be a slot of a cluster: nothing is before, behind or between its dots");
        return Err(Error::new(codes::WRONG_USAGE, message));
    }
    Ok(format!("{PREFIX}{slot}"))
}

/// Writes the value of a slot's key.
pub(crate) fn write(slot: &str, proposed: &Proposed<'_>) -> Result<Vec<u8>, Error> {
    let Proposed { at, action, note, state, settings } = *proposed;
    let written = Written { format: FORMAT, slot, at, action, note, state, settings };
    serde_json::to_vec(&written).map_err(|error| failed("a slot's state cannot be written", error))
}

/// Reads what is under a slot's key: an entry, unless somebody took it away or wrote something else.
pub(crate) fn entry(slot: &str, operation: Operation, revision: u64, value: &[u8]) -> Result<Entry, Error> {
    let how = match operation {
        Operation::Put => return read(slot, revision, value),
        Operation::Delete => "deleted",
        Operation::Purge => "purged",
    };
    Err(fault(format!(
        "the slot's key was {how} in the bucket, at {revision}: slots are not taken away so, and it stays as it is"
    )))
}

/// As much of a name as is shown: anything can be a key, and anything can be in a value. What was cut is no slot's name.
pub(crate) fn shown(slot: &str) -> Cow<'_, str> {
    let end = slot.char_indices().nth(SHOWN).map(|(end, _)| end);
    end.and_then(|end| slot.get(..end)).map_or(Cow::Borrowed(slot), |cut| Cow::Owned(format!("{cut}…")))
}

fn read(slot: &str, revision: u64, value: &[u8]) -> Result<Entry, Error> {
    let name = shown(slot);
    let malformed = |error: &Error| {
        fault(format!("entry {revision} of the slot `{name}` in the bucket cannot be read: {error}"))
    };
    let id = i64::try_from(revision).map_err(|_| fault("the bucket counts further than a host"))?;
    let tape = json::read(value, json::Limits::DOCUMENT).map_err(|error| malformed(&error))?;
    // A later form may have other members: that it is one is said first.
    let format = tape.root().member("format").and_then(|node| node.as_number().map(str::to_owned));
    if format.as_deref() != Some("1") {
        let form = format.unwrap_or_else(|| "none".to_owned());
        return Err(fault(format!(
            "entry {revision} of the slot `{name}` in the bucket has the form {form}, this host knows {FORMAT}"
        )));
    }
    let read: Read = tape.decode().map_err(|error| malformed(&error))?;
    if read.slot != slot {
        return Err(fault(format!(
            "entry {revision} of the slot `{name}` in the bucket is of the slot `{}`",
            shown(&read.slot)
        )));
    }
    let Read { slot, at, action, note, state, settings, .. } = read;
    Ok(Entry { id, slot, at, action, note, state, settings })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_keys_do_not_make_long_messages_and_are_not_taken_for_slots() {
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
