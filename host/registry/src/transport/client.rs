//! The HTTP client for a registry: its time limits and certificate authorities.

use std::{fs::File, io::Read, path::Path, time::Duration};

use adjudicate_core::Error;
use adjudicate_trust::{codes, io_reason};
use reqwest::{Certificate, Client, ClientBuilder, redirect};

use super::{Direction, cause};

/// The time limits for connecting, and for a pause of the registry.
const CONNECT: Duration = Duration::from_secs(20);
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// The limit for a file of certificate authorities.
const AUTHORITIES_BYTES: u64 = 4 << 20;

/// Returns a client that follows no redirects. If `authorities` is given, the client trusts no other authorities.
pub(super) fn client(
    plain_http: bool,
    authorities: Option<&Path>,
    direction: Direction,
) -> Result<Client, Error> {
    // Fails if a provider is installed already, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let built = match authorities {
        Some(path) => builder().tls_certs_only(certificates(path)?).build(),
        None => builder().build(),
    };
    let client = match built {
        // Without TLS, a machine needs no authorities; the client then trusts no certificate.
        Err(_) if plain_http => builder().tls_certs_only([]).build(),
        built => built,
    };
    client.map_err(|error| {
        let message =
            format!("TLS cannot be used: {}; to name certificate authorities, pass `--ca`", cause(&error));
        direction.fault(message).with_source(error)
    })
}

fn builder() -> ClientBuilder {
    Client::builder()
        .user_agent(concat!("adjudicate/", env!("CARGO_PKG_VERSION")))
        // `Transport::send` follows redirects, and decides which headers go along.
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT)
        .read_timeout(READ_TIMEOUT)
}

/// Reads the certificates of a PEM file.
fn certificates(path: &Path) -> Result<Vec<Certificate>, Error> {
    let unusable = |reason: &str| {
        let message = format!("`{}` cannot be used for TLS: {reason}", path.display());
        Error::new(codes::UNREADABLE_INPUT, message)
    };
    let mut pem = Vec::new();
    File::open(path)
        .and_then(|file| file.take(AUTHORITIES_BYTES).read_to_end(&mut pem))
        .map_err(|error| unusable(&io_reason(&error)).with_source(error))?;
    let certificates =
        Certificate::from_pem_bundle(&pem).map_err(|error| unusable(&cause(&error)).with_source(error))?;
    if certificates.is_empty() {
        return Err(unusable("the file has no certificate"));
    }
    Ok(certificates)
}
