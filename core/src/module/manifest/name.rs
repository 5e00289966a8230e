//! Names of modules. No command can mistake them for a digest or an option.

use alloc::{borrow::ToOwned, string::String};
use core::{fmt, ops::Deref};

use adjudicate_lang::{
    Error,
    document::{Describe, Document, Reader, Shape, Type},
    json::Node,
};

use crate::codes;

/// From this number of hexadecimal digits on, text in place of a module's name is read as the beginning of a digest.
const FEWEST_DIGITS: usize = 8;

/// The name of a module. [`check_module_name`] has its rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleName(String);

impl Describe for ModuleName {
    fn describe() -> Type {
        Type::Text { min_length: 1, pattern: "^[^-]" }
    }
}

impl Document<'_> for ModuleName {
    const SHAPE: Shape = Shape::Text;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        reader.parsed(node, |name| check_module_name(name).map(|()| Self(name.to_owned())))
    }
}

impl Deref for ModuleName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ModuleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Rejects invalid names of modules: empty names, names that begin with `-`, and names that look like a digest. The latter begin
/// with `sha256:` in any case, or are 8 or more hexadecimal digits, alone or after the name of an algorithm and a colon.
///
/// ```
/// use adjudicate_core::module::check_module_name;
/// assert!(check_module_name("release-gate").is_ok());
/// assert!(check_module_name("team:release").is_ok());
/// for name in ["", "-x", "sha256:deadbeef", "SHA256:x", "blake3:00112233", "deadbeef"] {
///     assert!(check_module_name(name).is_err(), "{name}");
/// }
/// ```
///
/// # Errors
///
/// [`codes::WRONG_USAGE`] for an invalid name.
pub fn check_module_name(name: &str) -> Result<(), Error> {
    let reason = match name {
        "" => "expected a string that is not empty",
        _ if name.starts_with('-') => "a module's name does not begin with `-`, as options do",
        _ if looks_like_digest(name) => "a module's name does not look like a digest",
        _ => return Ok(()),
    };
    Err(Error::new(codes::WRONG_USAGE, reason))
}

fn looks_like_digest(name: &str) -> bool {
    let (algorithm, digits) = name.split_once(':').unwrap_or(("sha256", name));
    let is_algorithm = !algorithm.is_empty()
        && algorithm.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+._-".contains(&byte));
    let is_ours = name.len() > digits.len() && algorithm.eq_ignore_ascii_case("sha256");
    is_ours || (is_algorithm && are_digits(digits))
}

/// Returns whether the text may be the beginning of a digest: 8 hexadecimal digits or more.
#[must_use]
pub fn are_digits(text: &str) -> bool {
    text.len() >= FEWEST_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn names_are_neither_digests_nor_options() {
        for good in [
            "a",
            "judge",
            "release-gate",
            "décision",
            "team:release",
            "team:cafe",
            "facade",
            "v1:2026",
            "a:b:deadbeef",
            ":deadbeef",
        ] {
            assert_eq!(check_module_name(good), Ok(()), "{good}");
        }
        let whole = "0123456789abcdef".repeat(4);
        for bad in [
            "",
            "-",
            "--help",
            "-x",
            "sha256:",
            "sha256:deadbeef",
            "sha256:release",
            "SHA256:DEADBEEF",
            "sha512:deadbeef",
            "sha512-256:deadbeef",
            "blake2b:0011223344",
            "deadbeef",
            "DEADBEEF",
            "20261122",
            &whole,
            &format!("sha256:{whole}"),
            &format!("md5:{whole}"),
        ] {
            let refused = check_module_name(bad).map_err(|error| error.code());
            assert_eq!(refused, Err(codes::WRONG_USAGE), "{bad}");
        }
    }
}
