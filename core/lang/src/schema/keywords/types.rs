//! `type`, `enum` and `const`.

use alloc::{borrow::Cow, string::String, vec::Vec};

use crate::{
    error::Error,
    json::{Beyond, Glance, Kind, Node, ends, shorten},
    order,
    schema::{
        compiler::{Compiler, KeywordValues},
        equality_key::equality_key,
        keyword::Keyword,
        lists::{Choice, Names, Property},
        range::{narrow, range_since},
        tree::{Check, Schema},
        validate::Validator,
        value_types::TYPES,
    },
};

/// Returns the allowed types.
pub(in crate::schema) fn allowed(
    compiler: &Compiler<'_, '_>,
    keywords: &KeywordValues<'_>,
) -> Result<u8, Error> {
    let Some(value) = keywords.value(Keyword::Type) else { return Ok(u8::MAX) };
    let bit = |name: &str| TYPES.iter().position(|(known, _)| *known == name).map(|at| 1_u8 << at);
    let bits = match value.kind() {
        Kind::String => bit(value.as_str().unwrap_or_default()),
        // No type twice.
        Kind::Array if !value.is_empty() => value.items().try_fold(0, |bits, item| {
            let bit = bit(item.as_str()?)?;
            (bits & bit == 0).then_some(bits | bit)
        }),
        _ => None,
    };
    bits.ok_or_else(|| {
        let expected =
            "one or several of `null`, `boolean`, `object`, `array`, `number`, `string` and `integer`";
        compiler.value_error(keywords, Keyword::Type, expected)
    })
}

pub(in crate::schema) fn compile<'d>(
    compiler: &mut Compiler<'d, '_>,
    keywords: &KeywordValues<'d>,
) -> Result<(), Error> {
    if let Some(value) = keywords.value(Keyword::Const) {
        choice(compiler, Keyword::Const, Vec::from([value]))?;
    }
    if let Some(values) = keywords.value(Keyword::Enum) {
        if values.kind() != Kind::Array {
            return Err(compiler.value_error(keywords, Keyword::Enum, "a list of values"));
        }
        choice(compiler, Keyword::Enum, values.items().collect())?;
    }
    Ok(())
}

fn choice<'d>(compiler: &mut Compiler<'d, '_>, keyword: Keyword, values: Vec<Node<'d>>) -> Result<(), Error> {
    let (mut strings, mut others): (Vec<Cow<'d, str>>, Vec<Cow<'d, str>>) = (Vec::new(), Vec::new());
    let mut constants = 0;
    for value in values {
        compiler.index.steps.spend(value.extent() + value.text_extent())?;
        match value.as_str() {
            Some(text) => strings.push(text.into()),
            None => {
                constants |= constant(value).unwrap_or_default();
                others.push(equality_key(value));
            }
        }
    }
    let schema = &mut compiler.index.schema;
    let first = schema.integers.len();
    let mut integers: Vec<i32> = others.iter().filter_map(|key| key.parse().ok()).collect();
    order::sort_by(&mut integers, Ord::cmp);
    let least = integers.first().copied().unwrap_or_default();
    let near = integers.iter().map(|integer| integer.abs_diff(least)).filter(|above| *above < u64::BITS);
    let near = near.fold(0, |near, above| near | 1 << above);
    schema.integers.append(&mut integers);
    let integers = range_since(&schema.integers, first);
    let [strings, others] = [strings, others].map(|texts| listed(schema, texts));
    schema.choices.push(Choice { strings, constants, integers, least, near, others });
    let choice = narrow(schema.choices.len() - 1);
    compiler.rule(keyword, Check::Choice(choice));
    Ok(())
}

/// Returns the bit of null, true or false.
fn constant(value: Node<'_>) -> Option<u8> {
    match value.kind() {
        Kind::Null => Some(1),
        Kind::Bool(true) => Some(1 << 1),
        Kind::Bool(false) => Some(1 << 2),
        _ => None,
    }
}

