//! `properties` and related keywords, `required`, `propertyNames`, `minProperties`, `maxProperties`, and dependencies.
//!
//! `properties`, `patternProperties`, `additionalProperties` and `required` form one rule, which visits each field of an object
//! once.

use alloc::{format, vec, vec::Vec};

use super::unevaluated::says_what_is_left;
use crate::{
    error::Error,
    json::{Kind, Node, shorten},
    order,
    schema::{
        annotations::Annotations,
        compiler::{Compiler, KeywordValues},
        keyword::Keyword,
        lists::{ByPattern, Dependent, Names, ObjectRules, Property},
        range::{ListRange, NONE, SchemaId, is_some, narrow, range_since},
        tree::Check,
        validate::{PathSegment, Validator},
    },
};

pub(super) fn compile<'d>(
    compiler: &mut Compiler<'d, '_>,
    keywords: &KeywordValues<'d>,
) -> Result<(), Error> {
    if let Some(least) = compiler.amount(keywords, Keyword::MinProperties)? {
        compiler.rule(Keyword::MinProperties, Check::MinProperties(least));
    }
    if let Some(most) = compiler.amount(keywords, Keyword::MaxProperties)? {
        compiler.rule(Keyword::MaxProperties, Check::MaxProperties(most));
    }
    members(compiler, keywords)?;
    let names = compiler.subschema(keywords, Keyword::PropertyNames);
    if is_some(names) {
        compiler.rule(Keyword::PropertyNames, Check::PropertyNames(names));
    }
    for keyword in [Keyword::DependentRequired, Keyword::DependentSchemas, Keyword::Dependencies] {
        dependents(compiler, keywords, keyword)?;
    }
    super::unevaluated::compile_properties(compiler, keywords)
}

/// A declared property during compilation. `place` is its position in the document; the compiled properties are sorted by name.
struct DeclaredProperty<'d> {
    name: &'d str,
    schema: SchemaId,
    required: bool,
    place: usize,
}

fn members<'d>(compiler: &mut Compiler<'d, '_>, keywords: &KeywordValues<'d>) -> Result<(), Error> {
    let properties = properties(compiler, keywords)?;
    let patterns = by_pattern(compiler, keywords)?;
    let rest =
        match says_what_is_left(keywords, Keyword::AdditionalProperties, Keyword::UnevaluatedProperties) {
            true => Keyword::UnevaluatedProperties,
            false => Keyword::AdditionalProperties,
        };
    let additional = compiler.subschema(keywords, rest);
    if properties.is_empty() && patterns.count == 0 && !is_some(additional) {
        return Ok(());
    }
    let schema = &mut compiler.index.schema;
    let base = schema.properties.len();
    let required = narrow(properties.iter().filter(|property| property.required).count());
    // Maps positions in the document to indices in the sorted list.
    let mut sorted = vec![0; properties.len()];
    for (index, property) in properties.iter().enumerate() {
        if let Some(slot) = sorted.get_mut(property.place) {
            *slot = narrow(base + index);
        }
    }
    // The last property has no next one.
    let at = |place: usize| sorted.get(place).copied().unwrap_or(u32::MAX);
    for property in &properties {
        let DeclaredProperty { name, schema: id, required, place } = *property;
        let named = Property::named(name, schema.keep(name));
        schema.properties.push(Property { schema: id, required, next: at(place + 1), ..named });
    }
    let names = Names::since(schema, base);
    schema.members.push(ObjectRules { names, first: at(0), required, patterns, additional });
    let members = narrow(schema.members.len() - 1);
    compiler.rule(Keyword::Required, Check::ObjectRules(members));
    Ok(())
}

