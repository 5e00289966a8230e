//! `properties` and its like, `required`, `propertyNames`, `minProperties`, `maxProperties`, and what properties call for.
//!
//! An object's members are looked at once: `properties`, `patternProperties`, `additionalProperties` and `required` are
//! one rule.

use alloc::{format, vec, vec::Vec};

use super::unevaluated::says_what_is_left;
use crate::{
    error::Error,
    json::{Kind, Node, shorten},
    order,
    schema::{
        compile::{Compiler, Site},
        lists::{ByPattern, Dependent, Members, Names, Property},
        marks::Marks,
        run::{Run, Segment, is_some},
        tree::{Check, Id, NONE, Run as Range, narrow, run_since},
        word::Word,
    },
};

pub(super) fn compile<'d>(compiler: &mut Compiler<'d, '_>, site: &Site<'d>) -> Result<(), Error> {
    if let Some(least) = compiler.amount(site, Word::MinProperties)? {
        compiler.rule(Word::MinProperties, Check::MinProperties(least));
    }
    if let Some(most) = compiler.amount(site, Word::MaxProperties)? {
        compiler.rule(Word::MaxProperties, Check::MaxProperties(most));
    }
    members(compiler, site)?;
    let names = compiler.subschema(site, Word::PropertyNames);
    if is_some(names) {
        compiler.rule(Word::PropertyNames, Check::PropertyNames(names));
    }
    for word in [Word::DependentRequired, Word::DependentSchemas, Word::Dependencies] {
        dependents(compiler, site, word)?;
    }
    super::unevaluated::compile_properties(compiler, site)
}

/// A property while it is compiled: its name, and where in the document it is declared.
struct Declared<'d> {
    name: &'d str,
    schema: Id,
    required: bool,
    place: usize,
}

fn members<'d>(compiler: &mut Compiler<'d, '_>, site: &Site<'d>) -> Result<(), Error> {
    let properties = properties(compiler, site)?;
    let patterns = by_pattern(compiler, site)?;
    let rest = match says_what_is_left(site, Word::AdditionalProperties, Word::UnevaluatedProperties) {
        true => Word::UnevaluatedProperties,
        false => Word::AdditionalProperties,
    };
    let additional = compiler.subschema(site, rest);
    if properties.is_empty() && patterns.count == 0 && !is_some(additional) {
        return Ok(());
    }
    let schema = &mut compiler.locator.schema;
    let base = schema.properties.len();
    let required = narrow(properties.iter().filter(|property| property.required).count());
    // From the places in the document to those in the sorted list.
    let mut sorted = vec![0; properties.len()];
    for (index, property) in properties.iter().enumerate() {
        if let Some(slot) = sorted.get_mut(property.place) {
            *slot = narrow(base + index);
        }
    }
    // Behind the last there is none.
    let at = |place: usize| sorted.get(place).copied().unwrap_or(u32::MAX);
    for property in &properties {
        let Declared { name, schema: id, required, place } = *property;
        let named = Property::named(name, schema.keep(name));
        schema.properties.push(Property { schema: id, required, next: at(place + 1), ..named });
    }
    let names = Names::since(schema, base);
    schema.members.push(Members { names, first: at(0), required, patterns, additional });
    let members = narrow(schema.members.len() - 1);
    compiler.rule(Word::Required, Check::Members(members));
    Ok(())
}

