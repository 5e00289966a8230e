//! The verb `conformance`: holds a module against the interface, or writes out the corpus that hosts are held to.

mod export;
mod junit;
mod text;

use adjudicate_sandbox::Limits;

use crate::{args::Conformance, compiler, exit::Exit, failure::Failure, input, layout, output, replace};

pub(crate) fn run(args: &Conformance) -> Result<Exit, Failure> {
    match (&args.module, &args.export) {
        (Some(module), _) => {
            let bytes = input::module(module, Limits::default().module_bytes)?;
            let report = adjudicate_conformance::check(&compiler::host(Limits::default())?, &bytes)?;
            let name = module.display().to_string();
            output::report(
                args.format,
                args.color,
                || layout::json(&report),
                |width| text::page(&name, &report).render(width),
            )?;
            if let Some(path) = &args.junit {
                replace::report(path, &junit::document(&name, &report))?;
            }
            Ok(if report.conforms { Exit::Answered } else { Exit::Module })
        }
        (None, Some(folder)) => {
            let count = export::write(folder)?;
            output::line(&format!("{count} modules and cases.json written to {}", folder.display()))?;
            Ok(Exit::Answered)
        }
        // The command line asks for one of them.
        (None, None) => Ok(Exit::Usage),
    }
}
