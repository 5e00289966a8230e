//! The step budget: what bounds every computation that is not linear in its input.

use crate::{codes, error::Error};

/// How much work one evaluation may do, in steps of roughly a byte compared (SPEC section 13.3: the engine's own
/// deterministic step budget). Parsing and writing are linear in the input and not counted.
#[derive(Clone, Debug)]
pub struct Steps {
    left: u64,
}

impl Steps {
    /// The budget of one evaluation: 100 million steps.
    pub const DEFAULT: u64 = 100_000_000;

    /// The budget for compiling the patterns of one document: about the bytes that they may stand for.
    #[must_use]
    pub const fn for_patterns() -> Self {
        Self::new(1 << 20)
    }

    /// A fresh budget.
    #[must_use]
    pub const fn new(steps: u64) -> Self {
        Self { left: steps }
    }

    /// How many steps are left.
    #[must_use]
    #[inline]
    pub const fn left(&self) -> u64 {
        self.left
    }

    /// Takes `steps` from the budget.
    ///
    /// # Errors
    ///
    /// [`codes::LIMIT_EXCEEDED`] when that many are not left.
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
