//! Members that may be null.

use core::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Serialize,
    de::{self, Visitor},
};

/// The name under which [`Nullable`] asks this deserializer for `null`.
pub(super) const NULLABLE: &str = "nullable";

/// A member that may be null, which means the same as leaving it out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nullable<T>(pub Option<T>);

impl<T> Default for Nullable<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Nullable<T> {
    /// The value, if there is one.
    pub const fn as_ref(&self) -> Option<&T> {
        self.0.as_ref()
    }
}

impl<T: Serialize> Serialize for Nullable<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Nullable<T> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OrNull<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for OrNull<T> {
            type Value = Nullable<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value or null")
            }

            fn visit_none<E: de::Error>(self) -> Result<Self::Value, E> {
                Ok(Nullable(None))
            }

            fn visit_newtype_struct<D: de::Deserializer<'de>>(
                self,
                inner: D,
            ) -> Result<Self::Value, D::Error> {
                Option::deserialize(inner).map(Nullable)
            }
        }

        deserializer.deserialize_newtype_struct(NULLABLE, OrNull(PhantomData))
    }
}
