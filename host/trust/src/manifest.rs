//! Reads the manifest section of a module, and appends one. The core has the manifest's fields.

use adjudicate_core::Error;
use wasmparser::{Parser, Payload};

use crate::codes;

pub use adjudicate_core::module::manifest::*;

/// Reads the manifest of a module without inspecting the rest.
///
/// # Errors
///
/// [`codes::MODULE_MALFORMED`] if the bytes cannot be read section by section; [`codes::MODULE_MANIFEST`] if there is no manifest,
/// several, or a malformed one.
pub fn read(module: &[u8]) -> Result<Manifest, Error> {
    let mut sections = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        match payload {
            Ok(Payload::CustomSection(section)) if section.name() == SECTION => sections.push(section.data()),
            Ok(_) => {}
            Err(error) => return Err(malformed(error.message())),
        }
    }
    from_sections(&sections)
}

/// Parses the manifest of a module whose sections of this name are `sections`.
///
/// # Errors
///
/// [`codes::MODULE_MANIFEST`] unless there is exactly one section, with a valid manifest.
pub fn from_sections(sections: &[&[u8]]) -> Result<Manifest, Error> {
    match sections {
        [] => Err(refusal(&format!("the module has no custom section `{SECTION}`; append one"), "")),
        [section] if section.len() > MAX_BYTES => {
            Err(refusal(&format!("{} bytes are over the limit of {MAX_BYTES}", section.len()), ""))
        }
        [section] => Manifest::parse(section),
        _ => Err(refusal(&format!("the module has {} sections `{SECTION}`; keep one", sections.len()), "")),
    }
}

/// Returns the module with a manifest appended. Do this last, because tools that strip or optimize may drop custom sections.
///
/// # Errors
///
/// [`codes::MODULE_MANIFEST`] if the manifest is malformed, or if the module already has one; [`codes::MODULE_MALFORMED`] if the
/// module's sections cannot be read.
///
/// ```
/// use adjudicate_trust::manifest;
/// let json = r#"{"abi":1,"name":"tiny","version":"0.1.0","operations":["evaluate"]}"#;
/// let module = manifest::append(b"\0asm\x01\0\0\0", json)?;
/// assert_eq!(&*manifest::read(&module)?.name, "tiny");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn append(module: &[u8], manifest: &str) -> Result<Vec<u8>, Error> {
    if manifest.len() > MAX_BYTES {
        return Err(refusal(&format!("{} bytes are over the limit of {MAX_BYTES}", manifest.len()), ""));
    }
    Manifest::parse(manifest.as_bytes())?;
    for payload in Parser::new(0).parse_all(module) {
        match payload {
            Ok(Payload::CustomSection(section)) if section.name() == SECTION => {
                return Err(refusal("the module already has a manifest", ""));
            }
            Ok(_) => {}
            Err(error) => return Err(malformed(error.message())),
        }
    }
    let mut out = module.to_vec();
    let size = leb128(SECTION.len()).len() + SECTION.len() + manifest.len();
    out.push(0);
    out.extend(leb128(size));
    out.extend(leb128(SECTION.len()));
    out.extend(SECTION.as_bytes());
    out.extend(manifest.as_bytes());
    Ok(out)
}

/// Encodes an unsigned integer: seven bits per byte, low bits first.
#[must_use]
pub fn leb128(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

fn malformed(message: &str) -> Error {
    Error::new(codes::MODULE_MALFORMED, format!("the bytes are not a WebAssembly module: {message}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &[u8] = b"\0asm\x01\0\0\0";

    #[test]
    fn an_appended_manifest_is_read_back() {
        for filler in [0, 10, 100, 16_000, 260_000] {
            let text = format!(
                r#"{{"abi":1,"name":"n","version":"0.0.1","operations":["evaluate"],"x-":"{}"}}"#,
                "y".repeat(filler)
            );
            let module = append(EMPTY, &text).unwrap();
            assert_eq!(read(&module).unwrap().text(), text);
            assert_eq!(append(&module, &text).unwrap_err().code(), codes::MODULE_MANIFEST);
        }
    }

    #[test]
    fn modules_without_one_good_manifest_are_refused() {
        let bare = [EMPTY, b"\0\x14\x13adjudicate.manifest"].concat();
        let two = [&bare[..], b"\0\x14\x13adjudicate.manifest"].concat();
        for (module, code) in [
            (EMPTY, codes::MODULE_MANIFEST),
            (&bare, codes::MODULE_MANIFEST),
            (&two, codes::MODULE_MANIFEST),
            (&bare[..20], codes::MODULE_MALFORMED),
            (b"", codes::MODULE_MALFORMED),
            (b"\x89PNG\r\n\x1a\n", codes::MODULE_MALFORMED),
        ] {
            assert_eq!(read(module).unwrap_err().code(), code);
        }
        assert_eq!(append(EMPTY, "{}").unwrap_err().code(), codes::MODULE_MANIFEST);
        assert_eq!(append(EMPTY, &" ".repeat(MAX_BYTES + 1)).unwrap_err().code(), codes::MODULE_MANIFEST);
        assert_eq!(append(b"x", "{}").unwrap_err().code(), codes::MODULE_MANIFEST);
    }
}
