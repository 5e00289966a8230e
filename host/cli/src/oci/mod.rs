//! The verbs `push` and `pull`: modules in OCI registries.
//!
//! ```text
//! push: module -> inspected -> the registry
//! pull: the registry -> inspected -> a file, or the store
//! ```
//!
//! Owns when something is written: after everything about it was checked.

mod args;
mod report;

use adjudicate_host::Terms;
use adjudicate_registry as registry;
use adjudicate_sandbox::{Limits, inspect};

use crate::{exit::Exit, failure::Failure, input, output, place, replace, store};
pub(crate) use args::{Pull, Push};
use report::{Pulled, Pushed};

pub(crate) fn push(args: &Push) -> Result<Exit, Failure> {
    let module = match args.is_installed() {
        true => {
            let store = place::open(&args.place)?;
            store.module_bytes(store.find_module(&args.module.to_string_lossy())?.digest)?
        }
        false => input::module(&args.module, Limits::default().module_bytes)?,
    };
    let inspection = inspect(&module)?;
    let pushed = registry::push(&args.access.to_registry(), &args.reference, &module, &inspection.manifest)?;
    let report = Pushed::new(&args.reference, &inspection, pushed);
    args.printed.print(&report, Pushed::page)
}

pub(crate) fn pull(args: &Pull) -> Result<Exit, Failure> {
    args.check()?;
    // Before anything is fetched, what cannot end well.
    if let Some(path) = &args.output {
        replace::admit_module(path, [].into_iter())?;
    }
    // A store that is not there is not made for a module that does not come.
    let (slots, most) = match args.slot.as_deref() {
        Some(slot) => {
            let slots = store::open_member(&args.at)?;
            let most = store::most_bytes(&slots, slot)?;
            (Some(slots), most)
        }
        None => (None, Limits::default().module_bytes),
    };
    let registry::Pulled { manifest, module } =
        registry::pull(&args.access.to_registry(), &args.reference, most)?;
    let inspection = inspect(&module)?;
    let mut report = Pulled::new(&args.reference, &inspection, manifest);
    if args.install {
        let slots = slots.map_or_else(|| store::open_member(&args.at), Ok)?;
        let terms = Terms { slot: args.slot.clone(), unsigned: args.allow_unsigned };
        report.installed = Some(slots.install(&module, &terms)?);
    }
    if let Some(path) = &args.output {
        replace::file(path, None, &module).map_err(|error| output::unwritable(path, &error))?;
        report.file = Some(path.display().to_string());
    }
    args.at.printed.print(&report, Pulled::page)
}
