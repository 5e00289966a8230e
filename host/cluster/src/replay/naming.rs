//! What jobs call a version, and bringing where hosts find it what it is made of.

use std::{
    fmt,
    sync::{Mutex, PoisonError, TryLockError},
};

use adjudicate_core::Error;
use adjudicate_host::reevaluation::Description;
use adjudicate_sandbox::Digest;

use super::{
    job::Named,
    loans::{self, Loans},
};
use crate::Cluster;

/// Where a command has modules and policies from that other hosts are to decide by.
///
/// ```
/// use adjudicate_host::codes;
/// use std::collections::BTreeMap;
/// use adjudicate_cluster::Sources;
/// use adjudicate_core::Error;
/// use adjudicate_sandbox::Digest;
///
/// /// Modules that were read from files; there are no policies.
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
/// assert!(Files::default().module(Digest::of(b"")).is_err());
/// ```
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

/// The versions that were named: what each is made of is where hosts find it.
#[derive(Debug, Default)]
pub(super) struct Names(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    named: Vec<(Description, Named)>,
    loans: Loans,
}

impl Names {
    pub(super) fn name(
        &self,
        by: &Description,
        cluster: &Cluster,
        run: &str,
        sources: &dyn Sources,
    ) -> Result<Named, Error> {
        let State { named, loans } = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = named.iter().find(|(known, _)| known == by).filter(|_| !loans.are_old()) {
            return Ok(found.clone());
        }
        let name = match by {
            Description::Engine => Named::Engine,
            Description::Policy(digest) => {
                let text = sources.policy(digest)?;
                let document = Digest::of(&text);
                loans.lend(cluster, run, document, &text)?;
                Named::Policy { document }
            }
            Description::Modules(modules) => {
                for digest in modules.digests() {
                    if !loans::is_installed(cluster, digest)? {
                        loans.lend(cluster, run, digest, &sources.module(digest)?)?;
                    }
                }
                Named::Modules(modules.clone())
            }
        };
        named.retain(|(known, _)| known != by);
        named.push((by.clone(), name.clone()));
        Ok(name)
    }

    /// What was lent to hosts, which is the caller's now. What is being lent is not waited for: the servers forget it.
    pub(super) fn loans(&self) -> Loans {
        match self.0.try_lock() {
            Ok(mut state) => std::mem::take(&mut state.loans),
            Err(TryLockError::Poisoned(state)) => std::mem::take(&mut state.into_inner().loans),
            Err(TryLockError::WouldBlock) => Loans::default(),
        }
    }
}
