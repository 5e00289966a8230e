//! Policy modules in OCI registries: [`push`] and [`pull`] (`REGISTRY.md` has the form of the artifact).
//!
//! ```text
//! push: module -> layout -> blobs, then the manifest under its tag
//! pull: manifest -> held to the layout -> config, then the module
//! ```
//!
//! This crate owns references, the layout of an artifact, HTTP with a registry, and signing in there. It believes nothing that a
//! registry sends: everything has a size and a digest that were known before, or a limit, and the whole has an end in time. It does
//! not look into a module: the caller inspects it, before it pushes and after it pulls.
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
use adjudicate_sandbox::{Digest, Manifest, codes, counted};

pub use credentials::{Password, SignIn};
pub use reference::Reference;

use credentials::Credentials;
use layout::Artifact;
use registry::Registry;
use transport::{Aim, Transport};

/// How a registry is reached, and who the caller is there.
#[derive(Clone, Debug)]
pub struct Access {
    /// The name and password; without them, those that the docker config file has for the registry, or none.
    pub sign_in: Option<SignIn>,
    /// A PEM file of the only certificate authorities to trust; without it, those of the machine.
    pub authorities: Option<PathBuf>,
    /// Whether to speak without TLS: anybody on the way reads and changes everything, the password too.
    pub plain_http: bool,
    /// How long all of it may take. Default 300 s.
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
    /// The digest of the manifest that the tag named before, as the registry tells it; `None` if the tag named nothing.
    pub before: Option<String>,
}

/// A module that was pulled. Its bytes have the digest that the manifest says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pulled {
    /// The digest of the manifest.
    pub manifest: Digest,
    /// The module's bytes.
    pub module: Vec<u8>,
}

/// Puts a module with this manifest under a tag. Sends nothing if the tag names the very same already.
///
/// # Errors
///
/// [`codes::UNWRITABLE_OUTPUT`] for what the registry refuses, or what is not done in time; [`codes::UNREADABLE_INPUT`] for a
/// password, a docker config file or authorities that cannot be read; [`codes::WRONG_USAGE`] for a name that cannot be sent.
pub fn push(
    access: &Access,
    reference: &Reference,
    module: &[u8],
    manifest: &Manifest,
) -> Result<Pushed, Error> {
    let artifact = Artifact::of(module, manifest);
    let manifest = Digest::of(&artifact.manifest);
    let before = visit(access, reference, Aim::Push, async |registry| {
        let before = registry.tagged(reference).await?;
        if before.as_deref() != Some(manifest.to_string().as_str()) {
            registry.leave_blob(module, "the module").await?;
            registry.leave_blob(&artifact.config, "the config").await?;
            // Last, so that nobody is told of what is not there yet.
            registry.leave_manifest(reference, &artifact.manifest).await?;
        }
        Ok(before)
    })?;
    Ok(Pushed { manifest, before })
}

/// Gets the module that a reference names, of `most` bytes at most.
///
/// # Errors
///
/// [`codes::UNREADABLE_INPUT`] for what the registry does not give, gives otherwise than its digests say, or not in time;
/// [`codes::INVALID_VALUE`] and its like for a manifest that is not that of a policy module; [`codes::LIMIT_EXCEEDED`] for
/// one that is too large; those of [`push`] about signing in.
pub fn pull(access: &Access, reference: &Reference, most: usize) -> Result<Pulled, Error> {
    visit(access, reference, Aim::Pull, async |registry| fetch(registry, reference, most).await)
}

/// All is what it says, down to the digests.
async fn fetch(registry: &mut Registry, reference: &Reference, most: usize) -> Result<Pulled, Error> {
    let (text, manifest) = registry.manifest(reference).await?;
    let about = |what: &str| format!("the {what} of `{reference}`");
    let found = layout::read_manifest(&text, most).map_err(|error| error.within(&about("manifest")))?;
    let config = registry.blob(found.config, &about("config")).await?;
    layout::read_config(&config, found.layer.digest).map_err(|error| error.within(&about("config")))?;
    Ok(Pulled { manifest, module: registry.blob(found.layer, &about("module")).await? })
}

/// Does something with the registry that a reference names, within the time that there is for all of it.
fn visit<T>(
    access: &Access,
    reference: &Reference,
    aim: Aim,
    work: impl AsyncFnOnce(&mut Registry) -> Result<T, Error>,
) -> Result<T, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime
        .map_err(|error| Error::new(codes::HOST_FAULT, format!("no thread can be started: {error}")))?;
    let all = async {
        let (sign_in, account) = (access.sign_in.clone(), reference.account().to_owned());
        // A helper may ask somebody, and wait.
        let credentials =
            tokio::task::spawn_blocking(move || Credentials::find(sign_in.as_ref(), &account)).await;
        let credentials = credentials
            .map_err(|error| Error::new(codes::HOST_FAULT, format!("a thread ended: {error}")))??;
        let transport =
            Transport::new(reference.host(), access.plain_http, access.authorities.as_deref(), aim)?;
        work(&mut Registry::new(transport, reference, credentials)).await
    };
    let done = runtime.block_on(async { tokio::time::timeout(access.timeout, all).await });
    // Threads that still wait for a name or a helper are left behind.
    runtime.shutdown_background();
    let seconds = access.timeout.as_secs();
    let late = |_| Err(aim.fault(format!("`{reference}`: not done within {}", counted(seconds, "second"))));
    done.unwrap_or_else(late)
}

/// The bytes in base64, with padding (RFC 4648 section 4).
fn base64(bytes: &[u8]) -> String {
    use base64::{Engine, engine::general_purpose::STANDARD};
    STANDARD.encode(bytes)
}
