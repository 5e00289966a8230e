//! Closed lists of words: one declaration for the type, its spelling and its order.

/// Declares a closed list of words, in the order in which they sort.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$meaning:meta])* $word:ident = $text:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name { $($(#[$meaning])* $word,)+ }

        impl $name {
            pub(crate) const WORDS: &[&str] = &[$($text,)+];
            /// All of them, in their order.
            pub const ALL: &[Self] = &[$(Self::$word,)+];

            /// The word, as documents spell it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$word => $text,)+ }
            }

            /// The one of that word, or `None`.
            #[must_use]
            pub fn from_text(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.as_str() == text)
            }
        }
    };
}
pub(crate) use words;

/// Returns whether a word is one of those, in any case of ASCII.
pub(crate) fn is_one_of(word: &str, known: &[&str]) -> bool {
    known.iter().any(|known| word.eq_ignore_ascii_case(known))
}
