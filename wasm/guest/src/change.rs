//! Changed files, and paths in their plain form.

use alloc::{string::String, vec::Vec};
use core::ops::Deref;

use crate::{text::Pointer, views::DiffFile, words::FileKind};

/// One changed file. It has the methods of [`DiffFile`], too.
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
    pub(crate) file: DiffFile<'a>,
    pub(crate) index: usize,
}

impl<'a> Deref for ChangedFile<'a> {
    type Target = DiffFile<'a>;

    fn deref(&self) -> &DiffFile<'a> {
        &self.file
    }
}

impl<'a> ChangedFile<'a> {
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
        self.kind() == Some(FileKind::Directory) || self.paths().any(is_named_so)
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
