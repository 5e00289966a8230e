//! The id of a cluster. The first host draws it, and it never changes.

use adjudicate_core::{Error, module::hex};
use async_nats::jetstream::{
    Context,
    kv::{Operation, Store, UpdateErrorKind},
};

use crate::{
    connection::{last, operation},
    fault::{failed, fault, wrong_usage},
    layout::{self, Storage},
};

pub(crate) const KEY: &str = "cluster";
const PREFIX: &str = "c-";
const DIGITS: usize = 32;

/// Fails unless the servers have the cluster with this name and id.
pub(crate) async fn check(jetstream: &Context, name: &str, meant: &str) -> Result<(), Error> {
    let found = match layout::find(jetstream, &Storage::Slots.stream(name)).await? {
        None => None,
        Some(_) => {
            let slots = jetstream.get_key_value(Storage::Slots.name(name)).await;
            read(&slots.map_err(|error| failed("the bucket of slots cannot be opened", error))?).await?
        }
    };
    match found {
        Some(found) if found == meant => Ok(()),
        Some(found) => Err(wrong_usage(format!(
            "expected the cluster `{name}` with the id `{meant}`, found the id `{found}`; check the server's URL and the store"
        ))),
        None => Err(fault(format!(
            "the servers have no cluster `{name}`: `{meant}` was lost, or is on other servers"
        ))),
    }
}

pub(crate) async fn read_or_make(slots: &Store) -> Result<String, Error> {
    if let Some(id) = read(slots).await? {
        return Ok(id);
    }
    let fresh = fresh()?;
    match slots.update(KEY, fresh.clone().into(), 0).await {
        Ok(_) => Ok(fresh),
        // Another host was first.
        Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => {
            read(slots).await?.ok_or_else(|| fault("the cluster's id cannot be read after it was made"))
        }
        Err(error) => Err(failed("the cluster's id cannot be made", error)),
    }
}

/// Reads the id from the leader of the bucket, because replicas may be behind. `None` for a new bucket.
async fn read(slots: &Store) -> Result<Option<String>, Error> {
    let last = last(&slots.stream, &format!("{}{KEY}", slots.prefix)).await?;
    last.map(|message| parse(operation(&message), &message.payload)).transpose()
}

/// Parses the id in a value of the bucket.
pub(crate) fn parse(operation: Operation, value: &[u8]) -> Result<String, Error> {
    if operation != Operation::Put {
        return Err(fault(format!("the key `{KEY}`, the cluster's id, was deleted from the bucket")));
    }
    let text = str::from_utf8(value).ok().filter(|text| is_id(text, PREFIX, DIGITS));
    let missing = || fault(format!("the key `{KEY}` of the bucket is not the id of a cluster"));
    text.map(str::to_owned).ok_or_else(missing)
}

/// True if a text is this prefix and so many hexadecimal digits.
pub(crate) fn is_id(text: &str, prefix: &str, count: usize) -> bool {
    let digits = text.strip_prefix(prefix).unwrap_or_default();
    digits.len() == count && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn fresh() -> Result<String, Error> {
    let mut bytes = [0; DIGITS / 2];
    getrandom::fill(&mut bytes)
        .map_err(|error| failed("the system gives no random number for the id of the cluster", error))?;
    Ok(format!("{PREFIX}{}", hex(&bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_well_formed_ids_are_accepted() {
        let id = fresh().unwrap();
        assert_ne!(id, fresh().unwrap());
        assert_eq!(parse(Operation::Put, id.as_bytes()), Ok(id.clone()));
        assert!(parse(Operation::Delete, id.as_bytes()).is_err());
        assert!(parse(Operation::Purge, b"").is_err());
        let [upper, longer] = [id.to_uppercase(), format!("{id}0")];
        for bad in ["", "c-", &upper, &longer, id.strip_prefix("c-").unwrap_or_default(), "h-00"] {
            assert!(parse(Operation::Put, bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(parse(Operation::Put, b"\xff").is_err());
    }
}
