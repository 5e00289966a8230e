//! Changed files, and paths in their plain form.

use alloc::{string::String, vec::Vec};

use crate::{
    fields::text,
    text::Pointer,
    value::Value,
    words::{Change, FileKind},
};

/// One changed file.
///
/// ```
/// # use adjudicate_guest::testing::Sample;
/// let sample = Sample::new().extension(
///     "diff",
///     r#"{"files":[{"path":"b.rs","change":"renamed","from":"a.rs","insertions":3,"deletions":1}]}"#,
/// );
/// sample.read(|envelope| {
///     let file = envelope.evidence().changed_files().unwrap()[0];
///     assert_eq!(file.paths().collect::<Vec<_>>(), ["b.rs", "a.rs"]);
/// });
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ChangedFile<'a> {
    pub(crate) value: &'a Value<'a>,
    pub(crate) index: usize,
}

impl<'a> ChangedFile<'a> {
    /// Its path, as your program wrote it.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension(
    ///     "diff",
    ///     r#"{"files":[{"path":"b.rs","change":"renamed","from":"a.rs","insertions":3,"deletions":1}]}"#,
    /// );
    /// sample.read(|envelope| {
    ///     let file = envelope.evidence().changed_files().unwrap()[0];
    ///     assert_eq!(file.path(), "b.rs");
    /// });
    /// ```
    #[must_use]
    pub fn path(self) -> &'a str {
        text(self.value, "path")
    }

    /// The kind of the change.
    ///
    /// ```
    /// # use adjudicate_guest::{Change, testing::Sample};
    /// let sample = Sample::new().extension(
    ///     "diff",
    ///     r#"{"files":[{"path":"b.rs","change":"renamed","from":"a.rs","insertions":3,"deletions":1}]}"#,
    /// );
    /// sample.read(|envelope| {
    ///     let file = envelope.evidence().changed_files().unwrap()[0];
    ///     assert_eq!(file.change(), Change::Renamed);
    /// });
    /// ```
    #[must_use]
    pub fn change(self) -> Change {
        Change::from_word(text(self.value, "change")).unwrap_or(Change::Modified)
    }

    /// The path it had, if it was renamed.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension(
    ///     "diff",
    ///     r#"{"files":[{"path":"b.rs","change":"renamed","from":"a.rs","insertions":3,"deletions":1}]}"#,
    /// );
    /// sample.read(|envelope| {
    ///     let file = envelope.evidence().changed_files().unwrap()[0];
    ///     assert_eq!(file.from(), Some("a.rs"));
    /// });
    /// ```
    #[must_use]
    pub fn from(self) -> Option<&'a str> {
        self.value.member("from").and_then(Value::as_str)
    }

    /// The current path, and the former path of a rename. A rule about paths must check both.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension(
    ///     "diff",
    ///     r#"{"files":[{"path":"b.rs","change":"renamed","from":"a.rs","insertions":3,"deletions":1}]}"#,
    /// );
    /// sample.read(|envelope| {
    ///     let file = envelope.evidence().changed_files().unwrap()[0];
    ///     assert_eq!(file.paths().collect::<Vec<_>>(), ["b.rs", "a.rs"]);
    /// });
    /// ```
    pub fn paths(self) -> impl Iterator<Item = &'a str> {
        [Some(self.path()), self.from()].into_iter().flatten()
    }

    /// Returns whether it is a directory whose files are not listed: the path ends in `/`, is the root, or is declared to be one.
    /// A rule about paths cannot know which files changed in it.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension("diff", r#"{"files":[{"path":"db/","change":"added"}]}"#);
    /// sample.read(|envelope| {
    ///     let file = envelope.evidence().changed_files().unwrap()[0];
    ///     assert!(file.is_directory());
    /// });
    /// ```
    #[must_use]
    pub fn is_directory(self) -> bool {
        let is_named_so = |path: &str| path.ends_with('/') || normalize(path).is_empty();
        let kind = self.value.member("kind").and_then(Value::as_str);
        kind == Some(FileKind::Directory.as_str()) || self.paths().any(is_named_so)
    }

    /// The number of added lines, if it is known.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension(
    ///     "diff",
    ///     r#"{"files":[{"path":"b.rs","change":"renamed","from":"a.rs","insertions":3,"deletions":1}]}"#,
    /// );
    /// sample.read(|envelope| {
    ///     let file = envelope.evidence().changed_files().unwrap()[0];
    ///     assert_eq!(file.insertions(), Some(3));
    /// });
    /// ```
    #[must_use]
    pub fn insertions(self) -> Option<u64> {
        self.value.member("insertions")?.as_u64()
    }

    /// The number of deleted lines, if it is known.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension(
    ///     "diff",
    ///     r#"{"files":[{"path":"b.rs","change":"renamed","from":"a.rs","insertions":3,"deletions":1}]}"#,
    /// );
    /// sample.read(|envelope| {
    ///     let file = envelope.evidence().changed_files().unwrap()[0];
    ///     assert_eq!(file.deletions(), Some(1));
    /// });
    /// ```
    #[must_use]
    pub fn deletions(self) -> Option<u64> {
        self.value.member("deletions")?.as_u64()
    }

    /// The JSON Pointer of the file in the envelope, for [`Finding::at`](crate::Finding::at).
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension(
    ///     "diff",
    ///     r#"{"files":[{"path":"b.rs","change":"renamed","from":"a.rs","insertions":3,"deletions":1}]}"#,
    /// );
    /// sample.read(|envelope| {
    ///     let file = envelope.evidence().changed_files().unwrap()[0];
    ///     assert_eq!(String::from(file.pointer()), "/evidence/diff/files/0");
    /// });
    /// ```
    #[must_use]
    pub fn pointer(self) -> Pointer {
        Pointer::new("/evidence/diff/files").index(self.index)
    }
}

/// Returns a path in normal form: without `.` and empty segments, and with `..` resolved. So no spelling hides the
/// place of a file. A `..` at the root has no effect, and neither does a leading `/`.
///
/// ```
/// use adjudicate_guest::normalize;
/// assert_eq!(normalize("docs/../src//main.rs"), "src/main.rs");
/// assert_eq!(normalize("./../etc/passwd"), "etc/passwd");
/// ```
#[must_use]
pub fn normalize(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()),
            plain => segments.push(plain),
        }
    }
    segments.join("/")
}
