//! Static checks of a module, without compiling or running it.
//!
//! This module owns the static half of the binary interface: features, imports, start function, memory, exports, manifest, and the
//! cost of compiling. `module/guest.rs` owns the dynamic half, the checks of a call. Limits that differ between hosts are in
//! `limits.rs`. Errors come in the order of the module's sections. Errors about exports and the manifest need the whole module and
//! come last.

mod classify;
mod effort;
mod exports;
mod survey;

use adjudicate_core::{Error, Operation, Policy};
use wasmparser::{
    BinaryReaderError, FuncValidatorAllocations, Parser, ValidPayload, Validator, WasmFeatures,
};

use crate::{
    Digest, codes,
    embedded_policy::EmbeddedPolicy,
    manifest::{Manifest, refusal},
};
use effort::Effort;
use survey::Survey;

/// The WebAssembly features that modules may use. Wasmtime, Node and browsers all have them, and they give the same results
/// everywhere. The engine is configured from this constant.
pub(crate) const FEATURES: WasmFeatures = WasmFeatures::MUTABLE_GLOBAL
    .union(WasmFeatures::SATURATING_FLOAT_TO_INT)
    .union(WasmFeatures::SIGN_EXTENSION)
    .union(WasmFeatures::REFERENCE_TYPES)
    .union(WasmFeatures::MULTI_VALUE)
    .union(WasmFeatures::BULK_MEMORY)
    .union(WasmFeatures::EXTENDED_CONST)
    .union(WasmFeatures::FLOATS);

/// Bytes per page of linear memory.
pub(crate) const PAGE: usize = 64 << 10;

/// The static limits that bound the cost of compiling a module. The built-in engine uses two thirds of the effort, and a quarter or
/// less of each other limit.
pub(crate) mod bounds {
    /// Types of one module. A million types took twelve seconds.
    pub(crate) const TYPES: u32 = 10_000;
    /// Exports of one module. Their names stay in memory while the module is loaded.
    pub(crate) const EXPORTS: u32 = 10_000;
    /// Data segments of one module.
    pub(crate) const DATA_SEGMENTS: u32 = 20_000;
    /// Elements of all element segments together. Each start of an instance writes them into the table, without fuel. Ten million
    /// elements took the compiler more than 20 GB.
    pub(crate) const SEGMENT_ELEMENTS: u32 = 50_000;
    /// Functions of one module.
    pub(crate) const FUNCTIONS: u32 = 20_000;
    /// Locals of one function, without its parameters.
    pub(crate) const LOCALS: u32 = 5_000;
    /// Bytes of one function's body.
    pub(crate) const BODY_BYTES: u32 = 512 << 10;
    /// Nested open blocks in one function, including loops.
    pub(crate) const NESTED_BLOCKS: u32 = 1_000;
    /// Nested open loops in one function.
    pub(crate) const NESTED_LOOPS: u32 = 64;
    /// Cost of compiling one function, in the units of `effort`: a second or two, and half a gigabyte.
    pub(crate) const FUNCTION_EFFORT: u64 = 12_000_000;
    /// Cost of compiling the whole module: a few seconds.
    pub(crate) const MODULE_EFFORT: u64 = 40_000_000;
    /// Tables of one module.
    pub(crate) const TABLES: u32 = 1;
    /// Elements of one table.
    pub(crate) const TABLE_ELEMENTS: u32 = 10_000;
    /// Globals of one module.
    pub(crate) const GLOBALS: u32 = 1_000;
}

/// The static description of a module.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    /// The module's identity.
    pub digest: Digest,
    /// The module's size in bytes.
    pub bytes: usize,
    /// The number of its functions.
    pub functions: u32,
    /// The size of its memory.
    pub memory: MemoryShape,
    /// The names of its exports, in their order.
    pub exports: Vec<String>,
    /// Its manifest.
    pub manifest: Manifest,
    /// Its policy document.
    pub(crate) policy: Option<EmbeddedPolicy>,
}

impl Inspection {
    /// The policy document in the module's section `adjudicate.policy`, if there is one.
    #[must_use]
    pub const fn embedded_policy(&self) -> Option<&EmbeddedPolicy> {
        self.policy.as_ref()
    }

    /// True if the module exports `adjudicate_configure`, and so takes a policy after its start.
    #[must_use]
    pub fn takes_policy(&self) -> bool {
        self.exports.iter().any(|name| name == "adjudicate_configure")
    }

    /// The policy in the module's section `adjudicate.policy`, if there is one. It is the policy that the manifest names. Only the
    /// module's code determines whether the module decides by it.
    #[must_use]
    pub fn policy(&self) -> Option<&Policy> {
        self.policy.as_ref().map(EmbeddedPolicy::policy)
    }
}

