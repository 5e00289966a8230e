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

mod forward;
mod outbox;

pub use forward::Forwarding;

use adjudicate_core::Error;
use adjudicate_host::{Chain, Link, Record, codes};
use async_nats::jetstream::{message::StreamMessage, stream::LastRawMessageErrorKind};
use futures_util::TryStreamExt;

use crate::{
    cluster::Cluster,
    fault::{failed, fault, wrong_usage},
    identity::is_id,
    slot_entry,
};

/// The number of hosts that an error lists.
const SHOWN: usize = 20;
/// The number of digits of a host's id, after `h-`.
const HOST_DIGITS: usize = 16;

fn subject(cluster: &str, host: &str, slot: &str) -> Result<String, Error> {
    // A name that cannot be a key cannot be a subject.
    slot_entry::key(slot)?;
    Ok(format!("{cluster}.records.{host}.{slot}"))
}

/// Rejects an invalid id of a host before it becomes part of a subject.
fn check_host(host: &str) -> Result<(), Error> {
    if is_id(host, "h-", HOST_DIGITS) {
        return Ok(());
    }
    let shown: String = host.chars().take(64).collect();
    Err(wrong_usage(format!(
        "`{shown}` is not the id of a host: expected `h-` and {HOST_DIGITS} hexadecimal digits"
    )))
}

fn lines(payload: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    payload.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

fn last_record(payload: &[u8], subject: &str) -> Result<Record, Error> {
    let line = lines(payload).next_back();
    let read = line.map(Record::parse).transpose();
    read.ok()
        .flatten()
        .ok_or_else(|| fault(format!("the last message of `{subject}` has no decision record")))
}

impl Cluster {
    /// Passes the records of a slot by one host to `take`, as lines of JSON in order. Verifies each record and its link to the
    /// previous one. If the oldest records were purged from the stream, the chain starts at the first one left.
    ///
    /// # Errors
    ///
    /// - [`wrong_usage`](adjudicate_host::codes::WRONG_USAGE) with the names of the hosts if there are several and none is given.
    /// - [`unknown_slot`](adjudicate_host::codes::UNKNOWN_SLOT) if there are no records.
    /// - [`broken_chain`](adjudicate_host::codes::BROKEN_CHAIN) with the number of the first record that does not match.
    /// - [`cluster_fault`](adjudicate_host::codes::CLUSTER_FAULT), and the errors of `take`.
    ///
    /// ```no_run
    /// # fn example(cluster: &adjudicate_cluster::Cluster) -> Result<(), adjudicate_core::Error> {
    /// cluster.export_records("release", Some("h-0123456789abcdef"), |line| {
    ///     println!("{line}");
    ///     Ok::<_, adjudicate_core::Error>(())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn export_records<E: From<Error>>(
        &self,
        slot: &str,
        host: Option<&str>,
        mut take: impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        let hosts = self.record_hosts(slot)?;
        let host = choose(slot, host, &hosts)?;
        let subject = subject(self.name(), &host, slot)?;
        let mut chain: Option<Chain> = None;
        let mut next = 1;
        while let Some(message) = self.message(&subject, next)? {
            next = message.sequence.saturating_add(1);
            for line in lines(&message.payload) {
                let chain = match &mut chain {
                    Some(chain) => chain,
                    None => chain.insert(beginning(slot, line)?),
                };
                chain.line(line)?;
                take(str::from_utf8(line).map_err(|_| fault("a record in the stream is not UTF-8"))?)?;
            }
        }
        Ok(())
    }

    /// The hosts that wrote records of a slot, by name.
    fn record_hosts(&self, slot: &str) -> Result<Vec<String>, Error> {
        let (stream, filter) = (self.inner.records.clone(), subject(self.name(), "*", slot)?);
        let subjects: Vec<(String, usize)> = self.inner.wait(async move {
            let unreadable = |error| failed("the stream of records cannot be inspected", error);
            let info = stream.info_with_subjects(filter).await.map_err(unreadable)?;
            info.try_collect().await.map_err(unreadable)
        })?;
        let [before, behind] = [format!("{}.records.", self.name()), format!(".{slot}")];
        let host = |subject: &str| Some(subject.strip_prefix(&before)?.strip_suffix(&behind)?.to_owned());
        let mut hosts: Vec<String> = subjects.iter().filter_map(|(subject, _)| host(subject)).collect();
        hosts.sort();
        Ok(hosts)
    }

    /// The first message of a subject from this number on, from the leader of the stream.
    fn message(&self, subject: &str, from: u64) -> Result<Option<StreamMessage>, Error> {
        let (stream, subject) = (self.inner.records.clone(), subject.to_owned());
        self.inner.wait(async move {
            match stream.raw_message_builder().sequence(from).next_by_subject(subject).send().await {
                Ok(message) => Ok(Some(message)),
                Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
                Err(error) => Err(failed("the stream of records cannot be read", error)),
            }
        })
    }
}

/// The verifier for a chain that starts with this record.
fn beginning(slot: &str, line: &[u8]) -> Result<Chain, Error> {
    // The chain reports a record that cannot be parsed.
    let first = Record::parse(line).ok().filter(|record| record.sequence > 1);
    let before = first.map(|record| Link { sequence: record.sequence - 1, hash: record.previous });
    Ok(Chain::for_slot(slot).after(before.unwrap_or(Link::START)))
}

/// Chooses the host whose records to read.
fn choose(slot: &str, named: Option<&str>, hosts: &[String]) -> Result<String, Error> {
    let shown = hosts.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if let Some(named) = named {
        check_host(named)?;
        if hosts.iter().any(|host| host == named) {
            return Ok(named.to_owned());
        }
        let others = if hosts.is_empty() { String::new() } else { format!("; it has records by {shown}") };
        let message =
            format!("the cluster has no records of the slot `{slot}` by the host `{named}`{others}");
        return Err(Error::new(codes::UNKNOWN_SLOT, message));
    }
    match hosts {
        [host] => Ok(host.clone()),
        [] => {
            let message = format!("the cluster has no records of the slot `{slot}`");
            Err(Error::new(codes::UNKNOWN_SLOT, message))
        }
        several => Err(wrong_usage(format!(
            "{} hosts wrote records of the slot `{slot}`, each in a chain of its own; choose one of {shown}",
            several.len()
        ))),
    }
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

    #[test]
    fn one_host_is_chosen_or_all_are_listed() {
        let [a, b] = ["h-0000000000000001".to_owned(), "h-0000000000000002".to_owned()];
        let code = |named: Option<&str>, hosts: &[&String]| {
            let hosts: Vec<_> = hosts.iter().map(|host| (*host).clone()).collect();
            choose("release", named, &hosts).map_err(|error| (error.code(), error.message().contains(&a)))
        };
        assert_eq!(code(None, &[&a]), Ok(a.clone()));
        assert_eq!(code(Some(&b), &[&a, &b]), Ok(b.clone()));
        assert_eq!(code(None, &[&a, &b]), Err((codes::WRONG_USAGE, true)));
        assert_eq!(code(None, &[]), Err((codes::UNKNOWN_SLOT, false)));
        assert_eq!(code(Some(&b), &[&a]), Err((codes::UNKNOWN_SLOT, true)));
        assert_eq!(code(Some("*"), &[&a]), Err((codes::WRONG_USAGE, false)));
    }
}
