//! The cost of compiling a function, counted during validation and before compiling.
//!
//! Compile time grows faster than the size of a function: with the live values at each branch, with the earlier branches, and with
//! the cube of the nesting of loops. A module of 70 KB can take minutes. The weights were measured with wasmtime 48. A million
//! units take about 0.1 s for the built-in engine, and at most 0.2 s and 50 MB for modules that were written to be slow.

use adjudicate_core::Error;
use wasmparser::{
    BinaryReaderError, FuncValidator, FunctionBody, Operator, OperatorsReader, ValidatorResources,
};

use super::{FEATURES, bounded, bounds, invalid};
use crate::codes;

/// Base cost of a function.
const FUNCTION: u64 = 1_000;
/// Cost of an operator that computes a value.
const PLAIN: u64 = 10;
/// Cost of an operator that ends a straight run of code, or calls.
const BRANCH: u64 = 100;
/// Cost of each local at a branch.
const LOCAL: u64 = 1;
/// Cost of each operand at a branch, because all of them may be arguments of a call or a block.
const OPERAND: u64 = 64;
/// Number of earlier branches that add one unit to a branch.
const EARLIER_BRANCHES: u64 = 16;

/// The cost of all functions so far.
#[derive(Debug, Default)]
pub(super) struct Effort {
    module: u64,
}

impl Effort {
    /// Validates a function. Rejects one that takes too long to compile.
    pub(super) fn validate(
        &mut self,
        module: &[u8],
        function: &mut FuncValidator<ValidatorResources>,
        body: &FunctionBody<'_>,
    ) -> Result<(), Error> {
        let broken = |error: BinaryReaderError| invalid(module, error);
        let mut reader = body.get_binary_reader();
        reader.set_features(FEATURES);
        function.read_locals(&mut reader).map_err(broken)?;
        let mut operators = OperatorsReader::new(reader);
        let mut tally = Tally::default();
        while !operators.eof() {
            let (operator, at) = operators.read_with_offset().map_err(broken)?;
            let before = function.operand_stack_height();
            function.op(at, &operator).map_err(broken)?;
            let operands = before.max(function.operand_stack_height());
            tally.add(&operator, function.len_locals(), operands)?;
        }
        operators.finish().map_err(broken)?;
        self.add(tally.units.saturating_add(FUNCTION))
    }

    fn add(&mut self, function: u64) -> Result<(), Error> {
        affordable("one function", function, bounds::FUNCTION_EFFORT)?;
        self.module = self.module.saturating_add(function);
        affordable("the module", self.module, bounds::MODULE_EFFORT)
    }
}

/// The cost of one function.
#[derive(Debug, Default)]
struct Tally {
    units: u64,
    branches: u64,
    /// For each open block, whether it is a loop.
    open: Vec<bool>,
    loops: u32,
}

impl Tally {
    fn add(&mut self, operator: &Operator<'_>, locals: u32, operands: u32) -> Result<(), Error> {
        let branches = match operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => {
                self.begin(matches!(operator, Operator::Loop { .. }))?;
                1
            }
            Operator::End => {
                self.loops -= u32::from(self.open.pop() == Some(true));
                1
            }
            Operator::BrTable { targets } => u64::from(targets.len()) + 1,
            // These operators compile to a branch or several.
            operator if calls_runtime(operator) => 2,
            operator if is_branch(operator) => 1,
            _ => {
                self.units = self.units.saturating_add(PLAIN);
                return Ok(());
            }
        };
        let alive = u64::from(locals) * LOCAL + u64::from(operands) * OPERAND;
        let each = BRANCH + alive + self.branches / EARLIER_BRANCHES;
        self.branches += branches;
        self.units = self.units.saturating_add(branches.saturating_mul(each));
        Ok(())
    }

    fn begin(&mut self, is_loop: bool) -> Result<(), Error> {
        self.open.push(is_loop);
        self.loops += u32::from(is_loop);
        let blocks = u32::try_from(self.open.len()).unwrap_or(u32::MAX);
        bounded("blocks nested in one function", blocks, bounds::NESTED_BLOCKS)?;
        bounded("loops nested in one function", self.loops, bounds::NESTED_LOOPS)
    }
}

/// True if an operator ends a straight run of code.
const fn is_branch(operator: &Operator<'_>) -> bool {
    matches!(
        operator,
        Operator::Else
            | Operator::Br { .. }
            | Operator::BrIf { .. }
            | Operator::Return
            | Operator::Call { .. }
            | Operator::CallIndirect { .. }
    )
}

/// True if the runtime executes an operator, or fuel is charged before it.
const fn calls_runtime(operator: &Operator<'_>) -> bool {
    matches!(
        operator,
        Operator::MemoryGrow { .. }
            | Operator::MemoryCopy { .. }
            | Operator::MemoryFill { .. }
            | Operator::MemoryInit { .. }
            | Operator::DataDrop { .. }
            | Operator::RefFunc { .. }
            | Operator::TableGet { .. }
            | Operator::TableSet { .. }
            | Operator::TableGrow { .. }
            | Operator::TableCopy { .. }
            | Operator::TableFill { .. }
            | Operator::TableInit { .. }
            | Operator::ElemDrop { .. }
    )
}

fn affordable(what: &str, units: u64, limit: u64) -> Result<(), Error> {
    if units <= limit {
        return Ok(());
    }
    let message = format!(
        "compiling {what} takes {units} units of work, the limit is {limit}; \
         build it optimised, with fewer branches, and fewer locals in functions that branch much"
    );
    Err(Error::new(codes::MODULE_TOO_LARGE, message))
}
