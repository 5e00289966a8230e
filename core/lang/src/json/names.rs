//! The names of fields.

/// Returns the index of a name among `names`.
pub(crate) fn place(names: &[&str], name: &str) -> Option<usize> {
    names.iter().position(|other| is_same(other, name))
}

/// Returns whether two names are equal. In wasm, the standard library calls a function that compares one byte at a time. This
/// function compares eight bytes at a time; the last eight may overlap the eight before.
#[inline]
pub(crate) fn is_same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    match (left.last_chunk::<8>(), right.last_chunk::<8>()) {
        (Some(left_end), Some(right_end)) => {
            let (left, right) = (left.as_chunks::<8>().0, right.as_chunks::<8>().0);
            u64::from_ne_bytes(*left_end) == u64::from_ne_bytes(*right_end)
                && left.iter().zip(right).all(|(l, r)| u64::from_ne_bytes(*l) == u64::from_ne_bytes(*r))
        }
        _ => left.iter().zip(right).all(|(left, right)| left == right),
    }
}

/// Returns whether a field is an extension, which the engine does not read.
pub(crate) fn is_extension(key: &str) -> bool {
    matches!(key.as_bytes(), [b'x', b'-', ..])
}
