//! Policy modules in OCI registries: [`push`] and [`pull`] (`docs/operate/registries.md` has the form of the artifact).
//!
//! ```text
//! push: module -> layout -> blobs, then the manifest under its tag
//! pull: manifest -> check of the layout -> config, then the module
//! ```
//!
//! Owns references, the layout of an artifact, HTTP with a registry, and authorization. The registry is not trusted: every part has a
//! known size and digest, or a limit, and the whole has a time limit. This crate does not read modules: the caller inspects a module
//! before a push and after a pull.
//!
//! ```no_run
//! use std::time::Duration;
//! use adjudicate_registry::{Access, Reference, pull};
//!
//! let reference = Reference::parse_pullable("ghcr.io/owner/gate:1.2.0")?;
//! let access = Access { timeout: Duration::from_secs(60), ..Access::default() };
//! let pulled = pull(&access, &reference, 16 << 20)?;
//! println!("{} bytes, manifest {}", pulled.module.len(), pulled.manifest);
//! # Ok::<(), adjudicate_core::Error>(())
//! ```

mod authorization;
mod credentials;
mod layout;
mod reference;
mod registry;
mod transport;

use std::{path::PathBuf, time::Duration};

use adjudicate_core::Error;
use adjudicate_trust::{Digest, Manifest, codes, counted};

pub use credentials::{Password, SignIn};
pub use reference::Reference;

use credentials::Credentials;
use layout::Artifact;
use registry::Registry;
use transport::{Direction, Transport};

/// The connection to a registry, and the credentials.
#[derive(Clone, Debug)]
pub struct Access {
    /// The name and password. Default: those of the docker config file for the registry, or none.
    pub sign_in: Option<SignIn>,
    /// A PEM file with the only trusted certificate authorities. Default: those of the machine.
    pub authorities: Option<PathBuf>,
    /// Connect without TLS: others on the network can read and change all data, including the password.
    pub plain_http: bool,
    /// The time limit for the whole operation. Default 300 s.
    pub timeout: Duration,
}

impl Default for Access {
    fn default() -> Self {
        Self { sign_in: None, authorities: None, plain_http: false, timeout: Duration::from_secs(300) }
    }
}

/// A module that was pushed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pushed {
    /// The digest of its manifest.
    pub manifest: Digest,
    /// The digest of the manifest that the tag named before, by the registry; `None` for a new tag.
    pub before: Option<String>,
}

/// A module that was pulled. Its bytes have the digest in the manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pulled {
    /// The digest of the manifest.
    pub manifest: Digest,
    /// The module's bytes.
    pub module: Vec<u8>,
}

/// Pushes a module with this manifest under a tag. Sends nothing if the tag already names the same manifest.
///
/// # Errors
///
/// - [`codes::UNWRITABLE_OUTPUT`] if the registry rejects the module or the time is over.
/// - [`codes::UNREADABLE_INPUT`] for a password, a docker config file or authorities that cannot be read.
/// - [`codes::WRONG_USAGE`] for a name that cannot be sent.
pub fn push(
    access: &Access,
    reference: &Reference,
    module: &[u8],
    manifest: &Manifest,
) -> Result<Pushed, Error> {
    let artifact = Artifact::new(module, manifest);
    let manifest = Digest::sha256(&artifact.manifest);
    let before = with_registry(access, reference, Direction::Push, async |registry| {
        let before = registry.tagged(reference).await?;
        if before.as_deref() != Some(manifest.to_string().as_str()) {
            registry.push_blob(module, "the module").await?;
            registry.push_blob(&artifact.config, "the config").await?;
            // The manifest comes last, so that a tag never names missing blobs.
            registry.push_manifest(reference, &artifact.manifest).await?;
        }
        Ok(before)
    })?;
    Ok(Pushed { manifest, before })
}

/// Pulls the module that a reference names, of at most `most` bytes.
///
/// # Errors
///
/// - [`codes::UNREADABLE_INPUT`] if the registry does not send the module in time, or sends other bytes than the digests name.
/// - [`codes::INVALID_VALUE`] and similar codes for a manifest without a policy module.
/// - [`codes::LIMIT_EXCEEDED`] for a manifest that is too large.
/// - The errors of [`push`] about credentials.
pub fn pull(access: &Access, reference: &Reference, most: usize) -> Result<Pulled, Error> {
    with_registry(access, reference, Direction::Pull, async |registry| fetch(registry, reference, most).await)
}

/// Fetches a module, and checks every digest.
async fn fetch(registry: &mut Registry, reference: &Reference, most: usize) -> Result<Pulled, Error> {
    let (text, manifest) = registry.manifest(reference).await?;
    let about = |what: &str| format!("the {what} of `{reference}`");
    let found = layout::read_manifest(&text, most).map_err(|error| error.within(&about("manifest")))?;
    let config = registry.blob(found.config, &about("config")).await?;
    layout::read_config(&config, found.layer.digest).map_err(|error| error.within(&about("config")))?;
    Ok(Pulled { manifest, module: registry.blob(found.layer, &about("module")).await? })
}

/// Connects to the registry that a reference names, and runs a function with it, within the time limit.
fn with_registry<T>(
    access: &Access,
    reference: &Reference,
    direction: Direction,
    work: impl AsyncFnOnce(&mut Registry) -> Result<T, Error>,
) -> Result<T, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Error::caused_by(codes::HOST_FAULT, "cannot start a thread", error))?;
    let all = async {
        let (sign_in, docker_config_name) =
            (access.sign_in.clone(), reference.docker_config_name().to_owned());
        // A helper may wait for the user.
        let credentials =
            tokio::task::spawn_blocking(move || Credentials::find(sign_in.as_ref(), &docker_config_name))
                .await;
        let credentials =
            credentials.map_err(|error| Error::caused_by(codes::HOST_FAULT, "a thread ended", error))??;
        let transport =
            Transport::new(reference.host(), access.plain_http, access.authorities.as_deref(), direction)?;
        work(&mut Registry::new(transport, reference, credentials)).await
    };
    let done = runtime.block_on(async { tokio::time::timeout(access.timeout, all).await });
    // Does not wait for threads that still resolve a name or run a helper.
    runtime.shutdown_background();
    let seconds = access.timeout.as_secs();
    let late = |_| {
        Err(direction.fault(format!("`{reference}`: not finished within {}", counted(seconds, "second"))))
    };
    done.unwrap_or_else(late)
}

/// Returns the bytes in base64, with padding (RFC 4648 section 4).
fn base64(bytes: &[u8]) -> String {
    use base64::{Engine, engine::general_purpose::STANDARD};
    STANDARD.encode(bytes)
}
