//! The commands `push` and `pull`: modules in OCI registries.
//!
//! ```text
//! push: module -> inspected -> the registry
//! pull: the registry -> inspected -> a file, or the store
//! ```
//!
//! Both write only after all checks.

mod args;
mod report;

use adjudicate_host::InstallOptions;
use adjudicate_registry as registry;
use adjudicate_sandbox::{Limits, inspect};

use crate::{
    environment::Environment, exit::Exit, failure::Failure, input, output, replace, store, store_location,
};
pub(crate) use args::{Pull, Push};
pub(crate) use report::{PullReport, PushReport};

pub(crate) fn push(args: &Push, env: &Environment) -> Result<Exit, Failure> {
    let module = match args.is_installed() {
        true => {
            let store = store_location::open(&args.location, env)?;
            store.module_bytes(store.find_module(&args.module.to_string_lossy())?.digest)?
        }
        false => input::module(&args.module, Limits::default().module_bytes, env)?,
    };
    let inspection = inspect(&module)?;
    let pushed =
        registry::push(&args.access.to_registry(env), &args.reference, &module, &inspection.manifest)?;
    let report = PushReport::new(&args.reference, &inspection, pushed);
    args.report_options.print(&report, PushReport::page, env)
}

pub(crate) fn pull(args: &Pull, env: &Environment) -> Result<Exit, Failure> {
    args.check(env)?;
    // Reject an unusable output file before the download.
    if let Some(path) = &args.output {
        replace::check_module_target(path, [].into_iter(), env)?;
    }
    // Without `--slot`, a missing store is created only after the download.
    let (slots, limit) = match args.slot.as_deref() {
        Some(slot) => {
            let slots = store::open_synced(&args.at, env)?;
            let limit = store::module_size_limit(&slots, slot)?;
            (Some(slots), limit)
        }
        None => (None, Limits::default().module_bytes),
    };
    let registry::Pulled { manifest, module } =
        registry::pull(&args.access.to_registry(env), &args.reference, limit)?;
    let inspection = inspect(&module)?;
    let mut report = PullReport::new(&args.reference, &inspection, manifest);
    if args.install {
        let slots = slots.map_or_else(|| store::open_synced(&args.at, env), Ok)?;
        let terms = InstallOptions { slot: args.slot.clone(), unsigned: args.allow_unsigned };
        report.installed = Some(slots.install(&module, &terms)?);
    }
    if let Some(path) = &args.output {
        replace::file(&env.path(path), None, &module).map_err(|error| output::unwritable(path, error))?;
        report.file = Some(path.display().to_string());
    }
    args.at.report_options.print(&report, PullReport::page, env)
}