/// The properties with names, required ones too, sorted.
fn properties<'d>(compiler: &mut Compiler<'d, '_>, site: &Site<'d>) -> Result<Vec<Declared<'d>>, Error> {
    let mut declared: Vec<Declared<'d>> = Vec::new();
    let mut add = |name, schema, required, place| declared.push(Declared { name, schema, required, place });
    if let Some(value) = site.value(Word::Properties) {
        if value.kind() != Kind::Object {
            return Err(compiler.wrong(site, Word::Properties, "an object of schemas"));
        }
        for (place, (name, member)) in value.members().enumerate() {
            compiler.locator.steps.spend(name.len() + 1)?;
            add(name, compiler.locator.schema_at(site.id, member), false, place);
        }
    }
    if let Some(value) = site.value(Word::Required) {
        // What is wrong with it is told before it is taken apart.
        compiler.names(site, Word::Required, value)?;
        for item in value.items() {
            add(item.as_str().unwrap_or_default(), NONE, true, usize::MAX);
        }
    }
    // A name that is both comes first as a property.
    order::sort_by(&mut declared, |left, right| left.name.cmp(right.name));
    let mut merged: Vec<Declared<'d>> = Vec::with_capacity(declared.len());
    let mut place = site.value(Word::Properties).map_or(0, Node::len);
    for mut property in declared {
        match merged.last_mut() {
            Some(last) if last.name == property.name => last.required = true,
            _ => {
                if property.place == usize::MAX {
                    (property.place, place) = (place, place + 1);
                }
                merged.push(property);
            }
        }
    }
    Ok(merged)
}

fn by_pattern<'d>(compiler: &mut Compiler<'d, '_>, site: &Site<'d>) -> Result<Range, Error> {
    let Some(value) = site.value(Word::PatternProperties) else { return Ok(Range::default()) };
    if value.kind() != Kind::Object {
        return Err(compiler.wrong(site, Word::PatternProperties, "an object of schemas"));
    }
    let first = compiler.locator.schema.by_pattern.len();
    for (text, member) in value.members() {
        let schema = compiler.locator.schema_at(site.id, member);
        let pattern = compiler.pattern(site, Word::PatternProperties, text, Some(text))?;
        compiler.locator.schema.by_pattern.push(ByPattern { pattern, schema });
    }
    Ok(run_since(&compiler.locator.schema.by_pattern, first))
}

fn dependents<'d>(compiler: &mut Compiler<'d, '_>, site: &Site<'d>, word: Word) -> Result<(), Error> {
    let Some(value) = site.value(word) else { return Ok(()) };
    if value.kind() != Kind::Object {
        return Err(compiler.wrong(site, word, "an object"));
    }
    let first = compiler.locator.schema.dependents.len();
    for (name, member) in value.members() {
        compiler.locator.steps.spend(name.len() + 1)?;
        let is_list =
            word == Word::DependentRequired || (word == Word::Dependencies && member.kind() == Kind::Array);
        let (required, schema) = match is_list {
            true => (compiler.names(site, word, member)?, NONE),
            false => (Range::default(), compiler.locator.schema_at(site.id, member)),
        };
        let name = compiler.locator.schema.keep(name);
        compiler.locator.schema.dependents.push(Dependent { name, required, schema });
    }
    let dependents = run_since(&compiler.locator.schema.dependents, first);
    compiler.rule(word, Check::Dependents(dependents));
    Ok(())
}

