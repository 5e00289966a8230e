//! What can be known of a module without compiling or running any of it, and every reason to refuse it.
//!
//! Owns the static half of the binary interface: size, features, imports, start function, memory, exports,
//! manifest. The dynamic half (does a call keep its promises) is the guest's file. Errors come in the order of
//! the module's sections; those about exports and the manifest, which need the whole module, come last.

mod exports;
mod survey;

use adjudicate_core::{Error, ErrorCode, Operation};
use wasmparser::{FuncValidatorAllocations, Parser, ValidPayload, Validator, WasmFeatures};

use crate::{
    digest::Digest,
    limits::{Limits, PAGE},
    manifest::{Manifest, Needs, refusal},
};
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

/// The static limits that bound the work of compiling a module. Our engine uses a tenth or less of each.
pub(crate) mod bounds {
    /// Functions of one module.
    pub(crate) const FUNCTIONS: u32 = 20_000;
    /// Locals of one function, its parameters not counted.
    pub(crate) const LOCALS: u32 = 5_000;
    /// Bytes of one function's body.
    pub(crate) const BODY_BYTES: u32 = 512 << 10;
    /// Tables of one module.
    pub(crate) const TABLES: u32 = 1;
    /// Elements of one table.
    pub(crate) const TABLE_ELEMENTS: u32 = 10_000;
    /// Globals of one module.
    pub(crate) const GLOBALS: u32 = 1_000;
}

/// What a module is, without having compiled or run it.
#[derive(Clone, Debug, PartialEq, Eq)]
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
}

/// The size of a module's linear memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryShape {
    /// Bytes when a call begins.
    pub initial_bytes: u64,
    /// Bytes at most, as the module declares it.
    pub maximum_bytes: u64,
}

/// Reads a module without compiling or running it; refuses what no host would load under these limits.
///
/// # Errors
///
/// One of the `module_*` codes that are about a module and not about a call, with a message that says what to
/// change in the module.
///
/// ```
/// use adjudicate_core::ErrorCode;
/// use adjudicate_host::{Limits, inspect};
/// let error = inspect(b"\x89PNG\r\n", &Limits::default()).unwrap_err();
/// assert_eq!(error.code(), ErrorCode::ModuleMalformed);
/// ```
pub fn inspect(module: &[u8], limits: &Limits) -> Result<Inspection, Error> {
    preamble(module, limits)?;
    let mut survey = Survey::new(limits);
    let mut validator = Validator::new_with_features(FEATURES);
    let mut allocations = FuncValidatorAllocations::default();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload.map_err(|error| invalid(module, error.message()))?;
        // Our own rules come before the validator's, for they have codes of their own.
        survey.visit(&payload)?;
        match validator.payload(&payload).map_err(|error| invalid(module, error.message()))? {
            ValidPayload::Func(function, body) => {
                let mut function = function.into_validator(allocations);
                function.validate(&body).map_err(|error| invalid(module, error.message()))?;
                allocations = function.into_allocations();
            }
            ValidPayload::End(types) => exports::check(types.as_ref())?,
            ValidPayload::Ok | ValidPayload::Parser(_) => {}
        }
    }
    let inspection = survey.finish(module)?;
    agreement(&inspection.manifest, &inspection, limits)?;
    Ok(inspection)
}

/// Refuses by size and first bytes, so that what was never a module is named as what it is.
fn preamble(module: &[u8], limits: &Limits) -> Result<(), Error> {
    let malformed = |message: &str| Err(Error::new(ErrorCode::ModuleMalformed, message.to_owned()));
    if module.len() > limits.module_bytes {
        let message = format!("the module has {} bytes, the limit is {}", module.len(), limits.module_bytes);
        return Err(Error::new(ErrorCode::ModuleTooLarge, message));
    }
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
    let everything = WasmFeatures::all().difference(WasmFeatures::COMPONENT_MODEL);
    match Validator::new_with_features(everything).validate_all(module) {
        Ok(_) => {
            let message =
                format!("the module uses a WebAssembly feature that policy modules may not use: {message}");
            Error::new(ErrorCode::ModuleFeature, message)
        }
        Err(_) => {
            Error::new(ErrorCode::ModuleMalformed, format!("the module is not valid WebAssembly: {message}"))
        }
    }
}

/// Compares the manifest with the module and with the limits. (That its `abi` is the exported one follows from each
/// being the one this host speaks.)
fn agreement(manifest: &Manifest, inspection: &Inspection, limits: &Limits) -> Result<(), Error> {
    if manifest.policy.is_some() && !manifest.operations.contains(&Operation::Evaluate) {
        let message = "a policy is baked in, yet `evaluate`, which it would decide, is not offered";
        return Err(refusal(message, "/operations"));
    }
    let Needs { fuel, memory_bytes, input_bytes, output_bytes } = manifest.limits.unwrap_or_default();
    if memory_bytes.is_some_and(|needed| needed > inspection.memory.maximum_bytes) {
        let message = "the module says it needs more memory than its memory's declared maximum";
        return Err(refusal(message, "/limits/memory_bytes"));
    }
    let wanted = [
        ("fuel", fuel, limits.fuel),
        ("memory_bytes", memory_bytes, limits.memory_bytes as u64),
        ("input_bytes", input_bytes, limits.input_bytes as u64),
        ("output_bytes", output_bytes, limits.output_bytes as u64),
    ];
    for (name, needed, given) in wanted {
        if let Some(needed) = needed.filter(|needed| *needed > given) {
            let message = format!("the module needs `{name}` of {needed}, this host gives {given}");
            return Err(Error::new(ErrorCode::ModuleTooLarge, message).at(format!("/limits/{name}")));
        }
    }
    Ok(())
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
