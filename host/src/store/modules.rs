//! Modules in the store, by the digest of their bytes.

use adjudicate_core::Error;
use adjudicate_sandbox::{
    Digest, Inspection,
    manifest::{are_digits, check_module_name},
};
use rusqlite::{OptionalExtension, Row, Transaction, params};
use semver::Version;
use serde::Serialize;

use super::{Store, blob::Blob, fault};
use crate::codes;

/// A module that is installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InstalledModule {
    /// Its identity.
    pub digest: Digest,
    /// Its name, as its manifest has it.
    pub name: String,
    /// Its version, as its manifest has it.
    pub version: Version,
    /// How many bytes it has.
    pub bytes: u64,
    /// When it was installed, in milliseconds since 1970.
    pub installed_at: i64,
    /// Who signed it, and why it was taken, as it was judged then: JSON.
    #[serde(serialize_with = "super::as_json")]
    pub verdict: String,
}

const COLUMNS: &str = "digest, name, version, length(bytes), installed_at, verdict";

impl Store {
    /// Keeps a module; one that is there already stays as it is. Answers whether it is new.
    pub(crate) fn keep_module(
        &self,
        inspection: &Inspection,
        bytes: &[u8],
        verdict: &str,
        now: i64,
    ) -> Result<bool, Error> {
        let manifest = &inspection.manifest;
        self.write(|change| {
            let added = change.execute(
                "INSERT INTO modules (digest, name, version, verdict, installed_at, bytes) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT (digest) DO NOTHING",
                params![Blob(inspection.digest), manifest.name, manifest.version.to_string(), verdict, now, bytes],
            )?;
            Ok(added > 0)
        })
    }

    /// The modules that are installed, by name, version and digest.
    ///
    /// # Errors
    ///
    /// [`codes::STORE_FAULT`].
    pub fn modules(&self) -> Result<Vec<InstalledModule>, Error> {
        self.read(|read| Ok(all(read)?))
    }

    /// The module with this digest.
    ///
    /// # Errors
    ///
    /// [`codes::UNKNOWN_MODULE`], [`codes::STORE_FAULT`].
    pub fn module(&self, digest: Digest) -> Result<InstalledModule, Error> {
        let found = self.read(|read| {
            let sql = format!("SELECT {COLUMNS} FROM modules WHERE digest = ?1");
            Ok(read.prepare_cached(&sql)?.query_row([Blob(digest)], module).optional()?)
        })?;
        found.ok_or_else(|| unknown(&digest.to_string()))
    }

    /// A module's bytes, which are what was installed: their digest is taken anew.
    ///
    /// # Errors
    ///
    /// [`codes::UNKNOWN_MODULE`]; [`codes::STORE_FAULT`], also when the bytes were changed.
    pub fn module_bytes(&self, digest: Digest) -> Result<Vec<u8>, Error> {
        let found: Option<Vec<u8>> = self.read(|read| {
            let mut found = read.prepare_cached("SELECT bytes FROM modules WHERE digest = ?1")?;
            Ok(found.query_row([Blob(digest)], |row| row.get(0)).optional()?)
        })?;
        let bytes = found.ok_or_else(|| unknown(&digest.to_string()))?;
        match Digest::of(&bytes) == digest {
            true => Ok(bytes),
            false => Err(fault(format!("the store's bytes of the module {digest} are damaged"))),
        }
    }

    /// The module that somebody means by a digest, the first digits of one (8 or more), `name@version`, or a name that only one
    /// module has.
    ///
    /// ```
    /// # use adjudicate_host::Store;
    /// # let directory = tempfile::tempdir().unwrap();
    /// let store = Store::open(&directory.path().join("store"))?;
    /// let error = store.find_module("strict@1.0.0").unwrap_err();
    /// assert_eq!(error.code().as_str(), "unknown_module");
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`codes::UNKNOWN_MODULE`] if it is none, or several; [`codes::STORE_FAULT`].
    pub fn find_module(&self, meant: &str) -> Result<InstalledModule, Error> {
        if let Ok(digest) = meant.parse() {
            return self.module(digest);
        }
        let mut found = self.modules()?;
        let digits = meant.strip_prefix("sha256:").unwrap_or(meant);
        let is_prefix = are_digits(digits);
        let digits = digits.to_ascii_lowercase();
        found.retain(|module| match meant.split_once('@') {
            _ if is_prefix => module.digest.hex().starts_with(&digits),
            // A host of an earlier version took in modules of any name.
            _ if check_module_name(&module.name).is_err() => false,
            Some((name, version)) => module.name == name && module.version.to_string() == version,
            None => module.name == meant,
        });
        match <[InstalledModule; 1]>::try_from(found) {
            Ok([module]) => Ok(module),
            Err(none) if none.is_empty() => Err(unknown(meant)),
            Err(several) => {
                let each: Vec<_> = several
                    .iter()
                    .map(|module| format!("{}@{} {}", module.name, module.version, module.digest))
                    .collect();
                let message = format!("`{meant}` may be any of these modules: {}", each.join(", "));
                Err(Error::new(codes::UNKNOWN_MODULE, message))
            }
        }
    }
}

/// The modules that are installed, by name, version and digest.
pub(super) fn all(read: &Transaction<'_>) -> Result<Vec<InstalledModule>, rusqlite::Error> {
    let mut found = read.prepare_cached(&format!("SELECT {COLUMNS} FROM modules"))?;
    let mut modules = found.query_map([], module)?.collect::<Result<Vec<_>, _>>()?;
    modules.sort_by(|a, b| (&a.name, &a.version, a.digest).cmp(&(&b.name, &b.version, b.digest)));
    Ok(modules)
}

fn module(row: &Row<'_>) -> Result<InstalledModule, rusqlite::Error> {
    let version: String = row.get(2)?;
    Ok(InstalledModule {
        digest: row.get::<_, Blob>(0)?.0,
        name: row.get(1)?,
        version: Version::parse(&version).map_err(|error| super::unreadable(2, error.to_string()))?,
        bytes: row.get::<_, i64>(3)?.unsigned_abs(),
        installed_at: row.get(4)?,
        verdict: row.get(5)?,
    })
}

fn unknown(meant: &str) -> Error {
    let shown: String = meant.chars().take(100).collect();
    Error::new(codes::UNKNOWN_MODULE, format!("no module `{shown}` is installed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_never_means_a_module_of_such_a_name() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&directory.path().join("store")).unwrap();
        let names = ["sha256:deadbeef", "SHA256:x", "deadbeef", "-x", "judge"];
        for name in names {
            // As a host of an earlier version did, which took in any name.
            let sql = "INSERT INTO modules VALUES (?1, ?2, '1.0.0', '{}', 0, x'')";
            store
                .write(|change| Ok(change.execute(sql, params![Blob(Digest::of(name.as_bytes())), name])?))
                .unwrap();
        }
        for name in names {
            let digest = Digest::of(name.as_bytes());
            let found = |meant: &str| store.find_module(meant).map(|module| module.digest).ok();
            let by_name = (name == "judge").then_some(digest);
            assert_eq!((found(name), found(&format!("{name}@1.0.0"))), (by_name, by_name), "{name}");
            assert_eq!(
                [&digest.to_string()[..], &digest.to_string()[..15], &digest.hex()[..8]].map(found),
                [Some(digest); 3]
            );
        }
    }
}
