//! Members of the manifest whose text must mean something, checked where they are read, so that errors point there.

use std::fmt::Display;

use adjudicate_core::Operation;
use semver::Version;
use serde::{Deserialize, Deserializer, de::Error};

use super::{ABI, name::check_module_name};
use crate::digest::Digest;

pub(super) fn abi<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    match u32::deserialize(from)? {
        ABI => Ok(ABI),
        other => {
            Err(D::Error::custom(format_args!("this host speaks version `{ABI}` only, found `{other}`")))
        }
    }
}

/// A string that is not empty.
pub(super) fn name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    match String::deserialize(from)? {
        empty if empty.is_empty() => Err(D::Error::custom("expected a string that is not empty")),
        name => Ok(name),
    }
}

/// A name that a module may have.
pub(super) fn module_name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let name = String::deserialize(from)?;
    check_module_name(&name).map_err(|error| D::Error::custom(error.message()))?;
    Ok(name)
}

pub(super) fn version<'de, D: Deserializer<'de>>(from: D) -> Result<Version, D::Error> {
    let text = String::deserialize(from)?;
    let wrong = |_| D::Error::custom(format_args!("expected a version such as `1.2.0`, found `{text}`"));
    Version::parse(&text).map_err(wrong)
}

pub(super) fn digest<'de, D: Deserializer<'de>>(from: D) -> Result<Digest, D::Error> {
    let wrong = |error: adjudicate_core::Error| D::Error::custom(error.message());
    String::deserialize(from)?.parse().map_err(wrong)
}

/// Operations, at least one, each once.
pub(super) fn operations<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Operation>, D::Error> {
    let named: Vec<Named> = Deserialize::deserialize(from)?;
    let mut operations = Vec::with_capacity(named.len());
    for Named(operation) in named {
        if operations.contains(&operation) {
            return Err(wrong::<D>(format_args!("`{}` is there twice", operation.name())));
        }
        operations.push(operation);
    }
    match operations.is_empty() {
        true => Err(wrong::<D>("expected at least one operation")),
        false => Ok(operations),
    }
}

/// An operation that this host knows, by name.
struct Named(Operation);

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        let unknown = || wrong::<D>(format_args!("`{name}` is not an operation that this host knows"));
        Operation::from_name(&name).map(Self).ok_or_else(unknown)
    }
}

fn wrong<'de, D: Deserializer<'de>>(message: impl Display) -> D::Error {
    D::Error::custom(message)
}
