//! The descriptions of types, as data for generators: schemas, lists of words, and reference pages are made from them.

use alloc::{boxed::Box, vec::Vec};

use super::Others;
use crate::json::OwnedValue;

/// The values that a type has.
#[derive(Clone, Debug)]
pub enum Type {
    /// Any value.
    Any,
    /// True or false.
    Bool,
    /// An integer in a range, written without a fraction and without an exponent.
    Integer {
        /// The least value.
        minimum: Option<i128>,
        /// The greatest value.
        maximum: Option<i128>,
    },
    /// A number.
    Number {
        /// The least value.
        minimum: Option<i128>,
        /// The greatest value.
        maximum: Option<i128>,
    },
    /// A string.
    Text {
        /// The least number of characters.
        min_length: u64,
        /// A regular expression that each value matches; empty for none.
        pattern: &'static str,
    },
    /// An object of any fields.
    Object,
    /// A list.
    List(Box<Self>),
    /// An object in which every name is data.
    Map(Box<Self>),
    /// A value, or null.
    Nullable(Box<Self>),
    /// A value of one of these types.
    Either(Vec<Self>),
    /// A type with a name.
    Named(&'static Definition),
}

impl Type {
    /// Any string.
    pub const TEXT: Self = Self::Text { min_length: 0, pattern: "" };

    /// Returns the type with null as a further value.
    #[must_use]
    pub fn nullable(self) -> Self {
        Self::Nullable(Box::new(self))
    }

    /// Calls `take` with each type that this one consists of, except the content of named types.
    fn parts(&self, take: &mut dyn FnMut(&Self)) {
        match self {
            Self::List(item) | Self::Map(item) | Self::Nullable(item) => take(item),
            Self::Either(types) => types.iter().for_each(take),
            _ => {}
        }
    }
}

/// A type with a name.
#[derive(Debug)]
pub struct Definition {
    /// The name.
    pub name: &'static str,
    /// The path of the type in the program, which tells apart types of one name.
    pub source: &'static str,
    /// The doc comment.
    pub about: &'static str,
    /// The values.
    pub content: Content,
    /// Further keywords of the JSON Schema, as an object in JSON; empty for none.
    pub keywords: &'static str,
}

impl Definition {
    /// Returns the declared fields, those of all variants of a tagged object, in the order in which they are written.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> {
        let (fields, variants): (&[Field], &[Tagged]) = match self.content {
            Content::Object { fields, .. } => (fields, &[]),
            Content::Tagged { variants, .. } => (&[], variants),
            _ => (&[], &[]),
        };
        fields.iter().chain(variants.iter().flat_map(|variant| variant.fields)).flat_map(Field::written)
    }

    /// Returns the words of the type: names of fields, the tag, and the words of closed lists.
    ///
    /// ```
    /// use adjudicate_lang::document::{Describe, Document, definitions};
    /// #[derive(Document)]
    /// #[document(expecting = "a lamp")]
    /// struct Lamp { color: Color }
    /// #[derive(Clone, Copy, Document)]
    /// #[serde(rename_all = "snake_case")]
    /// enum Color { Red, DarkRed }
    /// let definitions = definitions(&Lamp::describe());
    /// let words: Vec<_> = definitions.iter().flat_map(|definition| definition.words()).collect();
    /// assert_eq!(words, ["color", "red", "dark_red"]);
    /// ```
    pub fn words(&self) -> impl Iterator<Item = &'static str> {
        let (tag, words, variants): (Option<&str>, &[Word], &[Tagged]) = match self.content {
            Content::Words(words) => (None, words, &[]),
            Content::Tagged { tag, variants, .. } => (Some(tag), &[], variants),
            _ => (None, &[], &[]),
        };
        let names = words.iter().map(|word| word.name).chain(variants.iter().map(|variant| variant.name));
        self.fields().map(|field| field.name).chain(tag).chain(names)
    }
}

