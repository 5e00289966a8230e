//! What the engine module says about itself, in JSON, readable without running anything (SPEC section 13.1).
//!
//! Owns the text of the custom section `adjudicate.manifest`. The operations are written out, because the text is
//! made at compile time; a test holds them against the core's table.

/// The manifest.
pub(crate) const MANIFEST: &str = concat!(
    r#"{"abi":1,"name":"adjudicate-engine","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#"","description":""#,
    env!("CARGO_PKG_DESCRIPTION"),
    r#"","license":"MIT OR Apache-2.0","operations":["evaluate","refine"],"engine":{"name":"adjudicate","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#""}}"#,
);

/// The manifest as the bytes of the section.
pub(crate) const BYTES: [u8; MANIFEST.len()] = {
    let mut bytes = [0; MANIFEST.len()];
    bytes.copy_from_slice(MANIFEST.as_bytes());
    bytes
};

#[cfg(test)]
mod tests {
    use adjudicate_core::{Operation, VERSION, json};

    use super::{BYTES, MANIFEST};

    #[test]
    fn manifest_agrees_with_the_core() {
        let tape = json::read(&BYTES, json::Limits::DOCUMENT).unwrap();
        let root = tape.root();
        let text = |name: &str| root.member(name).and_then(|node| node.as_str());
        assert_eq!(text("name"), Some("adjudicate-engine"));
        assert_eq!(text("version"), Some(VERSION), "in {MANIFEST}");

        let listed: Vec<_> =
            root.member("operations").unwrap().items().map(|item| item.as_str().unwrap()).collect();
        let offered: Vec<_> = Operation::ALL.iter().map(|operation| operation.name()).collect();
        assert_eq!(listed, offered);
    }
}
