//! The exports that the binary interface requires, with their types.

use adjudicate_core::Error;
use wasmparser::{
    CompositeInnerType, ValType,
    types::{EntityType, TypesRef},
};

use super::shorten;
use crate::{codes, manifest::ABI};

/// A function of the interface.
struct Function {
    name: &'static str,
    /// Number of `i32` parameters.
    takes: usize,
    /// Number of `i32` results.
    gives: usize,
    required: bool,
}

const FUNCTIONS: &[Function] = &[
    Function { name: "adjudicate_abi_1", takes: 0, gives: 1, required: true },
    Function { name: "adjudicate_alloc", takes: 1, gives: 1, required: true },
    Function { name: "adjudicate_call", takes: 3, gives: 1, required: true },
    Function { name: "adjudicate_configure", takes: 2, gives: 1, required: false },
    Function { name: "_initialize", takes: 0, gives: 0, required: false },
];

/// Prefix of the names that are reserved for the interface.
const RESERVED: &str = "adjudicate_";

/// Prefix of the exports that declare a major version of the interface: a number follows.
const ABI_PREFIX: &str = "adjudicate_abi_";

/// Checks the exports of a valid module.
pub(super) fn check(types: TypesRef<'_>) -> Result<(), Error> {
    let exports = || types.core_exports().into_iter().flatten();
    let known = format!("{ABI_PREFIX}{ABI}");
    if let Some((name, _)) = exports().find(|(name, _)| name.starts_with(ABI_PREFIX) && *name != known) {
        let message =
            format!("the module exports `{}`; this host speaks version {ABI} only, `{known}`", shorten(name));
        return Err(Error::new(codes::MODULE_ABI, message));
    }
    let is_known = |name: &str| FUNCTIONS.iter().any(|function| function.name == name);
    if let Some((name, _)) = exports().find(|(name, _)| name.starts_with(RESERVED) && !is_known(name)) {
        let message = format!(
            "the module exports `{}`, which is not of the interface; names that begin with `{RESERVED}` are reserved",
            shorten(name)
        );
        return Err(refusal(message));
    }
    match exports().find(|(name, _)| *name == "memory") {
        Some((_, EntityType::Memory(_))) => {}
        Some(_) => return Err(refusal("the export `memory` is not a memory".to_owned())),
        None => return Err(refusal("the module exports no memory named `memory`".to_owned())),
    }
    for function in FUNCTIONS {
        match exports().find(|(name, _)| *name == function.name) {
            Some((_, entity)) => function.check(types, entity)?,
            None if function.required => {
                let message = format!("the module exports no `{}`: {}", function.name, function.signature());
                return Err(refusal(message));
            }
            None => {}
        }
    }
    Ok(())
}

impl Function {
    fn check(&self, types: TypesRef<'_>, entity: EntityType) -> Result<(), Error> {
        let EntityType::Func(id) = entity else {
            return Err(refusal(format!("the export `{}` is not a function", self.name)));
        };
        let ty = match types.get(id).map(|ty| &ty.composite_type.inner) {
            Some(CompositeInnerType::Func(ty)) => ty,
            _ => return Err(refusal(format!("the export `{}` has no function type", self.name))),
        };
        let all_i32 =
            |list: &[ValType], count| list.len() == count && list.iter().all(|ty| *ty == ValType::I32);
        if all_i32(ty.params(), self.takes) && all_i32(ty.results(), self.gives) {
            return Ok(());
        }
        Err(refusal(format!("the export `{}` must be of type {}", self.name, self.signature())))
    }

    fn signature(&self) -> String {
        let gives = if self.gives == 0 { "()" } else { "i32" };
        format!("({}) -> {gives}", ["i32"].repeat(self.takes).join(", "))
    }
}

fn refusal(message: String) -> Error {
    Error::new(codes::MODULE_EXPORTS, message)
}
