//! Without the feature `modules`: no slot of a server decides.

use std::io;

use adjudicate_collect::hooks::{Agent, HookAnswer};
use adjudicate_core::Error;
use clap::Args;

use crate::{environment::Environment, usage};

/// The options for a server, which this build refuses.
#[derive(Clone, Debug, Args)]
pub(super) struct ViaArgs {
    /// Left out
    #[arg(long, value_name = "URL", hide = true)]
    via: Option<String>,
    /// Left out
    #[arg(long, value_name = "SLOT", hide = true)]
    slot: Option<String>,
    /// Left out
    #[arg(long, value_name = "FILE", hide = true)]
    token_file: Option<String>,
}

/// A slot of a server. There is none.
#[derive(Clone, Debug)]
pub(super) enum Via {}

impl ViaArgs {
    /// Refuses a slot.
    pub(super) fn slot(&self, _: &Environment) -> Result<Option<Via>, Error> {
        match [&self.via, &self.slot, &self.token_file] {
            [None, None, None] => Ok(None),
            _ => Err(usage::left_out("`--via`")),
        }
    }

    /// Returns the options for the command of an installed hook. There are none.
    pub(super) fn line(&self, env: &Environment) -> Result<String, Error> {
        self.slot(env).map(|_| String::new())
    }

    /// Returns true if a slot would decide.
    pub(super) const fn is_set(&self) -> bool {
        self.via.is_some() || self.slot.is_some()
    }

    /// Refuses to decide.
    pub(super) fn decide(&self, _: &str, _: &str, env: &Environment) -> io::Result<(String, String)> {
        let refused = self.slot(env).err().map(|error| error.to_string());
        Err(io::Error::other(refused.unwrap_or_default()))
    }
}

impl Via {
    pub(super) fn answer(&self, _: Agent, _: String) -> io::Result<HookAnswer> {
        match *self {}
    }
}
