//! Every public item of the guest SDK has an example, which runs as a test of the documentation.
#![expect(clippy::unwrap_used, reason = "to panic is how a test fails")]

use std::path::Path;

mod public;

#[test]
fn every_public_item_has_an_example() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (count, without) = public::without_example(&sources, &["module.rs"]);
    assert!(count > 100, "{count}");
    assert!(without.is_empty(), "{without:#?}");
}
