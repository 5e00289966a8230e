//! The restriction on an answer that the last good version of a module gave because the active version failed
//! (docs/reference/slots.md).
//!
//! An earlier version may allow what the failed version forbids, so its answer needs a human. A host composes this
//! evaluation with that answer by `restrict`.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use adjudicate_lang::{Error, logic::Value};

use super::{
    facts::Facts,
    fault::{one_finding, shortened},
};
use crate::{
    codes::{ResolutionKind, Status},
    documents::{
        evaluation::ComposedEvaluation,
        finding::{ComposedFinding, Resolution, Shown},
    },
};

/// The rule, the flag and the blocker of the finding.
pub const MODULE_FAULT: &str = "module_fault";

/// A module that failed, and the versions of the two compositions: the modules of each as `name version digest`.
#[derive(Clone, Copy, Debug)]
pub struct ModuleFault<'a> {
    /// The name of the module that failed.
    pub origin: &'a str,
    /// The error.
    pub error: &'a Error,
    /// The modules that were called first.
    pub failed: &'a [String],
    /// The modules that answered instead.
    pub answered: &'a [String],
}

/// The evaluation with one finding, `module_fault`: status `needs_human`. `expected` lists the modules that failed, and `actual`
/// those that answered.
pub(crate) fn module_fault<'a>(facts: &'a Facts<'a>, fault: &ModuleFault<'a>) -> ComposedEvaluation<'a> {
    let ModuleFault { origin, error, failed, answered } = *fault;
    let status = Status::NeedsHuman;
    let names = |modules: &[String]| {
        modules.iter().map(|module| format!("`{module}`")).collect::<Vec<_>>().join(", ")
    };
    let list = |modules: &'a [String]| {
        Value::from(Shown::List(modules.iter().map(|module| Cow::Borrowed(module.as_str())).collect()))
    };
    let summary = format!(
        "{} did not answer, because `{origin}` failed with `{}`: {}; the last good version {} answered",
        names(failed),
        error.code().as_str(),
        shortened(error.message()),
        names(answered),
    );
    let hint = format!("have a human decide this step; fix `{origin}`, or activate another version");
    one_finding(
        facts,
        ComposedFinding {
            rule: MODULE_FAULT,
            status,
            flag: Some(MODULE_FAULT),
            blocker: Some(MODULE_FAULT),
            severity: status.severity(),
            summary: Cow::from(summary),
            evidence_ref: Some(Cow::Borrowed("")),
            count: None,
            expected: Some(list(failed)),
            actual: Some(list(answered)),
            resolution: Resolution { kind: ResolutionKind::NeedsApproval, hint: Cow::from(hint) },
            mode: None,
            origin,
        },
    )
}
