//! Without the feature `modules`: there are no modules.

use adjudicate_core::{Operation, Policy};

use crate::{manifest::Manifest, reply::CallError};

/// A loaded module. There is none.
#[derive(Debug)]
pub enum Module {}

impl Module {
    /// Returns the manifest.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        match *self {}
    }

    /// Returns the policy that the module carries.
    #[must_use]
    pub const fn policy(&self) -> Option<&Policy> {
        match *self {}
    }

    /// Returns the digest of the module.
    #[must_use]
    pub const fn digest(&self) -> crate::Digest {
        match *self {}
    }

    /// Calls an operation of the module.
    ///
    /// # Errors
    ///
    /// None.
    pub const fn call(&self, _: Operation, _: &[u8]) -> Result<String, CallError> {
        match *self {}
    }
}
