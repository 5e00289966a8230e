//! `minLength`, `maxLength`, `pattern` and `format`. The content keywords only annotate, so they are not checked.

use alloc::{format, string::String};

use crate::{
    error::Error,
    json::{Node, shorten},
    schema::{
        compiler::{Compiler, KeywordValues},
        format::Format,
        keyword::Keyword,
        range::SchemaId,
        tree::{Check, Rule, Schema},
        validate::Validator,
    },
};

pub(super) fn compile<'d>(
    compiler: &mut Compiler<'d, '_>,
    keywords: &KeywordValues<'d>,
) -> Result<(), Error> {
    if let Some(least) = compiler.amount(keywords, Keyword::MinLength)? {
        compiler.rule(Keyword::MinLength, Check::MinLength(least));
    }
    if let Some(most) = compiler.amount(keywords, Keyword::MaxLength)? {
        compiler.rule(Keyword::MaxLength, Check::MaxLength(most));
    }
    if let Some(value) = keywords.value(Keyword::Format) {
        let Some(name) = value.as_str() else {
            return Err(compiler.value_error(keywords, Keyword::Format, "a name"));
        };
        let asserts = compiler.dialect(keywords).asserts_formats;
        if let Some(format) = Format::find(name, compiler.dialect(keywords).draft).filter(|_| asserts) {
            compiler.rule(Keyword::Format, Check::Format(format));
        }
    }
    if let Some(value) = keywords.value(Keyword::Pattern) {
        let Some(text) = value.as_str() else {
            return Err(compiler.value_error(keywords, Keyword::Pattern, "a string"));
        };
        let pattern = compiler.pattern(keywords, Keyword::Pattern, text, None)?;
        compiler.rule(Keyword::Pattern, Check::Pattern(pattern));
    }
    Ok(())
}

impl Validator<'_, '_, '_> {
    #[inline(never)]
    pub(in crate::schema) fn strings(&mut self, id: SchemaId, rules: &[Rule], value: Node<'_>) -> bool {
        let mut holds = true;
        for rule in rules {
            let fits = match rule.check {
                Check::MinLength(least) => self.is_long(value, least),
                Check::MaxLength(most) => self.is_short(value, most),
                Check::Pattern(pattern) => self.matches(pattern, value.name()),
                Check::Format(format) => self.spend(value.bytes().len()) && format.allows(value.name()),
                _ => true,
            };
            if !fits {
                holds = self.rule_violation(id, rule);
                if !self.goes_on() {
                    break;
                }
            }
        }
        holds
    }

    /// Returns whether a string has at least `least` characters. A character has one to four bytes, so the length in bytes often
    /// decides.
    #[inline]
    fn is_long(&mut self, text: Node<'_>, least: u32) -> bool {
        let (least, len) = (least as usize, text.bytes_len());
        len >= least && (len / 4 >= least || least < 2 || self.length(text) >= least)
    }

    #[inline]
    fn is_short(&mut self, text: Node<'_>, most: u32) -> bool {
        text.bytes_len() <= most as usize || self.length(text) <= most as usize
    }

    /// Counts the characters of a string.
    #[inline(never)]
    fn length(&mut self, text: Node<'_>) -> usize {
        let text = text.bytes();
        self.spend(text.len() / 8);
        // All bytes of a character after its first begin with these bits.
        text.iter().filter(|byte| **byte & 0b1100_0000 != 0b1000_0000).count()
    }

    /// Returns whether a text matches a pattern of the schema.
    #[inline(never)]
    pub(in crate::schema) fn matches(&mut self, pattern: u32, text: &str) -> bool {
        let schema = self.schema;
        let Some(pattern) = schema.patterns.get(pattern as usize) else { return true };
        self.within(|steps| pattern.matches(text, steps))
    }
}

/// Returns the text of `expected` for a rule for strings.
pub(super) fn expected(schema: &Schema, check: Check) -> String {
    match check {
        Check::Pattern(pattern) => {
            let text = schema.patterns.get(pattern as usize).map_or("", |pattern| pattern.text());
            format!("a string that matches `{}`", shorten(text))
        }
        Check::Format(format) => format!("a string of the format `{}`", format.name()),
        _ => String::new(),
    }
}
