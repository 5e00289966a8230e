//! Every public item has an example. Examples that need a server are only compiled.

use std::path::Path;

#[path = "../../../../wasm/guest/tests/guest/public.rs"]
mod public;

#[test]
fn every_public_item_has_an_example() {
    let (count, without) = public::without_example(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &[]);
    assert!(count > 30, "{count}");
    assert!(without.is_empty(), "{without:#?}");
}
