//! TLS 1.2 and 1.3, with a certificate and key from PEM files that can be read again.

use std::{
    error,
    path::{Path, PathBuf},
    sync::Arc,
};

use adjudicate_core::Error;
use arc_swap::ArcSwap;
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use tokio_rustls::TlsAcceptor;

use crate::codes;

/// The files of the certificate and its key.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The certificate and its chain: PEM.
    pub certificates: PathBuf,
    /// The key of the certificate: PEM, of PKCS #8, PKCS #1 or SEC 1.
    pub key: PathBuf,
}

/// The TLS settings of incoming connections.
#[derive(Debug)]
pub(crate) struct Tls {
    files: TlsFiles,
    config: ArcSwap<ServerConfig>,
}

impl Tls {
    pub(crate) fn load(files: &TlsFiles) -> Result<Self, Error> {
        Ok(Self { files: files.clone(), config: ArcSwap::new(config(files)?) })
    }

    /// Reads the files again, for new connections. After an error, the old certificate stays in use.
    pub(crate) fn reload(&self) -> Result<(), Error> {
        self.config.store(config(&self.files)?);
        Ok(())
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        self.config.load_full().into()
    }
}

fn config(files: &TlsFiles) -> Result<Arc<ServerConfig>, Error> {
    let unusable = |path: &Path, reason: Box<dyn error::Error + Send + Sync>| {
        let message = format!("`{}` cannot be used for TLS", path.display());
        Error::caused_by(codes::UNREADABLE_INPUT, message, reason)
    };
    let chain = CertificateDer::pem_file_iter(&files.certificates)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unusable(&files.certificates, error.into()))?;
    if chain.is_empty() {
        return Err(unusable(&files.certificates, "the file has no certificate".into()));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| unusable(&files.key, error.into()))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .map_err(|error| unusable(&files.certificates, error.into()))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

#[cfg(test)]
mod tests {
    use std::{error::Error as _, fs};

    use super::*;

    #[test]
    fn errors_of_unusable_files_have_their_cause_as_source() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let made = rcgen::generate_simple_self_signed(["a.example".to_owned()]).unwrap();
        fs::write(at("good.pem"), made.cert.pem()).unwrap();
        fs::write(at("other.pem"), rcgen::KeyPair::generate().unwrap().serialize_pem()).unwrap();
        fs::write(at("empty.pem"), "").unwrap();
        for (certificates, key) in [
            ("missing.pem", "other.pem"),
            ("empty.pem", "other.pem"),
            ("good.pem", "missing.pem"),
            ("good.pem", "other.pem"),
        ] {
            let error = Tls::load(&TlsFiles { certificates: at(certificates), key: at(key) }).unwrap_err();
            assert_eq!(error.code(), codes::UNREADABLE_INPUT);
            assert!(error.source().is_some(), "{error}");
        }
    }
}
