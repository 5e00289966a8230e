//! Modules that others name and that decide nothing here: they are asked again what was asked before.

use std::collections::BTreeMap;

use adjudicate_core::Error;
use adjudicate_sandbox::{Digest, Limits, Module};

use super::{deployment::Deployment, loader::judge, registry::Slots};
use crate::{
    codes,
    history::{Composition, Member},
    trust::{Credentials, Moment},
};

impl Slots {
    /// Loads a composition that is in no slot. Each module is judged by the store's own trust policy; `fetch` is asked for those that
    /// the store does not have, with how many bytes they may have at most.
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
            let (bytes, moment) = match loader.store.module_bytes(*digest) {
                Ok(bytes) => (bytes, Moment::Load),
                Err(error) if error.code() == codes::UNKNOWN_MODULE => {
                    (fetched(*digest, limits.module_bytes, &mut fetch)?, Moment::Install)
                }
                Err(error) => return Err(error),
            };
            judge(&trust, &Credentials::read(&bytes)?, is_unsigned, moment, None)?;
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
    match Digest::of(&bytes) == digest {
        true => Ok(bytes),
        false => {
            let message = format!("what was fetched as the module {digest} is another one");
            Err(Error::new(codes::CLUSTER_FAULT, message))
        }
    }
}
