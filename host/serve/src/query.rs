//! What stands behind the `?` of an address.

use adjudicate_core::Error;

use crate::codes;

/// The members of a query, each known and there once. Values are plain: nothing is decoded.
pub(crate) fn query<'q>(
    text: Option<&'q str>,
    known: &[(&str, &str)],
) -> Result<Vec<(&'q str, &'q str)>, Error> {
    let wrong = |message: String| Err(Error::new(codes::WRONG_USAGE, message));
    let mut members: Vec<(&str, &str)> = Vec::new();
    for member in text.unwrap_or_default().split('&').filter(|member| !member.is_empty()) {
        let (name, value) = member.split_once('=').unwrap_or((member, ""));
        let shown: String = name.chars().take(40).collect();
        if !known.iter().any(|(known, _)| *known == name) {
            return wrong(format!("the query's member `{shown}` is not known here"));
        }
        if members.iter().any(|(other, _)| *other == name) {
            return wrong(format!("the query has `{shown}` twice"));
        }
        if !value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte)) {
            return wrong(format!("the query's `{shown}` has characters that no value needs"));
        }
        members.push((name, value));
    }
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_strict() {
        const KNOWN: &[(&str, &str)] = &[("limit", "how many")];
        let of = |text| query(Some(text), KNOWN).map_err(|error| error.code().as_str());
        assert_eq!(of(""), Ok(vec![]));
        assert_eq!(of("limit=7"), Ok(vec![("limit", "7")]));
        for bad in ["limits=7", "limit=7&limit=8", "limit=%37", "limit=+7", "limit=a/b", "=", "limit[]=1"] {
            assert_eq!(of(bad), Err("wrong_usage"), "{bad}");
        }
    }
}
