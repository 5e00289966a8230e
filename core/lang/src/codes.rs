//! The codes of errors: why there is no answer.

/// What an error is about, and so who can do something about it.
///
/// Only errors about an input or an operation are a policy module's to report. The others are said by whoever runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The input, or the policy.
    Input,
    /// What was asked for: this engine or module does not offer it.
    Operation,
    /// How the command or the library was called.
    Usage,
    /// Where the answer was to go.
    Output,
    /// What answers: the engine or the policy module, as a program, or the host and its slots and store.
    Module,
}

/// Declares an enum of codes with their wire text, what they are about, and their meaning.
macro_rules! error_codes {
    ($($name:ident = $text:literal about $subject:ident: $meaning:literal,)+) => {
        /// A stable code for "there is no answer" (SPEC section 1, rule 6).
        ///
        /// Codes that begin with `module_` come from a host that ran a policy module; the rest can come from any
        /// face. The text never changes once released.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum ErrorCode { $(#[doc = $meaning] $name,)+ }

        impl ErrorCode {
            /// All codes, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The code as it is written in `{"error": {"code": ...}}`.
            ///
            /// ```
            /// assert_eq!(adjudicate_lang::ErrorCode::UnknownField.as_str(), "unknown_field");
            /// ```
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// One sentence on what the code means.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning,)+ }
            }

            /// What the code is about.
            ///
            /// ```
            /// use adjudicate_lang::{ErrorCode, Subject};
            /// assert_eq!(ErrorCode::UnknownField.subject(), Subject::Input);
            /// assert_eq!(ErrorCode::ModuleTrap.subject(), Subject::Module);
            /// ```
            #[must_use]
            pub const fn subject(self) -> Subject {
                match self { $(Self::$name => Subject::$subject,)+ }
            }

            /// The code that is written so, or `None`.
            ///
            /// ```
            /// use adjudicate_lang::ErrorCode;
            /// assert_eq!(ErrorCode::from_text("duplicate_key"), Some(ErrorCode::DuplicateKey));
            /// assert_eq!(ErrorCode::from_text("no_such_code"), None);
            /// ```
            #[must_use]
            pub fn from_text(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|code| code.as_str() == text)
            }
        }
    };
}

