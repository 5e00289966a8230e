//! Key files: the one place of this area that touches the disk.
//!
//! A secret key is written for its owner alone, and is not read where others could have read it, too. No file that is
//! there is ever written over: a key that is gone is gone.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::Path,
};

use adjudicate_core::Error;
use adjudicate_sandbox::{
    io_reason,
    private::{for_owner_alone, private},
};
use zeroize::Zeroizing;

use super::{
    key::{PublicKey, SecretKey},
    pem::MAX_BYTES,
};
use crate::codes;

impl SecretKey {
    /// Reads the key from its file.
    ///
    /// # Errors
    ///
    /// [`codes::UNREADABLE_INPUT`] for a file that cannot be read, that belongs to somebody else, or that others
    /// than its owner may read or write (`chmod 600` mends that), and where files have no such permissions;
    /// [`codes::INVALID_VALUE`] as [`SecretKey::from_pem`].
    ///
    /// ```no_run
    /// let key = adjudicate_host::trust::SecretKey::read_file("release.key".as_ref())?;
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn read_file(path: &Path) -> Result<Self, Error> {
        let text = read(path, |file| for_owner_alone(&file.metadata()?, "the key"))?;
        Self::from_pem(&text).map_err(|error| named(error, path))
    }

    /// Writes the key and its public key to two new files, the first for its owner alone (0600).
    ///
    /// # Errors
    ///
    /// [`codes::UNWRITABLE_OUTPUT`] when either file is there already or cannot be written; then neither is left.
    pub fn write_files(&self, secret: &Path, public: &Path) -> Result<(), Error> {
        write_new(secret, self.to_pem().as_bytes(), private(&mut OpenOptions::new()))?;
        write_new(public, self.public().to_pem().as_bytes(), &mut OpenOptions::new())
            // Nobody has the new key yet, so nobody misses it.
            .inspect_err(|_| drop(fs::remove_file(secret)))
    }
}

impl PublicKey {
    /// Reads the key from its file.
    ///
    /// # Errors
    ///
    /// [`codes::UNREADABLE_INPUT`] for a file that cannot be read, [`codes::INVALID_VALUE`] as
    /// [`PublicKey::from_pem`].
    pub fn read_file(path: &Path) -> Result<Self, Error> {
        let text = read(path, |_| Ok(()))?;
        Self::from_pem(&text).map_err(|error| named(error, path))
    }
}

/// Reads a small file, once what was opened is known to be fit; what is read is wiped.
fn read(path: &Path, admit: impl FnOnce(&File) -> io::Result<()>) -> Result<Zeroizing<Vec<u8>>, Error> {
    // All the room it can need: a list that moves as it grows leaves copies behind.
    let mut text = Zeroizing::new(Vec::with_capacity(MAX_BYTES + 1));
    let result = File::open(path).and_then(|file| {
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is not a file"));
        }
        admit(&file)?;
        file.take(MAX_BYTES as u64 + 1).read_to_end(&mut text)
    });
    let fault = match result {
        Ok(length) if length <= MAX_BYTES => return Ok(text),
        Ok(_) => "it is too long for a key".to_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => "there is no such file".to_owned(),
        Err(error) => error.to_string(),
    };
    Err(Error::new(codes::UNREADABLE_INPUT, format!("cannot read `{}`: {fault}", path.display())))
}

/// Writes a file that is not there yet, through to the disk.
fn write_new(path: &Path, text: &[u8], options: &mut OpenOptions) -> Result<(), Error> {
    let written = options.write(true).create_new(true).open(path).and_then(|mut file| {
        let written = file.write_all(text).and_then(|()| file.sync_all());
        written.inspect_err(|_| drop(fs::remove_file(path)))
    });
    written.map_err(|error| {
        let fault = match error.kind() {
            io::ErrorKind::AlreadyExists => {
                "there is a file already, and keys are never written over".to_owned()
            }
            _ => io_reason(&error),
        };
        Error::new(codes::UNWRITABLE_OUTPUT, format!("cannot write `{}`: {fault}", path.display()))
    })
}

fn named(error: Error, path: &Path) -> Error {
    error.within(&format!("`{}`", path.display()))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_pair_is_written_once_and_the_secret_half_for_its_owner() {
        let place = tempfile::tempdir().unwrap();
        let (secret, public) = (place.path().join("k.key"), place.path().join("k.pub"));
        let key = SecretKey::generate().unwrap();
        key.write_files(&secret, &public).unwrap();
        assert_eq!(fs::metadata(&secret).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(SecretKey::read_file(&secret).unwrap().public(), key.public());
        assert_eq!(PublicKey::read_file(&public).unwrap(), key.public());

        let other = SecretKey::generate().unwrap();
        for (taken, free) in [(&secret, "other.pub"), (&public, "other.key")] {
            let free = place.path().join(free);
            let (first, second) = if taken == &secret { (taken, &free) } else { (&free, taken) };
            let error = other.write_files(first, second).unwrap_err();
            assert_eq!(error.code(), codes::UNWRITABLE_OUTPUT);
            assert!(!free.exists(), "{error}");
        }
        assert_eq!(SecretKey::read_file(&secret).unwrap().public(), key.public());
    }

    #[test]
    fn a_secret_key_that_others_could_have_read_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let (secret, public) = (place.path().join("k.key"), place.path().join("k.pub"));
        SecretKey::generate().unwrap().write_files(&secret, &public).unwrap();
        let link = place.path().join("link");
        symlink(&secret, &link).unwrap();
        for bits in [0o640, 0o604, 0o620, 0o601, 0o660, 0o666, 0o777] {
            fs::set_permissions(&secret, fs::Permissions::from_mode(bits)).unwrap();
            for path in [&secret, &link] {
                let error = SecretKey::read_file(path).unwrap_err();
                assert_eq!(error.code(), codes::UNREADABLE_INPUT, "{bits:o}");
                assert!(error.message().contains("open to others"), "{error}");
            }
        }
        for bits in [0o600, 0o400] {
            fs::set_permissions(&secret, fs::Permissions::from_mode(bits)).unwrap();
            assert!(SecretKey::read_file(&secret).is_ok() && SecretKey::read_file(&link).is_ok());
        }
    }

    #[test]
    fn what_is_no_key_file_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        let refused = || PublicKey::read_file(&path).unwrap_err();
        assert!(refused().message().contains("no such file"));
        fs::write(&path, vec![b'A'; MAX_BYTES + 1]).unwrap();
        assert!(refused().message().contains("too long"));
        fs::write(&path, "no key").unwrap();
        assert_eq!(refused().code(), codes::INVALID_VALUE);
        let error = PublicKey::read_file(place.path()).unwrap_err();
        assert_eq!(error.code(), codes::UNREADABLE_INPUT);
    }
}
