//! The engines that the command line trusts, by digest or by file.

use std::{collections::BTreeSet, path::PathBuf, str::FromStr, sync::Arc};

use adjudicate_core::Error;
use adjudicate_sandbox::{Digest, Limits, inspect};

use crate::environment::Environment;
use crate::input;

/// A trusted engine on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KnownEngine {
    /// The engine with this digest alone.
    Digest(Digest),
    /// The engine in this file, and modules with a policy that is baked into it. Only a holder of the engine can recognize those.
    File(PathBuf),
}

/// The trusted engines, in the form of a host's settings.
#[derive(Debug, Default)]
pub(crate) struct KnownEngines {
    pub(crate) digests: BTreeSet<Digest>,
    pub(crate) modules: Vec<Arc<[u8]>>,
}

impl FromStr for KnownEngine {
    type Err = Error;

    /// Reads a text that looks like a digest as a digest. A file with such a name is `./NAME`.
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
    pub(crate) fn read(named: &[KnownEngine], env: &Environment) -> Result<Self, Error> {
        let mut known = Self::default();
        for engine in named {
            match engine {
                KnownEngine::Digest(digest) => {
                    known.digests.insert(*digest);
                }
                KnownEngine::File(path) => {
                    let module = input::module(path, Limits::default().module_bytes, env)?;
                    // A file that is not a module would never match, without an error.
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
    fn a_text_like_a_digest_is_read_as_a_digest() {
        let digest = Digest::sha256(b"engine");
        for text in [digest.to_string(), digest.hex()] {
            assert_eq!(text.parse::<KnownEngine>().unwrap(), KnownEngine::Digest(digest));
        }
        assert!("sha256:engine.wasm".parse::<KnownEngine>().is_err());
        for name in ["engine.wasm", "./sha256:engine.wasm", "abc"] {
            assert_eq!(name.parse::<KnownEngine>().unwrap(), KnownEngine::File(name.into()));
        }
    }
}
