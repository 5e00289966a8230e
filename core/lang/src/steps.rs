//! The step budget, which bounds every computation that is not linear in its input.

use crate::{codes, error::Error};

/// The work that one evaluation may do. A step is roughly the comparison of one byte (docs/reference/logic.md). Parsing and
/// writing are linear in the input and cost no steps.
#[derive(Clone, Debug)]
pub struct Steps {
    left: u64,
}

impl Steps {
    /// The budget of one evaluation: 100 million steps.
    pub const DEFAULT: u64 = 100_000_000;

    /// Returns the budget for compiling the patterns of one document, roughly the number of bytes that they may expand to.
    #[must_use]
    pub const fn for_patterns() -> Self {
        Self::new(1 << 20)
    }

    /// Returns a new budget.
    #[must_use]
    pub const fn new(steps: u64) -> Self {
        Self { left: steps }
    }

    /// Returns the number of steps left.
    #[must_use]
    #[inline]
    pub const fn left(&self) -> u64 {
        self.left
    }

    /// Takes `steps` from the budget.
    ///
    /// # Errors
    ///
    /// [`codes::LIMIT_EXCEEDED`] when fewer steps are left.
    #[inline]
    pub fn spend(&mut self, steps: usize) -> Result<(), Error> {
        match self.left.checked_sub(steps as u64) {
            Some(left) => self.left = left,
            None => return Err(exhausted()),
        }
        Ok(())
    }
}

#[cold]
fn exhausted() -> Error {
    Error::new(codes::LIMIT_EXCEEDED, "the evaluation takes more steps than its budget allows")
}

impl Default for Steps {
    fn default() -> Self {
        Self::new(Self::DEFAULT)
    }
}
