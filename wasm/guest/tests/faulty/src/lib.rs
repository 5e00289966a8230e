//! A policy that panics, or returns an error, as its envelope says: what its authors will do without wanting to.
#![cfg_attr(target_arch = "wasm32", no_std)]
use adjudicate_guest::prelude::*;

fn decide(envelope: Envelope<'_>) -> Result<Vec<Finding<'_>>, Error> {
    let numbers: Vec<usize> = Vec::new();
    match envelope.run_id() {
        "panic" => panic!("the author did not think of this"),
        // The length is not known before the call.
        "index" => {
            Ok(vec![Finding::new("index", Status::Success, format!("{}", numbers[envelope.run_id().len()]))])
        }
        "error" => Err(Error::new("rates_unknown", "there is no table of rates").at("/evidence")),
        // A code that is the host's to say.
        "forged" => Err(Error::new("module_trap", "not really")),
        _ => Ok(Vec::new()),
    }
}
adjudicate_guest::policy! { decide: decide }
