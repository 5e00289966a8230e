//! The manifest of the engine module: JSON that a host reads without running the module (docs/reference/modules.md).
//!
//! Owns the text of the custom section `adjudicate.manifest`, which is made at compile time.

use adjudicate_core::Operation;

/// The text before the names of the operations.
const HEAD: &str = concat!(
    r#"{"abi":1,"name":"adjudicate-engine","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#"","description":""#,
    env!("CARGO_PKG_DESCRIPTION"),
    r#"","license":"MIT OR Apache-2.0","operations":["#,
);

/// The text after the names.
const TAIL: &str =
    concat!(r#"],"engine":{"name":"adjudicate","version":""#, env!("CARGO_PKG_VERSION"), r#""}}"#);

/// The length of the manifest.
const LENGTH: usize = {
    // The quotes of each name, and the commas between them.
    let mut length = HEAD.len() + TAIL.len() + 3 * Operation::ALL.len() - 1;
    let mut operations = Operation::ALL;
    while let [operation, rest @ ..] = operations {
        length += operation.name().len();
        operations = rest;
    }
    length
};

/// The manifest as the bytes of the section.
pub(crate) const BYTES: [u8; LENGTH] = {
    let mut bytes = [0; LENGTH];
    let mut rest = put(&mut bytes, HEAD);
    let mut operations = Operation::ALL;
    while let [operation, more @ ..] = operations {
        rest = put(rest, "\"");
        rest = put(rest, operation.name());
        rest = put(rest, if more.is_empty() { "\"" } else { "\"," });
        operations = more;
    }
    put(rest, TAIL);
    bytes
};

/// Puts a text in front of the bytes that are left.
const fn put<'a>(bytes: &'a mut [u8], text: &str) -> &'a mut [u8] {
    let (front, rest) = bytes.split_at_mut(text.len());
    front.copy_from_slice(text.as_bytes());
    rest
}

#[cfg(test)]
mod tests {
    use adjudicate_core::{Operation, VERSION, json};

    use super::BYTES;

    #[test]
    fn manifest_agrees_with_the_core() {
        let tape = json::read(&BYTES, json::ReadLimits::DOCUMENT).unwrap();
        let root = tape.root();
        let text = |name: &str| root.member(name).and_then(|node| node.as_str());
        assert_eq!(text("name"), Some("adjudicate-engine"));
        assert_eq!(text("version"), Some(VERSION));

        let listed: Vec<_> =
            root.member("operations").unwrap().items().map(|item| item.as_str().unwrap()).collect();
        let offered: Vec<_> = Operation::ALL.iter().map(|operation| operation.name()).collect();
        assert_eq!(listed, offered);
    }
}
