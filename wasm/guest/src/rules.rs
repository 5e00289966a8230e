//! The rules between several fields of an object, which the tables in `views.rs` name after the object.

use crate::{
    check::missing,
    error::{Error, INVALID_VALUE, MISSING_FIELD},
    value::Value,
    view::field,
    words::{Change, Opcode},
};

/// The rule of an object without a rule.
pub(crate) const fn none(_: &Value<'_>) -> Result<(), Error> {
    Ok(())
}

pub(crate) fn entry(entry: &Value<'_>) -> Result<(), Error> {
    match (entry.member("status"), entry.member("outcome")) {
        (Some(_), Some(_)) => Err(Error::new(INVALID_VALUE, "an entry has `status` or `outcome`, not both")),
        (None, None) => Err(Error::new(MISSING_FIELD, "missing either `status` or `outcome`")),
        (None, Some(_)) if field::<&str>(entry, "opcode") == Opcode::Evaluate.as_str() => {
            Err(Error::new(MISSING_FIELD, "missing the `status` of an EVALUATE entry"))
        }
        _ => Ok(()),
    }
}

pub(crate) fn diff_file(file: &Value<'_>) -> Result<(), Error> {
    let is_renamed = field::<&str>(file, "change") == Change::Renamed.as_str();
    if is_renamed && file.member("from").is_none() { Err(missing("from")) } else { Ok(()) }
}
