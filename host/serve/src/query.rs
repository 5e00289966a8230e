//! The query of a URL: the text after the `?`.

use adjudicate_core::Error;

use crate::codes;

/// Returns the parameters of a query. Each must be known and given once. Values are not percent-decoded.
pub(crate) fn query<'q>(
    text: Option<&'q str>,
    known: &[(&str, &str)],
) -> Result<Vec<(&'q str, &'q str)>, Error> {
    let wrong = |message: String| Err(Error::new(codes::WRONG_USAGE, message));
    let mut parameters: Vec<(&str, &str)> = Vec::new();
    for parameter in text.unwrap_or_default().split('&').filter(|parameter| !parameter.is_empty()) {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let shown: String = name.chars().take(40).collect();
        if !known.iter().any(|(known, _)| *known == name) {
            return wrong(format!("unknown query parameter `{shown}`"));
        }
        if parameters.iter().any(|(other, _)| *other == name) {
            return wrong(format!("query parameter `{shown}` is given twice"));
        }
        if !value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte)) {
            return wrong(format!("invalid character in query parameter `{shown}`"));
        }
        parameters.push((name, value));
    }
    Ok(parameters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_repeated_and_encoded_parameters_are_errors() {
        const KNOWN: &[(&str, &str)] = &[("limit", "how many")];
        let of = |text| query(Some(text), KNOWN).map_err(|error| error.code().as_str());
        assert_eq!(of(""), Ok(vec![]));
        assert_eq!(of("limit=7"), Ok(vec![("limit", "7")]));
        for bad in ["limits=7", "limit=7&limit=8", "limit=%37", "limit=+7", "limit=a/b", "=", "limit[]=1"] {
            assert_eq!(of(bad), Err("wrong_usage"), "{bad}");
        }
    }
}
