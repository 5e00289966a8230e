//! Keys as PEM text (RFC 7468), in the formats of RFC 8410 that OpenSSL writes.
//!
//! A key of 32 bytes has exactly one such encoding: a fixed prefix of DER and the bytes. So no DER is parsed, and every other
//! encoding is rejected.

use adjudicate_core::Error;
use base64::{Engine, prelude::BASE64_STANDARD};
use zeroize::Zeroizing;

use crate::{
    codes,
    key::{PublicKey, SecretKey},
};

/// Largest size of a key file. The text has about 120 bytes.
pub(crate) const MAX_BYTES: usize = 1024;

/// A kind of PEM text.
struct Form {
    label: &'static str,
    /// The prefix of the DER. The 32 bytes of the key follow.
    prefix: &'static [u8],
    what: &'static str,
}

/// PKCS#8, version 1: `openssl genpkey -algorithm ed25519`.
const SECRET: Form = Form {
    label: "PRIVATE KEY",
    prefix: &[0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20],
    what: "an Ed25519 private key",
};

/// A subject's public key: `openssl pkey -pubout`.
const PUBLIC: Form = Form {
    label: "PUBLIC KEY",
    prefix: &[0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0],
    what: "an Ed25519 public key",
};

impl Form {
    /// Writes the text of a key. All buffers are wiped, because the key may be secret.
    fn write(&self, key: &[u8; 32]) -> Zeroizing<String> {
        let mut der = Zeroizing::new(Vec::with_capacity(64));
        der.extend_from_slice(self.prefix);
        der.extend_from_slice(key);
        let body = Zeroizing::new(BASE64_STANDARD.encode(&*der));
        let label = self.label;
        // The full capacity from the start: a text that grows leaves copies behind.
        let mut text = Zeroizing::new(String::with_capacity(MAX_BYTES));
        for part in ["-----BEGIN ", label, "-----\n", &body, "\n-----END ", label, "-----\n"] {
            text.push_str(part);
        }
        text
    }

    /// Reads the format of `write`, with any line ends and white space around it.
    fn read(&self, text: &[u8]) -> Result<Zeroizing<[u8; 32]>, Error> {
        let mut key = Zeroizing::new([0; 32]);
        match self.key_in(text, &mut key) {
            Some(()) => Ok(key),
            None => Err(self.refusal()),
        }
    }

    fn key_in(&self, text: &[u8], key: &mut [u8; 32]) -> Option<()> {
        let mut lines = std::str::from_utf8(text).ok()?.trim_ascii().lines();
        let (first, body, last) = (lines.next()?, lines.next()?, lines.next()?);
        let label = |line: &str, begins: &str| {
            line.strip_prefix(begins)?.strip_suffix("-----").filter(|label| *label == self.label).map(drop)
        };
        label(first, "-----BEGIN ")?;
        label(last, "-----END ")?;
        if lines.next().is_some() {
            return None;
        }
        let mut der = Zeroizing::new([0; 64]);
        let length = BASE64_STANDARD.decode_slice(body, der.as_mut_slice()).ok()?;
        let found = der.get(..length)?.strip_prefix(self.prefix)?;
        key.copy_from_slice(found.as_array::<32>()?);
        Some(())
    }

    /// The message shows nothing of the input, which may be a secret.
    fn refusal(&self) -> Error {
        let message = format!(
            "this is not {}: expected PEM, one line of base64 between `-----BEGIN {}-----` and its end, without a \
             password",
            self.what, self.label
        );
        Error::new(codes::INVALID_VALUE, message)
    }
}

impl SecretKey {
    /// The key as the text of its file: PKCS#8 in PEM. It is wiped when it is dropped.
    ///
    /// ```
    /// use adjudicate_trust::SecretKey;
    /// let key = SecretKey::from_seed(&[1; 32]);
    /// assert_eq!(SecretKey::from_pem(key.to_pem().as_bytes())?.public(), key.public());
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn to_pem(&self) -> Zeroizing<String> {
        SECRET.write(self.seed())
    }

