//! Readers of values that are not structs: booleans, numbers, strings, lists and maps.

use alloc::{
    borrow::Cow,
    boxed::Box,
    collections::BTreeMap,
    format,
    string::{String, ToString},
    vec::Vec,
};

use serde::{Serialize, Serializer, de::IgnoredAny};

use super::{Document, Reader, Shape};
use crate::{
    codes,
    decimal::Decimal,
    error::Error,
    json::{Kind, Node, Nullable},
    logic::Program,
    order::SortedMap,
    paths::{PathCase, Pattern},
};

/// Declares the readers of integers: each takes the range of its type.
macro_rules! integers {
    ($($type:ty: $shape:ident, $expected:literal;)+) => { $(
        impl Document<'_> for $type {
            const SHAPE: Shape = Shape::$shape;

            fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
                let value = node.whole().and_then(|value| Self::try_from(value).ok());
                if value.is_none() {
                    reader.refuse(node, $expected);
                }
                value
            }
        }
    )+ };
}

integers! {
    u64: Count, "an integer of 0 or more";
    u32: Count, "an integer from 0 to 4294967295";
    u16: Count, "an integer from 0 to 65535";
    usize: Count, "an integer of 0 or more";
    i64: Integer, "an integer";
}

impl Document<'_> for bool {
    const SHAPE: Shape = Shape::Bool;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        match node.kind() {
            Kind::Bool(value) => Some(value),
            _ => {
                reader.refuse(node, "true or false");
                None
            }
        }
    }
}

impl<'t: 'a, 'a> Document<'t> for &'a str {
    const SHAPE: Shape = Shape::Text;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let text = node.as_str();
        if text.is_none() {
            reader.refuse(node, "a string");
        }
        text
    }
}

impl Document<'_> for String {
    const SHAPE: Shape = Shape::Text;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        <&str>::read(node, reader).map(ToString::to_string)
    }
}

impl<'t, T: Document<'t>> Document<'t> for Option<T> {
    const SHAPE: Shape = T::SHAPE;

    /// Null is not a value, so the result is never `Some(None)`.
    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        T::read(node, reader).map(Some)
    }
}

impl<'t, T: Document<'t>> Document<'t> for Nullable<T> {
    const SHAPE: Shape = T::SHAPE;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        match node.kind() {
            Kind::Null => Some(Self(None)),
            _ => T::read(node, reader).map(|value| Self(Some(value))),
        }
    }
}

impl<'t, T: Document<'t>> Document<'t> for Box<T> {
    const SHAPE: Shape = T::SHAPE;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        T::read(node, reader).map(Self::new)
    }
}

/// The most bytes that are reserved for each cell of the tape, which is at least two bytes of text.
const RESERVED_BYTES: usize = 16;

/// Returns a vector for the items of a list, or the fields of an object.
///
/// A vector that doubles as it is read takes up to three times its memory, so it reserves the memory of its items. Wrong
/// items must not reserve many times the memory of their text.
pub(super) fn reserved<T>(container: Node<'_>) -> Vec<T> {
    let most = container.cells() * RESERVED_BYTES / size_of::<T>().max(1);
    Vec::with_capacity(container.len().min(most))
}

impl<'t, T: Document<'t>> Document<'t> for Vec<T> {
    const SHAPE: Shape = Shape::List(&T::SHAPE);

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let mut items = reserved(node);
        let is_list = reader.items(node, &mut |item, reader| {
            if let Some(item) = T::read(item, reader) {
                items.push(item);
            }
        });
        is_list.then_some(items)
    }
}

/// A text that its writer may own.
impl<'t: 'a, 'a> Document<'t> for Cow<'a, str> {
    const SHAPE: Shape = <&str>::SHAPE;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        <&str>::read(node, reader).map(Cow::Borrowed)
    }
}

/// A list that its writer borrows.
impl<'t, T: Document<'t> + Clone> Document<'t> for Cow<'_, [T]> {
    const SHAPE: Shape = Vec::<T>::SHAPE;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        Vec::read(node, reader).map(Cow::Owned)
    }
}

impl<'t, T: Document<'t>> Document<'t> for BTreeMap<String, T> {
    const SHAPE: Shape = Shape::Map(&T::SHAPE);

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let members: SortedMap<&str, T> = Document::read(node, reader)?;
        Some(members.into_iter().map(|(name, value)| (name.to_string(), value)).collect())
    }
}

impl<'t: 'a, 'a, T: Document<'t>> Document<'t> for SortedMap<&'a str, T> {
    const SHAPE: Shape = Shape::Map(&T::SHAPE);

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let mut members = reserved(node);
        let is_object = reader.members(node, &mut |name, value, reader| {
            if let Some(value) = T::read(value, reader) {
                members.push((name, value));
            }
        });
        is_object.then(|| Self::from_entries(members))
    }
}

/// Accepts every value: `$schema`, which is for editors, and parts that other code reads.
impl Document<'_> for IgnoredAny {
    const SHAPE: Shape = Shape::Any;

    fn read(_: Node<'_>, _: &mut Reader) -> Option<Self> {
        Some(Self)
    }
}

