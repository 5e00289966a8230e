//! Decision records in the stream, by host and slot.
//!
//! ```text
//! subject   NAME.records.HOST.SLOT
//! payload   lines of JSON, each a record with its hash as it is exported: as many as there were, of one slot, in their order
//! header    Nats-Msg-Id: HOST:SLOT:FIRST-LAST; Nats-Expected-Last-Subject-Sequence: the message before it
//! ```
//!
//! Each message names the message that it follows, so no record is repeated or out of order, even if a host is killed. A message
//! must wait for the previous one. Therefore waiting records are sent together in one message. The last message of a subject is the
//! only source for how far its host came.

mod export;
mod forward;
mod outbox;

pub use forward::Forwarding;

use adjudicate_core::Error;
use adjudicate_host::{Record, codes};

use crate::{fault::fault, slot_entry};

/// The number of digits of a host's id, after `h-`.
const HOST_DIGITS: usize = 16;

/// The subject of a host's records of a slot.
fn subject(cluster: &str, host: &str, slot: &str) -> Result<String, Error> {
    // A name that cannot be a key cannot be a subject.
    slot_entry::key(slot)?;
    Ok(format!("{cluster}.records.{host}.{slot}"))
}

/// Rejects an invalid id of a host before it becomes part of a subject.
fn check_host(host: &str) -> Result<(), Error> {
    let digits = host.strip_prefix("h-").unwrap_or_default();
    if digits.len() == HOST_DIGITS && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return Ok(());
    }
    let shown: String = host.chars().take(64).collect();
    let message =
        format!("`{shown}` is not the id of a host: expected `h-` and {HOST_DIGITS} hexadecimal digits");
    Err(Error::new(codes::WRONG_USAGE, message))
}

/// The lines of a message.
fn lines(payload: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    payload.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

/// The last record of a message.
fn last_record(payload: &[u8], subject: &str) -> Result<Record, Error> {
    let line = lines(payload).next_back();
    let read = line.map(Record::parse).transpose();
    read.ok()
        .flatten()
        .ok_or_else(|| fault(format!("the last message of `{subject}` has no decision record")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hosts_and_slots_become_subjects() {
        assert_eq!(check_host("h-0123456789abcdef"), Ok(()));
        for bad in ["", "h-", "h-0123456789abcde", "h-0123456789abcdeF", "*", ">", "h-0123456789abcd.f", "a"]
        {
            assert_eq!(check_host(bad).map_err(|error| error.code()), Err(codes::WRONG_USAGE), "{bad}");
        }
        assert_eq!(subject("c", "h", "a.b").as_deref(), Ok("c.records.h.a.b"));
        for bad in ["a..b", ".", "a."] {
            assert!(subject("c", "h", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn messages_are_split_into_lines() {
        let all: Vec<_> = lines(b"a\nb\n").collect();
        assert_eq!(all, [b"a", b"b"]);
        assert_eq!(lines(b"").count(), 0);
        assert!(last_record(b"{}\n", "x").is_err());
        assert!(last_record(b"", "x").is_err());
    }
}
