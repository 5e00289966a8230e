//! The arguments of `records`.

use adjudicate_core::Error;
use adjudicate_host::Link;
use clap::{Args, Subcommand};

use super::Times;
use crate::{
    cluster::{Cluster, ClusterPlace},
    exit,
    input::Source,
    options::wrong,
    place::StorePlace,
};

/// Verify or export the decision records of a slot.
#[derive(Debug, Args)]
#[command(after_help = exit::RECORDS_HELP)]
pub(crate) struct Records {
    #[command(subcommand)]
    pub(crate) verb: RecordsVerb,
}

/// A command on decision records.
#[derive(Debug, Subcommand)]
pub(crate) enum RecordsVerb {
    Head(Head),
    Verify(VerifyRecords),
    Export(Export),
}

/// Print the number and the hash of the last record. Keep them elsewhere: the chain must contain this record from then on.
#[derive(Debug, Args)]
#[command(after_help = exit::RECORDS_HELP)]
pub(crate) struct Head {
    /// The slot
    #[arg(long, value_name = "SLOT")]
    pub(crate) slot: String,
    #[command(flatten)]
    pub(crate) place: StorePlace,
}

/// Check whether records were changed, removed, added or reordered, and where.
#[derive(Debug, Args)]
#[command(after_help = exit::RECORDS_HELP)]
pub(crate) struct VerifyRecords {
    /// Exported records, one a line; `-` for standard input. By default, the records of the slot in the store
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
    pub(crate) place: StorePlace,
}

/// Print the records of a slot, one a line. With --nats or $ADJUDICATE_NATS, the records that a host sent to the cluster; without
/// either, or with --store, the records of the store.
#[derive(Debug, Args)]
#[command(after_help = exit::RECORDS_HELP)]
pub(crate) struct Export {
    /// The slot
    #[arg(long, value_name = "SLOT")]
    pub(crate) slot: String,
    /// Only records after this number
    #[arg(long, value_name = "SEQUENCE", default_value_t = 0, value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) after: i64,
    #[command(flatten)]
    pub(crate) times: Times,
    #[command(flatten)]
    pub(crate) place: StorePlace,
    /// The host whose records to print, if several hosts sent records to the cluster
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "ID", conflicts_with = "store")]
    pub(crate) host_id: Option<String>,
    #[command(flatten)]
    pub(crate) nats: ClusterPlace,
}

impl VerifyRecords {
    /// Refuses what no single argument shows to be wrong.
    pub(super) fn check(&self) -> Result<(), Error> {
        match (&self.input, &self.place.store) {
            (Some(_), Some(_)) => wrong("records are in the store or in FILE, not in both"),
            _ => Ok(()),
        }
    }
}

impl Export {
    /// Returns the cluster whose records to print, or `None` for a store. With `--store` the environment variable is ignored.
    pub(super) fn cluster(&self) -> Result<Option<Cluster>, Error> {
        let is_of_store = self.place.store.is_some() && !self.nats.is_said();
        let cluster = if is_of_store { None } else { self.nats.settings()? };
        #[cfg(feature = "nats")]
        if cluster.is_none() && self.host_id.is_some() {
            return wrong("`--host-id` names a host of a cluster: say `--nats`, too");
        }
        Ok(cluster)
    }

    /// Refuses what no single argument shows to be wrong.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.nats.is_said() && self.place.store.is_some() {
            return wrong("records are those of a store or of a cluster, not of both");
        }
        let is_part = self.after > 0 || self.times.since.is_some() || self.times.until.is_some();
        if is_part && self.cluster()?.is_some() {
            return wrong(
                "a cluster's records are printed as a whole, without `--after`, `--since` and `--until`; \
                 for those of a store say `--store`",
            );
        }
        Ok(())
    }
}