/// Builds a set for lookups.
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

impl<'i> Validator<'_, 'i, '_> {
    /// Returns whether a value is one of the values of `enum` or `const`.
    #[inline(never)]
    pub(in crate::schema) fn is_one_of(&mut self, choice: u32, value: Node<'i>) -> bool {
        let schema = self.schema;
        let Some(choice) = schema.choices.get(choice as usize) else { return false };
        if value.kind() == Kind::String {
            let likely = choice.strings.properties.entries(&schema.properties).first();
            return likely
                .is_some_and(|likely| likely.is_quickly(value) || self.is_string_of(choice.strings, value));
        }
        if let Some(Glance { floor, beyond: Beyond::Nothing }) = value.glance() {
            return match floor.wrapping_sub(choice.least).cast_unsigned() {
                above @ 0..u64::BITS => choice.near >> above & 1 == 1,
                _ => choice.integers.entries(&schema.integers).binary_search(&floor).is_ok(),
            };
        }
        match constant(value) {
            Some(constant) => choice.constants & constant != 0,
            None => choice.others.properties.count > 0 && self.is_other_of(choice.others, value),
        }
    }

    /// Returns whether a string is in a set.
    #[inline(never)]
    fn is_string_of(&mut self, names: Names, value: Node<'i>) -> bool {
        let (text, ends) = value.text_and_ends();
        self.spend(text.len() / 8 + 1) && names.find(self.schema, text, ends).is_some()
    }

    /// Returns whether the canonical equality key of a value is in a set.
    #[inline(never)]
    fn is_other_of(&mut self, names: Names, value: Node<'i>) -> bool {
        self.spend(value.extent() + value.text_extent()) && {
            let key = equality_key(value);
            names.find(self.schema, key.as_bytes(), ends(key.as_bytes())).is_some()
        }
    }
}

/// Returns the text of `expected` for a choice: the first values, if there are many.
pub(super) fn choices(schema: &Schema, choice: u32) -> String {
    const SHOWN: usize = 8;
    let Some(choice) = schema.choices.get(choice as usize) else { return String::new() };
    let texts =
        |names: Names| names.properties.entries(&schema.properties).iter().map(|text| schema.text(text.name));
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
        json::{self, ReadLimits},
        schema::{Documents, Options},
        steps::Steps,
    };
    use alloc::format;

    /// Integers near the least are found by bits, others by binary search, even if their difference overflows.
    #[test]
    fn integers_are_found_in_an_enum_at_any_distance() {
        let chosen = [-999_999_999, -999_999_998, -999_999_936, -999_999_935, -1, 0, 63, 999_999_999];
        let schema = format!("{{\"enum\": {chosen:?}}}");
        let tape = json::read(schema.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let (documents, steps) = (Documents::default(), &mut Steps::default());
        let schema = Schema::compile(tape.root(), &documents, Options::default(), steps).unwrap();
        for number in chosen.iter().flat_map(|number| number - 65..number + 66) {
            let text = format!("{number}");
            let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap();
            assert_eq!(schema.is_valid(tape.root(), steps).unwrap(), chosen.contains(&number), "{number}");
        }
    }

    /// Each value equals only its own notations, in every way of lookup.
    #[test]
    fn an_enum_matches_by_type_and_value() {
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
                let tape = json::read(schema.as_bytes(), ReadLimits::DOCUMENT).unwrap();
                let (documents, steps) = (Documents::default(), &mut Steps::default());
                let schema = Schema::compile(tape.root(), &documents, Options::default(), steps).unwrap();
                for (right, ways) in same.iter().enumerate() {
                    for way in *ways {
                        let tape = json::read(way.as_bytes(), ReadLimits::DOCUMENT).unwrap();
                        let is_valid = schema.is_valid(tape.root(), steps).unwrap();
                        assert_eq!(is_valid, left == right, "{way} {values:?}");
                    }
                }
            }
        }
    }
}
