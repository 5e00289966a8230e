//! The arguments of the commands for registries.

use std::{path::PathBuf, time::Duration};

use adjudicate_core::Error;
use adjudicate_registry::{self as registry, Password, Reference, SignIn};
use clap::{ArgGroup, Args};

use crate::{
    codes, environment::Environment, options::ReportOptions, store::StoreOptions,
    store_location::StoreLocation,
};

/// The options of the connection to a registry.
#[derive(Clone, Debug, Args)]
pub(crate) struct Access {
    /// The name to sign in with [default: the entry of the docker config file, or none]
    #[arg(long, value_name = "NAME", requires = "password")]
    pub(crate) username: Option<String>,
    /// Read the password from this file
    #[arg(long, value_name = "FILE", group = "password", requires = "username")]
    pub(crate) password_file: Option<PathBuf>,
    /// Read the password from standard input
    #[arg(long, group = "password", requires = "username")]
    pub(crate) password_stdin: bool,
    /// Trust these certificate authorities (PEM), and no others
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Connect without TLS: others on the network can read and change all data
    ///
    /// The password is part of the data.
    #[arg(long, conflicts_with = "ca")]
    pub(crate) plain_http: bool,
    /// The time limit for the whole command, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) timeout: u64,
}

impl Access {
    pub(crate) fn to_registry(&self, env: &Environment) -> registry::Access {
        let password = self
            .password_file
            .as_deref()
            .map(|path| env.path(path))
            .map_or(Password::StandardInput, Password::File);
        registry::Access {
            sign_in: self.username.clone().map(|username| SignIn { username, password }),
            authorities: self.ca.as_deref().map(|path| env.path(path)),
            plain_http: self.plain_http,
            timeout: Duration::from_secs(self.timeout),
        }
    }
}

/// Push a policy module to an OCI registry.
#[derive(Debug, Args)]
pub(crate) struct Push {
    /// The file of the module; with `--installed` or `--store`, a module of the store
    ///
    /// A module of the store is NAME@VERSION, NAME, or a digest or its beginning.
    #[arg(value_name = "MODULE")]
    pub(crate) module: PathBuf,
    /// The target: REGISTRY/REPOSITORY:TAG; an existing tag moves to this module
    #[arg(value_name = "REFERENCE", value_parser = Reference::parse_tagged)]
    pub(crate) reference: Reference,
    /// MODULE is a module of the store
    #[arg(long)]
    pub(crate) installed: bool,
    #[command(flatten)]
    pub(crate) access: Access,
    #[command(flatten)]
    pub(crate) location: StoreLocation,
    #[command(flatten)]
    pub(crate) report_options: ReportOptions,
}

impl Push {
    /// Returns true if the module comes from the store.
    pub(crate) const fn is_installed(&self) -> bool {
        self.installed || self.location.store.is_some()
    }
}

/// Pull a policy module from an OCI registry.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("where").required(true).args(["output", "install"]))]
pub(crate) struct Pull {
    /// The source: REGISTRY/REPOSITORY:TAG, or REGISTRY/REPOSITORY@sha256:...
    #[arg(value_name = "REFERENCE", value_parser = Reference::parse_pullable)]
    pub(crate) reference: Reference,
    /// The file to write the module to
    ///
    /// An existing module is replaced. Any other file is not.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Install the module, as `install` does
    #[arg(long)]
    pub(crate) install: bool,
    /// Apply the trust policy and limits of this slot
    #[arg(long, value_name = "SLOT", requires = "install")]
    pub(crate) slot: Option<String>,
    /// Accept a module without a signature: for local development
    #[arg(long, requires = "install")]
    pub(crate) allow_unsigned: bool,
    #[command(flatten)]
    pub(crate) access: Access,
    #[command(flatten)]
    pub(crate) at: StoreOptions,
}

impl Pull {
    /// Refuses options of an installation without `--install`: clap accepts a missing argument if an option that excludes it is given.
    pub(super) fn check(&self, env: &Environment) -> Result<(), Error> {
        if self.install {
            // Report wrong settings of a cluster before the download.
            return self.at.nats.settings(env).map(drop);
        }
        if self.slot.is_some()
            || self.allow_unsigned
            || self.at.location.store.is_some()
            || self.at.nats.is_given()
        {
            let message =
                "`--slot`, `--allow-unsigned`, `--store` and the options of a cluster go with `--install`";
            return Err(Error::new(codes::WRONG_USAGE, message));
        }
        Ok(())
    }
}
