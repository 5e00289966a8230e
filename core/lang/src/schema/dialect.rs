//! Dialects: a draft, with the vocabularies that a meta-schema enables.

use alloc::format;

use crate::{
    codes,
    error::Error,
    json::{Kind, Node, shorten},
};

/// A version of JSON Schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Draft {
    /// Draft-07, `http://json-schema.org/draft-07/schema#`.
    #[default]
    Draft7,
    /// 2020-12, `https://json-schema.org/draft/2020-12/schema`.
    Draft2020,
}

impl Draft {
    /// Returns the draft whose meta-schema has this URI, with or without an empty fragment.
    ///
    /// ```
    /// use adjudicate_lang::schema::Draft;
    /// assert_eq!(Draft::from_meta_schema("http://json-schema.org/draft-07/schema#"), Some(Draft::Draft7));
    /// assert_eq!(Draft::from_meta_schema("http://json-schema.org/draft-04/schema#"), None);
    /// ```
    #[must_use]
    pub fn from_meta_schema(uri: &str) -> Option<Self> {
        match uri.strip_suffix('#').unwrap_or(uri) {
            "http://json-schema.org/draft-07/schema" | "https://json-schema.org/draft-07/schema" => {
                Some(Self::Draft7)
            }
            "https://json-schema.org/draft/2020-12/schema" => Some(Self::Draft2020),
            _ => None,
        }
    }
}

/// The part of a draft that a keyword belongs to. A dialect can omit parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vocabulary {
    Core = 1,
    Applicator = 2,
    Unevaluated = 4,
    Validation = 8,
    Format = 16,
}

/// A draft with its enabled vocabularies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialect {
    pub draft: Draft,
    /// A bit for each [`Vocabulary`].
    vocabularies: u8,
    /// True if `format` asserts.
    pub asserts_formats: bool,
}

impl Dialect {
    /// Returns the dialect with all vocabularies of a draft.
    pub(super) const fn new(draft: Draft, asserts_formats: bool) -> Self {
        Self { draft, vocabularies: u8::MAX, asserts_formats }
    }

    pub(super) const fn has(self, vocabulary: Vocabulary) -> bool {
        self.vocabularies & vocabulary as u8 != 0
    }

    /// Returns the dialect that a custom meta-schema declares with `$vocabulary`.
    ///
    /// # Errors
    ///
    /// [`codes::INVALID_SCHEMA`] for a required vocabulary that the engine does not know.
    pub(super) fn from_meta_schema(
        meta: Node<'_>,
        draft: Draft,
        asserts_formats: bool,
    ) -> Result<Self, Error> {
        let mut dialect = Self::new(draft, asserts_formats);
        let Some(vocabularies) = meta.member("$vocabulary").filter(|_| draft == Draft::Draft2020) else {
            return Ok(dialect);
        };
        dialect.vocabularies = Vocabulary::Core as u8;
        for (uri, required) in vocabularies.members() {
            let name = uri.strip_prefix("https://json-schema.org/draft/2020-12/vocab/");
            let vocabulary = match name.unwrap_or_default() {
                "core" | "meta-data" | "content" => Vocabulary::Core,
                "applicator" => Vocabulary::Applicator,
                "unevaluated" => Vocabulary::Unevaluated,
                "validation" => Vocabulary::Validation,
                "format-annotation" => Vocabulary::Format,
                "format-assertion" => {
                    dialect.asserts_formats = true;
                    Vocabulary::Format
                }
                _ if required.kind() == Kind::Bool(false) => continue,
                _ => {
                    let message = format!("the vocabulary `{}` is not supported", shorten(uri));
                    return Err(Error::new(codes::INVALID_SCHEMA, message));
                }
            };
            dialect.vocabularies |= vocabulary as u8;
        }
        Ok(dialect)
    }
}
