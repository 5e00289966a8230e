//! Tokens of evidence texts that answers may contain.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use adjudicate_lang::paths::normalize;

use super::diff::Changed;

/// Returns the tokens that an answer may contain of a text in an input, without the whole text. These are the paths of a diff
/// summary, the detail of a policy event, a path in normal form (docs/reference/text-formats.md), and the lines of plan steps. Use them to redact answers for readers who must not see the text.
///
/// ```
/// use adjudicate_core::evaluate::tokens;
/// assert_eq!(tokens("M  keys/{old.pem => new.pem}"), ["keys/{old.pem => new.pem}"]);
/// assert_eq!(tokens("R  keys/old.pem -> keys/new.pem"), ["keys/new.pem", "keys/old.pem"]);
/// assert_eq!(tokens("approval_required:deploy"), ["deploy"]);
/// assert_eq!(tokens("- add a flag\n- document it"), ["add a flag", "document it"]);
/// assert!(tokens("prose").is_empty());
/// ```
#[must_use]
pub fn tokens(text: &str) -> Vec<String> {
    let diff = Changed::from_text(text);
    // A path outside of the workspace appears as written or in normal form.
    let paths = diff.files().iter().flat_map(|file| [file.outside.as_ref(), Some(&file.path)]);
    let paths = paths.flatten().map(|path| path.clone().into_owned());
    let is_line = !text.contains('\n');
    let detail = text.split_once(':').filter(|_| is_line).map(|(_, detail)| detail);
    let normal = (is_line && text.contains('/')).then(|| normalize(text).into_owned());
    let lines = text.lines().map(|line| line.trim().trim_start_matches('-').trim_start());
    let pieces = detail.into_iter().chain(lines).map(str::to_owned);
    paths.chain(normal).chain(pieces).filter(|piece| piece != text && !piece.is_empty()).collect()
}
