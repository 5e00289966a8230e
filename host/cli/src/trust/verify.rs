//! The verb `verify`.

use adjudicate_core::Error;
use adjudicate_host::trust::{Credentials, Moment, Occasion, PublicKey, TrustPolicy};
use adjudicate_sandbox::{Limits, inspect};
use jiff::Timestamp;

use crate::{args::Verify, exit::Exit, failure::Failure, input, output, table};

pub(crate) fn run(args: &Verify) -> Result<Exit, Failure> {
    let policy = policy(args)?;
    let module = input::module(&args.module, Limits::default().module_bytes)?;
    let credentials = Credentials::read(&module)?;
    let now = args.at.unwrap_or_else(Timestamp::now).as_millisecond();
    let verdict = policy.judge(&credentials, &Occasion { moment: Moment::Install, now, highest: None })?;
    // A module that is trusted and that no host would load is not a good one.
    inspect(&module)?;
    output::answer(&verdict.to_json(), args.printed.format, args.printed.color, || {
        Ok(table::verdict(&verdict))
    })?;
    Ok(Exit::Answered)
}

/// The policy that was named, or that of the key that was.
fn policy(args: &Verify) -> Result<TrustPolicy, Error> {
    match (&args.trust, &args.key) {
        (Some(source), _) => {
            let document = source.part("trust policy", args.input_format)?;
            TrustPolicy::parse(&document).map_err(|error| error.within("trust policy"))
        }
        (None, Some(file)) => {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            Ok(TrustPolicy::of_key(&name, PublicKey::read_file(file)?))
        }
        // The command line asks for one of them; without either nobody is trusted.
        (None, None) => Ok(TrustPolicy::default()),
    }
}
