//! What can be judged before anything of a module runs.

use adjudicate_core::{Error, ErrorCode};
use adjudicate_sandbox::{Inspection, Limits, codes, inspect, signature::Credentials};

use crate::{
    report::Sheet,
    requirement::{
        BOUNDS, EXPORTS, FEATURES, IMPORTS, LIMITS_MEMORY, LIMITS_NEEDS, MANIFEST, MEMORY, Requirement,
        SIGNATURE, START, VALID, VERSION,
    },
};

/// Judges the bytes; `None` if no host would run them.
pub(super) fn check(sheet: &mut Sheet, module: &[u8], limits: &Limits) -> Option<Inspection> {
    if let Err(error) = limits.admit_bytes(module) {
        sheet.stop(BOUNDS, told(&error));
        return None;
    }
    let inspection = match inspect(module) {
        Ok(inspection) => inspection,
        Err(error) => {
            sheet.stop(broken_by(error.code()), told(&error));
            return None;
        }
    };
    for requirement in [VALID, FEATURES, IMPORTS, START, BOUNDS, MEMORY, EXPORTS, MANIFEST] {
        sheet.pass(requirement);
    }
    signature(sheet, module);
    if let Err(error) = limits.admit(&inspection) {
        let needs = error.code() == codes::MODULE_NEEDS;
        sheet.stop(if needs { LIMITS_NEEDS } else { LIMITS_MEMORY }, told(&error));
        return None;
    }
    sheet.pass(LIMITS_MEMORY);
    sheet.pass(LIMITS_NEEDS);
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

fn signature(sheet: &mut Sheet, module: &[u8]) {
    match Credentials::read(module) {
        Ok(credentials) if credentials.signatures().is_empty() => {
            sheet.skip(SIGNATURE, "the module is not signed");
        }
        Ok(_) => sheet.pass(SIGNATURE),
        Err(error) => sheet.fail(SIGNATURE, told(&error)),
    }
}

/// What an error says, with its code and place.
pub(super) fn told(error: &Error) -> String {
    let place = if error.path().is_empty() { String::new() } else { format!(" at `{}`", error.path()) };
    format!("{}: {}{place}", error.code().as_str(), error.message())
}
