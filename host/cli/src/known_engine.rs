//! Engines that whoever runs the command trusts: by their digest, or by their bytes.

use std::{collections::BTreeSet, path::PathBuf, str::FromStr, sync::Arc};

use adjudicate_core::Error;
use adjudicate_sandbox::{Digest, Limits, inspect};

use crate::input;

/// How an engine is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KnownEngine {
    /// It alone is meant.
    Digest(Digest),
    /// What is baked into it is meant, too: that can be found out by who has the engine.
    File(PathBuf),
}

/// Engines as the settings of a host have them.
#[derive(Debug, Default)]
pub(crate) struct KnownEngines {
    pub(crate) digests: BTreeSet<Digest>,
    pub(crate) modules: Vec<Arc<[u8]>>,
}

impl FromStr for KnownEngine {
    type Err = Error;

    /// Whatever looks like a digest is one, or wrong; a file of such a name is found as `./NAME`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let is_bare = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_bare || text.starts_with("sha256:") {
            return text.parse().map(Self::Digest);
        }
        Ok(Self::File(text.into()))
    }
}

impl KnownEngines {
    /// Reads the files.
    pub(crate) fn read(named: &[KnownEngine]) -> Result<Self, Error> {
        let mut known = Self::default();
        for engine in named {
            match engine {
                KnownEngine::Digest(digest) => {
                    known.digests.insert(*digest);
                }
                KnownEngine::File(path) => {
                    let module = input::module(path, Limits::default().module_bytes)?;
                    // What is no module is never known again, and nobody would notice.
                    inspect(&module).map_err(|error| error.within(&path.display().to_string()))?;
                    known.modules.push(module.into());
                }
            }
        }
        Ok(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_digest_is_no_file() {
        let digest = Digest::of(b"engine");
        for text in [digest.to_string(), digest.hex()] {
            assert_eq!(text.parse::<KnownEngine>().unwrap(), KnownEngine::Digest(digest));
        }
        assert!("sha256:engine.wasm".parse::<KnownEngine>().is_err());
        for name in ["engine.wasm", "./sha256:engine.wasm", "abc"] {
            assert_eq!(name.parse::<KnownEngine>().unwrap(), KnownEngine::File(name.into()));
        }
    }
}
