//! What is asked of a module, in one table.

use serde::Serialize;

/// How much depends on a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// A module that breaks it does not conform.
    Must,
    /// A module that breaks it conforms, and is slower or less helpful than it could be.
    Should,
}

/// One thing that is asked of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Requirement {
    /// The name by which it is known; it does not change.
    pub id: &'static str,
    /// How much depends on it.
    pub level: Level,
    /// The section of `wasm/ABI.md` that asks for it.
    pub section: &'static str,
    /// What is asked, in a sentence.
    pub sentence: &'static str,
}

/// Declares requirements, each with a name to refer to it by, and the list of all.
macro_rules! requirements {
    ($($name:ident = $id:literal $level:ident $section:literal: $sentence:literal;)+) => {
        $(
            pub(super) const $name: Requirement =
                Requirement { id: $id, level: Level::$level, section: $section, sentence: $sentence };
        )+

        /// All requirements, in the order of a report.
        pub(super) const ALL: &[Requirement] = &[$($name),+];
    };
}

requirements! {
    VALID = "module.valid" Must "Policy module interface": "the file is a valid core WebAssembly module";
    FEATURES = "module.features" Must "Policy module interface": "it uses no feature of WebAssembly that modules may not use";
    IMPORTS = "module.imports" Must "Policy module interface": "it imports nothing";
    START = "module.start" Must "Policy module interface": "it has no start function";
    BOUNDS = "module.bounds" Must "Policy module interface": "it can be compiled within the bounds that hosts set";
    MEMORY = "module.memory" Must "Exports": "it has one memory, with 32-bit addresses, not shared, which declares a maximum";
    EXPORTS = "module.exports" Must "Exports": "it has the exports of the interface, of their types, and none other whose name begins with `adjudicate_`";
    MANIFEST = "manifest.form" Must "The manifest": "there is one manifest, which is well-formed and agrees with the module";
    LIMITS_MEMORY = "limits.memory" Must "Exports": "its memory's maximum is within the limits that it is checked under";
    LIMITS_NEEDS = "limits.needs" Must "The manifest": "it says of nothing that it needs more than the limits that it is checked under";
    SIGNATURE = "signature.form" Must "Signatures": "its signature section is well-formed, and signs these bytes";
    RUNS = "start.runs" Must "Exports": "an instance starts, and `_initialize` returns";
    VERSION = "module.version" Must "Exports": "it marks version 1.0 of the interface and no other";
    ALLOC = "alloc.gives_room" Must "A call": "`adjudicate_alloc` returns, and gives room inside of the memory";
    ALLOC_REFUSES = "alloc.refuses" Must "A call": "asked for more than there is, `adjudicate_alloc` gives 0, and neither traps nor lies";
    ALLOC_REPEATED = "alloc.repeated" Must "A call": "`adjudicate_alloc` can be asked often between calls";
    ALLOC_ZERO = "alloc.zero" Should "A call": "`adjudicate_alloc` can be asked for no bytes";
    CALL_ENDS = "call.ends" Must "A call": "a call of an operation that it offers returns within the limits";
    REPLY_RECORD = "reply.record" Must "A call": "the record and the reply are inside of the memory, and the reply is within the limit";
    REPLY_UTF8 = "reply.utf8" Must "A call": "the reply is UTF-8";
    REPLY_FORM = "reply.form" Must "A call": "the reply is JSON, an object of `ok` or of an `error` that is a module's to report";
    REPLY_CONTRACT = "reply.contract" Must "A call": "an answer keeps the output contract of its operation";
    REPLY_STEP = "reply.next_step" Must "A call": "a next step is one that the input allows, or null";
    REPLY_STAYS = "reply.stays" Must "A call": "the record and the reply stay as they are until the next call";
    UNSUPPORTED = "operation.unsupported" Must "A call": "a number of no operation that it offers is answered by `unsupported_operation`";
    ANSWERS = "operation.answers" Should "A call": "each operation that it offers answers some input";
    GARBAGE = "input.garbage" Must "A call": "whatever bytes the input has, the call ends with a reply";
    GARBAGE_ERROR = "input.malformed" Should "A call": "an input that is not JSON is answered by an error";
    MEANINGLESS = "input.meaningless" Should "A call": "JSON that is no input of the operation is answered by an error";
    DETERMINISM = "determinism.fresh" Must "A call": "the same input in a fresh instance has the same reply, byte for byte";
    PLACE = "determinism.place" Must "A call": "the reply does not depend on where the input lies";
    NAN = "determinism.nan" Must "A call": "the reply does not depend on the bits of a NaN";
    STATE = "state.answers" Must "A call": "the reply does not depend on the calls before it";
    CONFIGURE_REPLY = "configure.reply" Must "A call": "`adjudicate_configure` takes a policy, and answers `{\"ok\": null}`";
    CONFIGURE_GARBAGE = "configure.garbage" Must "A call": "`adjudicate_configure` answers what is no policy with an error, and leaves all as it was";
    CONFIGURE_ONCE = "configure.once" Must "A call": "a second policy is refused, and the first one stays in force";
    CONFIGURE_EXCLUSIVE = "configure.exclusive" Must "A call": "a call that brings a policy of its own after that is `invalid_value` at `/policy`, and null brings none";
    TESTS = "tests.pass" Must "The manifest": "the tests that it brings are well-formed, and pass";
    COST_FUEL = "cost.fuel" Should "The manifest": "no call takes over half of its fuel";
    COST_START = "cost.start" Should "Exports": "starting an instance takes under 100,000 units of fuel, for each call has one of its own";
    COST_MEMORY = "cost.memory" Should "Exports": "the memory begins with 256 KiB or less, which a host resets without a system call";
    COST_GROWTH = "cost.growth" Should "Exports": "an everyday call does not grow the memory";
}

/// All requirements, in the order of a report.
///
/// ```
/// use adjudicate_conformance::{Level, requirements};
/// assert!(requirements().iter().any(|one| one.id == "reply.form" && one.level == Level::Must));
/// ```
#[must_use]
pub const fn requirements() -> &'static [Requirement] {
    ALL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_names_and_no_two_are_alike() {
        let ids: std::collections::BTreeSet<_> = ALL.iter().map(|one| one.id).collect();
        assert_eq!(ids.len(), ALL.len());
        assert!(ids.iter().all(|id| {
            id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_'))
        }));
    }

    /// The document for authors has the same table.
    #[test]
    fn the_document_lists_them() {
        let document = include_str!("../../../wasm/CONFORMANCE.md");
        let rows: Vec<_> = document.lines().filter(|line| line.starts_with("| `")).collect();
        let table: Vec<_> = ALL
            .iter()
            .map(|Requirement { id, level, section, sentence }| {
                let level = if *level == Level::Must { "must" } else { "should" };
                format!("| `{id}` | {level} | {section} | {sentence} |")
            })
            .collect();
        assert!(rows == table, "the table must be:\n{}", table.join("\n"));
        let abi = include_str!("../../../wasm/ABI.md");
        for one in ALL {
            let is_there = abi.lines().any(|line| line.starts_with('#') && line.contains(one.section));
            assert!(is_there, "ABI.md has no section `{}`", one.section);
        }
    }
}