/// The values of a type with a name.
#[derive(Debug)]
pub enum Content {
    /// One word of a closed list.
    Words(&'static [Word]),
    /// An object with declared fields.
    Object {
        /// The fields, in the order of declaration.
        fields: &'static [Field],
        /// The treatment of other fields.
        others: Others,
        /// The expected value in the error for a value that is not an object; empty for an object that is only written.
        expecting: &'static str,
    },
    /// An object whose other fields depend on the word in one field, the tag.
    Tagged {
        /// The name of the tag.
        tag: &'static str,
        /// The objects, one for each word.
        variants: &'static [Tagged],
        /// The treatment of other fields.
        others: Others,
    },
    /// Values of another type.
    Type(fn() -> Type),
    /// Values that only a JSON Schema describes.
    Schema {
        /// Returns the keywords, as an object.
        write: fn() -> OwnedValue,
        /// The types that the schema refers to, as `#/$defs/NAME`.
        refers: &'static [&'static Definition],
    },
}

/// A word of a closed list.
#[derive(Debug)]
pub struct Word {
    /// The word.
    pub name: &'static str,
    /// The doc comment.
    pub about: &'static str,
}

/// A variant of a tagged type: the objects whose tag has this word.
#[derive(Debug)]
pub struct Tagged {
    /// The word in the tag.
    pub name: &'static str,
    /// The doc comment.
    pub about: &'static str,
    /// The fields without the tag.
    pub fields: &'static [Field],
}

/// A declared field of an object.
#[derive(Debug)]
pub struct Field {
    /// The name.
    pub name: &'static str,
    /// True if the fields of its object stand in the place of this field.
    pub is_flattened: bool,
    /// The doc comment.
    pub about: &'static str,
    /// The type.
    pub describe: fn() -> Type,
    /// False if the field may be absent.
    pub is_required: bool,
    /// The value that an absent field has, if it has one that JSON can show.
    pub default: fn() -> Option<OwnedValue>,
    /// Further keywords of the JSON Schema, as an object in JSON; empty for none.
    pub keywords: &'static str,
}

impl Field {
    /// Returns the fields that a writer writes for this one: itself, or the fields of its object.
    ///
    /// ```
    /// use adjudicate_lang::document::{Describe, definitions};
    /// #[derive(Describe)]
    /// struct Place { line: u64, column: u64 }
    /// #[derive(Describe)]
    /// struct Mistake { file: String, #[serde(flatten)] place: Place, message: String }
    /// let names: Vec<_> = definitions(&Mistake::describe())[0].fields().map(|field| field.name).collect();
    /// assert_eq!(names, ["file", "line", "column", "message"]);
    /// ```
    #[must_use]
    pub fn written(&'static self) -> Vec<&'static Self> {
        match self.is_flattened.then(self.describe) {
            Some(Type::Named(definition)) => definition.fields().collect(),
            _ => Vec::from([self]),
        }
    }
}

/// Returns each named type that a type is made of, once, in the order in which they come.
///
/// ```
/// use adjudicate_lang::document::{Describe, definitions};
/// #[derive(Describe)]
/// struct Tree { leaf: Option<Leaf>, trees: Vec<Tree> }
/// #[derive(Describe)]
/// enum Leaf { Green }
/// let names: Vec<_> = definitions(&Tree::describe()).iter().map(|definition| definition.name).collect();
/// assert_eq!(names, ["Tree", "Leaf"]);
/// ```
#[must_use]
pub fn definitions(of: &Type) -> Vec<&'static Definition> {
    let mut found = Vec::new();
    collect(of, &mut found);
    found
}

fn collect(of: &Type, found: &mut Vec<&'static Definition>) {
    let Type::Named(definition) = of else { return of.parts(&mut |part| collect(part, found)) };
    if found.iter().any(|known| known.source == definition.source) {
        return;
    }
    found.push(definition);
    match definition.content {
        Content::Type(describe) => collect(&describe(), found),
        Content::Schema { refers, .. } => {
            refers.iter().for_each(|definition| collect(&Type::Named(definition), found));
        }
        Content::Words(_) | Content::Object { .. } | Content::Tagged { .. } => {
            definition.fields().for_each(|field| collect(&(field.describe)(), found));
        }
    }
}
