//! Reasons of I/O errors in plain words.

use std::io;

/// Returns the reason of an error about a file, for a message that names the file.
///
/// ```
/// use std::io;
/// assert_eq!(adjudicate_trust::io_reason(&io::ErrorKind::StorageFull.into()), "the disk is full");
/// ```
#[must_use]
pub fn io_reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        io::ErrorKind::FileTooLarge => {
            "the limit on file sizes (`ulimit -f`, or that of the file system) is reached".to_owned()
        }
        _ => error.to_string(),
    }
}
