//! The limits of all readers. Beyond a limit, the error is `limit_exceeded`, unless the table says that the text is cut.
//!
//! | constant | default | bounds | beyond it |
//! | --- | --- | --- | --- |
//! | [`MAX_REPORT_BYTES`] | 16 MiB | the bytes of a report | error |
//! | [`MAX_CASES`] | 100,000 | the cases of a test report, the results of a SARIF log | error |
//! | [`MAX_RUNS`] | 1,000 | the runs of a SARIF log | error |
//! | [`MAX_FILES`] | 100,000 | the files of a coverage report | error |
//! | [`MAX_XML_DEPTH`] | 64 | nested elements | error |
//! | [`MAX_XML_ATTRIBUTES`] | 64 | attributes of one element | error |
//! | [`MAX_XML_TAGS`] | 1,000,000 | characters `<` of an XML text, which begin tags | error |
//! | [`MAX_XML_EQUALS_SIGNS`] | 2,000,000 | characters `=` of an XML text, which belong to attributes | error |
//! | [`MAX_XML_NAMESPACES`] | 64 | namespace declarations of an XML text | error |
//! | [`MAX_JSON_DEPTH`] | 128 | nested objects and arrays | error |
//! | [`MAX_SUBTEST_DEPTH`] | 32 | nested TAP subtests | error |
//! | [`MAX_MESSAGE_CHARACTERS`] | 2,000 | a message or the action of an edit | cut, and `...` added |
//! | [`MAX_ID_CHARACTERS`] | 500 | an id, a path or a name | cut, and `...` and a hash of the whole text added |
//! | [`MAX_REASONS`] | 5 | reasons why a report is incomplete | the others are counted |

/// The most bytes of a report.
pub const MAX_REPORT_BYTES: usize = 16 << 20;

/// The most cases of a test report, counted before cases of one id are merged, and the most results of a SARIF log.
pub const MAX_CASES: usize = 100_000;

/// The most runs of a SARIF log.
pub const MAX_RUNS: usize = 1_000;

/// The most files of a coverage report.
pub const MAX_FILES: usize = 100_000;

/// The most nested elements of an XML text.
pub const MAX_XML_DEPTH: usize = 64;

/// The most attributes of an XML element. The XML parser compares each attribute with all others of its element.
pub const MAX_XML_ATTRIBUTES: usize = 64;

/// The most characters `<` of an XML text. The XML parser reserves memory for an element at each.
pub const MAX_XML_TAGS: usize = 1_000_000;

/// The most characters `=` of an XML text. The XML parser reserves memory for an attribute at each.
pub const MAX_XML_EQUALS_SIGNS: usize = 2_000_000;

/// The most namespace declarations of an XML text. The XML parser copies them from element to element.
pub const MAX_XML_NAMESPACES: usize = 64;

/// The most nested objects and arrays of a JSON text.
pub const MAX_JSON_DEPTH: usize = adjudicate_core::json::MAX_DEPTH;

/// The most nested subtests of a TAP report.
pub const MAX_SUBTEST_DEPTH: usize = 32;

/// The most characters of a message.
pub const MAX_MESSAGE_CHARACTERS: usize = 2_000;

/// The most characters of an id, a path or a name.
pub const MAX_ID_CHARACTERS: usize = 500;

/// The most reasons why a report is incomplete that a reading lists.
pub const MAX_REASONS: usize = 5;
