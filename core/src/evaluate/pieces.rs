//! The pieces of a text that an answer tells in place of the whole.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use adjudicate_lang::paths::normalize;

use super::diff::Changed;

/// What an answer may tell of a text of evidence without telling all of it: the paths that a diff summary names, the detail of
/// a policy event, a path in normal form (SPEC section 3.2). For whoever must not tell the text.
///
/// ```
/// use adjudicate_core::evaluate::pieces;
/// assert_eq!(pieces(" M keys/{old.pem => new.pem}\n"), ["keys/{old.pem => new.pem}"]);
/// assert_eq!(pieces("R  keys/old.pem -> keys/new.pem"), ["keys/new.pem", "keys/old.pem"]);
/// assert_eq!(pieces("approval_required:deploy"), ["deploy"]);
/// assert!(pieces("prose").is_empty());
/// ```
#[must_use]
pub fn pieces(text: &str) -> Vec<String> {
    let diff = Changed::from_text(text);
    // A path outside of the workspace is told as it is written, or in normal form.
    let paths = diff.files().iter().flat_map(|file| [file.outside.as_ref(), Some(&file.path)]);
    let paths = paths.flatten().map(|path| path.clone().into_owned());
    let is_line = !text.contains('\n');
    let detail = text.split_once(':').filter(|_| is_line).map(|(_, detail)| detail.to_owned());
    let normal = (is_line && text.contains('/')).then(|| normalize(text).into_owned());
    paths.chain(detail).chain(normal).filter(|piece| piece != text && !piece.is_empty()).collect()
}
