//! The shapes of documents, as data.

use alloc::{boxed::Box, format, string::String};

use crate::{
    json::{is_close, is_index, names::is_extension, unknown},
    logic::{Operator, Types},
    paths::normalize,
};

/// The values that a part of a document can have.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// Any value, as in fields whose names begin with `x-`.
    Any,
    /// True or false.
    Bool,
    /// An integer of at least 0.
    Count,
    /// An integer.
    Integer,
    /// A number.
    Number,
    /// A number of at least 0.
    Magnitude,
    /// A string.
    Text,
    /// A string that is not empty.
    Id,
    /// A path in normal form.
    Path,
    /// The class of an event, without its detail.
    Class,
    /// One word of a closed list.
    Words(&'static [&'static str]),
    /// A string, or a list of strings.
    Notes,
    /// A list.
    List(&'static Self),
    /// An object with these fields, and fields whose names begin with `x-`.
    Object(&'static [Member]),
    /// An object with these fields, and any others.
    Open(&'static [Member]),
    /// A JSON Schema: an object, true or false.
    Schema,
    /// A condition in JSONLogic.
    Condition,
    /// An object in which every name is data.
    Map(&'static Self),
    /// An object whose other fields depend on the word in this field.
    Tagged(&'static str, &'static [Variant]),
    /// A value of one of these shapes.
    Either(&'static [Self]),
    /// The value of a type whose values contain each other, with the name of the type.
    Recursive(&'static str, fn() -> Self),
}

/// The fields of an object that has one word in its tag.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// The word.
    pub name: &'static str,
    /// The fields without the tag.
    pub members: &'static [Member],
}

/// A declared field of an object.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// The name.
    pub name: &'static str,
    /// The shape of the value.
    pub shape: Shape,
    /// The ways in which the field may be absent or null.
    pub presence: Presence,
}

/// The ways in which a field may be absent or null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Required, and never null.
    Always,
    /// May be absent, and is never null.
    Optional,
    /// May be absent or null.
    Nullable,
    /// Required, and may be null.
    Null,
}

impl Presence {
    const fn is_optional(self) -> bool {
        matches!(self, Self::Optional | Self::Nullable)
    }
}

/// The target of a path.
#[derive(Clone, Copy, Debug)]
pub struct PathTarget {
    /// The shape of the value.
    pub shape: Shape,
    /// True if the value may be absent.
    pub optional: bool,
    /// True if the value may be null.
    pub nullable: bool,
}

impl Shape {
    /// Returns the types that a value can have.
    pub const fn types(self) -> Types {
        match self {
            Self::Any | Self::Condition => Types::ANY,
            Self::Schema => Types::OBJECT.or(Types::BOOL),
            Self::Bool => Types::BOOL,
            Self::Count | Self::Integer | Self::Number | Self::Magnitude => Types::NUMBER,
            Self::Text | Self::Id | Self::Path | Self::Class | Self::Words(_) => Types::TEXT,
            Self::Notes => Types::TEXT.or(Types::LIST),
            Self::List(_) => Types::LIST,
            // Only objects contain values of their own type.
            Self::Object(_) | Self::Open(_) | Self::Map(_) | Self::Tagged(..) | Self::Recursive(..) => {
                Types::OBJECT
            }
            Self::Either(shapes) => {
                let (mut types, mut rest) = (Types::NONE, shapes);
                while let [shape, others @ ..] = rest {
                    (types, rest) = (types.or(shape.types()), others);
                }
                types
            }
        }
    }

    /// Returns the declared fields of an object; none of any other value.
    #[must_use]
    pub const fn members(self) -> &'static [Member] {
        match self {
            Self::Object(members) | Self::Open(members) => members,
            _ => &[],
        }
    }

    /// Returns false if a text cannot be a value.
    pub fn may_be(self, text: &str) -> bool {
        match self {
            Self::Id => !text.is_empty(),
            Self::Path => normalize(text) == text,
            Self::Class => !text.contains(':'),
            Self::Words(words) => words.contains(&text),
            _ => true,
        }
    }

    /// Returns false if no value can begin with a text, or, for [`Operator::EndsWith`], end with it.
    pub fn may_have(self, operator: Operator, text: &str) -> bool {
        let is_at_end = operator == Operator::EndsWith;
        match self {
            Self::Path => {
                // A part between two slashes, or between a slash and the end of the path, is a whole name.
                let mut names = text.split('/');
                let _ = if is_at_end { names.next() } else { names.next_back() };
                names.all(|name| !matches!(name, "" | "." | ".."))
            }
            Self::Class => !text.contains(':'),
            Self::Words(words) => {
                words.iter().any(|word| if is_at_end { word.ends_with(text) } else { word.starts_with(text) })
            }
            _ => true,
        }
    }

    /// Returns the shape of a list's items.
    pub const fn item(self) -> Self {
        match self {
            Self::List(item) => *item,
            Self::Notes => Self::Text,
            _ => Self::Any,
        }
    }

    /// Returns the target of a path.
    ///
    /// # Errors
    ///
    /// A message for humans if no value has a part at this path.
    pub fn lead(self, segments: &[Box<str>]) -> Result<PathTarget, String> {
        let mut place = PathTarget { shape: self, optional: false, nullable: false };
        for segment in segments {
            let mut next = PathTarget { shape: Self::Any, optional: true, nullable: true };
            match place.shape {
                Self::Any
                | Self::Schema
                | Self::Condition
                | Self::Tagged(..)
                | Self::Either(_)
                | Self::Recursive(..) => return Ok(next),
                Self::Object(members) | Self::Open(members) => {
                    match members.iter().find(|member| member.name == &**segment) {
                        Some(member) => {
                            next = PathTarget {
                                shape: member.shape,
                                // Null has no fields.
                                optional: place.optional || place.nullable || member.presence.is_optional(),
                                nullable: matches!(member.presence, Presence::Nullable | Presence::Null),
                            };
                        }
                        None if is_extension(segment.as_bytes()) => return Ok(next),
                        None => {
                            let names: alloc::vec::Vec<_> =
                                members.iter().map(|member| member.name).collect();
                            // The reader refuses a field of nearly a declared name.
                            return match place.shape {
                                Self::Open(_) if !is_close(segment, &names) => Ok(next),
                                _ => Err(unknown("field", segment, &names)),
                            };
                        }
                    }
                }
                Self::Map(value) => next = PathTarget { shape: *value, optional: true, nullable: false },
                Self::List(_) | Self::Notes if is_index(segment) => {
                    next = PathTarget { shape: place.shape.item(), optional: true, nullable: false };
                }
                Self::List(_) | Self::Notes => return Err(format!("`{segment}` is no index into a list")),
                other => return Err(format!("there is nothing in {}", other.types())),
            }
            place = next;
        }
        Ok(place)
    }
}
