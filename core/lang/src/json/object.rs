//! Objects with declared members, read by a table instead of by generated code.
//!
//! For wire types whose members are many and whose speed is not the engine's: each table is data, and the code that reads it
//! is compiled once. Errors come in document order, a missing member as standing at its object's end, as they do from
//! [`Tape::decode`](super::Tape::decode). What a member means is not here.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{
    canonical::{canonical, write_string},
    failure::{list, shorten, unknown},
    reader::MAX_ANSWER_BYTES,
    tape::{Kind, Node},
};
use crate::{codes, decimal::float, error::Error, order};

/// What a member may be.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// Any string.
    Text,
    /// A string that is not empty.
    Id,
    /// One of a closed list of words.
    Word(&'static [&'static str]),
    /// A number.
    Number,
    /// A number of 0 or more.
    Magnitude,
    /// An integer of 0 or more.
    Count,
    /// True or false.
    Flag,
    /// A list.
    List,
    /// A list of strings that are not empty.
    Ids,
    /// A list of strings, or one.
    Lines,
    /// An object.
    Object,
    /// A JSON Schema: an object, true or false.
    Schema,
    /// Whatever it is.
    Any,
}

/// A declared member.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    name: &'static str,
    form: Form,
    is_required: bool,
}

impl Field {
    /// The member's name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

/// A member that an object must have.
#[must_use]
pub const fn required(name: &'static str, form: Form) -> Field {
    Field { name, form, is_required: true }
}

/// A member that an object may have.
#[must_use]
pub const fn optional(name: &'static str, form: Form) -> Field {
    Field { name, form, is_required: false }
}

/// Hands the declared members of an object to `take`, in document order, each with its place in `fields`; members whose
/// names begin with `x-` are passed over.
///
/// ```
/// use adjudicate_lang::json::{self, Limits, object::{Field, Form, optional, read_object, required}};
/// const FIELDS: &[Field] = &[required("id", Form::Id), optional("weight", Form::Magnitude)];
/// let text = br#"{"weight": 2, "id": "a", "x-note": true}"#;
/// let tape = json::read(text, Limits::DOCUMENT)?;
/// let mut taken = Vec::new();
/// read_object(tape.root(), FIELDS, &mut |place, _| {
///     taken.push(FIELDS[place].name());
///     Ok(())
/// })?;
/// assert_eq!(taken, ["weight", "id"]);
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
///
/// # Errors
///
/// The first of the object or from `take`, with a pointer that begins at the object.
pub fn read_object<'t>(
    object: Node<'t>,
    fields: &'static [Field],
    take: &mut dyn FnMut(usize, Node<'t>) -> Result<(), Error>,
) -> Result<(), Error> {
    read_members(object, fields, Others::Refused, take)
}

/// Like [`read_object`], of the root of a document: its `$schema` is for editors, and passed over whatever it is
/// (SPEC section 18.7).
///
/// # Errors
///
/// Those of [`read_object`].
pub fn read_document<'t>(
    object: Node<'t>,
    fields: &'static [Field],
    take: &mut dyn FnMut(usize, Node<'t>) -> Result<(), Error>,
) -> Result<(), Error> {
    read_members(object, fields, Others::Schema, take)
}

/// Like [`read_object`], of an object that carries members besides: they are passed over, whatever their names.
///
/// # Errors
///
/// Those of [`read_object`], without unknown members.
pub fn read_declared<'t>(
    object: Node<'t>,
    fields: &'static [Field],
    take: &mut dyn FnMut(usize, Node<'t>) -> Result<(), Error>,
) -> Result<(), Error> {
    read_members(object, fields, Others::Carried, take)
}

/// Which members that are not declared are passed over, besides those whose names begin with `x-`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Others {
    Refused,
    Schema,
    Carried,
}

fn read_members<'t>(
    object: Node<'t>,
    fields: &'static [Field],
    others: Others,
    take: &mut dyn FnMut(usize, Node<'t>) -> Result<(), Error>,
) -> Result<(), Error> {
    if object.kind() != Kind::Object {
        return Err(refuse(object, "an object"));
    }
    for (name, value) in object.members().filter(|(name, _)| !name.starts_with("x-")) {
        let at = fields.iter().position(|field| field.name == name);
        let Some((at, field)) = at.and_then(|at| Some((at, fields.get(at)?))) else {
            if others == Others::Carried || (others == Others::Schema && name == "$schema") {
                continue;
            }
            let names: Vec<_> = fields.iter().map(|field| field.name).collect();
            return Err(Error::new(codes::UNKNOWN_FIELD, unknown("field", name, &names)).under(name));
        };
        check(value, field.form).and_then(|()| take(at, value)).map_err(|error| error.under(name))?;
    }
    match fields.iter().find(|field| field.is_required && object.member(field.name).is_none()) {
        Some(Field { name, .. }) => Err(missing(name)),
        None => Ok(()),
    }
}

