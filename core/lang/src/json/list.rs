//! Reads lists into vectors of exactly their length, which the tape knows.
//!
//! A vector that doubles as it is read takes up to three times the memory for a moment, and up to twice for good. Long lists are
//! most of what a call holds.

use alloc::vec::Vec;
use core::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{SeqAccess, Visitor},
};

/// Reads a list, for `#[serde(deserialize_with)]`.
///
/// # Errors
///
/// Those of the deserializer.
pub fn exact<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    struct Exact<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Exact<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
            let mut items = Vec::with_capacity(list.size_hint().unwrap_or_default());
            while let Some(item) = list.next_element()? {
                items.push(item);
            }
            Ok(items)
        }
    }

    from.deserialize_seq(Exact(PhantomData))
}

/// Reads a list that may be absent; `null` is no list.
///
/// # Errors
///
/// Those of the deserializer.
pub fn exact_option<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<Vec<T>>, D::Error> {
    exact(from).map(Some)
}
