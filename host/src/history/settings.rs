//! The settings of a slot: its limits, the answer when a module fails, and automatic rollback.

use adjudicate_core::{
    Error, ErrorCode,
    document::{self, Document},
    json,
};
use adjudicate_sandbox::{Limits, OwnLimits};
use serde::Serialize;

use crate::{codes, record::RecordSettings};

/// The answer that the caller gets when a module fails. A failure is never a pass.
///
/// Only `evaluate` has an answer for it; other operations return the error, whatever the setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFault {
    /// The error.
    #[default]
    Error,
    /// A decision: `unsafe`, with the flag `policy_module_fault`.
    FailClosed,
    /// The answer of the composition that was active before, restricted by the finding `module_fault` (status `needs_human`),
    /// which names both versions. The same as [`FailClosed`](Self::FailClosed) if a limit was reached ([`FaultRate::LIMITS`]), if
    /// that composition may no longer be active, or if it does not answer.
    LastGood,
}

/// The rate of faults at which the host rolls a slot back by itself: `faults` faults among the last `calls` calls, from at
/// least three distinct inputs. A canary that fails so often is withdrawn. A rollback is judged like an activation. If no
/// earlier composition may be active, the slot fails closed: no module is active.
///
/// Traps and broken contracts count:
///
/// | code | what the module did |
/// | --- | --- |
/// | `module_trap` | trapped |
/// | `module_bad_pointer` | answered with an address outside of its memory |
/// | `module_not_utf8` | answered with bytes that are not UTF-8 |
/// | `module_malformed_reply` | answered with a malformed reply |
/// | `module_invalid_decision` | broke the output contract |
/// | `module_illegal_next_step` | chose a step that is not allowed |
///
/// Limits never count, because callers choose the inputs that reach them: [`FaultRate::LIMITS`]. Nor does a fault on an input
/// that the engine itself refuses, for example an envelope without `allowed_next_steps`. Failures of the host (`host_fault`,
/// `host_overloaded`) and errors that a module reports do not count, either. A version that cannot be loaded or is not trusted is
/// refused at activation.
///
/// [`Statistics::faults`](crate::Statistics::faults) counts limits and `host_fault`, too. [`OnFault`] sets the answer that the
/// caller gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[document(expecting = "an object with a rate of faults")]
pub struct FaultRate {
    /// The number of faults, 1 or more.
    pub faults: u32,
    /// The number of latest calls among which faults count: 3 or more, and no fewer than `faults`.
    pub calls: u32,
}

impl FaultRate {
    /// The codes of the faults that count.
    pub const COUNTED: [ErrorCode; 6] = [
        codes::MODULE_TRAP,
        codes::MODULE_BAD_POINTER,
        codes::MODULE_NOT_UTF8,
        codes::MODULE_MALFORMED_REPLY,
        codes::MODULE_INVALID_DECISION,
        codes::MODULE_ILLEGAL_NEXT_STEP,
    ];

    /// The codes of limits, which never count: fuel, time, memory, stack, input and output. A module that refuses to make
    /// room for an input reaches a limit of its own.
    pub const LIMITS: [ErrorCode; 7] = [
        codes::MODULE_INPUT_TOO_LARGE,
        codes::MODULE_ALLOC_REFUSED,
        codes::MODULE_OUT_OF_FUEL,
        codes::MODULE_DEADLINE,
        codes::MODULE_MEMORY,
        codes::MODULE_STACK,
        codes::MODULE_OUTPUT_TOO_LARGE,
    ];

    /// The number of distinct inputs that the faults must come from. Inputs are compared by the SHA-256 of their canonical JSON.
    pub const INPUTS: u32 = 3;
}

/// The settings of a slot.
///
/// ```
/// use adjudicate_host::{OnFault, SlotSettings};
/// let settings = SlotSettings::parse(br#"{"on_fault": "fail_closed", "limits": {"fuel": 20000000},
///     "rollback": {"faults": 3, "calls": 100}}"#)?;
/// assert_eq!(settings.on_fault, OnFault::FailClosed);
/// assert!(SlotSettings::parse(br#"{"on_falt": "error"}"#).is_err());
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Document, Serialize)]
#[document(expecting = "an object of settings", root)]
pub struct SlotSettings {
    /// The answer that the caller gets when a module fails.
    #[serde(default)]
    pub on_fault: OnFault,
    /// The limits of modules in this slot.
    #[serde(default)]
    pub limits: OwnLimits,
    /// The rate of faults at which the host rolls back. Without it, the host never does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rollback: Option<FaultRate>,
    /// The decision records to keep. Without it, the host keeps none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<RecordSettings>,
}

