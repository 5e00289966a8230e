//! Without the feature `nats`: the command has no options for clusters, and refuses an address in the environment.

use adjudicate_core::Error;
use clap::Args;

use crate::{codes, environment::Environment};

/// The environment variable with the servers of the cluster, for a command with the feature.
const VARIABLE: &str = "ADJUDICATE_NATS";

/// The settings of a cluster. There are none.
#[derive(Clone, Debug)]
pub(crate) enum ClusterSettings {}

/// The options for the address of a cluster. There are none.
#[derive(Clone, Debug, Args)]
pub(crate) struct ClusterAddress {}

/// The options for the cluster of a store. There are none.
#[derive(Clone, Debug, Args)]
pub(crate) struct Membership {}

impl ClusterAddress {
    pub(crate) fn settings(&self, env: &Environment) -> Result<Option<ClusterSettings>, Error> {
        none(env)
    }

    pub(crate) const fn is_given(&self) -> bool {
        false
    }
}

impl Membership {
    pub(crate) fn settings(&self, env: &Environment) -> Result<Option<ClusterSettings>, Error> {
        none(env)
    }

    pub(crate) const fn is_given(&self) -> bool {
        false
    }
}

fn none(env: &Environment) -> Result<Option<ClusterSettings>, Error> {
    match env.variable(VARIABLE) {
        Some(_) => {
            let message =
                format!("{VARIABLE} names a cluster, and this command was built without the feature `nats`");
            Err(Error::new(codes::WRONG_USAGE, message))
        }
        None => Ok(None),
    }
}
