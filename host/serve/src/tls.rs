//! TLS 1.2 and 1.3, by certificate and key in PEM files that are read again on demand.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use adjudicate_core::Error;
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use tokio_rustls::TlsAcceptor;

use crate::codes;

/// Where the certificate and its key are.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The certificate, and those between it and the authority: PEM.
    pub certificates: PathBuf,
    /// The certificate's key: PEM, of PKCS #8, PKCS #1 or SEC 1.
    pub key: PathBuf,
}

/// What connections that come in are secured with.
#[derive(Debug)]
pub(crate) struct Tls {
    files: TlsFiles,
    config: Mutex<Arc<ServerConfig>>,
}

impl Tls {
    pub(crate) fn load(files: &TlsFiles) -> Result<Self, Error> {
        Ok(Self { files: files.clone(), config: Mutex::new(config(files)?) })
    }

    /// Reads the files again, for connections from now on. Where that fails, all stays as it is.
    pub(crate) fn reload(&self) -> Result<(), Error> {
        let fresh = config(&self.files)?;
        *self.config.lock().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(())
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        Arc::clone(&self.config.lock().unwrap_or_else(PoisonError::into_inner)).into()
    }
}

fn config(files: &TlsFiles) -> Result<Arc<ServerConfig>, Error> {
    let unusable = |path: &Path, reason: &dyn std::fmt::Display| {
        let message = format!("`{}` cannot be used for TLS: {reason}", path.display());
        Error::new(codes::UNREADABLE_INPUT, message)
    };
    let chain = CertificateDer::pem_file_iter(&files.certificates)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unusable(&files.certificates, &error))?;
    if chain.is_empty() {
        return Err(unusable(&files.certificates, &"there is no certificate in it"));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| unusable(&files.key, &error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .map_err(|error| unusable(&files.certificates, &error))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