/// Reads the member `name` of an object, one of some words, and returns its place in `words`: for objects whose other members
/// depend on it.
///
/// # Errors
///
/// If the value is no object, or if the member is missing or says something else.
pub fn read_tag(object: Node<'_>, name: &'static str, words: &[&str]) -> Result<usize, Error> {
    if object.kind() != Kind::Object {
        return Err(refuse(object, "an object"));
    }
    let tag = object.member(name).ok_or_else(|| missing(name))?;
    read_word(tag, words).map_err(|error| error.under(name))
}

/// Returns the place in `words` of the word that a value is.
///
/// # Errors
///
/// If it is none of them.
pub fn read_word(value: Node<'_>, words: &[&str]) -> Result<usize, Error> {
    let place = value.as_str().and_then(|text| words.iter().position(|word| *word == text));
    place.ok_or_else(|| not_one_of(value, words))
}

/// Hands the items of a list to `take`.
///
/// # Errors
///
/// The first from `take`, with a pointer that begins at the list.
pub fn read_items<'t>(
    list: Node<'t>,
    take: &mut dyn FnMut(Node<'t>) -> Result<(), Error>,
) -> Result<(), Error> {
    list.items()
        .enumerate()
        .try_for_each(|(index, item)| take(item).map_err(|error| error.under(&index.to_string())))
}

/// Checks the values of an object whose names are data.
///
/// # Errors
///
/// The first value that is not of the form, with a pointer that begins at the object.
pub fn read_values(object: Node<'_>, form: Form) -> Result<(), Error> {
    object.members().try_for_each(|(name, value)| check(value, form).map_err(|error| error.under(name)))
}

/// The strings of a list, in order.
#[must_use]
pub fn texts<'t>(list: Node<'t>) -> Vec<&'t str> {
    list.items().filter_map(Node::as_str).collect()
}

fn check(value: Node<'_>, form: Form) -> Result<(), Error> {
    let expected = match (form, value.kind()) {
        (Form::Text | Form::Lines, Kind::String)
        | (Form::Flag | Form::Schema, Kind::Bool(_))
        | (Form::Number, Kind::Integer | Kind::Float)
        | (Form::List, Kind::Array)
        | (Form::Object | Form::Schema, Kind::Object)
        | (Form::Any, _) => return Ok(()),
        (Form::Id, Kind::String) if value.as_str() != Some("") => return Ok(()),
        (Form::Ids, Kind::Array) => return check_items(value, Form::Id),
        (Form::Lines, Kind::Array) => return check_items(value, Form::Text),
        (Form::Word(words), _) if value.as_str().is_some_and(|text| words.contains(&text)) => return Ok(()),
        (Form::Magnitude, Kind::Integer | Kind::Float) if is_magnitude(value) => return Ok(()),
        (Form::Count, Kind::Integer) if count(value).is_some() => return Ok(()),
        (Form::Text, _) => "a string",
        (Form::Id, _) => "a string that is not empty",
        (Form::Number, _) => "a number",
        (Form::Magnitude, _) => "a number of 0 or more",
        (Form::Count, _) => "an integer of 0 or more",
        (Form::Flag, _) => "true or false",
        (Form::List | Form::Ids, _) => "a list",
        (Form::Lines, _) => "a string or a list of strings",
        (Form::Object, _) => "an object",
        (Form::Schema, _) => "an object, true or false",
        (Form::Word(words), _) => return Err(not_one_of(value, words)),
    };
    Err(refuse(value, expected))
}

fn check_items(items: Node<'_>, form: Form) -> Result<(), Error> {
    read_items(items, &mut |item| check(item, form))
}

/// The integer from 0 to 2^64 - 1 that a value is, or `None`.
#[must_use]
pub fn count(value: Node<'_>) -> Option<u64> {
    value.as_number()?.parse().ok()
}

/// The error for an object that has no member `name`, with a pointer to where it would be.
#[must_use]
#[cold]
#[inline(never)]
pub fn missing(name: &str) -> Error {
    Error::new(codes::MISSING_FIELD, format!("missing field `{name}`")).under(name)
}

