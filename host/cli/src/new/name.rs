//! The rules for the name of a new project.

use adjudicate_core::Error;
use adjudicate_trust::manifest::check_module_name;

use crate::codes;

/// The longest name.
const LONGEST: usize = 50;

/// Reserved names: keywords and built-in crates of Rust, names that npm rejects, and devices of Windows.
const RESERVED: &str = "abstract adjudicate-guest alloc as async aux await become box break build con const continue core crate deps do dyn else enum \
    examples extern false final fn for gen if impl in incremental let loop macro match mod move mut node nul override priv prn \
    proc-macro pub ref return self static std struct super test trait true try type typeof union unsafe unsized use virtual where \
    while yield";

/// Rejects a name that a module, a crate, an npm package or a folder cannot have. A name is lower-case letters and
/// digits in parts joined by single dashes, and begins with a letter.
pub(super) fn check(name: &str) -> Result<(), Error> {
    if name.len() > LONGEST {
        // The message does not repeat the name, which could fill a screen.
        let message = format!("the name of a policy has {LONGEST} characters at most");
        return Err(Error::new(codes::WRONG_USAGE, message));
    }
    let refused = |why: &str| {
        Err(Error::new(codes::WRONG_USAGE, format!("`{name}` cannot be the name of a policy: {why}")))
    };
    let part =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9'));
    if !name.starts_with(|first: char| first.is_ascii_lowercase()) || !name.split('-').all(part) {
        return refused(
            "lower-case letters and digits, in parts joined by `-`, a letter first, for instance `change-freeze`",
        );
    }
    let is_device = |device: &str| {
        let number = name.strip_prefix(device);
        number.is_some_and(|number| number.len() == 1 && number.bytes().all(|digit| digit.is_ascii_digit()))
    };
    if let Err(error) = check_module_name(name) {
        return refused(error.message());
    }
    if RESERVED.split(' ').any(|reserved| reserved == name) || is_device("com") || is_device("lpt") {
        return refused("toolchains or systems keep it for themselves");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_good_everywhere_or_nowhere() {
        for name in ["a", "change-freeze", "x2", "release-gate-2", "selfless", "com10", &"x".repeat(LONGEST)]
        {
            assert!(check(name).is_ok(), "{name}");
        }
        let refused = "- -x x- a--b 2x A aB a_b a.b ../x a/b / . .. ~ é ａ --lang self test crate core std con nul com1 lpt9 async \
                       proc-macro adjudicate-guest @x/y deadbeef a0000000";
        let long = "a".repeat(LONGEST + 1);
        for name in refused.split(' ').chain(["", "a b", "a\u{0}", "a\n", "a\u{202e}b", &long]) {
            let error = check(name).unwrap_err();
            assert_eq!(error.code(), codes::WRONG_USAGE, "{name}");
        }
        for long in ["a".repeat(100_000), "\u{1f600}".repeat(50_000)] {
            assert!(check(&long).unwrap_err().to_string().len() < 200);
        }
    }
}
