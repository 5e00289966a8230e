//! A single report.

use adjudicate_core::{Error, codes};
use adjudicate_evidence::{Format, detect, read};

/// Returns the reading of a report as JSON. The fields are the text, the format or nothing, the name of the file, and the root.
pub(crate) fn reading(fields: &[&[u8]]) -> Result<String, Error> {
    let field = |index: usize| fields.get(index).copied().unwrap_or_default();
    let name = |index| str::from_utf8(field(index)).unwrap_or_default();
    let text = field(0);
    let format = match name(1) {
        "" => detect(name(2), text).ok_or_else(|| {
            let message = "unknown or ambiguous report format; to choose one, set `format`";
            Error::new(codes::INVALID_VALUE, message)
        })?,
        format => Format::parse(format)?,
    };
    Ok(read(format, text)?.relative_to(name(3)).to_json())
}