error_codes! {
    MalformedJson = "malformed_json" about Input: "the text is not JSON, or not UTF-8",
    DuplicateKey = "duplicate_key" about Input: "an object has the same key twice",
    LimitExceeded = "limit_exceeded" about Input: "the input is too large, too deep, or too much work",
    UnknownField = "unknown_field" about Input: "an object has a member that its type does not declare",
    MissingField = "missing_field" about Input: "an object lacks a member that its type requires",
    InvalidValue = "invalid_value" about Input: "a value has the wrong type, or is outside of what its type allows",
    UnsupportedOperation = "unsupported_operation" about Operation: "the engine or module does not offer this operation",
    InvalidPolicy = "invalid_policy" about Input: "the policy document is well formed but cannot mean anything",
    InvalidExpression = "invalid_expression" about Input: "a logic expression cannot mean anything, or met a type that it does not take",
    InvalidSchema = "invalid_schema" about Input: "a JSON Schema is well formed but cannot mean anything, or refers to what is not there",
    MalformedYaml = "malformed_yaml" about Input: "the text is not YAML, or not the part of it that has a JSON form",
    UnreadableInput = "unreadable_input" about Input: "a file or stream could not be read",
    UnwritableOutput = "unwritable_output" about Output: "the answer could not be written",
    WrongUsage = "wrong_usage" about Usage: "the command line or call is not of the documented form",
    EngineLoad = "engine_load" about Module: "the WebAssembly of the engine itself could not be loaded",
    Trap = "trap" about Module: "the engine itself trapped; the next call has a fresh instance",
    ModuleMalformed = "module_malformed" about Module: "the bytes are not a WebAssembly module this host accepts",
    ModuleTooLarge = "module_too_large" about Module: "the module, or a part of it, is over a static limit",
    ModuleManifest = "module_manifest" about Module: "the manifest is missing, malformed, or disagrees with the exports",
    ModuleNeeds = "module_needs" about Module: "the module says that it needs more than this host gives",
    ModuleImports = "module_imports" about Module: "the module imports something",
    ModuleExports = "module_exports" about Module: "an export of the policy interface is missing or has the wrong type",
    ModuleAbi = "module_abi" about Module: "the module speaks a version of the interface that this host does not know",
    ModuleFeature = "module_feature" about Module: "the module uses a WebAssembly feature that policy modules may not use",
    ModuleMemoryType = "module_memory_type" about Module: "the module's memory is not one 32-bit memory of its own with a declared maximum",
    ModuleStart = "module_start" about Module: "the module has a start function, which would run before any limit is agreed",
    ModuleCompile = "module_compile" about Module: "the module could not be compiled",
    ModuleInputTooLarge = "module_input_too_large" about Module: "the input is over the limit set for the module",
    ModuleAllocRefused = "module_alloc_refused" about Module: "the module refused to make room for the input",
    ModuleOutOfFuel = "module_out_of_fuel" about Module: "the module used up its fuel",
    ModuleDeadline = "module_deadline" about Module: "the module ran past its wall-clock deadline",
    ModuleMemory = "module_memory" about Module: "the module asked for more memory than its limit",
    ModuleStack = "module_stack" about Module: "the module exhausted its stack",
    ModuleTrap = "module_trap" about Module: "the module trapped",
    ModuleBadPointer = "module_bad_pointer" about Module: "the module answered with an address outside of its memory",
    ModuleOutputTooLarge = "module_output_too_large" about Module: "the module's answer is over the limit",
    ModuleNotUtf8 = "module_not_utf8" about Module: "the module's answer is not UTF-8",
    ModuleMalformedReply = "module_malformed_reply" about Module: "the module's answer is not a reply of the policy interface",
    ModuleInvalidDecision = "module_invalid_decision" about Module: "the module's answer breaks the output contract",
    ModuleIllegalNextStep = "module_illegal_next_step" about Module: "the module chose a next step that is not allowed",
    ModuleUnsigned = "module_unsigned" about Module: "the module has no signature, and signatures are asked for",
    ModuleSignature = "module_signature" about Module: "a signature is malformed, or is not of these bytes: the module was changed after it was signed",
    ModuleUntrustedKey = "module_untrusted_key" about Module: "the module is signed, but by no key that is trusted",
    ModuleKeyExpired = "module_key_expired" about Module: "the module is signed by a trusted key that is not valid now",
    ModuleKeyRevoked = "module_key_revoked" about Module: "the module is signed by a key that was revoked",
    ModuleBelowThreshold = "module_below_threshold" about Module: "fewer trusted keys signed the module than are asked for",
    ModuleNotPinned = "module_not_pinned" about Module: "the module is not one of the digests that are pinned",
    ModuleDowngrade = "module_downgrade" about Module: "the module's version is below one that was already in force, or below the least that is accepted",
    ModuleTests = "module_tests" about Module: "a test that the module brings does not pass",
    HostOverloaded = "host_overloaded" about Module: "no instance was free in time",
    HostFault = "host_fault" about Module: "the host itself failed, for instance to reserve memory for instances",
    UnknownSlot = "unknown_slot" about Usage: "the store has no slot of this name",
    UnknownModule = "unknown_module" about Usage: "the store has no module of this digest or name",
    UnknownVersion = "unknown_version" about Usage: "the slot's history has no such entry, or none to go back to",
    SlotEmpty = "slot_empty" about Module: "nothing is active in the slot, so there is no module to answer",
    SlotChanged = "slot_changed" about Usage: "the slot is no longer as the caller expected it; nothing was changed",
    InUse = "in_use" about Usage: "a slot needs what is to be removed; nothing was removed",
    StoreFault = "store_fault" about Module: "the store could not be opened, read or written",
    ClusterFault = "cluster_fault" about Module: "the cluster that hosts share cannot be reached, refused a request, or holds something else than it should",
    BrokenChain = "broken_chain" about Input: "decision records were changed, removed or put into another order",
    Unauthorized = "unauthorized" about Usage: "the request has no valid token",
    Forbidden = "forbidden" about Usage: "the token's role does not allow this",
    NotFound = "not_found" about Usage: "there is nothing at this address",
    MethodNotAllowed = "method_not_allowed" about Usage: "the address does not take this method",
    UnsupportedMediaType = "unsupported_media_type" about Usage: "the body's content type, or its encoding, is not one that is taken here",
    RequestTimeout = "request_timeout" about Usage: "the request did not arrive in time",
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::ErrorCode;

    #[test]
    fn texts_are_unique_and_snake_case() {
        let texts: BTreeSet<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(texts.len(), ErrorCode::ALL.len());
        assert!(texts.iter().all(|text| text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'_' | b'8'))));
    }
}
