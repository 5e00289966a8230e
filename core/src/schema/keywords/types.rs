//! `type`, `enum` and `const`.

use alloc::{borrow::Cow, string::String, vec::Vec};

use crate::{
    error::Error,
    json::{Kind, Node, shorten},
    logic::Types,
    order,
    schema::{
        compile::{Compiler, Site},
        key::key,
        lists::{Choice, Names, Property},
        run::Run,
        tree::{Check, Family, Schema, Text, narrow, run_since},
        word::Word,
    },
};

const NUMBER: u8 = 1 << 4;
const INTEGER: u8 = 1 << 6;
/// The types, each a bit, in the order in which they are listed.
const TYPES: [(&str, &str); 7] = [
    ("null", "null"),
    ("boolean", "a boolean"),
    ("array", "a list"),
    ("object", "an object"),
    ("number", "a number"),
    ("string", "a string"),
    ("integer", "an integer"),
];

/// The bits of a value's types, and the family of rules for it. A number is an integer by the way it is written, or by
/// [`is_whole`].
#[inline]
pub(in crate::schema) fn of(value: Node<'_>) -> (u8, Family) {
    const STRING: (u8, Family) = (1 << 5, Family::String);
    const BOOLEAN: (u8, Family) = (1 << 1, Family::Any);
    // In the order of the tape's tags.
    const ROWS: [(u8, Family); 9] = [
        (1, Family::Any),
        BOOLEAN,
        BOOLEAN,
        (NUMBER | INTEGER, Family::Number),
        (NUMBER, Family::Number),
        STRING,
        STRING,
        (1 << 2, Family::Array),
        (1 << 3, Family::Object),
    ];
    ROWS.get(value.tag()).copied().unwrap_or((0, Family::Any))
}

/// Whether [`is_whole`] may say so.
#[inline]
pub(in crate::schema) const fn may_be_whole(types: u8, bits: u8) -> bool {
    types & INTEGER != 0 && bits == NUMBER
}

/// Whether integers are allowed, and the value is one that is written as something else.
#[inline(never)]
pub(in crate::schema) fn is_whole(types: u8, value: Node<'_>) -> bool {
    types & INTEGER != 0
        && value.kind() == Kind::Float
        && super::digits::digits(value.as_number().unwrap_or_default()).1 >= 0
}

/// The types that a schema allows.
pub(in crate::schema) fn allowed(compiler: &Compiler<'_, '_>, site: &Site<'_>) -> Result<u8, Error> {
    let Some(value) = site.value(Word::Type) else { return Ok(u8::MAX) };
    let bit = |name: &str| TYPES.iter().position(|(known, _)| *known == name).map(|at| 1_u8 << at);
    let bits = match value.kind() {
        Kind::String => bit(value.as_str().unwrap_or_default()),
        // Every type once.
        Kind::Array if !value.is_empty() => value.items().try_fold(0, |bits, item| {
            let bit = bit(item.as_str()?)?;
            (bits & bit == 0).then_some(bits | bit)
        }),
        _ => None,
    };
    bits.ok_or_else(|| {
        let expected =
            "one or several of `null`, `boolean`, `object`, `array`, `number`, `string` and `integer`";
        compiler.wrong(site, Word::Type, expected)
    })
}

/// The types as expressions know them, and whether of numbers only integers are among them.
pub(in crate::schema) fn as_logic(types: u8) -> (Types, bool) {
    // In the order of the bits.
    const KINDS: [Types; TYPES.len()] =
        [Types::NULL, Types::BOOL, Types::LIST, Types::OBJECT, Types::NUMBER, Types::TEXT, Types::NUMBER];
    let kinds = KINDS.iter().enumerate().filter(|(at, _)| types >> at & 1 == 1);
    let all = kinds.fold(Types::NONE, |all, (_, kind)| all.or(*kind));
    (all, types & (NUMBER | INTEGER) == INTEGER)
}