impl<'t: 'a, 'a> Document<'t> for Pattern<'a> {
    const SHAPE: Shape = Shape::Text;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let read = Self::new(<&str>::read(node, reader)?);
        read.map_err(|message| reader.note(Error::new(codes::INVALID_VALUE, message))).ok()
    }
}

// The derive would make `paths` depend on documents, which depend on `paths`.
impl Document<'_> for PathCase {
    const SHAPE: Shape = Shape::Words(Self::WORDS);

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        let word = reader.word(node, Self::WORDS)?;
        Some(if word == 0 { Self::Sensitive } else { Self::AsciiInsensitive })
    }
}

impl Document<'_> for Decimal {
    const SHAPE: Shape = Shape::Number;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        let number = node.as_decimal();
        if number.is_none() {
            reader.refuse(node, "a number");
        }
        number
    }
}

/// A number of at least 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Magnitude(pub Decimal);

impl Serialize for Magnitude {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0.to_f64())
    }
}

impl Document<'_> for Magnitude {
    const SHAPE: Shape = Shape::Magnitude;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        let number = node.as_decimal().filter(|number| !number.is_negative());
        if number.is_none() {
            reader.refuse(node, "a number of 0 or more");
        }
        number.map(Self)
    }
}

/// A string that is not empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Id<'a>(pub &'a str);

impl<'t: 'a, 'a> Document<'t> for Id<'a> {
    const SHAPE: Shape = Shape::Id;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let text = node.as_str().filter(|text| !text.is_empty());
        if text.is_none() {
            reader.refuse(node, "a string that is not empty");
        }
        text.map(Self)
    }
}

/// A string that is not empty, independent of the text of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedId(pub String);

impl Document<'_> for OwnedId {
    const SHAPE: Shape = Shape::Id;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        Id::read(node, reader).map(|Id(text)| Self(text.to_string()))
    }
}

/// Accepts every value, and keeps it as written.
impl<'t: 'a, 'a> Document<'t> for Node<'a> {
    const SHAPE: Shape = Shape::Any;

    fn read(node: Node<'t>, _: &mut Reader) -> Option<Self> {
        Some(node)
    }
}

/// An object of any fields, as written.
#[derive(Clone, Copy, Debug)]
pub struct Object<'a>(pub Node<'a>);

impl<'t: 'a, 'a> Document<'t> for Object<'a> {
    const SHAPE: Shape = Shape::Map(&Shape::Any);

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        if node.kind() == Kind::Object {
            return Some(Self(node));
        }
        reader.refuse(node, "an object");
        None
    }
}

/// Any value except null. The fields of an object are read as `T`; other values are ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IfObject<T>(pub Option<T>);

impl<'t, T: Document<'t>> Document<'t> for IfObject<T> {
    const SHAPE: Shape =
        Shape::Either(&[T::SHAPE, Shape::Text, Shape::Number, Shape::Bool, Shape::List(&Shape::Any)]);

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        match node.kind() {
            Kind::Object => T::read(node, reader).map(|fields| Self(Some(fields))),
            _ => Some(Self(None)),
        }
    }
}

/// A JSON Schema as written, not compiled: an object, true or false.
#[derive(Clone, Copy, Debug)]
pub struct SchemaDocument<'a>(pub Node<'a>);

impl<'t: 'a, 'a> Document<'t> for SchemaDocument<'a> {
    const SHAPE: Shape = Shape::Schema;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        if matches!(node.kind(), Kind::Object | Kind::Bool(_)) {
            return Some(Self(node));
        }
        reader.refuse(node, "an object, true or false");
        None
    }
}

/// A condition in JSONLogic, as written and compiled.
#[derive(Clone, Debug)]
pub struct Condition<'a> {
    /// The condition as written.
    pub source: Node<'a>,
    /// The compiled condition.
    pub program: Program,
}

impl<'t: 'a, 'a> Document<'t> for Condition<'a> {
    const SHAPE: Shape = Shape::Condition;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        reader.condition(node).map(|program| Self { source: node, program })
    }
}

/// A string, or a list of strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notes<'a>(pub Vec<&'a str>);

impl<'t: 'a, 'a> Document<'t> for Notes<'a> {
    const SHAPE: Shape = Shape::Notes;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        match (node.kind(), node.as_str()) {
            (_, Some(text)) => Some(Self(Vec::from([text]))),
            (Kind::Array, _) => Vec::read(node, reader).map(Self),
            _ => {
                reader.refuse(node, "a string or a list of strings");
                None
            }
        }
    }
}

/// An integer of at least `MIN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtLeast<const MIN: u64>(u64);

impl<const MIN: u64> AtLeast<MIN> {
    /// Returns the integer.
    #[must_use]
    pub const fn value(self) -> u64 {
        self.0
    }
}

impl<const MIN: u64> Document<'_> for AtLeast<MIN> {
    const SHAPE: Shape = Shape::Count;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        let value = u64::read(node, reader)?;
        if value < MIN {
            let message = format!("expected at least {MIN}, found `{value}`");
            reader.note(Error::new(codes::INVALID_VALUE, message));
            return None;
        }
        Some(Self(value))
    }
}

