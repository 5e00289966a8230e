//! Tokens of evidence texts that answers may contain.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use adjudicate_lang::paths::normalize;

use super::diff::Changed;

/// Returns the tokens that an answer may contain of an evidence text, without the whole text. These are the paths of a diff
/// summary, the detail of a policy event, and a path in normal form (docs/reference/text-formats.md). Use them to redact answers
/// for readers who must not see the text.
///
/// ```
/// use adjudicate_core::evaluate::tokens;
/// assert_eq!(tokens(" M keys/{old.pem => new.pem}\n"), ["keys/{old.pem => new.pem}"]);
/// assert_eq!(tokens("R  keys/old.pem -> keys/new.pem"), ["keys/new.pem", "keys/old.pem"]);
/// assert_eq!(tokens("approval_required:deploy"), ["deploy"]);
/// assert!(tokens("prose").is_empty());
/// ```
#[must_use]
pub fn tokens(text: &str) -> Vec<String> {
    let diff = Changed::from_text(text);
    // A path outside of the workspace appears as written or in normal form.
    let paths = diff.files().iter().flat_map(|file| [file.outside.as_ref(), Some(&file.path)]);
    let paths = paths.flatten().map(|path| path.clone().into_owned());
    let is_line = !text.contains('\n');
    let detail = text.split_once(':').filter(|_| is_line).map(|(_, detail)| detail.to_owned());
    let normal = (is_line && text.contains('/')).then(|| normalize(text).into_owned());
    paths.chain(detail).chain(normal).filter(|piece| piece != text && !piece.is_empty()).collect()
}