/// The types, for people.
pub(in crate::schema) fn names(types: u8) -> String {
    let names = TYPES.iter().enumerate().filter(|(at, _)| types >> at & 1 == 1).map(|(_, (_, shown))| *shown);
    names.collect::<Vec<_>>().join(" or ")
}

pub(in crate::schema) fn compile<'d>(compiler: &mut Compiler<'d, '_>, site: &Site<'d>) -> Result<(), Error> {
    if let Some(value) = site.value(Word::Const) {
        choice(compiler, Word::Const, Vec::from([value]))?;
    }
    if let Some(values) = site.value(Word::Enum) {
        if values.kind() != Kind::Array {
            return Err(compiler.wrong(site, Word::Enum, "a list of values"));
        }
        choice(compiler, Word::Enum, values.items().collect())?;
    }
    Ok(())
}

fn choice<'d>(compiler: &mut Compiler<'d, '_>, word: Word, values: Vec<Node<'d>>) -> Result<(), Error> {
    let (mut strings, mut others): (Vec<Cow<'d, str>>, Vec<Cow<'d, str>>) = (Vec::new(), Vec::new());
    for value in values {
        compiler.locator.steps.spend(value.extent() + value.text_extent())?;
        match value.as_str() {
            Some(text) => strings.push(text.into()),
            None => others.push(key(value)),
        }
    }
    let schema = &mut compiler.locator.schema;
    for texts in [&mut strings, &mut others] {
        order::sort_by(texts, |left, right| left.cmp(right));
        texts.dedup();
    }
    let first = schema.properties.len();
    for text in strings {
        let kept = schema.keep(&text);
        schema.properties.push(Property::named(&text, kept));
    }
    let strings = Names::since(schema, first);
    let first = schema.texts.len();
    for text in others {
        let text = schema.keep(&text);
        schema.texts.push(text);
    }
    let others = run_since(&schema.texts, first);
    schema.choices.push(Choice { strings, others });
    let choice = narrow(schema.choices.len() - 1);
    compiler.rule(word, Check::Choice(choice));
    Ok(())
}

impl<'i> Run<'_, 'i, '_> {
    /// Whether a value is among those of `enum` or `const`.
    #[inline(never)]
    pub(in crate::schema) fn is_one_of(&mut self, choice: u32, value: Node<'i>) -> bool {
        let schema = self.schema;
        let Some(choice) = schema.choices.get(choice as usize) else { return false };
        if value.kind() == Kind::String {
            let text = value.bytes();
            return self.spend(text.len() / 8 + 1) && choice.strings.find(schema, text).is_some();
        }
        let others = choice.others.of(&schema.texts);
        if others.is_empty() || !self.spend(value.extent() + value.text_extent()) {
            return false;
        }
        is_among(schema, others, key(value).as_bytes())
    }
}

fn is_among(schema: &Schema, texts: &[Text], text: &[u8]) -> bool {
    // A few are sooner compared, as most differ in length.
    if texts.len() <= 8 {
        return texts.iter().any(|known| schema.bytes(*known) == text);
    }
    texts.binary_search_by(|known| schema.bytes(*known).cmp(text)).is_ok()
}

/// The values, for people: the first of them, if there are many.
pub(super) fn choices(schema: &Schema, choice: u32) -> String {
    const SHOWN: usize = 8;
    let Some(choice) = schema.choices.get(choice as usize) else { return String::new() };
    let strings = choice.strings.properties.of(&schema.properties).iter();
    let strings =
        strings.map(|text| alloc::format!("`{}`", shorten(&crate::json::write(&schema.text(text.name)))));
    let others = choice
        .others
        .of(&schema.texts)
        .iter()
        .map(|text| alloc::format!("`{}`", shorten(schema.text(*text))));
    let mut shown: Vec<String> = strings.chain(others).take(SHOWN + 1).collect();
    if shown.len() > SHOWN {
        shown.truncate(SHOWN);
        shown.push("others".into());
    }
    if shown.is_empty() { "no value at all".into() } else { shown.join(" or ") }
}
