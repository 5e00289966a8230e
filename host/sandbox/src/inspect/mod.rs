//! What can be known of a module without compiling or running any of it, and every reason to refuse it.
//!
//! Owns the static half of the binary interface: features, imports, start function, memory, exports, manifest, and the
//! work of compiling. The dynamic half (does a call keep its promises) is the guest's file; what one host gives and
//! another does not is left to its limits. Errors come in the order of the module's sections; those about exports and
//! the manifest, which need the whole module, come last.

mod classify;
mod effort;
mod exports;
mod survey;

use adjudicate_core::{Error, Operation, Policy};
use wasmparser::{FuncValidatorAllocations, Parser, ValidPayload, Validator, WasmFeatures};

use crate::{
    carried::Carried,
    codes,
    digest::Digest,
    manifest::{Manifest, refusal},
};
use effort::Effort;
use survey::Survey;

/// The WebAssembly features that modules may use: the common ground of wasmtime, Node and browsers that gives the
/// same results everywhere. The engine is configured from the same constant.
pub(crate) const FEATURES: WasmFeatures = WasmFeatures::MUTABLE_GLOBAL
    .union(WasmFeatures::SATURATING_FLOAT_TO_INT)
    .union(WasmFeatures::SIGN_EXTENSION)
    .union(WasmFeatures::REFERENCE_TYPES)
    .union(WasmFeatures::MULTI_VALUE)
    .union(WasmFeatures::BULK_MEMORY)
    .union(WasmFeatures::EXTENDED_CONST)
    .union(WasmFeatures::FLOATS);

/// Bytes of a page of linear memory.
pub(crate) const PAGE: usize = 64 << 10;

/// The static limits that bound the work of compiling a module. Our engine uses two thirds of the work, and a quarter or
/// less of the others.
pub(crate) mod bounds {
    /// Types of one module. A million of them took twelve seconds.
    pub(crate) const TYPES: u32 = 10_000;
    /// Exports of one module. Their names are kept for as long as the module is loaded.
    pub(crate) const EXPORTS: u32 = 10_000;
    /// Data segments of one module.
    pub(crate) const DATA_SEGMENTS: u32 = 20_000;
    /// Elements of all element segments together. They are written into the table whenever an instance starts, and nothing is
    /// charged for that; ten million of them took the compiler more than 20 GB.
    pub(crate) const SEGMENT_ELEMENTS: u32 = 50_000;
    /// Functions of one module.
    pub(crate) const FUNCTIONS: u32 = 20_000;
    /// Locals of one function, its parameters not counted.
    pub(crate) const LOCALS: u32 = 5_000;
    /// Bytes of one function's body.
    pub(crate) const BODY_BYTES: u32 = 512 << 10;
    /// Blocks, loops among them, that are open at once in one function.
    pub(crate) const NESTED_BLOCKS: u32 = 1_000;
    /// Loops that are open at once in one function.
    pub(crate) const NESTED_LOOPS: u32 = 64;
    /// Units of work, as `effort` counts them, to compile one function: a second or two, and half a gigabyte.
    pub(crate) const FUNCTION_EFFORT: u64 = 12_000_000;
    /// Units of work to compile the whole module: a few seconds.
    pub(crate) const MODULE_EFFORT: u64 = 40_000_000;
    /// Tables of one module.
    pub(crate) const TABLES: u32 = 1;
    /// Elements of one table.
    pub(crate) const TABLE_ELEMENTS: u32 = 10_000;
    /// Globals of one module.
    pub(crate) const GLOBALS: u32 = 1_000;
}

/// What a module is, without having compiled or run it.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    /// The module's identity.
    pub digest: Digest,
    /// The module's size in bytes.
    pub bytes: usize,
    /// How many functions it has.
    pub functions: u32,
    /// The size of its memory.
    pub memory: MemoryShape,
    /// The names of its exports, in its own order.
    pub exports: Vec<String>,
    /// What it says of itself.
    pub manifest: Manifest,
    /// The policy document that it carries.
    pub(crate) policy: Option<Carried>,
}

impl Inspection {
    /// The policy document that the module carries in its section `adjudicate.policy`, if it does.
    #[must_use]
    pub const fn carried(&self) -> Option<&Carried> {
        self.policy.as_ref()
    }

    /// True if the module exports `adjudicate_configure`, and so takes a policy after it was started.
    #[must_use]
    pub fn takes_policy(&self) -> bool {
        self.exports.iter().any(|name| name == "adjudicate_configure")
    }

    /// The policy that the module carries in its section `adjudicate.policy`, if it does: it is what the manifest says is
    /// baked in. Whether the module decides by it is for its code to say.
    #[must_use]
    pub fn policy(&self) -> Option<&Policy> {
        self.policy.as_ref().map(Carried::policy)
    }
}

/// The size of a module's linear memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryShape {
    /// Bytes when a call begins.
    pub initial_bytes: u64,
    /// Bytes at most, as the module declares it.
    pub maximum_bytes: u64,
}

/// Reads a module without compiling or running it; refuses what no host would load, whatever its limits.
///
/// # Errors
///
/// One of the `module_*` codes that are about a module and not about a call, with a message that says what to
/// change in the module.
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
        let payload = payload.map_err(|error| invalid(module, error.message()))?;
        // Our own rules come before the validator's, for they have codes of their own.
        survey.visit(&payload)?;
        match validator.payload(&payload).map_err(|error| invalid(module, error.message()))? {
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

/// Refuses by the first bytes, so that what was never a module is named as what it is.
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

/// Why a module is not valid here: because it uses a feature that is off, or because it is broken.
fn invalid(module: &[u8], message: &str) -> Error {
    if classify::is_valid_elsewhere(module) {
        let message =
            format!("the module uses a WebAssembly feature that policy modules may not use: {message}");
        return Error::new(codes::MODULE_FEATURE, message);
    }
    Error::new(codes::MODULE_MALFORMED, format!("the module is not valid WebAssembly: {message}"))
}

/// Compares the manifest with the module. (That its `abi` is the exported one follows from each being the one this host
/// speaks.)
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

/// A name from a module, fit for a message: names may be as long as the module.
fn shorten(name: &str) -> &str {
    name.char_indices().nth(60).and_then(|(end, _)| name.get(..end)).unwrap_or(name)
}

impl MemoryShape {
    fn new(initial_pages: u64, maximum_pages: u64) -> Self {
        Self { initial_bytes: initial_pages * PAGE as u64, maximum_bytes: maximum_pages * PAGE as u64 }
    }
}