impl<'s, 'i> Run<'s, 'i, '_> {
    #[inline(never)]
    pub(in crate::schema) fn members(
        &mut self,
        id: Id,
        members: u32,
        value: Node<'i>,
        mut seen: Option<&mut Marks>,
    ) -> bool {
        let schema = self.schema;
        let Some(members) = schema.members.get(members as usize) else { return true };
        let mut holds = true;
        let (mut hint, mut required) = (members.first, 0);
        let has_names = members.names.properties.count > 0;
        let is_plain = members.patterns.count == 0 && seen.is_none();
        self.spend(value.len());
        for (place, (name, member)) in value.pairs().enumerate() {
            let mut of = NONE;
            // Many objects have members, and no property has a name.
            if has_names
                && let Some(property) = match schema.properties.get(hint as usize) {
                    Some(likely) if likely.is_quickly(name) => Some(likely),
                    _ => self.property(members, name),
                }
            {
                hint = property.next;
                required += u32::from(property.required);
                of = property.schema;
            }
            let fits = if is_plain {
                let of = if is_some(of) { of } else { members.additional };
                !is_some(of) || self.child(of, Segment::Member(name), member)
            } else {
                self.member_of(members, of, (place, name, member), seen.as_deref_mut())
            };
            if !fits {
                holds = false;
                if !self.goes_on() {
                    return false;
                }
            }
        }
        holds & (required == members.required || self.missing(id, members, value))
    }

    /// Checks a member by its property, and by the patterns that its name matches, or else as an additional one; and tells
    /// that it is evaluated.
    #[inline(never)]
    fn member_of(
        &mut self,
        members: &Members,
        property: Id,
        (place, name, member): (usize, Node<'i>, Node<'i>),
        seen: Option<&mut Marks>,
    ) -> bool {
        let mut holds = true;
        let is_known =
            members.patterns.count > 0 && self.patterns(members.patterns, name, member, &mut holds);
        let of = if is_known || is_some(property) { property } else { members.additional };
        if (is_known || is_some(of))
            && let Some(seen) = seen
        {
            seen.mark(place);
        }
        if is_some(of) && (holds || self.goes_on()) {
            holds &= self.child(of, Segment::Member(name), member);
        }
        holds
    }

    /// The property that has a member's name.
    #[inline(never)]
    fn property(&mut self, members: &Members, name: Node<'i>) -> Option<&'s Property> {
        let (text, ends) = name.text_and_ends();
        if text.len() > 64 {
            self.spend(text.len());
        }
        members.names.find(self.schema, text, ends)
    }

    /// Checks a member by the patterns that its name matches; whether there is one.
    #[inline]
    fn patterns(&mut self, patterns: Range, name: Node<'i>, member: Node<'i>, holds: &mut bool) -> bool {
        let schema = self.schema;
        let mut is_known = false;
        for by_pattern in patterns.of(&schema.by_pattern) {
            if (*holds || self.goes_on()) && self.matches(by_pattern.pattern, name.name()) {
                is_known = true;
                *holds &= self.child(by_pattern.schema, Segment::Member(name), member);
            }
        }
        is_known
    }

    /// Notes which required properties are not there.
    #[cold]
    fn missing(&mut self, id: Id, members: &Members, value: Node<'i>) -> bool {
        if self.goes_on() {
            let schema = self.schema;
            let mut there: Vec<&str> = value.members().map(|(name, _)| name).collect();
            order::sort_by(&mut there, |left, right| left.cmp(right));
            for property in
                members.names.properties.of(&schema.properties).iter().filter(|property| property.required)
            {
                let name = schema.text(property.name);
                if there.binary_search(&name).is_err() {
                    self.wrong(id, Word::Required, |_| format!("a member `{}`", shorten(name)));
                }
            }
        }
        false
    }

    #[inline(never)]
    pub(in crate::schema) fn property_names(&mut self, id: Id, schema: Id, value: Node<'i>) -> bool {
        let mut holds = true;
        self.spend(value.len());
        for (name, _) in value.pairs() {
            if !self.quietly(schema, name, None) {
                holds = self.wrong(id, Word::PropertyNames, |_| {
                    format!(
                        "only names that the schema of `propertyNames` holds for, not `{}`",
                        shorten(name.name())
                    )
                });
                if !self.goes_on() {
                    break;
                }
            }
        }
        holds
    }

    #[inline(never)]
    pub(in crate::schema) fn dependents(
        &mut self,
        id: Id,
        word: Word,
        dependents: Range,
        value: Node<'i>,
        mut seen: Option<&mut Marks>,
    ) -> bool {
        let schema = self.schema;
        let mut holds = true;
        for dependent in dependents.of(&schema.dependents) {
            let name = schema.text(dependent.name);
            if self.member(value, name).is_none() {
                continue;
            }
            for required in dependent.required.of(&schema.texts) {
                let required = schema.text(*required);
                if self.member(value, required).is_none() {
                    holds = self.wrong(id, word, |_| {
                        format!("a member `{}`, as there is `{}`", shorten(required), shorten(name))
                    });
                }
            }
            if is_some(dependent.schema) {
                holds &= self.deeper(dependent.schema, value, seen.as_deref_mut());
            }
            if !(holds || self.goes_on()) {
                break;
            }
        }
        holds
    }
}
