//! The modules in the store, by digest.

use adjudicate_core::{Error, document::Describe};
use adjudicate_sandbox::{
    Digest, Inspection,
    manifest::{ModuleVersion, are_digits, check_module_name},
};
use adjudicate_trust::TrustVerdict;
use rusqlite::{Row, Transaction, params};
use semver::Version;
use serde::Serialize;

use super::{Aborted, Store, fault, first_row, rows};
use crate::codes;

/// An installed module.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
pub struct InstalledModule {
    /// The digest of the module.
    pub digest: Digest,
    /// The name in the manifest.
    pub name: String,
    /// The version in the manifest.
    #[document(described = "ModuleVersion")]
    pub version: Version,
    /// The size of the module in bytes.
    pub bytes: u64,
    /// The time of the installation, in milliseconds since 1970.
    pub installed_at: i64,
    /// The verdict at the installation, as JSON: the signers and the reason for accepting the module.
    #[document(described = "TrustVerdict")]
    #[serde(serialize_with = "super::as_json")]
    pub verdict: String,
}

/// A module that was removed from the store.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
pub struct Uninstalled {
    /// The module.
    pub uninstalled: InstalledModule,
}

const COLUMNS: &str = "digest, name, version, length(bytes), installed_at, verdict";

impl Store {
    /// Stores a module. Returns false and changes nothing if the store has it.
    pub(crate) fn store_module(
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
                params![inspection.digest.as_bytes(), &*manifest.name, manifest.version.to_string(), verdict, now, bytes],
            )?;
            Ok(added > 0)
        })
    }

    /// The installed modules, by name, version and digest.
    ///
    /// # Errors
    ///
    /// [`codes::STORE_FAULT`] if the store cannot be read.
    pub fn modules(&self) -> Result<Vec<InstalledModule>, Error> {
        self.read(|read| Ok(all(read)?))
    }

    /// Returns the module with this digest.
    ///
    /// # Errors
    ///
    /// [`codes::UNKNOWN_MODULE`] if it is not installed; [`codes::STORE_FAULT`].
    pub fn module(&self, digest: Digest) -> Result<InstalledModule, Error> {
        let sql = format!("SELECT {COLUMNS} FROM modules WHERE digest = ?1");
        let found = self.read(|read| Ok(first_row(read, &sql, [digest.as_bytes()], module)?))?;
        found.ok_or_else(|| unknown(&digest.to_string()))
    }

    /// Returns the bytes of a module after checking their digest.
    ///
    /// # Errors
    ///
    /// [`codes::UNKNOWN_MODULE`] if it is not installed; [`codes::STORE_FAULT`], also if the bytes were changed.
    pub fn module_bytes(&self, digest: Digest) -> Result<Vec<u8>, Error> {
        let found: Option<Vec<u8>> = self.read(|read| {
            let sql = "SELECT bytes FROM modules WHERE digest = ?1";
            Ok(first_row(read, sql, [digest.as_bytes()], |row| row.get(0))?)
        })?;
        let bytes = found.ok_or_else(|| unknown(&digest.to_string()))?;
        match Digest::sha256(&bytes) == digest {
            true => Ok(bytes),
            false => Err(fault(format!("the store's bytes of the module {digest} are damaged"))),
        }
    }

    /// Finds a module by its digest, by the first digits of its digest (8 or more), by `name@version`, or by a name that only one
    /// module has.
    ///
    /// # Errors
    ///
    /// [`codes::UNKNOWN_MODULE`] if no module or several modules match; [`codes::STORE_FAULT`].
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
            // Earlier versions of the host accepted modules of any name.
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
                let message =
                    format!("`{meant}` matches several modules; name one by its digest: {}", each.join(", "));
                Err(Error::new(codes::UNKNOWN_MODULE, message))
            }
        }
    }
}

/// The installed modules, by name, version and digest.
pub(super) fn all(read: &Transaction<'_>) -> Result<Vec<InstalledModule>, rusqlite::Error> {
    let mut modules = rows(read, &format!("SELECT {COLUMNS} FROM modules"), [], module)?;
    modules.sort_by(|a, b| (&a.name, &a.version, a.digest).cmp(&(&b.name, &b.version, b.digest)));
    Ok(modules)
}

/// The modules that the store does not have, each once.
pub(super) fn lacking(
    read: &Transaction<'_>,
    modules: impl Iterator<Item = Digest>,
) -> Result<Vec<Digest>, Aborted> {
    let mut found = read.prepare_cached("SELECT 1 FROM modules WHERE digest = ?1")?;
    let mut lacking = Vec::new();
    for digest in modules {
        if !lacking.contains(&digest) && !found.exists([digest.as_bytes()])? {
            lacking.push(digest);
        }
    }
    Ok(lacking)
}

fn module(row: &Row<'_>) -> Result<InstalledModule, rusqlite::Error> {
    let version: String = row.get(2)?;
    Ok(InstalledModule {
        digest: Digest::from_bytes(row.get(0)?),
        name: row.get(1)?,
        version: Version::parse(&version).map_err(|error| super::unreadable(2, error))?,
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
    fn a_digest_never_matches_the_name_of_a_module() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&directory.path().join("store")).unwrap();
        let names = ["sha256:deadbeef", "SHA256:x", "deadbeef", "-x", "judge"];
        for name in names {
            // Earlier versions of the host accepted any name.
            let sql = "INSERT INTO modules VALUES (?1, ?2, '1.0.0', '{}', 0, x'')";
            store
                .write(|change| {
                    Ok(change.execute(sql, params![Digest::sha256(name.as_bytes()).as_bytes(), name])?)
                })
                .unwrap();
        }
        for name in names {
            let digest = Digest::sha256(name.as_bytes());
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