impl SlotSettings {
    /// Reads a document of settings.
    ///
    /// # Errors
    ///
    /// As for every document: malformed JSON, unknown fields, and wrong values, each with its path; [`codes::INVALID_VALUE`]
    /// for settings that cannot work.
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        let settings: Self = document::parse(text, json::ReadLimits::DOCUMENT)?;
        settings.check()?;
        Ok(settings)
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let invalid =
            |message: String, path: &'static str| Err(Error::new(codes::INVALID_VALUE, message).at(path));
        if let Err(error) = self.limits(&Limits::default()).check() {
            return invalid(error.message().to_owned(), "/limits");
        }
        self.records.as_ref().map_or(Ok(()), RecordSettings::check)?;
        match self.rollback {
            Some(FaultRate { faults: 0, .. }) => {
                invalid("expected 1 fault or more, found 0".to_owned(), "/rollback/faults")
            }
            Some(FaultRate { faults, calls }) if calls < faults => {
                invalid("expected no more faults than calls".to_owned(), "/rollback/calls")
            }
            Some(FaultRate { calls, .. }) if calls < FaultRate::INPUTS => {
                let message = format!(
                    "a rollback needs faults from {} distinct inputs, so expected at least as many calls, found {calls}",
                    FaultRate::INPUTS
                );
                invalid(message, "/rollback/calls")
            }
            _ => Ok(()),
        }
    }

    /// Returns whether the host may have to call the composition that was active before, or roll back to it.
    pub(crate) fn rolls_back(&self) -> bool {
        self.on_fault == OnFault::LastGood || self.rollback.is_some()
    }

    /// Returns the limits of modules in the slot, on a host with these limits.
    #[must_use]
    pub fn limits(&self, host: &Limits) -> Limits {
        self.limits.over(host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_can_be_a_slots_own_and_is_on_the_page() {
        // Read at run time, so that the tests of the packed crate compile.
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/modules.md");
        let page = std::fs::read_to_string(page).unwrap();
        let host = Limits::default();
        let mut own = serde_json::to_value(OwnLimits::from(host)).unwrap();
        for (name, limit) in own.as_object_mut().unwrap() {
            *limit = (limit.as_u64().unwrap() / 2).into();
            let row = format!("| `{}` |", name.trim_end_matches("_ms"));
            assert!(page.contains(&row), "modules.md lacks {row}");
        }
        let settings = SlotSettings::parse(format!(r#"{{"limits":{own}}}"#).as_bytes()).unwrap();
        assert_eq!(serde_json::to_value(OwnLimits::from(settings.limits(&host))).unwrap(), own);
        assert_eq!(SlotSettings::default().limits(&host), host);
    }

    #[test]
    fn settings_survive_a_round_trip_and_unknown_fields_are_rejected() {
        let text = r#"{"on_fault":"last_good","limits":{"fuel":5,"deadline_ms":2000},"rollback":{"faults":1,"calls":3}}"#;
        let settings = SlotSettings::parse(text.as_bytes()).unwrap();
        assert_eq!(serde_json::to_string(&settings).unwrap(), text);
        let limits = settings.limits(&Limits::default());
        assert_eq!((limits.fuel, limits.deadline.as_secs(), limits.memory_bytes), (5, 2, 16 << 20));
        assert_eq!(SlotSettings::parse(b"{}"), Ok(SlotSettings::default()));
        let named = SlotSettings::parse(
            text.replacen('{', r#"{"$schema":"https://example.com/slot.json","#, 1).as_bytes(),
        );
        assert_eq!(serde_json::to_string(&named.unwrap()).unwrap(), text, "it is not kept");
        for (text, code, path) in [
            ("", "malformed_json", ""),
            ("[]", "invalid_value", ""),
            (r#"{"on_fault":"pass"}"#, "invalid_value", "/on_fault"),
            (r#"{"on_fault":null}"#, "invalid_value", "/on_fault"),
            (r#"{"limits":{"fule":1}}"#, "unknown_field", "/limits/fule"),
            (r#"{"limits":{"$schema":""}}"#, "unknown_field", "/limits/$schema"),
            (r#"{"limits":{"fuel":0}}"#, "invalid_value", "/limits"),
            (r#"{"limits":{"fuel":-1}}"#, "invalid_value", "/limits/fuel"),
            (r#"{"limits":{"deadline_ms":5}}"#, "invalid_value", "/limits"),
            (r#"{"rollback":{"faults":1}}"#, "missing_field", "/rollback/calls"),
            (r#"{"rollback":{"faults":0,"calls":1}}"#, "invalid_value", "/rollback/faults"),
            (r#"{"rollback":{"faults":2,"calls":1}}"#, "invalid_value", "/rollback/calls"),
            (r#"{"rollback":{"faults":1,"calls":2}}"#, "invalid_value", "/rollback/calls"),
            (r#"{"records":{"redact":["/a","b"]}}"#, "invalid_value", "/records/redact/1"),
            (r#"{"records":{"queue":0}}"#, "invalid_value", "/records/queue"),
            (r#"{"records":{"acknowledge":"never"}}"#, "invalid_value", "/records/acknowledge"),
            (r#"{"records":{"input":true}}"#, "unknown_field", "/records/input"),
        ] {
            let error = SlotSettings::parse(text.as_bytes()).unwrap_err();
            assert_eq!((error.code().as_str(), error.path()), (code, path), "{text}");
        }
    }

    #[test]
    fn errors_for_other_types_name_the_expected_document() {
        for text in ["7", r#"{"limits":"a"}"#, r#"{"rollback":true}"#, r#"{"records":true}"#] {
            let error = SlotSettings::parse(text.as_bytes()).unwrap_err();
            assert!(error.message().starts_with("expected an object "), "{text} {error}");
        }
    }

    #[test]
    fn each_wrong_setting_is_reported() {
        let text =
            br#"{"on_falt": "error", "limits": {"fuel": -1}, "rollback": {}, "records": {"redact": ["a"]}}"#;
        let error = SlotSettings::parse(text).unwrap_err();
        let paths: Vec<_> = error.all().map(Error::path).collect();
        let expected =
            ["/on_falt", "/limits/fuel", "/rollback/faults", "/rollback/calls", "/records/redact/0"];
        assert_eq!(paths, expected);
    }
}