#[cold]
#[inline(never)]
fn not_one_of(found: Node<'_>, words: &[&str]) -> Error {
    match found.as_str() {
        Some(text) => {
            let message = format!("`{}` is not one of {}", shorten(text), list(words));
            Error::new(codes::INVALID_VALUE, message)
        }
        None => refuse(found, &format!("one of {}", list(words))),
    }
}

/// Whether a number is not below zero; `-0` is not, nor is what is rounded to it.
fn is_magnitude(number: Node<'_>) -> bool {
    let text = number.as_number().unwrap_or_default();
    !text.starts_with('-') || float::parse(text) == 0.0
}

/// The error for a value that is not what is expected: `expected LIST, found VALUE`.
#[must_use]
#[cold]
#[inline(never)]
pub fn refuse(found: Node<'_>, expected: &str) -> Error {
    Error::new(codes::INVALID_VALUE, format!("expected {expected}, found {}", found.describe()))
}

/// The members of an object whose names begin with `x-`, by name.
#[must_use]
pub fn extensions<'t>(object: Node<'t>) -> Vec<(&'t str, Node<'t>)> {
    let mut extensions: Vec<_> = object.members().filter(|(name, _)| name.starts_with("x-")).collect();
    order::sort_by(&mut extensions, |(left, _), (right, _)| left.cmp(right));
    extensions
}

/// Writes a list as JSON, item by item.
pub fn write_list<T>(items: impl IntoIterator<Item = T>, out: &mut String, write: impl Fn(T, &mut String)) {
    out.push('[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(']');
}

/// Writes a list of an answer. Beyond [`MAX_ANSWER_BYTES`] it writes `!` instead of each further item, which saves memory and is
/// no JSON: the caller must refuse an answer of that length.
pub fn write_listed<T>(items: impl IntoIterator<Item = T>, out: &mut String, write: impl Fn(T, &mut String)) {
    write_list(items, out, |item, out| match out.len() <= MAX_ANSWER_BYTES {
        true => write(item, out),
        false => out.push('!'),
    });
}

/// Writes the members of an object as JSON, in the order of the calls.
///
/// ```
/// use adjudicate_lang::json::object::Members;
/// let mut text = String::new();
/// let mut members = Members::open(&mut text);
/// members.text("id", Some("a"));
/// members.text("note", None);
/// members.count("weight", 2);
/// members.close();
/// assert_eq!(text, r#"{"id":"a","weight":2}"#);
/// ```
#[derive(Debug)]
pub struct Members<'o> {
    out: &'o mut String,
    separator: char,
}

impl<'o> Members<'o> {
    /// Begins an object.
    pub const fn open(out: &'o mut String) -> Self {
        Self { out, separator: '{' }
    }