/// Returns the named properties, including those that are only required, sorted by name.
fn properties<'d>(
    compiler: &mut Compiler<'d, '_>,
    keywords: &KeywordValues<'d>,
) -> Result<Vec<DeclaredProperty<'d>>, Error> {
    let mut declared: Vec<DeclaredProperty<'d>> = Vec::new();
    let mut add =
        |name, schema, required, place| declared.push(DeclaredProperty { name, schema, required, place });
    if let Some(value) = keywords.value(Keyword::Properties) {
        if value.kind() != Kind::Object {
            return Err(compiler.value_error(keywords, Keyword::Properties, "an object of schemas"));
        }
        for (place, (name, member)) in value.members().enumerate() {
            compiler.index.steps.spend(name.len() + 1)?;
            add(name, compiler.index.schema_at(keywords.id, member), false, place);
        }
    }
    if let Some(value) = keywords.value(Keyword::Required) {
        // `names` reports the errors of the whole list first.
        compiler.names(keywords, Keyword::Required, value)?;
        for item in value.items() {
            add(item.as_str().unwrap_or_default(), NONE, true, usize::MAX);
        }
    }
    // The sort is stable, so a declared property comes before the requirement of its name.
    order::sort_by(&mut declared, |left, right| left.name.cmp(right.name));
    let mut merged: Vec<DeclaredProperty<'d>> = Vec::with_capacity(declared.len());
    let mut place = keywords.value(Keyword::Properties).map_or(0, Node::len);
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

fn by_pattern<'d>(compiler: &mut Compiler<'d, '_>, keywords: &KeywordValues<'d>) -> Result<ListRange, Error> {
    let Some(value) = keywords.value(Keyword::PatternProperties) else { return Ok(ListRange::default()) };
    if value.kind() != Kind::Object {
        return Err(compiler.value_error(keywords, Keyword::PatternProperties, "an object of schemas"));
    }
    let first = compiler.index.schema.by_pattern.len();
    for (text, member) in value.members() {
        let schema = compiler.index.schema_at(keywords.id, member);
        let pattern = compiler.pattern(keywords, Keyword::PatternProperties, text, Some(text))?;
        compiler.index.schema.by_pattern.push(ByPattern { pattern, schema });
    }
    Ok(range_since(&compiler.index.schema.by_pattern, first))
}

fn dependents<'d>(
    compiler: &mut Compiler<'d, '_>,
    keywords: &KeywordValues<'d>,
    keyword: Keyword,
) -> Result<(), Error> {
    let Some(value) = keywords.value(keyword) else { return Ok(()) };
    if value.kind() != Kind::Object {
        return Err(compiler.value_error(keywords, keyword, "an object"));
    }
    let first = compiler.index.schema.dependents.len();
    for (name, member) in value.members() {
        compiler.index.steps.spend(name.len() + 1)?;
        let is_list = keyword == Keyword::DependentRequired
            || (keyword == Keyword::Dependencies && member.kind() == Kind::Array);
        let (required, schema) = match is_list {
            true => (compiler.names(keywords, keyword, member)?, NONE),
            false => (ListRange::default(), compiler.index.schema_at(keywords.id, member)),
        };
        let name = compiler.index.schema.keep(name);
        compiler.index.schema.dependents.push(Dependent { name, required, schema });
    }
    let dependents = range_since(&compiler.index.schema.dependents, first);
    compiler.rule(keyword, Check::Dependents(dependents));
    Ok(())
}