    /// Parses the text of a key file, also as OpenSSL writes it.
    ///
    /// # Errors
    ///
    /// [`codes::INVALID_VALUE`] for any other text, including keys with a password. The message does not show the text.
    pub fn from_pem(text: &[u8]) -> Result<Self, Error> {
        SECRET.read(text).map(|seed| Self::from_seed(&seed))
    }
}

impl PublicKey {
    /// The key as the text of its file.
    ///
    /// ```
    /// use adjudicate_trust::{PublicKey, SecretKey};
    /// let key = SecretKey::from_seed(&[1; 32]).public();
    /// assert_eq!(PublicKey::from_pem(key.to_pem().as_bytes())?, key);
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn to_pem(&self) -> String {
        std::mem::take(&mut *PUBLIC.write(self.as_bytes()))
    }

    /// Parses the text of a key file.
    ///
    /// # Errors
    ///
    /// [`codes::INVALID_VALUE`] for any other text, and the errors of [`PublicKey::from_bytes`].
    pub fn from_pem(text: &[u8]) -> Result<Self, Error> {
        PUBLIC.read(text).and_then(|bytes| Self::from_bytes(&bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both OpenSSL and `wasmsign2` write this text.
    const SECRET_TEXT: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB\n-----END PRIVATE KEY-----\n";
    const PUBLIC_TEXT: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAiojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w=\n-----END PUBLIC KEY-----\n";

    #[test]
    fn texts_of_other_programs_are_read_and_written() {
        let key = SecretKey::from_seed(&[1; 32]);
        assert_eq!((key.to_pem().as_str(), key.public().to_pem().as_str()), (SECRET_TEXT, PUBLIC_TEXT));
        let other_lines = format!("\n{}\n", SECRET_TEXT.replace('\n', "\r\n"));
        for text in [SECRET_TEXT, SECRET_TEXT.trim_end(), &other_lines] {
            assert_eq!(SecretKey::from_pem(text.as_bytes()).unwrap().public(), key.public());
        }
    }

    #[test]
    fn other_texts_are_rejected_and_not_shown() {
        let body = "MC4CAQAwBQYDK2VwBCIEIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB";
        let cases = [
            String::new(),
            body.to_owned(),
            PUBLIC_TEXT.to_owned(),
            SECRET_TEXT.replace("PRIVATE", "ENCRYPTED PRIVATE"),
            SECRET_TEXT.replace("PRIVATE", "OPENSSH PRIVATE"),
            SECRET_TEXT.replacen("PRIVATE", "PUBLIC", 1),
            SECRET_TEXT.replace("-----\nMC4", "-----\nMC5"),
            SECRET_TEXT.replace("AQEB\n", "AQE=\n"),
            SECRET_TEXT.replace("AQEB\n", "AQEBAQEB\n"),
            SECRET_TEXT.replace("AQEB\n", "\n"),
            SECRET_TEXT.replace("AQEB\n", "AQ B\n"),
            SECRET_TEXT.replace("BCIEIAEB", "BCIEI\nAEB"),
            SECRET_TEXT.repeat(2),
            format!("comment\n{SECRET_TEXT}"),
            SECRET_TEXT.replace("-----END PRIVATE KEY-----\n", ""),
            SECRET_TEXT.replace("MC4CAQAw", "MC4CAQEw"),
        ];
        for text in cases {
            let error = SecretKey::from_pem(text.as_bytes()).unwrap_err();
            assert_eq!(error.code(), codes::INVALID_VALUE, "{text}");
            assert!(!error.message().contains("AEBAQ"), "{error}");
        }
        assert!(
            SecretKey::from_pem(b"\xff").is_err() && PublicKey::from_pem(SECRET_TEXT.as_bytes()).is_err()
        );
        // Base64 has one form here, without unused bits.
        assert!(PublicKey::from_pem(PUBLIC_TEXT.replace("Pb1w=", "Pb1x=").as_bytes()).is_err());
    }
}
