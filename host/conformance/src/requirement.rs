//! The requirements for modules, in one table.

use adjudicate_core::document::Describe;
use serde::Serialize;

/// The weight of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Describe, Serialize)]
#[document(name = "Level")]
#[serde(rename_all = "snake_case")]
pub enum RequirementLevel {
    /// A module that breaks it does not conform.
    Must,
    /// A module that breaks it conforms, but is slower or less helpful than possible.
    Should,
}

/// A requirement for modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Requirement {
    /// The stable id.
    pub id: &'static str,
    /// The weight.
    pub level: RequirementLevel,
    /// The section of `docs/reference/abi.md` with the rule.
    pub section: &'static str,
    /// The rule, in a sentence.
    pub sentence: &'static str,
}

/// Declares requirements as constants, and the list of all.
macro_rules! requirements {
    ($($name:ident = $id:literal $level:ident $section:literal: $sentence:literal;)+) => {
        $(
            pub(super) const $name: Requirement =
                Requirement { id: $id, level: RequirementLevel::$level, section: $section, sentence: $sentence };
        )+

        /// All requirements, in the order of a report.
        pub(super) const ALL: &[Requirement] = &[$($name),+];
    };
}

requirements! {
    VALID = "module.valid" Must "Policy module interface": "the file is a valid core WebAssembly module";
    FEATURES = "module.features" Must "Policy module interface": "it uses no feature of WebAssembly that modules may not use";
    IMPORTS = "module.imports" Must "Policy module interface": "it has no imports";
    START = "module.start" Must "Policy module interface": "it has no start function";
    BOUNDS = "module.bounds" Must "Policy module interface": "it can be compiled within the bounds that hosts set";
    MEMORY = "module.memory" Must "Exports": "it has one memory, with 32-bit addresses, not shared, which declares a maximum";
    EXPORTS = "module.exports" Must "Exports": "it has the exports of the interface, of their types, and none other whose name begins with `adjudicate_`";
    MANIFEST = "manifest.form" Must "The manifest": "there is one manifest, which is well-formed and agrees with the module";
    LIMITS_MEMORY = "limits.memory" Must "Exports": "the maximum of its memory is within the limits of the check";
    LIMITS_NEEDS = "limits.needs" Must "The manifest": "it declares no need beyond the limits of the check";
    SIGNATURE = "signature.form" Must "Signatures": "its signature section is well-formed, and signs these bytes";
    RUNS = "start.runs" Must "Exports": "an instance starts, and `_initialize` returns";
    VERSION = "module.version" Must "Exports": "it exports the mark of version 1.0 of the interface and of no other";
    ALLOC = "alloc.gives_room" Must "A call": "`adjudicate_alloc` returns an address of free space inside the memory";
    ALLOC_REFUSES = "alloc.refuses" Must "A call": "`adjudicate_alloc` returns 0 if memory is short: it neither traps nor returns an address outside of the memory";
    ALLOC_REPEATED = "alloc.repeated" Must "A call": "`adjudicate_alloc` can be asked often between calls";
    ALLOC_ZERO = "alloc.zero" Should "A call": "`adjudicate_alloc` can be asked for no bytes";
    CALL_ENDS = "call.ends" Must "A call": "a call of an operation that it offers returns within the limits";
    REPLY_RECORD = "reply.record" Must "A call": "the record and the reply are inside of the memory, and the reply is within the limit";
    REPLY_UTF8 = "reply.utf8" Must "A call": "the reply is UTF-8";
    REPLY_FORM = "reply.form" Must "A call": "the reply is a JSON object with `ok`, or with an `error` that modules may report";
    REPLY_CONTRACT = "reply.contract" Must "A call": "an answer keeps the output contract of its operation";
    REPLY_STEP = "reply.next_step" Must "A call": "a next step is one that the input allows, or null";
    REPLY_STAYS = "reply.stays" Must "A call": "the record and the reply stay as they are until the next call";
    UNSUPPORTED = "operation.unsupported" Must "A call": "the reply to a number that is no offered operation is `unsupported_operation`";
    ANSWERS = "operation.answers" Should "A call": "each operation that it offers answers some input";
    GARBAGE = "input.garbage" Must "A call": "for all bytes of input, the call ends with a reply";
    GARBAGE_ERROR = "input.malformed" Should "A call": "the reply to an input that is not JSON is an error";
    MEANINGLESS = "input.meaningless" Should "A call": "the reply to JSON that is not an input of the operation is an error";
    DETERMINISM = "determinism.fresh" Must "A call": "the same input in a fresh instance has the same reply, byte for byte";
    PLACE = "determinism.place" Must "A call": "the reply does not depend on the address of the input";
    NAN = "determinism.nan" Must "A call": "the reply does not depend on the bits of a NaN";
    STATE = "state.answers" Must "A call": "the reply does not depend on the calls before it";
    CONFIGURE_REPLY = "configure.reply" Must "A call": "`adjudicate_configure` takes a policy, and answers `{\"ok\": null}`";
    CONFIGURE_GARBAGE = "configure.garbage" Must "A call": "`adjudicate_configure` rejects an invalid policy with an error, and changes nothing";
    CONFIGURE_ONCE = "configure.once" Must "A call": "a second policy is rejected, and the first one stays active";
    CONFIGURE_EXCLUSIVE = "configure.exclusive" Must "A call": "a later call with its own policy is `invalid_value` at `/policy`; a null policy counts as none";
    TESTS = "tests.pass" Must "The manifest": "the tests that it brings are well-formed, and pass";
    COST_FUEL = "cost.fuel" Should "The manifest": "no call takes over half of its fuel";
    COST_START = "cost.start" Should "Exports": "starting an instance takes under 100,000 units of fuel, because each call starts one";
    COST_MEMORY = "cost.memory" Should "Exports": "the memory begins with 256 KiB or less, which a host resets without a system call";
    COST_GROWTH = "cost.growth" Should "Exports": "an everyday call does not grow the memory";
}

/// All requirements, in the order of a report.
///
/// ```
/// use adjudicate_conformance::{RequirementLevel, requirements};
/// assert!(requirements().iter().any(|one| one.id == "reply.form" && one.level == RequirementLevel::Must));
/// ```
#[must_use]
pub const fn requirements() -> &'static [Requirement] {
    ALL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_names() {
        let ids: std::collections::BTreeSet<_> = ALL.iter().map(|one| one.id).collect();
        assert_eq!(ids.len(), ALL.len());
        assert!(ids.iter().all(|id| {
            id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_'))
        }));
    }

    /// The document for module authors has the same table.
    #[test]
    fn the_document_lists_all_requirements() {
        let read = |name: &str| {
            // Read at run time, so that the tests of the packed crate compile.
            std::fs::read_to_string(format!("{}/../../docs/reference/{name}", env!("CARGO_MANIFEST_DIR")))
                .unwrap()
        };
        let document = read("conformance.md");
        let rows: Vec<_> = document.lines().filter(|line| line.starts_with("| `")).collect();
        let table: Vec<_> = ALL
            .iter()
            .map(|Requirement { id, level, sentence, .. }| {
                let level = if *level == RequirementLevel::Must { "must" } else { "should" };
                format!("| `{id}` | {level} | {sentence} |")
            })
            .collect();
        assert!(rows == table, "the table must be:\n{}", table.join("\n"));
        let abi = read("abi.md");
        for one in ALL {
            let is_there = abi.lines().any(|line| line.starts_with('#') && line.contains(one.section));
            assert!(is_there, "abi.md has no section `{}`", one.section);
        }
    }
}
