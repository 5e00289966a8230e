//! The names of fields.

/// Returns the index of a name among `names`.
pub(crate) fn place(names: &[&str], name: &[u8]) -> Option<usize> {
    names.iter().position(|other| is_same(other.as_bytes(), name))
}

/// Returns the index of a name among `names`, which are searched from `next` on, and then from the start.
#[inline(never)]
pub(crate) fn place_from(names: &[&str], next: usize, name: &[u8]) -> Option<usize> {
    let (before, rest) = names.split_at_checked(next).unwrap_or((names, &[]));
    place(rest, name).map(|at| next + at).or_else(|| place(before, name))
}

/// Returns whether two names are equal. In wasm, the standard library calls a function that compares one byte at a time. This
/// function compares eight or four bytes at a time; the last ones may overlap those before.
#[inline]
pub(crate) fn is_same(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    match (left.last_chunk::<8>(), right.last_chunk::<8>()) {
        (Some(left_end), Some(right_end)) => {
            let (left, right) = (left.as_chunks::<8>().0, right.as_chunks::<8>().0);
            u64::from_ne_bytes(*left_end) == u64::from_ne_bytes(*right_end)
                && left.iter().zip(right).all(|(l, r)| u64::from_ne_bytes(*l) == u64::from_ne_bytes(*r))
        }
        _ => match (
            left.first_chunk::<4>().zip(left.last_chunk()),
            right.first_chunk::<4>().zip(right.last_chunk()),
        ) {
            (Some(left), Some(right)) => {
                let word = |half: &[u8; 4]| u32::from_ne_bytes(*half);
                word(left.0) == word(right.0) && word(left.1) == word(right.1)
            }
            _ => left.iter().zip(right).all(|(left, right)| left == right),
        },
    }
}

/// Returns whether a field is an extension, which the engine does not read.
pub(crate) fn is_extension(key: &[u8]) -> bool {
    matches!(key, [b'x', b'-', ..])
}
