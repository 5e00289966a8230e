//! The smallest policy in Rust. CI limits its size.
#![cfg_attr(target_arch = "wasm32", no_std)]
use adjudicate_guest::prelude::*;
fn decide(envelope: Envelope<'_>) -> Option<Finding<'_>> {
    let (id, _) = envelope.evidence().validation().exit_codes().find(|(_, code)| *code != 0)?;
    Some(Finding::new("all-green", Status::Blocked, "a validator failed").actual(id))
}
adjudicate_guest::policy! { decide: decide }
