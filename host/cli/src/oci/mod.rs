//! The verbs `push` and `pull`: modules in OCI registries.
//!
//! ```text
//! push: module -> inspected -> layout -> blobs, then the manifest under its tag
//! pull: manifest -> held to the layout -> config, then the module -> inspected -> a file, or the store
//! ```
//!
//! Owns when something is written: after everything about it was checked. A registry is believed nothing. What it sends
//! has a size and a digest that were known before, or a limit, and the whole has an end in time.

mod authorization;
mod client;
mod credentials;
mod layout;
mod reference;
mod registry;
mod report;
mod transport;

use std::time::Duration;

use adjudicate_core::{Error, ErrorCode};
use adjudicate_host::Terms;
use adjudicate_sandbox::{Digest, Limits, counted, inspect};

pub(crate) use reference::Reference;

use crate::{
    args::{Access, Pull, Push},
    exit::Exit,
    failure::Failure,
    input, output, replace, store,
};
use credentials::Credentials;
use layout::Artifact;
use registry::Registry;
use report::{Pulled, Pushed};
use transport::{Aim, Transport};

pub(crate) fn push(args: &Push) -> Result<Exit, Failure> {
    let module = match args.is_installed() {
        true => {
            let store = store::open(&args.place)?;
            store.module_bytes(store.find_module(&args.module.to_string_lossy())?.digest)?
        }
        false => input::module(&args.module, Limits::default().module_bytes)?,
    };
    let inspection = inspect(&module)?;
    let artifact = Artifact::of(&module, &inspection.manifest);
    let manifest = Digest::of(&artifact.manifest);
    let before = visit(&args.access, &args.reference, Aim::Push, async |registry| {
        let before = registry.tagged(&args.reference).await?;
        if before.as_deref() != Some(manifest.to_string().as_str()) {
            registry.leave_blob(&module, "the module").await?;
            registry.leave_blob(&artifact.config, "the config").await?;
            // Last, so that nobody is told of what is not there yet.
            registry.leave_manifest(&args.reference, &artifact.manifest).await?;
        }
        Ok(before)
    })?;
    let report = Pushed::new(&args.reference, &inspection, manifest, before);
    report::print(&report, args.printed, Pushed::page)
}

pub(crate) fn pull(args: &Pull) -> Result<Exit, Failure> {
    // Before anything is fetched, what cannot end well.
    if let Some(path) = &args.output {
        replace::admit_module(path, [].into_iter())?;
    }
    // A store that is not there is not made for a module that does not come.
    let (slots, most) = match args.slot.as_deref() {
        Some(slot) => {
            let slots = store::open_member(&args.place, &args.nats)?;
            let most = store::most_bytes(&slots, slot)?;
            (Some(slots), most)
        }
        None => (None, Limits::default().module_bytes),
    };
    let (manifest, module) = visit(&args.access, &args.reference, Aim::Pull, async |registry| {
        fetch(registry, &args.reference, most).await
    })?;
    let inspection = inspect(&module)?;
    let mut report = Pulled::new(&args.reference, &inspection, manifest);
    if args.install {
        let slots = slots.map_or_else(|| store::open_member(&args.place, &args.nats), Ok)?;
        let terms = Terms { slot: args.slot.clone(), unsigned: args.allow_unsigned };
        report.installed = Some(slots.install(&module, &terms)?);
    }
    if let Some(path) = &args.output {
        replace::file(path, None, &module).map_err(|error| output::unwritable(path, &error))?;
        report.file = Some(path.display().to_string());
    }
    report::print(&report, args.printed, Pulled::page)
}

/// The digest of the manifest that a reference names, and the module that it describes: all is what it says, down to the digests.
async fn fetch(
    registry: &mut Registry,
    reference: &Reference,
    most: usize,
) -> Result<(Digest, Vec<u8>), Error> {
    let (text, manifest) = registry.manifest(reference).await?;
    let about = |what: &str| format!("the {what} of `{reference}`");
    let found = layout::read_manifest(&text, most).map_err(|error| error.within(&about("manifest")))?;
    let config = registry.blob(found.config, &about("config")).await?;
    layout::read_config(&config, found.layer.digest).map_err(|error| error.within(&about("config")))?;
    Ok((manifest, registry.blob(found.layer, &about("module")).await?))
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
        .map_err(|error| Error::new(ErrorCode::HostFault, format!("no thread can be started: {error}")))?;
    let all = async {
        let (access_there, account) = (access.clone(), reference.account().to_owned());
        // A helper may ask somebody, and wait.
        let credentials =
            tokio::task::spawn_blocking(move || Credentials::find(&access_there, &account)).await;
        let credentials = credentials
            .map_err(|error| Error::new(ErrorCode::HostFault, format!("a thread ended: {error}")))??;
        let transport = Transport::new(reference.host(), access.plain_http, access.ca.as_deref(), aim)?;
        work(&mut Registry::new(transport, reference, credentials)).await
    };
    let limit = Duration::from_secs(access.timeout);
    let done = runtime.block_on(async { tokio::time::timeout(limit, all).await });
    // What still waits for a name or a helper is not waited for.
    runtime.shutdown_background();
    let late =
        |_| Err(aim.fault(format!("`{reference}`: not done within {}", counted(access.timeout, "second"))));
    done.unwrap_or_else(late)
}

/// The bytes in base64, with padding (RFC 4648 section 4).
fn base64(bytes: &[u8]) -> String {
    use base64::{Engine, engine::general_purpose::STANDARD};
    STANDARD.encode(bytes)
}
