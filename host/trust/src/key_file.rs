//! Key files. Only this file of the module accesses the disk.
//!
//! A secret key is written for its owner alone, and rejected if others can read it. No existing file is overwritten, because a lost
//! key cannot be restored.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::Path,
};

use adjudicate_core::Error;
use zeroize::Zeroizing;

use crate::{
    codes,
    key::{PublicKey, SecretKey},
    pem::MAX_BYTES,
    private::{for_owner_alone, private},
    text::io_reason,
};

impl SecretKey {
    /// Reads a secret key from its file.
    ///
    /// # Errors
    ///
    /// [`codes::UNREADABLE_INPUT`] if the file cannot be read, belongs to another user, or others can read or write it (fix that
    /// with `chmod 600`), and on systems without file permissions; [`codes::INVALID_VALUE`] as for [`SecretKey::from_pem`].
    ///
    /// ```no_run
    /// let key = adjudicate_trust::SecretKey::read_file("release.key".as_ref())?;
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
    /// [`codes::UNWRITABLE_OUTPUT`] if either file exists or cannot be written. Then neither file is left.
    pub fn write_files(&self, secret: &Path, public: &Path) -> Result<(), Error> {
        write_new(secret, self.to_pem().as_bytes(), private(&mut OpenOptions::new()))?;
        write_new(public, self.public().to_pem().as_bytes(), &mut OpenOptions::new())
            // The new key was not used yet, so the file can be removed.
            .inspect_err(|_| drop(fs::remove_file(secret)))
    }
}

impl PublicKey {
    /// Reads a public key from its file.
    ///
    /// # Errors
    ///
    /// [`codes::UNREADABLE_INPUT`] if the file cannot be read; [`codes::INVALID_VALUE`] as for [`PublicKey::from_pem`].
    pub fn read_file(path: &Path) -> Result<Self, Error> {
        let text = read(path, |_| Ok(()))?;
        Self::from_pem(&text).map_err(|error| named(error, path))
    }
}

/// Reads a small file after `admit` accepts it. The buffer is wiped.
fn read(path: &Path, admit: impl FnOnce(&File) -> io::Result<()>) -> Result<Zeroizing<Vec<u8>>, Error> {
    // The full capacity from the start: a buffer that grows leaves copies behind.
    let mut text = Zeroizing::new(Vec::with_capacity(MAX_BYTES + 1));
    let result = File::open(path).and_then(|file| {
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        admit(&file)?;
        match file.take(MAX_BYTES as u64 + 1).read_to_end(&mut text)? {
            0..=MAX_BYTES => Ok(()),
            _ => Err(io::Error::other("it is too long for a key")),
        }
    });
    result.map(|()| text).map_err(|error| {
        let fault = match error.kind() {
            io::ErrorKind::NotFound => "there is no such file".to_owned(),
            _ => error.to_string(),
        };
        let message = format!("cannot read `{}`: {fault}", path.display());
        Error::new(codes::UNREADABLE_INPUT, message).with_source(error)
    })
}

/// Writes a new file and flushes it to disk.
fn write_new(path: &Path, text: &[u8], options: &mut OpenOptions) -> Result<(), Error> {
    let written = options.write(true).create_new(true).open(path).and_then(|mut file| {
        let written = file.write_all(text).and_then(|()| file.sync_all());
        written.inspect_err(|_| drop(fs::remove_file(path)))
    });
    written.map_err(|error| {
        let fault = match error.kind() {
            io::ErrorKind::AlreadyExists => "the file exists, and keys are never overwritten".to_owned(),
            _ => io_reason(&error),
        };
        let message = format!("cannot write `{}`: {fault}", path.display());
        Error::new(codes::UNWRITABLE_OUTPUT, message).with_source(error)
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
    fn key_files_are_never_overwritten_and_the_secret_key_is_private() {
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
    fn a_secret_key_that_others_can_read_is_rejected() {
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
                assert!(error.message().contains("accessible to other users"), "{error}");
            }
        }
        for bits in [0o600, 0o400] {
            fs::set_permissions(&secret, fs::Permissions::from_mode(bits)).unwrap();
            assert!(SecretKey::read_file(&secret).is_ok() && SecretKey::read_file(&link).is_ok());
        }
    }

    #[test]
    fn other_files_are_rejected_as_keys() {
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