/// The size of a module's linear memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryShape {
    /// Initial size in bytes.
    pub initial_bytes: u64,
    /// Declared maximum in bytes.
    pub maximum_bytes: u64,
}

/// Inspects a module without compiling or running it. Rejects modules that no host loads, whatever its limits.
///
/// # Errors
///
/// A `module_*` code about modules, with a message that names the change to make.
///
/// ```
/// use adjudicate_sandbox::codes;
/// let error = adjudicate_sandbox::inspect(b"\x89PNG\r\n").unwrap_err();
/// assert_eq!(error.code(), codes::MODULE_MALFORMED);
/// ```
pub fn inspect(module: &[u8]) -> Result<Inspection, Error> {
    preamble(module)?;
    let mut survey = Survey::default();
    let mut effort = Effort::default();
    let mut validator = Validator::new_with_features(FEATURES);
    let mut allocations = FuncValidatorAllocations::default();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload.map_err(|error| invalid(module, error))?;
        // These rules come before the validator's, because they have codes of their own.
        survey.visit(&payload)?;
        match validator.payload(&payload).map_err(|error| invalid(module, error))? {
            ValidPayload::Func(function, body) => {
                let mut function = function.into_validator(allocations);
                effort.validate(module, &mut function, &body)?;
                allocations = function.into_allocations();
            }
            ValidPayload::End(types) => exports::check(types.as_ref())?,
            ValidPayload::Ok | ValidPayload::Parser(_) => {}
        }
    }
    let inspection = survey.finish(module)?;
    agreement(&inspection.manifest, &inspection.memory)?;
    Ok(inspection)
}

/// Checks the first bytes, so that the error can name what other kind of file this is.
fn preamble(module: &[u8]) -> Result<(), Error> {
    let malformed = |message: &str| Err(Error::new(codes::MODULE_MALFORMED, message.to_owned()));
    match (module, module.get(..8)) {
        ([], _) => malformed("the module is empty"),
        (_, Some(b"\0asm\x01\0\0\0")) => Ok(()),
        (_, Some(b"\0asm\x0d\0\x01\0")) => malformed(
            "this is a component; the policy interface is for core modules, so build without a component step",
        ),
        ([b'(', ..], _) => {
            malformed("this is WebAssembly text; assemble it first, for instance with `wat2wasm`")
        }
        (_, Some([b'\0', b'a', b's', b'm', ..])) => malformed("the module is of an unknown binary version"),
        _ => malformed(
            "this is not a WebAssembly module: it does not begin with the bytes `\\0asm` and version 1",
        ),
    }
}

/// The error for an invalid module: it uses a feature that is off, or it is broken.
fn invalid(module: &[u8], error: BinaryReaderError) -> Error {
    let (code, problem) = if classify::is_valid_elsewhere(module) {
        (codes::MODULE_FEATURE, "the module uses a WebAssembly feature that policy modules may not use")
    } else {
        (codes::MODULE_MALFORMED, "the module is not valid WebAssembly")
    };
    Error::new(code, format!("{problem}: {}", error.message())).with_source(error)
}

/// Compares the manifest with the module. (`abi` needs no comparison: both sides only accept the one version that this host
/// supports.)
fn agreement(manifest: &Manifest, memory: &MemoryShape) -> Result<(), Error> {
    if manifest.policy.is_some() && !manifest.operations.contains(&Operation::Evaluate) {
        let message = "a policy is baked in, yet `evaluate`, which it would decide, is not offered";
        return Err(refusal(message, "/operations"));
    }
    let needed = manifest.limits.and_then(|needs| needs.memory_bytes);
    if needed.is_some_and(|needed| needed > memory.maximum_bytes) {
        let message = "the module says it needs more memory than its memory's declared maximum";
        return Err(refusal(message, "/limits/memory_bytes"));
    }
    Ok(())
}

fn bounded(what: &str, count: u32, limit: u32) -> Result<(), Error> {
    if count <= limit {
        return Ok(());
    }
    Err(Error::new(codes::MODULE_TOO_LARGE, format!("the module has {count} {what}, the limit is {limit}")))
}

/// Shortens a name for a message: names may be as long as the module.
fn shorten(name: &str) -> &str {
    name.char_indices().nth(60).and_then(|(end, _)| name.get(..end)).unwrap_or(name)
}

impl MemoryShape {
    fn new(initial_pages: u64, maximum_pages: u64) -> Self {
        Self { initial_bytes: initial_pages * PAGE as u64, maximum_bytes: maximum_pages * PAGE as u64 }
    }
}
