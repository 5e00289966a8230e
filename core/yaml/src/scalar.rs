//! Scalars by the core schema of YAML 1.2 (section 10.3), as JSON text. Numbers are never parsed, only respelled.

use saphyr_parser::Tag;

/// Returns the JSON text of a scalar. `plain` is true for a scalar without quotes that is not a block.
///
/// The error is a message without line and column.
pub(super) fn to_json(text: &str, plain: bool, tag: Option<&Tag>) -> Result<String, String> {
    let Some(tag) = tag else {
        return if plain { resolve(text) } else { Ok(string(text)) };
    };
    // `!` alone means: a string.
    if tag.handle.is_empty() && tag.suffix == "!" {
        return Ok(string(text));
    }
    let wrong = |what: &str| Err(format!("`{text}` is not {what}"));
    let suffix = if tag.is_yaml_core_schema() { tag.suffix.as_str() } else { "" };
    match suffix {
        "str" => Ok(string(text)),
        "null" => null(text).map_or_else(|| wrong("null"), Ok),
        "bool" => boolean(text).map_or_else(|| wrong("a boolean"), Ok),
        "int" => integer(text)?.map_or_else(|| wrong("an integer"), Ok),
        "float" => number(text)?.map_or_else(|| wrong("a number"), Ok),
        _ => Err(unknown_tag(tag)),
    }
}

pub(super) fn unknown_tag(tag: &Tag) -> String {
    format!("the tag `{tag}` is not one of the core schema, or not for this")
}

/// Returns the JSON text of a plain scalar without a tag.
fn resolve(text: &str) -> Result<String, String> {
    if let Some(json) = null(text).or_else(|| boolean(text)) {
        return Ok(json);
    }
    Ok(number(text)?.unwrap_or_else(|| string(text)))
}

/// Returns an integer or a float in the range of JSON readers.
fn number(text: &str) -> Result<Option<String>, String> {
    let Some(json) = integer(text)?.map_or_else(|| float(text), |whole| Ok(Some(whole)))? else {
        return Ok(None);
    };
    match json.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Some(json)),
        _ => Err(format!("`{text}` is out of range")),
    }
}

fn null(text: &str) -> Option<String> {
    matches!(text, "" | "~" | "null" | "Null" | "NULL").then(|| "null".to_owned())
}

fn boolean(text: &str) -> Option<String> {
    match text {
        "true" | "True" | "TRUE" => Some("true".to_owned()),
        "false" | "False" | "FALSE" => Some("false".to_owned()),
        _ => None,
    }
}

/// `[-+]?[0-9]+`, `0o[0-7]+` or `0x[0-9a-fA-F]+`.
fn integer(text: &str) -> Result<Option<String>, String> {
    for (prefix, radix) in [("0o", 8), ("0x", 16)] {
        if let Some(digits) = text.strip_prefix(prefix)
            && !digits.is_empty()
            && digits.chars().all(|digit| digit.is_digit(radix))
        {
            let value = u64::from_str_radix(digits, radix);
            return value
                .map(|value| Some(value.to_string()))
                .map_err(|_| format!("`{text}` is over 64 bits"));
        }
    }
    let (sign, digits) = split_sign(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(None);
    }
    no_leading_zero(text, digits)?;
    Ok(Some(format!("{sign}{digits}")))
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`.
fn float(text: &str) -> Result<Option<String>, String> {
    let (sign, unsigned) = split_sign(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Err(format!("`{text}` has no JSON form"));
    }
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => unsigned.split_at(at),
        None => (unsigned, ""),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_mantissa = digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty());
    let is_float = is_mantissa && is_exponent(exponent);
    if !is_float {
        return Ok(None);
    }
    no_leading_zero(text, whole)?;
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = match (mantissa.contains('.'), fraction) {
        (false, _) => String::new(),
        (true, "") => ".0".to_owned(),
        (true, fraction) => format!(".{fraction}"),
    };
    Ok(Some(format!("{sign}{whole}{fraction}{exponent}")))
}

/// Returns true for an empty text, and for `e`, at most one sign, and digits.
fn is_exponent(text: &str) -> bool {
    let Some(power) = text.strip_prefix(['e', 'E']) else { return text.is_empty() };
    let digits = power.strip_prefix(['-', '+']).unwrap_or(power);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the sign in JSON, and the rest.
fn split_sign(text: &str) -> (&'static str, &str) {
    match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    }
}

/// Rejects leading zeros: `012` is ten in YAML 1.1 and twelve in YAML 1.2.
fn no_leading_zero(text: &str, digits: &str) -> Result<(), String> {
    match digits.len() > 1 && digits.starts_with('0') {
        true => Err(format!("`{text}` has a leading zero: put it in quotes, or leave the zero out")),
        false => Ok(()),
    }
}

fn string(text: &str) -> String {
    adjudicate_core::json::write(&text)
}
