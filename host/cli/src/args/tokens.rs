//! The tokens that a server takes.

use std::path::PathBuf;

use adjudicate_host::Role;
use clap::{Args, Subcommand, ValueEnum};
use jiff::Timestamp;

use super::{Printed, StorePlace, moment};
use crate::exit;

/// Make, list and revoke the tokens that the server takes.
#[derive(Debug, Args)]
#[command(after_help = exit::TOKEN_HELP)]
pub(crate) struct TokenVerb {
    #[command(subcommand)]
    pub(crate) action: TokenAction,
}

/// What to do with tokens.
#[derive(Debug, Subcommand)]
pub(crate) enum TokenAction {
    /// Make a token. It is shown once: the store keeps a hash of it
    #[command(after_help = exit::TOKEN_HELP)]
    Create {
        /// What the token is for
        #[arg(long, value_enum)]
        role: TokenRole,
        /// What people call it
        #[arg(long, value_name = "NAME")]
        name: String,
        /// From when on it is refused, such as 2027-01-31T12:00:00Z
        #[arg(long, value_name = "TIME", value_parser = moment)]
        expires: Option<Timestamp>,
        /// Write the token to this new file, for its owner alone, instead of printing it
        #[arg(long, value_name = "FILE")]
        token_file: Option<PathBuf>,
        #[command(flatten)]
        place: StorePlace,
    },
    /// List the tokens, also those that are no longer valid
    #[command(after_help = exit::TOKEN_HELP)]
    List {
        #[command(flatten)]
        place: StorePlace,
        #[command(flatten)]
        printed: Printed,
    },
    /// End a token
    #[command(after_help = exit::TOKEN_HELP)]
    Revoke {
        /// The token's id or name
        #[arg(value_name = "TOKEN")]
        token: String,
        #[command(flatten)]
        place: StorePlace,
    },
}

/// What a token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TokenRole {
    /// To ask: every operation, natively and of slots
    Evaluate,
    /// To change modules, slots and trust, and to ask
    Admin,
}

impl From<TokenRole> for Role {
    fn from(role: TokenRole) -> Self {
        match role {
            TokenRole::Evaluate => Self::Evaluate,
            TokenRole::Admin => Self::Admin,
        }
    }
}
