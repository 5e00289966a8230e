//! `minLength`, `maxLength`, `pattern` and `format`. What `contentEncoding` and its like say is not checked: they only
//! annotate.

use alloc::{format, string::String};

use super::format::Format;
use crate::{
    error::Error,
    json::{Node, shorten},
    schema::{
        compile::{Compiler, Site},
        run::Run,
        tree::{Check, Id, Rule, Schema},
        word::Word,
    },
};

pub(super) fn compile<'d>(compiler: &mut Compiler<'d, '_>, site: &Site<'d>) -> Result<(), Error> {
    if let Some(least) = compiler.amount(site, Word::MinLength)? {
        compiler.rule(Word::MinLength, Check::MinLength(least));
    }
    if let Some(most) = compiler.amount(site, Word::MaxLength)? {
        compiler.rule(Word::MaxLength, Check::MaxLength(most));
    }
    if let Some(value) = site.value(Word::Format) {
        let Some(name) = value.as_str() else { return Err(compiler.wrong(site, Word::Format, "a name")) };
        let asserts = compiler.dialect(site).asserts_formats;
        if let Some(format) = Format::find(name, compiler.dialect(site).draft).filter(|_| asserts) {
            compiler.rule(Word::Format, Check::Format(format));
        }
    }
    if let Some(value) = site.value(Word::Pattern) {
        let Some(text) = value.as_str() else { return Err(compiler.wrong(site, Word::Pattern, "a string")) };
        let pattern = compiler.pattern(site, Word::Pattern, text, None)?;
        compiler.rule(Word::Pattern, Check::Pattern(pattern));
    }
    Ok(())
}

impl Run<'_, '_, '_> {
    /// Applies the rules for strings.
    #[inline(never)]
    pub(in crate::schema) fn strings(&mut self, id: Id, rules: &[Rule], value: Node<'_>) -> bool {
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
                holds = self.unmet(id, rule);
                if !self.goes_on() {
                    break;
                }
            }
        }
        holds
    }

    /// Whether a string has that many characters or more: each has one to four bytes, so often the bytes tell.
    #[inline]
    fn is_long(&mut self, text: Node<'_>, least: u32) -> bool {
        let (least, len) = (least as usize, text.bytes_len());
        len >= least && (len / 4 >= least || least < 2 || self.length(text) >= least)
    }

    #[inline]
    fn is_short(&mut self, text: Node<'_>, most: u32) -> bool {
        text.bytes_len() <= most as usize || self.length(text) <= most as usize
    }

    /// How many characters a string has.
    #[inline(never)]
    fn length(&mut self, text: Node<'_>) -> usize {
        let text = text.bytes();
        self.spend(text.len() / 8);
        // All bytes of a character but the first begin with these bits.
        text.iter().filter(|byte| **byte & 0b1100_0000 != 0b1000_0000).count()
    }

    /// Whether a text matches one of the schema's patterns.
    #[inline(never)]
    pub(in crate::schema) fn matches(&mut self, pattern: u32, text: &str) -> bool {
        let schema = self.schema;
        let Some(pattern) = schema.patterns.get(pattern as usize) else { return true };
        self.within(|steps| pattern.matches(text, steps))
    }
}

/// What a rule for strings expects, for people.
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
