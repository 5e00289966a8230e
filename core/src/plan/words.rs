//! Closed lists of words, as wire documents have them.

/// Declares a closed list of words, in the order in which they sort.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$meaning:meta])* $word:ident = $text:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name { $($(#[$meaning])* $word,)+ }

        impl $name {
            pub(super) const WORDS: &[&str] = &[$($text,)+];
            const ALL: &[Self] = &[$(Self::$word,)+];

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

pub(super) use words;
