//! What jobs call a version, and bringing where hosts find it what it is made of.

use std::{fmt, sync::Mutex, sync::PoisonError};

use adjudicate_core::Error;
use adjudicate_host::{Digest, reevaluation::Description};

use super::job::Named;
use crate::Cluster;

/// Where a command has modules and policies from that other hosts are to decide by.
pub trait Sources: Send + Sync + fmt::Debug {
    /// The bytes of a module.
    ///
    /// # Errors
    ///
    /// If there is none; whatever is wrong with reading it.
    fn module(&self, digest: Digest) -> Result<Vec<u8>, Error>;

    /// The JSON text of the policy document with this [`digest`](adjudicate_core::Policy::digest).
    ///
    /// # Errors
    ///
    /// If there is none; whatever is wrong with reading it.
    fn policy(&self, digest: &str) -> Result<Vec<u8>, Error>;
}

/// The versions that were named: what each is made of is in the object store.
#[derive(Debug, Default)]
pub(super) struct Names(Mutex<Vec<(Description, Named)>>);

impl Names {
    pub(super) fn name(
        &self,
        by: &Description,
        cluster: &Cluster,
        sources: &dyn Sources,
    ) -> Result<Named, Error> {
        let find = |names: &[(Description, Named)]| {
            names.iter().find(|(known, _)| known == by).map(|(_, named)| named.clone())
        };
        if let Some(named) = find(&self.0.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(named);
        }
        let named = match by {
            Description::Engine => Named::Engine,
            Description::Policy(digest) => {
                let text = sources.policy(digest)?;
                let document = Digest::of(&text);
                cluster.keep(document, &text)?;
                Named::Policy { document }
            }
            Description::Modules(modules) => {
                for digest in modules.digests() {
                    cluster.keep(digest, &sources.module(digest)?)?;
                }
                Named::Modules(modules.clone())
            }
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((by.clone(), named.clone()));
        Ok(named)
    }
}
