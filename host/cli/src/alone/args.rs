//! Without the feature `nats`: the command has no options for clusters, and refuses an address in the environment.

use std::env;

use adjudicate_core::Error;
use clap::Args;

use crate::codes;

/// The environment variable with the servers of the cluster, for a command with the feature.
const PLACE: &str = "ADJUDICATE_NATS";

/// The settings of a cluster. There are none.
#[derive(Clone, Debug)]
pub(crate) enum Settings {}

/// The options for the address of a cluster. There are none.
#[derive(Clone, Debug, Args)]
pub(crate) struct ClusterPlace {}

/// The options for the cluster of a store. There are none.
#[derive(Clone, Debug, Args)]
pub(crate) struct Membership {}

impl ClusterPlace {
    pub(crate) fn settings(&self) -> Result<Option<Settings>, Error> {
        none()
    }

    pub(crate) const fn is_said(&self) -> bool {
        false
    }
}

impl Membership {
    pub(crate) fn settings(&self) -> Result<Option<Settings>, Error> {
        none()
    }

    pub(crate) const fn is_said(&self) -> bool {
        false
    }
}

fn none() -> Result<Option<Settings>, Error> {
    match env::var_os(PLACE) {
        Some(url) if !url.is_empty() => {
            let message =
                format!("{PLACE} names a cluster, and this command was built without the feature `nats`");
            Err(Error::new(codes::WRONG_USAGE, message))
        }
        _ => Ok(None),
    }
}
