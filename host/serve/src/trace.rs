//! The trace context of a request (W3C Trace Context).

use axum::http::HeaderMap;

/// The trace and the span of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trace {
    pub(crate) trace: [u8; 16],
    pub(crate) span: [u8; 8],
    pub(crate) parent: Option<[u8; 8]>,
    /// True unless the caller asks not to record the trace.
    pub(crate) is_sampled: bool,
}

impl Trace {
    /// Returns the trace that the caller names, or a new one.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Self {
        let mut random = [0; 24];
        // Without randomness traces have equal ids; that is no reason to reject a call.
        let _ = getrandom::fill(&mut random);
        let (mut trace, mut span) = ([0; 16], [0; 8]);
        let (first, second) = random.split_at(16);
        trace.copy_from_slice(first);
        span.copy_from_slice(second);
        let mut named = headers.get_all("traceparent").iter();
        match (named.next().and_then(|value| parent(value.as_bytes())), named.next()) {
            (Some((trace, parent, is_sampled)), None) => {
                Self { trace, span, parent: Some(parent), is_sampled }
            }
            _ => Self { trace, span, parent: None, is_sampled: true },
        }
    }
}

/// Reads `00-{32 digits}-{16 digits}-{2 digits}`. Later versions may have more fields.
fn parent(text: &[u8]) -> Option<([u8; 16], [u8; 8], bool)> {
    let mut parts = text.split(|byte| *byte == b'-');
    let [version] = digits::<1>(parts.next()?)?;
    let trace = digits(parts.next()?)?;
    let span = digits(parts.next()?)?;
    let [flags] = digits::<1>(parts.next()?)?;
    let is_good = version != 0xff && (version != 0 || parts.next().is_none());
    (is_good && trace != [0; 16] && span != [0; 8]).then_some((trace, span, flags & 1 == 1))
}

/// Reads lower-case hexadecimal digits; the standard allows no others.
fn digits<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    if text.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(bytes)
}

/// Returns bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_well_formed_parent_is_used() {
        let id = "4bf92f3577b34da6a3ce929d0e0e4736";
        let read = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append("traceparent", value.parse().unwrap());
            }
            Trace::from_headers(&headers)
        };
        let good = format!("00-{id}-00f067aa0ba902b7-01");
        let trace = read(&[&good]);
        assert_eq!((hex(&trace.trace), trace.is_sampled), (id.to_owned(), true));
        assert_eq!(trace.parent.map(|parent| hex(&parent)).as_deref(), Some("00f067aa0ba902b7"));
        assert!(!read(&[&format!("00-{id}-00f067aa0ba902b7-00")]).is_sampled);
        assert!(read(&[&format!("01-{id}-00f067aa0ba902b7-01-later")]).parent.is_some());
        for bad in [
            "",
            "00",
            &format!("ff-{id}-00f067aa0ba902b7-01"),
            &format!("00-{id}-00f067aa0ba902b7-01-more"),
            &format!("00-{id}-0000000000000000-01"),
            &format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)),
            &good.to_uppercase(),
            &format!("00-{id}0-00f067aa0ba902b7-01"),
        ] {
            let trace = read(&[bad]);
            assert!(trace.parent.is_none() && trace.is_sampled && trace.trace != [0; 16], "{bad}");
        }
        assert!(read(&[&good, &good]).parent.is_none());
    }
}
