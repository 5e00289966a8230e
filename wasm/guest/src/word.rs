//! The types of closed lists of words. `words.rs` has the lists.

/// An enum whose variants are words on the wire.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        ///
        /// ```
        #[doc = concat!("use adjudicate_guest::", stringify!($name), ";")]
        $(#[doc = concat!("assert_eq!(", stringify!($name), "::from_word(", stringify!($word), "), Some(", stringify!($name), "::", stringify!($variant), "));")])+
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$of])* $variant,)+
        }

        impl $name {
            /// The words, in the order of the variants.
            pub(crate) const WORDS: &[&str] = &[$($word,)+];

            /// Returns the word.
            ///
            /// ```
            #[doc = concat!("use adjudicate_guest::", stringify!($name), ";")]
            $(#[doc = concat!("assert_eq!(", stringify!($name), "::", stringify!($variant), ".as_str(), ", stringify!($word), ");")])+
            /// ```
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// Returns the variant of a word; `None` for a word that is not in the list.
            ///
            /// ```
            #[doc = concat!("use adjudicate_guest::", stringify!($name), ";")]
            $(#[doc = concat!("assert_eq!(", stringify!($name), "::from_word(", stringify!($word), "), Some(", stringify!($name), "::", stringify!($variant), "));")])+
            #[doc = concat!("assert_eq!(", stringify!($name), "::from_word(\"no such word\"), None);")]
            /// ```
            #[inline(never)]
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                const ALL: &[$name] = &[$($name::$variant,)+];
                Self::WORDS.iter().position(|known| *known == word).and_then(|place| ALL.get(place).copied())
            }
        }

        impl<'a> $crate::view::View<'a> for $name {
            // The last word of a list, which is never `success`.
            const ABSENT: Self = {
                let [.., last] = [$(Self::$variant,)+];
                last
            };

            fn of(value: &'a $crate::value::Value<'a>) -> Option<Self> {
                Self::from_word(value.as_str()?)
            }
        }
    };
}

pub(crate) use words;

/// Returns true if a word is in the list, ignoring ASCII case.
pub(crate) fn is_one_of(word: &str, known: &[&str]) -> bool {
    known.iter().any(|known| word.eq_ignore_ascii_case(known))
}
