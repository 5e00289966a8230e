//! A request whose route is known, as those who answer it get it.

use adjudicate_core::{Error, ErrorCode};
use axum::{
    body::Body,
    http::{header, request::Parts},
};

use crate::routes::Route;

/// A request whose route is known and whose sender may ask.
pub(crate) struct Asked {
    pub(crate) route: &'static Route,
    pub(crate) head: Parts,
    pub(crate) body: Body,
    /// What stands in the place of the braces.
    pub(crate) place: String,
    pub(crate) token: Option<String>,
}

/// The value of `if-match`: the entry that the caller believes to be current.
pub(crate) fn if_match(head: &Parts) -> Result<Option<i64>, Error> {
    let mut all = head.headers.get_all(header::IF_MATCH).iter();
    let Some(only) = all.next() else { return Ok(None) };
    let entry = only.to_str().ok().and_then(|text| text.strip_prefix('"')?.strip_suffix('"')?.parse().ok());
    match (entry, all.next()) {
        (Some(entry), None) => Ok(Some(entry)),
        _ => Err(Error::new(ErrorCode::WrongUsage, "`if-match` takes one entity tag, such as `\"12\"`")),
    }
}
