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

/// Look after the decision records of a slot.
#[derive(Debug, Args)]
#[command(after_help = exit::RECORDS_HELP)]
pub(crate) struct Records {
    #[command(subcommand)]
    pub(crate) verb: RecordsVerb,
}

/// What to do with decision records.
#[derive(Debug, Subcommand)]
pub(crate) enum RecordsVerb {
    Head(Head),
    Verify(VerifyRecords),
    Export(Export),
}

/// Print the number and the hash of the last record, to be kept somewhere else: the chain must go through it ever after.
#[derive(Debug, Args)]
#[command(after_help = exit::RECORDS_HELP)]
pub(crate) struct Head {
    /// The slot
    #[arg(long, value_name = "SLOT")]
    pub(crate) slot: String,
    #[command(flatten)]
    pub(crate) place: StorePlace,
}

/// Tell whether records were changed, removed, added or put into another order, and where.
#[derive(Debug, Args)]
#[command(after_help = exit::RECORDS_HELP)]
pub(crate) struct VerifyRecords {
    /// Records as they were exported, one a line; `-` for standard input. Without it those of the slot in the store
    #[arg(value_name = "FILE", required_unless_present = "slot")]
    pub(crate) input: Option<Source>,
    /// The slot
    #[arg(long, value_name = "SLOT")]
    pub(crate) slot: Option<String>,
    /// A place that the chain must go through, as `records head` printed it, or SEQUENCE:HASH
    #[arg(long, value_name = "HEAD")]
    pub(crate) head: Vec<Link>,
    /// The place that the first line follows, where the file begins later than the chain
    #[arg(long, value_name = "HEAD", requires = "input")]
    pub(crate) after: Option<Link>,
    #[command(flatten)]
    pub(crate) place: StorePlace,
}

/// Print the records of a slot, one a line: those that a host sent to the cluster that --nats or $ADJUDICATE_NATS names; without
/// either, or with --store, those of the store.
#[derive(Debug, Args)]
#[command(after_help = exit::RECORDS_HELP)]
pub(crate) struct Export {
    /// The slot
    #[arg(long, value_name = "SLOT")]
    pub(crate) slot: String,
    /// Only records behind this number
    #[arg(long, value_name = "SEQUENCE", default_value_t = 0, value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) after: i64,
    #[command(flatten)]
    pub(crate) times: Times,
    #[command(flatten)]
    pub(crate) place: StorePlace,
    /// The host whose records are meant, where several sent some to the cluster
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
    /// The cluster whose records are meant, if they are not those of a store. Who names a store does not mean the cluster that the
    /// environment names.
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