/// The version of a format, of which there is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormatVersion<const NUMBER: u64>;

impl<const NUMBER: u64> Document<'_> for FormatVersion<NUMBER> {
    const SHAPE: Shape = Shape::Count;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        let value = u64::read(node, reader)?;
        if value != NUMBER {
            let message = format!("expected the version {NUMBER}, found `{value}`");
            reader.note(Error::new(codes::INVALID_VALUE, message));
            return None;
        }
        Some(Self)
    }
}

impl<const NUMBER: u64> Serialize for FormatVersion<NUMBER> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(NUMBER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{self, ReadLimits};

    /// The items and the reserved bytes of a list.
    fn read<T: for<'t> Document<'t>>(item: &str, count: usize) -> (usize, usize) {
        let text = format!("[{}]", Vec::from_iter(core::iter::repeat_n(item, count)).join(","));
        let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let items = Vec::<T>::read(tape.root(), &mut Reader::default()).unwrap();
        (items.len(), items.capacity() * size_of::<T>())
    }

    #[test]
    fn a_list_reserves_what_it_needs() {
        assert_eq!(read::<u64>("7", 10_000), (10_000, 10_000 * size_of::<u64>()));
        assert_eq!(read::<IgnoredAny>("7", 10_000).0, 10_000);
    }

    #[test]
    fn owned_values_are_read_like_borrowed_ones() {
        fn value<T: for<'t> Document<'t>>(text: &str) -> Result<T, (String, String)> {
            let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap();
            let read = crate::document::read::<T>(tape.root());
            read.map_err(|error| (error.message().to_string(), error.path().to_string()))
        }
        let refused = |message: &str, path: &str| (message.to_string(), path.to_string());
        assert_eq!(value::<u16>("65535"), Ok(65_535));
        assert_eq!(
            value::<u16>("65536"),
            Err(refused("expected an integer from 0 to 65535, found `65536`", ""))
        );
        assert_eq!(value::<usize>("-1"), Err(refused("expected an integer of 0 or more, found `-1`", "")));
        assert_eq!(value::<Cow<'_, [u16]>>("[1,2]").as_deref(), Ok(&[1, 2][..]));
        assert_eq!(value::<OwnedId>(r#""a""#), Ok(OwnedId("a".to_string())));
        assert!(value::<OwnedId>(r#""""#).is_err());
        type Counts = BTreeMap<String, u16>;
        assert_eq!(value::<Counts>(r#"{"a":1}"#), Ok(Counts::from([("a".to_string(), 1)])));
        assert_eq!(
            value::<Counts>(r#"{"x-a":"1"}"#),
            Err(refused("expected an integer from 0 to 65535, found the string `1`", "/x-a"))
        );
    }

    #[test]
    fn errors_of_parsed_strings_have_their_path() {
        struct Even(u64);
        impl Document<'_> for Even {
            const SHAPE: Shape = Shape::Text;

            fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
                reader.parsed(node, |text| {
                    let even = text.parse().ok().filter(|number| number % 2 == 0);
                    even.map(Self).ok_or_else(|| Error::new(codes::LIMIT_EXCEEDED, "odd").at("/never"))
                })
            }
        }
        let tape = json::read(br#"["4", "5", 6]"#, ReadLimits::DOCUMENT).unwrap();
        let mut reader = Reader::default();
        let read = Vec::<Even>::read(tape.root(), &mut reader).unwrap();
        assert_eq!(read.iter().map(|even| even.0).collect::<Vec<_>>(), [4]);
        let error = reader.end(Some(())).unwrap_err();
        let errors: Vec<_> = error.all().map(|error| (error.code(), error.message(), error.path())).collect();
        let expected = [("odd", "/1"), ("expected a string, found `6`", "/2")];
        assert_eq!(errors, expected.map(|(message, path)| (codes::INVALID_VALUE, message, path)));
    }

    #[test]
    fn a_list_of_wrong_items_reserves_little() {
        let (items, reserved) = read::<[String; 4]>("7", 10_000);
        assert!(items == 0 && reserved <= 10_001 * RESERVED_BYTES, "{reserved}");
    }

    #[test]
    fn the_index_is_that_of_the_innermost_list() {
        /// The index at which the value is read.
        struct IndexAtRead(usize);

        impl Document<'_> for IndexAtRead {
            const SHAPE: Shape = Shape::Any;

            fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
                if node.kind() == Kind::Array {
                    Vec::<Self>::read(node, reader)?;
                }
                Some(Self(reader.index()))
            }
        }

        let tape = json::read(br#"[7, [7, 7, 7], 7]"#, ReadLimits::DOCUMENT).unwrap();
        let places = Vec::<IndexAtRead>::read(tape.root(), &mut Reader::default()).unwrap();
        assert_eq!(Vec::from_iter(places.iter().map(|place| place.0)), [0, 1, 2]);
    }

    /// A value that is much larger than its text.
    impl Document<'_> for [String; 4] {
        const SHAPE: Shape = Shape::Text;

        fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
            String::read(node, reader).map(|text| core::array::from_fn(|_| text.clone()))
        }
    }
}
