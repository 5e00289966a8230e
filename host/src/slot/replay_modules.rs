//! Modules for the replay of other hosts. They make no decisions here.

use std::collections::BTreeMap;

use adjudicate_core::Error;
use adjudicate_sandbox::{Digest, Limits, Module};

use super::{deployment::Deployment, loader::judge, registry::Slots};
use crate::{
    codes,
    history::{Composition, Member},
    trust::{Credentials, TrustAction},
};

impl Slots {
    /// Loads a composition that no slot has. The store's own trust policy judges each module. `fetch` gets missing modules; its
    /// second argument is their largest number of bytes.
    pub(crate) fn load_borrowed(
        &self,
        composition: &Composition,
        limits: Limits,
        is_unsigned: bool,
        mut fetch: impl FnMut(Digest, usize) -> Result<Vec<u8>, Error>,
    ) -> Result<Deployment, Error> {
        let loader = self.loader();
        let trust = loader.trust(None)?.policy;
        let mut loaded: BTreeMap<Digest, Module> = BTreeMap::new();
        Deployment::load(composition, &mut |Member { module: digest, .. }| {
            if let Some(module) = loaded.get(digest) {
                return Ok(module.clone());
            }
            let (bytes, trust_action) = match loader.store.module_bytes(*digest) {
                Ok(bytes) => (bytes, TrustAction::Load),
                Err(error) if error.code() == codes::UNKNOWN_MODULE => {
                    (fetched(*digest, limits.module_bytes, &mut fetch)?, TrustAction::Install)
                }
                Err(error) => return Err(error),
            };
            judge(&trust, &Credentials::read(&bytes)?, is_unsigned, trust_action, None)?;
            let module = loader.shared.module(*digest, &limits, || loader.host.load_with(&bytes, limits))?;
            loaded.insert(*digest, module.clone());
            Ok(module)
        })
    }
}

fn fetched(
    digest: Digest,
    most: usize,
    fetch: &mut impl FnMut(Digest, usize) -> Result<Vec<u8>, Error>,
) -> Result<Vec<u8>, Error> {
    let bytes = fetch(digest, most)?;
    match Digest::sha256(&bytes) == digest {
        true => Ok(bytes),
        false => {
            let message = format!("the fetched bytes are not those of the module {digest}");
            Err(Error::new(codes::CLUSTER_FAULT, message))
        }
    }
}
