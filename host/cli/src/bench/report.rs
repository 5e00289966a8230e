//! The report of measurements, which is also the form of a baseline.

use std::collections::BTreeMap;

use adjudicate_core::{
    Error,
    document::{self, Document},
    json::{self, ReadLimits, Tape},
};
use adjudicate_sandbox::Module;
use serde::Serialize;

use super::{cases::Input, measure::Measured};

/// The measurements of a policy or a module.
#[derive(Clone, Debug, Document, Serialize)]
#[document(expecting = "a report of measurements", root)]
pub(crate) struct BenchReport<'a> {
    /// The name of the module; of a policy, its name.
    pub(super) module: &'a str,
    /// The digest of the module that ran.
    pub(super) digest: &'a str,
    /// The cases, in their order.
    pub(super) cases: Vec<BenchCase<'a>>,
    /// The cases of the baseline that were not measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) not_measured: Vec<&'a str>,
}

/// The measurements of one case.
#[derive(Clone, Debug, Document, Serialize)]
#[document(expecting = "a measured case")]
pub(crate) struct BenchCase<'a> {
    /// The name of the case; of an envelope, its file.
    pub(super) name: &'a str,
    /// The units of fuel of a call. They are the same in each run, on every machine.
    pub(super) fuel: u64,
    /// The number of runs.
    pub(super) runs: u64,
    /// The median of the times, in nanoseconds.
    pub(super) median_ns: u64,
    /// The time that 99 % of the runs do not exceed, in nanoseconds.
    pub(super) p99_ns: u64,
    /// The largest size of the module's memory, in bytes.
    pub(super) memory_bytes: u64,
    /// The code of the error instead of an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<&'a str>,
    /// True if the error is a failure of the module: a limit, a trap or a broken contract.
    #[serde(default)]
    pub(super) failed: bool,
    /// The fuel in the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) baseline_fuel: Option<u64>,
    /// True if the case takes more fuel than the baseline and its tolerance allow.
    #[serde(default)]
    pub(super) regressed: bool,
}

/// Reads the text of a baseline.
pub(super) fn read(text: &[u8]) -> Result<Tape<'_>, Error> {
    json::read(text, ReadLimits::DOCUMENT).map_err(|error| error.within("baseline"))
}

/// Returns the baseline that a tape holds.
pub(super) fn parse<'t>(tape: &'t Tape<'_>) -> Result<BenchReport<'t>, Error> {
    document::read(tape.root()).map_err(|error| error.within("baseline"))
}

impl<'a> BenchReport<'a> {
    pub(super) fn new(
        module: &'a Module,
        digest: &'a str,
        inputs: &'a [Input],
        measured: &'a [Measured],
    ) -> Self {
        let nanoseconds = |time: std::time::Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let case = |(input, measured): (&'a Input, &'a Measured)| BenchCase {
            name: &input.name,
            fuel: measured.fuel,
            runs: measured.times.len() as u64,
            median_ns: nanoseconds(measured.percentile(50)),
            p99_ns: nanoseconds(measured.percentile(99)),
            memory_bytes: measured.memory_bytes,
            error: measured.error.as_deref(),
            failed: measured.is_fault,
            baseline_fuel: None,
            regressed: false,
        };
        Self {
            module: &module.manifest().name,
            digest,
            cases: inputs.iter().zip(measured).map(case).collect(),
            not_measured: Vec::new(),
        }
    }

    /// Compares with an earlier report. A case that the earlier report does not have has no baseline.
    pub(super) fn against(mut self, baseline: Option<&BenchReport<'a>>, tolerance: u32) -> Self {
        let Some(baseline) = baseline else { return self };
        let mut known: BTreeMap<&str, u64> =
            baseline.cases.iter().map(|case| (case.name, case.fuel)).collect();
        for case in &mut self.cases {
            case.baseline_fuel = known.remove(case.name);
            case.regressed = case.baseline_fuel.is_some_and(|before| {
                u128::from(case.fuel) * 100 > u128::from(before) * u128::from(100 + tolerance)
            });
        }
        self.not_measured =
            baseline.cases.iter().map(|case| case.name).filter(|name| known.contains_key(name)).collect();
        self
    }

    /// Returns true if the module failed in no case, and each case of the baseline takes no more fuel than allowed.
    pub(super) fn is_good(&self) -> bool {
        self.not_measured.is_empty() && self.cases.iter().all(|case| !case.failed && !case.regressed)
    }
}
