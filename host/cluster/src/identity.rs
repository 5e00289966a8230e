//! Which cluster it is: an id that whoever is first makes, and nobody changes.

use adjudicate_core::Error;
use adjudicate_host::codes;
use async_nats::jetstream::{
    Context,
    kv::{Operation, Store, UpdateErrorKind},
};

use crate::{
    connected::{last, operation},
    fault::{failed, fault},
    layout::{self, Kept},
};

/// The key that the id is under.
pub(crate) const KEY: &str = "cluster";
const PREFIX: &str = "c-";
const DIGITS: usize = 32;

/// An error unless the servers have the cluster with this id under this name.
pub(crate) async fn check(jetstream: &Context, name: &str, meant: &str) -> Result<(), Error> {
    let found = match layout::find(jetstream, &Kept::Slots.stream(name)).await? {
        None => None,
        Some(_) => {
            let slots = jetstream.get_key_value(Kept::Slots.name(name)).await;
            read(&slots.map_err(|error| failed("the bucket of slots cannot be opened", error))?).await?
        }
    };
    match found {
        Some(found) if found == meant => Ok(()),
        Some(found) => {
            let message = format!(
                "the cluster `{name}` is `{found}` there, and not `{meant}`: is it another server, or another store?"
            );
            Err(Error::new(codes::WRONG_USAGE, message))
        }
        None => {
            Err(fault(format!("there is no cluster `{name}`: `{meant}` was lost there, or is elsewhere")))
        }
    }
}

/// Reads the id, or makes it.
pub(crate) async fn read_or_make(slots: &Store) -> Result<String, Error> {
    if let Some(id) = read(slots).await? {
        return Ok(id);
    }
    let fresh = fresh()?;
    match slots.update(KEY, fresh.clone().into(), 0).await {
        Ok(_) => Ok(fresh),
        // Somebody else was first.
        Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => {
            read(slots).await?.ok_or_else(|| fault("the cluster's id cannot be read after it was made"))
        }
        Err(error) => Err(failed("the cluster's id cannot be made", error)),
    }
}

/// The id that the bucket has; `None` in a new one. Whoever leads the bucket is asked, for others may be behind.
async fn read(slots: &Store) -> Result<Option<String>, Error> {
    let last = last(&slots.stream, &format!("{}{KEY}", slots.prefix)).await?;
    last.map(|message| parse(operation(&message), &message.payload)).transpose()
}

/// The id in an entry of the bucket.
pub(crate) fn parse(operation: Operation, value: &[u8]) -> Result<String, Error> {
    if operation != Operation::Put {
        return Err(fault(format!("the key `{KEY}`, the cluster's id, was deleted from the bucket")));
    }
    let text = str::from_utf8(value).ok().filter(|text| {
        let digits = text.strip_prefix(PREFIX).unwrap_or_default();
        digits.len() == DIGITS && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    });
    let missing = || fault(format!("the key `{KEY}` of the bucket does not hold a cluster's id"));
    text.map(str::to_owned).ok_or_else(missing)
}

fn fresh() -> Result<String, Error> {
    let mut bytes = [0; DIGITS / 2];
    getrandom::fill(&mut bytes).map_err(|error| failed("no id can be made for the cluster", error))?;
    Ok(bytes.iter().fold(PREFIX.to_owned(), |text, byte| format!("{text}{byte:02x}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ids_are_ids() {
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
