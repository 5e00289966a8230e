//! The manifest, made at compile time: JSON in the custom section `adjudicate.manifest`.

/// The largest manifest that a host accepts, in bytes.
const MAX_BYTES: usize = 256 << 10;

/// The label of a module. [`policy!`](macro@crate::policy) fills it from `Cargo.toml` and from its arguments.
///
/// ```
/// use adjudicate_guest::Label;
/// let label = Label { name: "gate", version: "1.0.0", description: "", license: "MIT", tests: "" };
/// assert_eq!(label.license, "MIT");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// The module's name.
    pub name: &'static str,
    /// Its semantic version.
    pub version: &'static str,
    /// The description; empty if there is none.
    pub description: &'static str,
    /// The licence; empty if there is none.
    pub license: &'static str,
    /// The module's own tests, a JSON list as in `x-tests` of the manifest; empty if there are none. A host runs them
    /// when it installs the module.
    pub tests: &'static str,
}

/// The parts of the manifest: the JSON before a value, the value, and true if the value is JSON instead of the text of a string.
const fn members(label: &Label) -> [(&'static str, &'static str, bool); 5] {
    [
        (r#"{"abi":1,"name":"#, label.name, false),
        (r#","version":"#, label.version, false),
        (r#","description":"#, label.description, false),
        (r#","license":"#, label.license, false),
        (r#","operations":["evaluate"],"x-tests":"#, label.tests, true),
    ]
}

/// The text in place of the last field if there are no tests.
const WITHOUT_TESTS: &str = r#","operations":["evaluate"]"#;

/// The number of bytes of the manifest.
#[doc(hidden)]
#[must_use]
pub const fn length(label: &Label) -> usize {
    assert!(!label.name.is_empty() && !label.version.is_empty(), "a policy has a name and a version");
    let mut counted = Sink { out: &mut [], at: 0 };
    counted.manifest(label);
    assert!(counted.at <= MAX_BYTES, "the manifest is over 256 KiB: bring fewer tests");
    counted.at
}

/// The manifest.
#[doc(hidden)]
#[must_use]
pub const fn bytes<const LENGTH: usize>(label: &Label) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    let mut sink = Sink { out: &mut bytes, at: 0 };
    sink.manifest(label);
    bytes
}

/// Counts bytes, and stores those that fit.
struct Sink<'o> {
    out: &'o mut [u8],
    at: usize,
}

impl Sink<'_> {
    const fn manifest(&mut self, label: &Label) {
        let members = members(label);
        let mut rest: &[(&str, &str, bool)] = &members;
        while let [(name, text, is_json), more @ ..] = rest {
            match (text.is_empty(), *is_json) {
                (false, true) => {
                    self.text(name);
                    self.text(text);
                }
                (false, false) => {
                    self.text(name);
                    self.string(text);
                }
                (true, true) => self.text(WITHOUT_TESTS),
                (true, false) => {}
            }
            rest = more;
        }
        self.byte(b'}');
    }

    const fn text(&mut self, text: &str) {
        let mut rest = text.as_bytes();
        while let [byte, more @ ..] = rest {
            self.byte(*byte);
            rest = more;
        }
    }

    const fn string(&mut self, text: &str) {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        self.byte(b'"');
        let mut rest = text.as_bytes();
        while let [byte, more @ ..] = rest {
            match byte {
                b'"' | b'\\' => {
                    self.byte(b'\\');
                    self.byte(*byte);
                }
                0..=0x1f => {
                    self.text("\\u00");
                    self.byte(if *byte < 16 { b'0' } else { b'1' });
                    let (_, from) = HEX.split_at((*byte & 15) as usize);
                    if let [digit, ..] = from {
                        self.byte(*digit);
                    }
                }
                plain => self.byte(*plain),
            }
            rest = more;
        }
        self.byte(b'"');
    }

    const fn byte(&mut self, byte: u8) {
        if self.at < self.out.len() {
            let (_, free) = self.out.split_at_mut(self.at);
            if let [first, ..] = free {
                *first = byte;
            }
        }
        self.at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BARE: Label = Label { name: "tiny", version: "0.1.0", description: "", license: "", tests: "" };
    const FULL: Label = Label { description: "says \"no\"\n\\", license: "MIT", tests: "[]", ..BARE };

    fn text<const LENGTH: usize>(label: &Label) -> alloc::string::String {
        core::str::from_utf8(&bytes::<LENGTH>(label)).unwrap().into()
    }

    #[test]
    fn the_manifest_has_the_given_fields_and_no_others() {
        assert_eq!(
            text::<{ length(&BARE) }>(&BARE),
            r#"{"abi":1,"name":"tiny","version":"0.1.0","operations":["evaluate"]}"#
        );
        assert_eq!(
            text::<{ length(&FULL) }>(&FULL),
            r#"{"abi":1,"name":"tiny","version":"0.1.0","description":"says \"no\"\u000a\\","license":"MIT","operations":["evaluate"],"x-tests":[]}"#
        );
    }
}
