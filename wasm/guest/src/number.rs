//! Numbers as texts: their length and their range.

/// The fault of a text, and its byte.
pub(crate) type Fault = (usize, &'static str);

/// Returns the length of the number at the start of a text.
pub(crate) fn length(bytes: &[u8]) -> Result<usize, Fault> {
    let digits = |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = usize::from(bytes.first() == Some(&b'-'));
    match (digits(end), bytes.get(end)) {
        (0, _) => return Err((end, "expected a value")),
        (2.., Some(b'0')) => return Err((end, "number with a leading zero")),
        (whole, _) => end += whole,
    }
    if bytes.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        if fraction == 0 {
            return Err((end, "number with an empty fraction"));
        }
        end += 1 + fraction;
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent == 0 {
            return Err((end, "number with an empty exponent"));
        }
        end += 1 + sign + exponent;
    }
    Ok(end)
}

/// Returns whether a number is in the range of 64-bit floating point: rounded neither to infinity, nor to zero unless it is zero. The
/// engine refuses all others, so a module must not read them.
pub(crate) fn is_in_range(number: &str) -> bool {
    /// The digits of the least number that is rounded to infinity. Further digits make no practical difference.
    const TOO_LARGE: &str = "17976931348623158079372897140530341507993413271003782693617377898";
    /// The digits of the greatest number that is rounded to zero.
    const TOO_SMALL: &str = "24703282292062327208828439643411068618252990130716238221279284125";
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let mantissa = mantissa.trim_start_matches('-');
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    let Some(leading) = digits().position(|digit| digit != b'0') else { return true };
    let Ok(exponent) = exponent.trim_start_matches('+').parse::<i64>() else { return false };
    // The exponent of the first digit that is not 0.
    let power = exponent.saturating_add(whole.len() as i64 - 1 - leading as i64);
    match power {
        308 => digits().skip(leading).lt(TOO_LARGE.bytes()),
        -324 => digits().skip(leading).gt(TOO_SMALL.bytes()),
        _ => (-324..308).contains(&power),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_those_that_floating_point_rounds_to_infinity_or_zero() {
        for text in [
            "0",
            "-0.0",
            "0e999999999999999999999",
            "1e308",
            "1e309",
            "-1e309",
            "1.7976931348623157e308",
            "1.797693134862315807e308",
            "1.7976931348623159e308",
            "0.00001e313",
            "0.0001e313",
            "1e-99999999999999999999",
            "1e-400",
            "-1e-324",
            "2e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "0.3e-323",
            "5e-324",
            "24.8e-325",
            "1e99999999999999999999",
            "123456e303",
            "123456e304",
            "17.9e307",
            "18.0e307",
        ] {
            let is_zero = text.starts_with("0e") || text.starts_with("-0.0") || text == "0";
            let value = text.parse::<f64>().unwrap();
            assert_eq!(is_in_range(text), value.is_finite() && (value != 0.0 || is_zero), "{text}");
        }
        let long = alloc::format!("1{}", "0".repeat(308));
        assert!(is_in_range(&long) && !is_in_range(&alloc::format!("{long}0")));
    }
}
