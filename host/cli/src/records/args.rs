//! The arguments of `records`.

use adjudicate_core::Error;
use adjudicate_host::Link;
use clap::{Args, Subcommand};

use super::TimeRange;
use crate::{
    cluster::{Cluster, ClusterAddress},
    environment::Environment,
    input::Source,
    options::usage_error,
    store_location::StoreLocation,
};

/// Verify or export the decision records of a slot.
#[derive(Debug, Args)]
pub(crate) struct Records {
    #[command(subcommand)]
    pub(crate) command: RecordsCommand,
}

/// A command on decision records.
#[derive(Debug, Subcommand)]
pub(crate) enum RecordsCommand {
    Head(Head),
    Verify(VerifyRecords),
    Export(Export),
}

/// Print the number and the hash of the last record.
///
/// Store them in another place: the chain must contain this record from then on.
#[derive(Debug, Args)]
pub(crate) struct Head {
    /// The slot
    #[arg(long, value_name = "SLOT")]
    pub(crate) slot: String,
    #[command(flatten)]
    pub(crate) location: StoreLocation,
}

/// Check whether records were changed, removed, added or reordered, and where.
#[derive(Debug, Args)]
pub(crate) struct VerifyRecords {
    /// Exported records, one per line; `-` for standard input
    ///
    /// By default, the command reads the records of the slot in the store.
    #[arg(value_name = "FILE", required_unless_present = "slot")]
    pub(crate) input: Option<Source>,
    /// The slot
    #[arg(long, value_name = "SLOT")]
    pub(crate) slot: Option<String>,
    /// A record that the chain must contain, as `records head` printed it, or SEQUENCE:HASH
    #[arg(long, value_name = "HEAD")]
    pub(crate) head: Vec<Link>,
    /// The record before the first line, if the file begins later than the chain
    #[arg(long, value_name = "HEAD", requires = "input")]
    pub(crate) after: Option<Link>,
    #[command(flatten)]
    pub(crate) location: StoreLocation,
}

/// Print the records of a slot, one per line.
///
/// With --nats or $ADJUDICATE_NATS, the records are those that a host sent to the cluster. Without both, or with --store, they are
/// those of the store.
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The slot
    #[arg(long, value_name = "SLOT")]
    pub(crate) slot: String,
    /// Only records after this number
    #[arg(long, value_name = "SEQUENCE", default_value_t = 0, value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) after: i64,
    #[command(flatten)]
    pub(crate) times: TimeRange,
    #[command(flatten)]
    pub(crate) location: StoreLocation,
    /// The host whose records to print, if several hosts sent records to the cluster
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "ID", conflicts_with = "store")]
    pub(crate) host_id: Option<String>,
    #[command(flatten)]
    pub(crate) nats: ClusterAddress,
}

impl VerifyRecords {
    /// Rejects arguments that do not fit together.
    pub(super) fn check(&self) -> Result<(), Error> {
        match (&self.input, &self.location.store) {
            (Some(_), Some(_)) => usage_error("`--store` cannot be used with FILE"),
            _ => Ok(()),
        }
    }
}

impl Export {
    /// Returns the cluster whose records to print, or `None` for a store. With `--store` the environment variable is ignored.
    pub(super) fn cluster(&self, env: &Environment) -> Result<Option<Cluster>, Error> {
        let is_of_store = self.location.store.is_some() && !self.nats.is_given();
        let cluster = if is_of_store { None } else { self.nats.settings(env)? };
        #[cfg(feature = "nats")]
        if cluster.is_none() && self.host_id.is_some() {
            return usage_error("`--host-id` needs a cluster: `--nats` or $ADJUDICATE_NATS");
        }
        Ok(cluster)
    }

    /// Rejects arguments that do not fit together.
    pub(super) fn check(&self, env: &Environment) -> Result<(), Error> {
        if self.nats.is_given() && self.location.store.is_some() {
            return usage_error("`--store` cannot be used with the options of a cluster");
        }
        let is_part = self.after > 0 || self.times.since.is_some() || self.times.until.is_some();
        if is_part && self.cluster(env)?.is_some() {
            return usage_error(
                "`--after`, `--since` and `--until` cannot be used with a cluster, whose records are printed as a whole; \
                 for the records of a store, add `--store`",
            );
        }
        Ok(())
    }
}
