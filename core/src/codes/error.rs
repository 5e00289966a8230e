//! The codes of errors: why there is no answer.

/// Declares an enum of codes with their wire text and meaning.
macro_rules! error_codes {
    ($($(#[$group:meta])* $name:ident = $text:literal: $meaning:literal,)+) => {
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
            /// assert_eq!(adjudicate_core::ErrorCode::UnknownField.as_str(), "unknown_field");
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

            /// The code that is written so, or `None`.
            ///
            /// ```
            /// use adjudicate_core::ErrorCode;
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
    MalformedJson = "malformed_json": "the text is not JSON, or not UTF-8",
    DuplicateKey = "duplicate_key": "an object has the same key twice",
    LimitExceeded = "limit_exceeded": "the input is too large, too deep, or too much work",
    UnknownField = "unknown_field": "an object has a member that its type does not declare",
    MissingField = "missing_field": "an object lacks a member that its type requires",
    InvalidValue = "invalid_value": "a value has the wrong type, or is outside of what its type allows",
    UnsupportedOperation = "unsupported_operation": "the engine or module does not offer this operation",
    InvalidPolicy = "invalid_policy": "the policy document is well formed but cannot mean anything",
    MalformedYaml = "malformed_yaml": "the text is not YAML, or not the part of it that has a JSON form",
    UnreadableInput = "unreadable_input": "a file or stream could not be read",
    UnwritableOutput = "unwritable_output": "the answer could not be written",
    WrongUsage = "wrong_usage": "the command line or call is not of the documented form",
    EngineLoad = "engine_load": "the WebAssembly of the engine itself could not be loaded",
    Trap = "trap": "the engine itself trapped; the next call has a fresh instance",
    ModuleMalformed = "module_malformed": "the bytes are not a WebAssembly module this host accepts",
    ModuleTooLarge = "module_too_large": "the module, or a part of it, is over a static limit",
    ModuleManifest = "module_manifest": "the manifest is missing, malformed, or disagrees with the exports",
    ModuleImports = "module_imports": "the module imports something",
    ModuleExports = "module_exports": "an export of the policy interface is missing or has the wrong type",
    ModuleAbi = "module_abi": "the module speaks a version of the interface that this host does not know",
    ModuleFeature = "module_feature": "the module uses a WebAssembly feature that policy modules may not use",
    ModuleMemoryType = "module_memory_type": "the module's memory is not one 32-bit memory of its own with a declared maximum",
    ModuleStart = "module_start": "the module has a start function, which would run before any limit is agreed",
    ModuleCompile = "module_compile": "the module could not be compiled",
    ModuleInputTooLarge = "module_input_too_large": "the input is over the limit set for the module",
    ModuleAllocRefused = "module_alloc_refused": "the module refused to make room for the input",
    ModuleOutOfFuel = "module_out_of_fuel": "the module used up its fuel",
    ModuleDeadline = "module_deadline": "the module ran past its wall-clock deadline",
    ModuleMemory = "module_memory": "the module asked for more memory than its limit",
    ModuleStack = "module_stack": "the module exhausted its stack",
    ModuleTrap = "module_trap": "the module trapped",
    ModuleBadPointer = "module_bad_pointer": "the module answered with an address outside of its memory",
    ModuleOutputTooLarge = "module_output_too_large": "the module's answer is over the limit",
    ModuleNotUtf8 = "module_not_utf8": "the module's answer is not UTF-8",
    ModuleMalformedReply = "module_malformed_reply": "the module's answer is not a reply of the policy interface",
    ModuleInvalidDecision = "module_invalid_decision": "the module's answer breaks the output contract",
    ModuleIllegalNextStep = "module_illegal_next_step": "the module chose a next step that is not allowed",
    HostOverloaded = "host_overloaded": "no instance was free in time",
    HostFault = "host_fault": "the host itself failed, for instance to reserve memory for instances",
}
