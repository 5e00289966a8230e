//! The documents about policy modules, slots, records and servers.

use adjudicate_conformance::{ConformanceReport, Corpus};
use adjudicate_core::schemas::{DocumentRow, row};
use adjudicate_host::{
    DeletedSlot, DifferenceList, History, Installed, Record, Removals, SlotEntry, SlotSettings, Token,
    Uninstalled, reevaluation, trust::TrustVerdict,
};
#[cfg(feature = "serve")]
use adjudicate_serve::LogLine;

#[cfg(feature = "oci")]
use crate::oci::{PullReport, PushReport};
#[cfg(feature = "serve")]
use crate::server_lines::{EndedLine, ListeningLine};
#[cfg(all(feature = "nats", feature = "serve"))]
use crate::sharing::StatusLine;
use crate::{
    bench::BenchReport,
    build::BuildReport,
    inspect::InspectReport,
    pack::PackReport,
    records::ChainPosition,
    store::{ActiveTrust, StoreContent},
    token::Tokens,
    trust::{KeyPair, SignReport},
};

/// The documents, by the task of their commands.
pub(super) const OF_MODULES: &[DocumentRow] = &[
    row::<BuildReport>(
        "build-report",
        "The report of `adjudicate build`: the module, its policy and its engine.",
    ),
    row::<PackReport>("pack-report", "The report of `adjudicate pack`: the module."),
    row::<InspectReport<'_>>(
        "inspect-report",
        "The report of `adjudicate inspect`: the manifest, the memory, the exports and the signatures of a module.",
    ),
    row::<ConformanceReport>(
        "conformance-report",
        "The report of `adjudicate conformance`: a result for each requirement for modules.",
    ),
    row::<Corpus>(
        "conformance-cases",
        "Calls of modules with their expected outcomes, for hosts: `cases.json` of `adjudicate conformance --export`.",
    ),
    row::<BenchReport<'_>>(
        "bench-report",
        "The report of `adjudicate bench --format json`: the fuel, the times and the memory of each case.",
    ),
    row::<KeyPair>(
        "keygen-report",
        "The report of `adjudicate keygen`: the files of a key pair, and its entry in a trust policy.",
    ),
    row::<SignReport>(
        "sign-report",
        "The report of `adjudicate sign`: the signed module and its signatures.",
    ),
    row::<TrustVerdict>(
        "verify-report",
        "The report of `adjudicate verify`: the verdict of a trust policy on a module and each signature.",
    ),
    row::<ActiveTrust>("trust-report", "The report of `adjudicate trust`: the trust policy that applies."),
    #[cfg(feature = "oci")]
    row::<PushReport>(
        "push-report",
        "The report of `adjudicate push`: the module, and its manifest in the registry.",
    ),
    #[cfg(feature = "oci")]
    row::<PullReport>(
        "pull-report",
        "The report of `adjudicate pull`: the module, and its file or its installation.",
    ),
    row::<Installed>("install-report", "The report of `adjudicate install`: the module in the store."),
    row::<Uninstalled>("uninstall-report", "The report of `adjudicate uninstall`: the removed module."),
    row::<StoreContent>(
        "list-report",
        "The report of `adjudicate list`: the modules and the slots of a store.",
    ),
    row::<Removals>(
        "gc-report",
        "The report of `adjudicate gc`: the removed modules, files and differences.",
    ),
    row::<SlotSettings>("slot-settings", "The settings of a slot: faults, limits, rollback, and records."),
    row::<SlotEntry>(
        "slot-entry",
        "An entry of the history of a slot: the change, and the state since then.",
    ),
    row::<History>("history-report", "The report of `adjudicate history`: the entries of a slot."),
    row::<DifferenceList>(
        "differences-report",
        "The report of `adjudicate shadow --differences`: the calls that the shadow answered differently.",
    ),
    row::<DeletedSlot>(
        "delete-report",
        "The report of `adjudicate slot --delete`: the last entry of the slot.",
    ),
    row::<Record>("record", "A decision record: a call of a slot, as a line of `adjudicate records export`."),
    row::<ChainPosition<'_>>(
        "record-position",
        "A position in the chain of decision records: `adjudicate records head` and `records verify`.",
    ),
    row::<reevaluation::ReevaluationReport>(
        "replay-summary",
        "The report of `adjudicate replay`: the changes under another version.",
    ),
    row::<Token>(
        "token",
        "A token of a server, without its secret: `adjudicate token create` and `token revoke`.",
    ),
    row::<Tokens<'_>>(
        "token-list",
        "The report of `adjudicate token list`: the tokens, without their secrets.",
    ),
    #[cfg(feature = "serve")]
    row::<ListeningLine<'_>>(
        "serve-start",
        "The first line of `adjudicate serve` on standard error: the address and the store.",
    ),
    #[cfg(all(feature = "nats", feature = "serve"))]
    row::<StatusLine<'_>>(
        "serve-cluster",
        "A line of `adjudicate serve` on standard error: the state of the host in its cluster changed.",
    ),
    #[cfg(feature = "serve")]
    row::<EndedLine>(
        "serve-end",
        "The last line of `adjudicate serve` on standard error: the work that was cut off.",
    ),
    #[cfg(feature = "serve")]
    row::<LogLine<'_>>("request-log", "A line of the log of `adjudicate serve --log`: a request."),
];
