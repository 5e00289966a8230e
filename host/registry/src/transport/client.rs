//! What speaks HTTP with a registry: how long it waits, and who vouches for whom it speaks with.

use std::{fs::File, io::Read, path::Path, time::Duration};

use adjudicate_core::Error;
use adjudicate_sandbox::{codes, io_reason};
use reqwest::{Certificate, Client, ClientBuilder, redirect};

use super::{Aim, told};

/// How long a connection may take to come about, and how long the registry may say nothing.
const CONNECT: Duration = Duration::from_secs(20);
const SILENCE: Duration = Duration::from_secs(60);

/// How large a file of authorities may be.
const AUTHORITIES_BYTES: u64 = 4 << 20;

/// A client that follows nothing; `authorities` are the only ones to vouch for anybody, where they are named.
pub(super) fn client(plain_http: bool, authorities: Option<&Path>, aim: Aim) -> Result<Client, Error> {
    // Fails where there is one already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let built = match authorities {
        Some(path) => builder().tls_certs_only(certificates(path)?).build(),
        None => builder().build(),
    };
    let client = match built {
        // A machine without authorities can speak to who does not speak TLS; nobody is vouched for then.
        Err(_) if plain_http => builder().tls_certs_only([]).build(),
        built => built,
    };
    client.map_err(|error| {
        aim.fault(format!("TLS cannot be used: {}; `--ca` names authorities to trust", told(&error)))
    })
}

fn builder() -> ClientBuilder {
    Client::builder()
        .user_agent(concat!("adjudicate/", env!("CARGO_PKG_VERSION")))
        // They are followed elsewhere, where it is known what may go along.
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT)
        .read_timeout(SILENCE)
}

/// The certificates of a PEM file.
fn certificates(path: &Path) -> Result<Vec<Certificate>, Error> {
    let unusable = |reason: &str| {
        let message = format!("`{}` cannot be used for TLS: {reason}", path.display());
        Error::new(codes::UNREADABLE_INPUT, message)
    };
    let mut pem = Vec::new();
    File::open(path)
        .and_then(|file| file.take(AUTHORITIES_BYTES).read_to_end(&mut pem))
        .map_err(|error| unusable(&io_reason(&error)))?;
    let certificates = Certificate::from_pem_bundle(&pem).map_err(|error| unusable(&told(&error)))?;
    if certificates.is_empty() {
        return Err(unusable("there is no certificate in it"));
    }
    Ok(certificates)
}
