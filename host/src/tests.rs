//! shim
pub(crate) fn pass(_: &crate::Module) -> Result<usize, adjudicate_core::Error> {
    Ok(0)
}
