//! Every public item has an example. Those that need a server are compiled, and not run.
#![expect(clippy::unwrap_used, reason = "to panic is how a test fails")]

use std::path::Path;

#[path = "../../../wasm/guest/tests/public/mod.rs"]
mod public;

#[test]
fn every_public_item_has_an_example() {
    let (count, without) = public::without_example(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &[]);
    assert!(count > 30, "{count}");
    assert!(without.is_empty(), "{without:#?}");
}
