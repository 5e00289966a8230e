//! Checks before any code of the module runs.

use adjudicate_core::{Error, ErrorCode};
use adjudicate_sandbox::{Inspection, Limits, codes, inspect};
use adjudicate_trust::Credentials;

use crate::{
    report::ReportBuilder,
    requirement::{
        BOUNDS, EXPORTS, FEATURES, IMPORTS, LIMITS_MEMORY, LIMITS_NEEDS, MANIFEST, MEMORY, Requirement,
        SIGNATURE, START, VALID, VERSION,
    },
};

/// Judges the bytes. Returns `None` if no host would run them.
pub(super) fn check(report: &mut ReportBuilder, module: &[u8], limits: &Limits) -> Option<Inspection> {
    if let Err(error) = limits.admit_bytes(module) {
        report.stop(BOUNDS, reply(&error));
        return None;
    }
    let inspection = match inspect(module) {
        Ok(inspection) => inspection,
        Err(error) => {
            report.stop(broken_by(error.code()), reply(&error));
            return None;
        }
    };
    for requirement in [VALID, FEATURES, IMPORTS, START, BOUNDS, MEMORY, EXPORTS, MANIFEST] {
        report.pass(requirement);
    }
    signature(report, module);
    if let Err(error) = limits.admit(&inspection) {
        let needs = error.code() == codes::MODULE_NEEDS;
        report.stop(if needs { LIMITS_NEEDS } else { LIMITS_MEMORY }, reply(&error));
        return None;
    }
    report.pass(LIMITS_MEMORY);
    report.pass(LIMITS_NEEDS);
    Some(inspection)
}

fn broken_by(code: ErrorCode) -> Requirement {
    match code {
        codes::MODULE_FEATURE => FEATURES,
        codes::MODULE_IMPORTS => IMPORTS,
        codes::MODULE_START => START,
        codes::MODULE_TOO_LARGE => BOUNDS,
        codes::MODULE_MEMORY_TYPE => MEMORY,
        codes::MODULE_EXPORTS => EXPORTS,
        codes::MODULE_ABI => VERSION,
        codes::MODULE_MANIFEST => MANIFEST,
        _ => VALID,
    }
}

fn signature(report: &mut ReportBuilder, module: &[u8]) {
    match Credentials::read(module) {
        Ok(credentials) if credentials.signatures().is_empty() => {
            report.skip(SIGNATURE, "the module is not signed");
        }
        Ok(_) => report.pass(SIGNATURE),
        Err(error) => report.fail(SIGNATURE, reply(&error)),
    }
}

/// The message of an error with its code and path.
pub(super) fn reply(error: &Error) -> String {
    let place = if error.path().is_empty() { String::new() } else { format!(" at `{}`", error.path()) };
    format!("{}: {}{place}", error.code(), error.message())
}