    /// Writes a text, if there is one.
    pub fn text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.begin(name);
            write_string(value, self.out);
        }
    }

    /// Writes a list of texts.
    pub fn texts(&mut self, name: &str, values: &[&str]) {
        self.part(name, |out| write_list(values, out, |value, out| write_string(value, out)));
    }

    /// Writes a list of an answer, item by item, as [`write_listed`] does.
    pub fn list<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        write: impl Fn(T, &mut String),
    ) {
        self.part(name, |out| write_listed(items, out, write));
    }

    /// Writes a value in its place by `write`, because a text of its own would take memory in addition to the answer.
    pub fn part(&mut self, name: &str, write: impl FnOnce(&mut String)) {
        self.begin(name);
        write(self.out);
    }

    /// Writes true or false.
    pub fn flag(&mut self, name: &str, value: bool) {
        self.json(name, Some(if value { "true" } else { "false" }));
    }

    /// Writes an integer of 0 or more.
    pub fn count(&mut self, name: &str, value: u64) {
        self.json(name, Some(&value.to_string()));
    }

    /// Writes what is JSON already, if it is there.
    pub fn json(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.part(name, |out| out.push_str(value));
        }
    }

    fn begin(&mut self, name: &str) {
        self.out.push(self.separator);
        write_string(name, self.out);
        self.out.push(':');
        self.separator = ',';
    }

    /// Writes the members of `object` whose names begin with `x-`, by name, in canonical form.
    pub fn extensions(&mut self, object: Node<'_>) {
        for (name, value) in extensions(object) {
            self.json(name, Some(&canonical(value)));
        }
    }

    /// Ends the object.
    pub fn close(self) {
        // Nothing has been written of one without members.
        self.out.push_str(if self.separator == '{' { "{}" } else { "}" });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{self, Limits};

    const FIELDS: &[Field] = &[
        required("id", Form::Id),
        optional("level", Form::Word(&["hard", "soft"])),
        optional("weight", Form::Magnitude),
        optional("items", Form::List),
        optional("names", Form::Ids),
        optional("lines", Form::Lines),
        optional("count", Form::Count),
        optional("flag", Form::Flag),
        optional("schema", Form::Schema),
        optional("any", Form::Any),
    ];

    fn fault(text: &str) -> Option<(&'static str, String)> {
        let tape = json::read(text.as_bytes(), Limits::DOCUMENT).unwrap();
        let mut of_items = |at: usize, value: Node<'_>| match at {
            3 => read_items(value, &mut |item| read_object(item, FIELDS, &mut |_, _| Ok(()))),
            _ => Ok(()),
        };
        let error = read_object(tape.root(), FIELDS, &mut of_items).err()?;
        Some((error.code().as_str(), error.path().into()))
    }

    #[test]
    fn members_are_what_the_table_says() {
        for text in [
            r#"{"id":"a"}"#,
            r#"{"x-more":1,"level":"soft","weight":0.5,"id":"a"}"#,
            r#"{"id":"a","weight":-0.0}"#,
            r#"{"id":"a","weight":-0e5,"items":[]}"#,
            // Numbers are read correctly rounded.
            r#"{"id":"a","weight":-1e-400}"#,
            r#"{"id":"a","names":["b","b"],"lines":["",""],"count":18446744073709551615}"#,
            r#"{"id":"a","lines":"b","flag":false,"schema":true,"any":null}"#,
            r#"{"id":"a","schema":{},"any":[]}"#,
        ] {
            assert_eq!(fault(text), None, "{text}");
        }
        for (text, code, path) in [
            ("[]", "invalid_value", ""),
            ("{}", "missing_field", "/id"),
            (r#"{"id":""}"#, "invalid_value", "/id"),
            (r#"{"id":null}"#, "invalid_value", "/id"),
            (r#"{"id":"a","level":"medium"}"#, "invalid_value", "/level"),
            (r#"{"id":"a","level":1}"#, "invalid_value", "/level"),
            (r#"{"id":"a","weight":-1}"#, "invalid_value", "/weight"),
            (r#"{"id":"a","weight":-1e-9}"#, "invalid_value", "/weight"),
            (r#"{"id":"a","weight":-5e-324}"#, "invalid_value", "/weight"),
            (r#"{"id":"a","wieght":1}"#, "unknown_field", "/wieght"),
            (r#"{"id":"a","items":{}}"#, "invalid_value", "/items"),
            (r#"{"id":"a","items":[{"id":"b"},{"id":"a/b","a/b":1}]}"#, "unknown_field", "/items/1/a~1b"),
            (r#"{"id":"a","names":["b",""]}"#, "invalid_value", "/names/1"),
            (r#"{"id":"a","names":"b"}"#, "invalid_value", "/names"),
            (r#"{"id":"a","lines":["b",1]}"#, "invalid_value", "/lines/1"),
            (r#"{"id":"a","lines":{}}"#, "invalid_value", "/lines"),
            (r#"{"id":"a","count":1.0}"#, "invalid_value", "/count"),
            (r#"{"id":"a","count":-0}"#, "invalid_value", "/count"),
            (r#"{"id":"a","count":18446744073709551616}"#, "invalid_value", "/count"),
            (r#"{"id":"a","flag":"true"}"#, "invalid_value", "/flag"),
            (r#"{"id":"a","schema":"{}"}"#, "invalid_value", "/schema"),
            // In document order.
            (r#"{"items":[{}],"more":1}"#, "missing_field", "/items/0/id"),
            (r#"{"more":1,"items":[{}]}"#, "unknown_field", "/more"),
        ] {
            assert_eq!(fault(text), Some((code, path.into())), "{text}");
        }
    }

    #[test]
    fn only_the_root_of_a_document_has_a_schema() {
        for schema in [r#""https://example.com/a.json""#, "5", "null", "{}"] {
            let text = format!(r#"{{"$schema":{schema},"id":"a"}}"#);
            let tape = json::read(text.as_bytes(), Limits::DOCUMENT).unwrap();
            let mut taken = Vec::new();
            let read = read_document(tape.root(), FIELDS, &mut |at, _| {
                taken.push(at);
                Ok(())
            });
            assert_eq!((read, taken), (Ok(()), Vec::from([0])), "{text}");
            assert_eq!(fault(&text), Some(("unknown_field", "/$schema".into())));
        }
        let tape = json::read(br#"{"id":"a","$schemas":""}"#, Limits::DOCUMENT).unwrap();
        let error = read_document(tape.root(), FIELDS, &mut |_, _| Ok(())).unwrap_err();
        assert_eq!(error.path(), "/$schemas");
    }
}
