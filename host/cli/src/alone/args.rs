//! Without the feature `nats`: there are no options of a cluster, and an address in the environment is refused.

use std::env;

use adjudicate_core::Error;
use clap::Args;

use crate::codes;

/// Names the servers of the cluster, for a command that knows clusters.
const PLACE: &str = "ADJUDICATE_NATS";

/// The settings of a cluster, of which there are none.
#[derive(Clone, Debug)]
pub(crate) enum Settings {}

/// Where a cluster is.
#[derive(Clone, Debug, Args)]
pub(crate) struct ClusterPlace {}

/// Which cluster a store belongs to.
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
