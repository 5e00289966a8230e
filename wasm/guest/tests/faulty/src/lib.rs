//! A policy that panics or returns an error if its envelope asks for it, with the mistakes that authors make by
//! accident.
#![cfg_attr(target_arch = "wasm32", no_std)]
use adjudicate_guest::prelude::*;

fn decide(envelope: Envelope<'_>) -> Result<Vec<Finding<'_>>, Error> {
    let numbers: Vec<usize> = Vec::new();
    match envelope.run_id() {
        "panic" => panic!("the author did not think of this"),
        // The compiler does not know the length.
        "index" => {
            Ok(vec![Finding::new("index", Status::Success, format!("{}", numbers[envelope.run_id().len()]))])
        }
        "error" => Err(Error::new("rates_unknown", "there is no table of rates").at("/evidence")),
        // A code that only hosts may report.
        "forged" => Err(Error::new("module_trap", "not really")),
        _ => Ok(Vec::new()),
    }
}
adjudicate_guest::policy! { decide: decide }
