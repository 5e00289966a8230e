//! `type`, `enum` and `const`.

use alloc::{borrow::Cow, string::String, vec::Vec};

use crate::{
    decimal::Decimal,
    error::Error,
    json::{Beyond, Glance, Kind, Node, ends, shorten},
    logic::Types,
    order,
    schema::{
        compile::{Compiler, Site},
        key::key,
        lists::{Choice, Names, Property},
        run::Run,
        tree::{Check, Family, Schema, narrow, run_since},
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
    types & INTEGER != 0 && value.kind() == Kind::Float && value.as_decimal().is_some_and(Decimal::is_whole)
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
    let mut constants = 0;
    for value in values {
        compiler.locator.steps.spend(value.extent() + value.text_extent())?;
        match value.as_str() {
            Some(text) => strings.push(text.into()),
            None => {
                constants |= constant(value).unwrap_or_default();
                others.push(key(value));
            }
        }
    }
    let schema = &mut compiler.locator.schema;
    let first = schema.integers.len();
    let mut integers: Vec<i32> = others.iter().filter_map(|key| key.parse().ok()).collect();
    order::sort_by(&mut integers, Ord::cmp);
    let least = integers.first().copied().unwrap_or_default();
    let near = integers.iter().map(|integer| integer.abs_diff(least)).filter(|above| *above < u64::BITS);
    let near = near.fold(0, |near, above| near | 1 << above);
    schema.integers.append(&mut integers);
    let integers = run_since(&schema.integers, first);
    let [strings, others] = [strings, others].map(|texts| listed(schema, texts));
    schema.choices.push(Choice { strings, constants, integers, least, near, others });
    let choice = narrow(schema.choices.len() - 1);
    compiler.rule(word, Check::Choice(choice));
    Ok(())
}

/// The bit of null, true or false.
fn constant(value: Node<'_>) -> Option<u8> {
    match value.kind() {
        Kind::Null => Some(1),
        Kind::Bool(true) => Some(1 << 1),
        Kind::Bool(false) => Some(1 << 2),
        _ => None,
    }
}

/// Texts, laid out to be looked up.
fn listed(schema: &mut Schema, mut texts: Vec<Cow<'_, str>>) -> Names {
    order::sort_by(&mut texts, |left, right| left.cmp(right));
    texts.dedup();
    let first = schema.properties.len();
    for text in texts {
        let kept = schema.keep(&text);
        schema.properties.push(Property::named(&text, kept));
    }
    Names::since(schema, first)
}

impl<'i> Run<'_, 'i, '_> {
    /// Whether a value is among those of `enum` or `const`.
    #[inline(never)]
    pub(in crate::schema) fn is_one_of(&mut self, choice: u32, value: Node<'i>) -> bool {
        let schema = self.schema;
        let Some(choice) = schema.choices.get(choice as usize) else { return false };
        if value.kind() == Kind::String {
            let likely = choice.strings.properties.of(&schema.properties).first();
            return likely
                .is_some_and(|likely| likely.is_quickly(value) || self.is_string_of(choice.strings, value));
        }
        if let Some(Glance { floor, beyond: Beyond::Nothing }) = value.glance() {
            return match floor.wrapping_sub(choice.least).cast_unsigned() {
                above @ 0..u64::BITS => choice.near >> above & 1 == 1,
                _ => choice.integers.of(&schema.integers).binary_search(&floor).is_ok(),
            };
        }
        match constant(value) {
            Some(constant) => choice.constants & constant != 0,
            None => choice.others.properties.count > 0 && self.is_other_of(choice.others, value),
        }
    }

    /// Whether a string is among some.
    #[inline(never)]
    fn is_string_of(&mut self, names: Names, value: Node<'i>) -> bool {
        let (text, ends) = value.text_and_ends();
        self.spend(text.len() / 8 + 1) && names.find(self.schema, text, ends).is_some()
    }

    /// Whether the key of a value is among those of some.
    #[inline(never)]
    fn is_other_of(&mut self, names: Names, value: Node<'i>) -> bool {
        self.spend(value.extent() + value.text_extent()) && {
            let key = key(value);
            names.find(self.schema, key.as_bytes(), ends(key.as_bytes())).is_some()
        }
    }
}

/// The values, for people: the first of them, if there are many.
pub(super) fn choices(schema: &Schema, choice: u32) -> String {
    const SHOWN: usize = 8;
    let Some(choice) = schema.choices.get(choice as usize) else { return String::new() };
    let texts =
        |names: Names| names.properties.of(&schema.properties).iter().map(|text| schema.text(text.name));
    let strings =
        texts(choice.strings).map(|text| alloc::format!("`{}`", shorten(&crate::json::write(&text))));
    let others = texts(choice.others).map(|text| alloc::format!("`{}`", shorten(text)));
    let mut shown: Vec<String> = strings.chain(others).take(SHOWN + 1).collect();
    if shown.len() > SHOWN {
        shown.truncate(SHOWN);
        shown.push("others".into());
    }
    if shown.is_empty() { "no value at all".into() } else { shown.join(" or ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        json::{self, Limits},
        schema::{Documents, Options},
        steps::Steps,
    };
    use alloc::format;

    /// Those near the least are told by bits, and those beyond by search, also where differences have no room.
    #[test]
    fn integers_are_chosen_wherever_they_stand() {
        let chosen = [-999_999_999, -999_999_998, -999_999_936, -999_999_935, -1, 0, 63, 999_999_999];
        let schema = format!("{{\"enum\": {chosen:?}}}");
        let tape = json::read(schema.as_bytes(), Limits::DOCUMENT).unwrap();
        let (documents, steps) = (Documents::default(), &mut Steps::default());
        let schema = Schema::compile(tape.root(), &documents, Options::default(), steps).unwrap();
        for number in chosen.iter().flat_map(|number| number - 65..number + 66) {
            let text = format!("{number}");
            let tape = json::read(text.as_bytes(), Limits::DOCUMENT).unwrap();
            assert_eq!(schema.is_valid(tape.root(), steps).unwrap(), chosen.contains(&number), "{number}");
        }
    }

    /// Each value is among those alone that are the same, whichever way that is found out.
    #[test]
    fn values_are_chosen_by_kind_and_value() {
        let same: [&[&str]; 17] = [
            &["null"],
            &["true"],
            &["false"],
            &["\"null\""],
            &["\"true\"", "\"\\u0074rue\""],
            &["1", "1.0", "10e-1", "1.000000000000000000000"],
            &["\"1\""],
            &["0", "-0", "0.0", "-0.0", "0e5"],
            &["-1", "-1.0"],
            &["0.5", "5e-1"],
            &["999999999", "999999999.0"],
            &["1000000000", "1e9", "1000000000.0"],
            &["12345678901234567890"],
            &["[]"],
            &["{}"],
            &["[1]", "[1.0]"],
            &["\"a name of more than sixteen bytes\""],
        ];
        for (left, ways) in same.iter().enumerate() {
            for others in
                [&["\"x\""][..], &["2"], &[], &["\"a name of more than sixteen bytez\"", "{\"a\": 1}", "7.5"]]
            {
                let values: Vec<&str> = others.iter().chain(*ways).copied().take(others.len() + 1).collect();
                let schema = format!("{{\"enum\": [{}]}}", values.join(", "));
                let tape = json::read(schema.as_bytes(), Limits::DOCUMENT).unwrap();
                let (documents, steps) = (Documents::default(), &mut Steps::default());
                let schema = Schema::compile(tape.root(), &documents, Options::default(), steps).unwrap();
                for (right, ways) in same.iter().enumerate() {
                    for way in *ways {
                        let tape = json::read(way.as_bytes(), Limits::DOCUMENT).unwrap();
                        let is_valid = schema.is_valid(tape.root(), steps).unwrap();
                        assert_eq!(is_valid, left == right, "{way} {values:?}");
                    }
                }
            }
        }
    }
}
