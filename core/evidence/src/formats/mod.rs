//! The formats: a file each, and a line each in the table of [`Format`].

mod ctrf;
mod go_test;
mod jest;
mod junit;
mod lcov;
mod libtest;
mod sarif;
mod tap;

use alloc::format;

use adjudicate_core::{
    Error,
    document::{Content, Definition, Describe, Type, Word},
    json,
};

use crate::{Reading, codes, encoding};

/// Declares the formats with their rows.
macro_rules! formats {
    ($(#[doc = $doc:literal] $variant:ident = $row:expr,)+) => {
        /// The format of a report.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Format {
            $(#[doc = $doc] $variant,)+
        }

        impl Format {
            /// All formats.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The names of all formats, in the order of [`ALL`](Self::ALL).
            const NAMES: &'static [&'static str] = &[$($row.name,)+];

            const fn row(self) -> &'static FormatRow {
                match self { $(Self::$variant => &$row,)+ }
            }
        }

        impl Describe for Format {
            fn describe() -> Type {
                static FORMAT: Definition = Definition {
                    name: "ReportFormat",
                    source: "adjudicate_evidence::Format",
                    about: "The format of a report.",
                    content: Content::Words(&[$(Word { name: $row.name, about: $doc.trim_ascii_start() },)+]),
                    keywords: "",
                };
                Type::Named(&FORMAT)
            }
        }
    };
}

formats! {
    /// JUnit XML. Every writer has its own dialect; none of them has a standard.
    Junit = junit::ROW,
    /// The Common Test Report Format, one JSON object.
    Ctrf = ctrf::ROW,
    /// The Test Anything Protocol, versions 13 and 14.
    Tap = tap::ROW,
    /// The JSON events of libtest (nightly) and of nextest (`libtest-json-plus`), one a line.
    Libtest = libtest::ROW,
    /// The JSON events of `go test -json`, one a line.
    GoTest = go_test::ROW,
    /// The JSON results of jest and vitest, one object.
    Jest = jest::ROW,
    /// SARIF 2.1.0, the results of analysis tools.
    Sarif = sarif::ROW,
    /// LCOV tracefiles, the coverage of lines, branches and functions.
    Lcov = lcov::ROW,
}

impl Format {
    /// Returns the name of the format, for example `go-test`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the tools that write the format.
    #[must_use]
    pub const fn writers(self) -> &'static [&'static str] {
        self.row().writers
    }

    /// Returns patterns of the usual file names, with at most one `*` each, for example `TEST-*.xml`.
    #[must_use]
    pub const fn file_names(self) -> &'static [&'static str] {
        self.row().file_names
    }

    /// Returns the format with this name.
    ///
    /// # Errors
    ///
    /// `invalid_value` for an unknown name. The message suggests a known name that is close.
    ///
    /// ```
    /// use adjudicate_evidence::Format;
    /// assert_eq!(Format::parse("go-test")?, Format::GoTest);
    /// let error = Format::parse("junti").unwrap_err();
    /// assert_eq!(error.message(), "unknown report format `junti`, did you mean `junit`?");
    /// # Ok::<(), adjudicate_evidence::Error>(())
    /// ```
    pub fn parse(name: &str) -> Result<Self, Error> {
        let known = Self::ALL.iter().find(|format| format.name() == name);
        known.copied().ok_or_else(|| unknown(name))
    }
}

#[cold]
fn unknown(name: &str) -> Error {
    let mut message = json::unknown("report format", name, Format::NAMES);
    if !message.contains("did you mean") {
        message = format!("{message}; known formats are {}", Format::NAMES.join(", "));
    }
    Error::new(codes::INVALID_VALUE, message)
}

/// Reads a report.
///
/// # Errors
///
/// - `malformed_report` for a text that is not of the format. A JSON or XML text that was cut is such a text. The message begins with the line.
/// - `limit_exceeded` for a report beyond one of the [limits](crate::limits).
///
/// ```
/// use adjudicate_evidence::{Format, codes, read};
/// let error = read(Format::Junit, b"<testsuite>\n<testcase name='adds'>").unwrap_err();
/// assert_eq!(error.code(), codes::MALFORMED_REPORT);
/// assert_eq!(error.message(), "line 2: the report ends inside of an element");
/// ```
pub fn read(format: Format, text: &[u8]) -> Result<Reading, Error> {
    read_text(format, &encoding::decode(text)?)
}

/// Reads a report that is decoded.
pub(crate) fn read_text(format: Format, text: &str) -> Result<Reading, Error> {
    encoding::check_size(text.len())?;
    (format.row().read)(text)
}

/// Returns the format of a report, or `None` if it is unknown or ambiguous. The content decides. The name of the file decides if the
/// content fits no format or several formats.
///
/// ```
/// use adjudicate_evidence::{Format, detect};
/// assert_eq!(detect("out.txt", b"TAP version 14\n1..0\n"), Some(Format::Tap));
/// assert_eq!(detect("lcov.info", b""), Some(Format::Lcov));
/// assert_eq!(detect("notes.txt", b"hello"), None);
/// ```
#[must_use]
pub fn detect(name: &str, text: &[u8]) -> Option<Format> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let fits_name = |format: &Format| format.file_names().iter().any(|pattern| matches(pattern, name));
    let text = encoding::decode(text).unwrap_or_default();
    let fits_content = |format: &Format| (format.row().sniff)(&text);
    let is_by_content = Format::ALL.iter().any(fits_content);
    let candidates = || Format::ALL.iter().copied().filter(|format| !is_by_content || fits_content(format));
    only(candidates()).or_else(|| only(candidates().filter(fits_name)))
}

/// Returns the only item, or `None` if there are more.
fn only(mut formats: impl Iterator<Item = Format>) -> Option<Format> {
    formats.next().filter(|_| formats.next().is_none())
}

/// A format: its name, how to recognize it, and its reader.
struct FormatRow {
    pub name: &'static str,
    /// The tools that write the format.
    pub writers: &'static [&'static str],
    /// Patterns of usual file names, with at most one `*` each.
    pub file_names: &'static [&'static str],
    /// Returns whether a text looks like this format, even if its end is cut.
    pub sniff: fn(&str) -> bool,
    pub read: fn(&str) -> Result<Reading, Error>,
}

/// Returns whether a pattern of a row matches a file name, without regard to the case of ASCII letters.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_ascii_lowercase(), name.to_ascii_lowercase());
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, end)) => name.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed() {
        assert!(Format::ALL.iter().all(|format| Format::parse(format.name()) == Ok(*format)));
        assert!(
            Format::parse("")
                .unwrap_err()
                .message()
                .ends_with("junit, ctrf, tap, libtest, go-test, jest, sarif, lcov")
        );
    }

    #[test]
    fn the_name_decides_only_where_the_content_does_not() {
        for (name, text, expected) in [
            ("lcov.info", "<testsuite/>", Some(Format::Junit)),
            ("results/TEST-a.xml", "<html/>", Some(Format::Junit)),
            ("a.xml", "<html/>", None),
            ("a.tap", "", Some(Format::Tap)),
            (
                "a.json",
                "{\"runs\": [], \"version\": \"2.1.0\", \"testResults\": [], \"numTotalTests\": 0}",
                None,
            ),
            (
                "a.sarif",
                "{\"runs\": [], \"version\": \"2.1.0\", \"testResults\": [], \"numTotalTests\": 0}",
                Some(Format::Sarif),
            ),
        ] {
            assert_eq!(detect(name, text.as_bytes()), expected, "{name}: {text}");
        }
    }
}