impl<'s, 'i> Validator<'s, 'i, '_> {
    #[inline(never)]
    pub(in crate::schema) fn members(
        &mut self,
        id: SchemaId,
        members: u32,
        value: Node<'i>,
        mut evaluated: Option<&mut Annotations>,
    ) -> bool {
        let schema = self.schema;
        let Some(members) = schema.members.get(members as usize) else { return true };
        let mut holds = true;
        let (mut hint, mut required) = (members.first, 0);
        let has_names = members.names.properties.count > 0;
        let is_plain = members.patterns.count == 0 && evaluated.is_none();
        self.spend(value.len());
        for (place, (name, member)) in value.pairs().enumerate() {
            let mut of = NONE;
            // Without named properties, no lookup is needed.
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
                !is_some(of) || self.child(of, PathSegment::Field(name), member)
            } else {
                self.member_of(members, of, (place, name, member), evaluated.as_deref_mut())
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

    /// Checks a field by its property and by all patterns that match its name, or otherwise as an additional field. Marks the field
    /// as evaluated.
    #[inline(never)]
    fn member_of(
        &mut self,
        members: &ObjectRules,
        property: SchemaId,
        (place, name, member): (usize, Node<'i>, Node<'i>),
        evaluated: Option<&mut Annotations>,
    ) -> bool {
        let mut holds = true;
        let is_known =
            members.patterns.count > 0 && self.patterns(members.patterns, name, member, &mut holds);
        let of = if is_known || is_some(property) { property } else { members.additional };
        if (is_known || is_some(of))
            && let Some(evaluated) = evaluated
        {
            evaluated.add(place);
        }
        if is_some(of) && (holds || self.goes_on()) {
            holds &= self.child(of, PathSegment::Field(name), member);
        }
        holds
    }

    /// Finds the property with the name of a field.
    #[inline(never)]
    fn property(&mut self, members: &ObjectRules, name: Node<'i>) -> Option<&'s Property> {
        let (text, ends) = name.text_and_ends();
        if text.len() > 64 {
            self.spend(text.len());
        }
        members.names.find(self.schema, text, ends)
    }

    /// Checks a field by all patterns that match its name. Returns whether one matches.
    #[inline]
    fn patterns(&mut self, patterns: ListRange, name: Node<'i>, member: Node<'i>, holds: &mut bool) -> bool {
        let schema = self.schema;
        let mut is_known = false;
        for by_pattern in patterns.entries(&schema.by_pattern) {
            if (*holds || self.goes_on()) && self.matches(by_pattern.pattern, name.name()) {
                is_known = true;
                *holds &= self.child(by_pattern.schema, PathSegment::Field(name), member);
            }
        }
        is_known
    }

    /// Records the missing required properties.
    #[cold]
    fn missing(&mut self, id: SchemaId, members: &ObjectRules, value: Node<'i>) -> bool {
        if self.goes_on() {
            let schema = self.schema;
            let mut there: Vec<&str> = value.members().map(|(name, _)| name).collect();
            order::sort_by(&mut there, |left, right| left.cmp(right));
            for property in members
                .names
                .properties
                .entries(&schema.properties)
                .iter()
                .filter(|property| property.required)
            {
                let name = schema.text(property.name);
                if there.binary_search(&name).is_err() {
                    self.violation(id, Keyword::Required, |_| format!("a field `{}`", shorten(name)));
                }
            }
        }
        false
    }

    #[inline(never)]
    pub(in crate::schema) fn property_names(
        &mut self,
        id: SchemaId,
        schema: SchemaId,
        value: Node<'i>,
    ) -> bool {
        let mut holds = true;
        self.spend(value.len());
        for (name, _) in value.pairs() {
            if !self.quietly(schema, name, None) {
                holds = self.violation(id, Keyword::PropertyNames, |_| {
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
        id: SchemaId,
        keyword: Keyword,
        dependents: ListRange,
        value: Node<'i>,
        mut evaluated: Option<&mut Annotations>,
    ) -> bool {
        let schema = self.schema;
        let mut holds = true;
        for dependent in dependents.entries(&schema.dependents) {
            let name = schema.text(dependent.name);
            if self.member(value, name).is_none() {
                continue;
            }
            for required in dependent.required.entries(&schema.texts) {
                let required = schema.text(*required);
                if self.member(value, required).is_none() {
                    holds = self.violation(id, keyword, |_| {
                        format!("a field `{}`, because there is `{}`", shorten(required), shorten(name))
                    });
                }
            }
            if is_some(dependent.schema) {
                holds &= self.deeper(dependent.schema, value, evaluated.as_deref_mut());
            }
            if !(holds || self.goes_on()) {
                break;
            }
        }
        holds
    }
}
