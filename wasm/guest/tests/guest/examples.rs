//! Every public item of the guest SDK has an example, which runs as a test of the documentation.

use std::path::Path;

use crate::public;

#[test]
fn every_public_item_has_an_example() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (count, without) = public::without_example(&sources, &["module.rs"]);
    assert!(count > 100, "{count}");
    assert!(without.is_empty(), "{without:#?}");
}
