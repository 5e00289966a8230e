//! The names of versions in jobs, and staging of their modules and policies.

use std::{
    fmt,
    sync::{Mutex, PoisonError, TryLockError},
};

use adjudicate_core::Error;
use adjudicate_host::reevaluation::Description;
use adjudicate_sandbox::Digest;

use super::{
    job::VersionSpec,
    staging::{self, StagedObjects},
};
use crate::Cluster;

/// The modules and policies of a command that other hosts need to decide cases.
///
/// ```
/// use adjudicate_host::codes;
/// use std::collections::BTreeMap;
/// use adjudicate_cluster::Sources;
/// use adjudicate_core::Error;
/// use adjudicate_sandbox::Digest;
///
/// /// Modules from files, without policies.
/// #[derive(Debug, Default)]
/// struct Files(BTreeMap<Digest, Vec<u8>>);
///
/// impl Sources for Files {
///     fn module(&self, digest: Digest) -> Result<Vec<u8>, Error> {
///         let missing = || Error::new(codes::UNKNOWN_MODULE, format!("there is no `{digest}`"));
///         self.0.get(&digest).cloned().ok_or_else(missing)
///     }
///
///     fn policy(&self, digest: &str) -> Result<Vec<u8>, Error> {
///         Err(Error::new(codes::UNKNOWN_MODULE, format!("there is no `{digest}`")))
///     }
/// }
/// assert!(Files::default().module(Digest::sha256(b"")).is_err());
/// ```
pub trait Sources: Send + Sync + fmt::Debug {
    /// Returns the bytes of a module.
    ///
    /// # Errors
    ///
    /// An error if there is no such module or it cannot be read.
    fn module(&self, digest: Digest) -> Result<Vec<u8>, Error>;

    /// Returns the JSON text of the policy document with this [`digest`](adjudicate_core::Policy::digest).
    ///
    /// # Errors
    ///
    /// An error if there is no such policy or it cannot be read.
    fn policy(&self, digest: &str) -> Result<Vec<u8>, Error>;
}

/// The named versions. Their modules and policies are available to hosts.
#[derive(Debug, Default)]
pub(super) struct Names(Mutex<NamesState>);

#[derive(Debug, Default)]
struct NamesState {
    named: Vec<(Description, VersionSpec)>,
    loans: StagedObjects,
}

impl Names {
    pub(super) fn name(
        &self,
        by: &Description,
        cluster: &Cluster,
        run: &str,
        sources: &dyn Sources,
    ) -> Result<VersionSpec, Error> {
        let NamesState { named, loans } = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = named.iter().find(|(known, _)| known == by).filter(|_| !loans.are_old()) {
            return Ok(found.clone());
        }
        let name = match by {
            Description::Engine => VersionSpec::Engine,
            Description::Policy(digest) => {
                let text = sources.policy(digest)?;
                let document = Digest::sha256(&text);
                loans.lend(cluster, run, document, &text)?;
                VersionSpec::Policy { document }
            }
            Description::Modules(modules) => {
                for digest in modules.digests() {
                    if !staging::is_installed(cluster, digest)? {
                        loans.lend(cluster, run, digest, &sources.module(digest)?)?;
                    }
                }
                VersionSpec::Modules(modules.clone())
            }
        };
        named.retain(|(known, _)| known != by);
        named.push((by.clone(), name.clone()));
        Ok(name)
    }

    /// Takes the staged objects. If an object is being staged now, returns nothing: the servers remove it by age.
    pub(super) fn loans(&self) -> StagedObjects {
        match self.0.try_lock() {
            Ok(mut state) => std::mem::take(&mut state.loans),
            Err(TryLockError::Poisoned(state)) => std::mem::take(&mut state.into_inner().loans),
            Err(TryLockError::WouldBlock) => StagedObjects::default(),
        }
    }
}
