//! Finds out whether an invalid module uses forbidden features, or is broken.
//!
//! For that, the module is validated again with every feature on. The work of compiling, which `effort` counts, does not bound
//! this: nothing is compiled, and features that are off have slow instructions of their own. Instead, this module counts the steps
//! of validation, by the widest type that an instruction can carry.

use wasmparser::{
    BinaryReaderError, CompositeInnerType, FuncValidatorAllocations, FunctionBody, Operator, Parser, Payload,
    SubType, ValidPayload, Validator, WasmFeatures,
};

use super::{bounds, survey};

/// The limit of steps: a fraction of a second.
const STEPS: u64 = 30_000_000;

/// True if an invalid module is valid with every feature on. Also false if the answer would take too long.
pub(super) fn is_valid_elsewhere(module: &[u8]) -> bool {
    let features = WasmFeatures::all().difference(WasmFeatures::COMPONENT_MODEL);
    let mut validator = Validator::new_with_features(features);
    let mut allocations = FuncValidatorAllocations::default();
    let mut budget = Budget { widest: 1, types: 0, steps: 0 };
    for payload in Parser::new(0).parse_all(module) {
        let Ok(payload) = payload else { return false };
        if survey::bound(&payload).is_err() || !budget.allows(&payload).unwrap_or(false) {
            return false;
        }
        match validator.payload(&payload) {
            Ok(ValidPayload::Func(function, body)) => {
                let mut function = function.into_validator(allocations);
                if function.validate(&body).is_err() {
                    return false;
                }
                allocations = function.into_allocations();
            }
            Ok(_) => {}
            Err(_) => return false,
        }
    }
    true
}

struct Budget {
    /// The largest number of values that an instruction can take and return.
    widest: u64,
    types: usize,
    steps: u64,
}

impl Budget {
    /// True if the budget suffices to validate this payload.
    fn allows(&mut self, payload: &Payload<'_>) -> Result<bool, BinaryReaderError> {
        match payload {
            Payload::TypeSection(section) => {
                for group in section.clone() {
                    let group = group?;
                    // Types of one group refer to each other, so types are counted, not groups.
                    self.types += group.types().len();
                    self.widest = group.types().map(width).fold(self.widest, u64::max);
                }
                Ok(self.types <= bounds::TYPES as usize)
            }
            Payload::CodeSectionEntry(body) => {
                self.steps = self.steps.saturating_add(self.of_body(body)?);
                Ok(self.steps <= STEPS)
            }
            _ => Ok(true),
        }
    }

    fn of_body(&self, body: &FunctionBody<'_>) -> Result<u64, BinaryReaderError> {
        let mut steps = 0_u64;
        for operator in body.get_operators_reader()? {
            let labels = match operator? {
                Operator::BrTable { targets } => u64::from(targets.len()) + 1,
                Operator::TryTable { try_table } => try_table.catches.len() as u64 + 1,
                _ => 1,
            };
            steps = steps.saturating_add(labels.saturating_mul(self.widest));
        }
        Ok(steps)
    }
}

/// The number of values of a type.
fn width(ty: &SubType) -> u64 {
    let values = match &ty.composite_type.inner {
        CompositeInnerType::Func(ty) => ty.params().len() + ty.results().len(),
        CompositeInnerType::Struct(ty) => ty.fields.len(),
        // The most that an instruction that creates an array may take.
        CompositeInnerType::Array(_) => 10_000,
        CompositeInnerType::Cont(_) => 1_000,
    };
    values as u64
}
