//! A read-only view of the rules of a compiled schema, for callers that ask which values it allows.
//!
//! [`ValueConstraint::Other`] stands for every rule without a form of its own. A caller that ignores it allows more values, never fewer.

use alloc::{string::String, vec::Vec};

use super::{
    keyword::Keyword,
    lists::{Choice, Limit, ObjectRules},
    range::{SchemaId, is_some},
    tree::{Check, Rule, Schema},
    value_types,
};
use crate::{
    json::{Node, ends},
    logic::{Number, Operator, Types},
    steps::Steps,
};

/// A keyword of a schema, or a schema that is `false`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeywordLocation {
    schema_id: SchemaId,
    keyword: Option<Keyword>,
}

/// The condition that a rule states about a value.
pub enum ValueConstraint<'s> {
    /// The value has one of these types. If the flag is set, its numbers are integers.
    Types(Types, bool),
    /// The value is one of these strings, or one of these other values, given as JSON texts.
    Values(Vec<&'s str>, Vec<&'s str>),
    /// A number compares with a limit.
    Compares(Operator, &'s Number),
    /// A string matches a pattern.
    Pattern(&'s str),
    /// A number is a multiple of another.
    MultipleOf(&'s Number),
    /// The length of a value of these types compares with a count.
    Measures(Types, Operator, u32),
    /// All of these schemas hold too.
    All(Vec<SchemaId>),
    /// At least one of these schemas holds.
    Any(Vec<SchemaId>),
    /// The fields of an object.
    Properties(PropertyRules<'s>),
    /// The schemas of the first items, one each, and the schema of all further items.
    Items(&'s [SchemaId], Option<SchemaId>),
    /// A rule without a form of its own.
    Other,
}

/// The rule for the fields of an object.
#[derive(Clone, Copy)]
pub struct PropertyRules<'s> {
    schema: &'s Schema,
    members: &'s ObjectRules,
}

/// A rule that can be tested against values.
#[derive(Clone, Copy)]
pub struct RuleView<'s> {
    schema: &'s Schema,
    schema_id: SchemaId,
    /// `None` for the rule that only checks the types.
    rule: Option<&'s Rule>,
    applies_to: Types,
}

const FAMILIES: [Types; 5] = [Types::ANY, Types::NUMBER, Types::TEXT, Types::LIST, Types::OBJECT];

impl Schema {
    /// The schema as a whole.
    pub const ROOT: SchemaId = 0;

    /// Returns the rules of a schema in the order in which they apply. An unknown number has none.
    ///
    /// ```
    /// use adjudicate_lang::{Steps, json::{self, ReadLimits}, schema::{Documents, Options, Schema, ValueConstraint}};
    /// let mut steps = Steps::default();
    /// let document = json::read(br#"{"pattern": "^a"}"#, ReadLimits::DOCUMENT)?;
    /// let schema = Schema::compile(document.root(), &Documents::default(), Options::default(), &mut steps)?;
    /// let rules = schema.rule_views(Schema::ROOT);
    /// assert!(matches!(rules[0].constraint(), ValueConstraint::Pattern("^a")));
    /// assert_eq!(schema.pointer_of(rules[0].keyword()), "/pattern");
    /// # Ok::<(), adjudicate_lang::Error>(())
    /// ```
    #[must_use]
    pub fn rule_views(&self, schema_id: SchemaId) -> Vec<RuleView<'_>> {
        let Some(node) = self.nodes.get(schema_id as usize) else { return Vec::new() };
        let types = (node.types != u8::MAX).then_some(None);
        let rules = self.rules.get(node.first as usize..).unwrap_or_default().iter().enumerate();
        let of_family = |place: usize| node.ends.iter().position(|end| place < usize::from(*end));
        let rules = rules.map_while(|(place, rule)| Some((of_family(place)?, Some(rule))));
        let all = types.map(|types| (0, types)).into_iter().chain(rules);
        all.map(|(family, rule)| RuleView {
            schema: self,
            schema_id,
            rule,
            applies_to: FAMILIES.get(family).copied().unwrap_or(Types::ANY),
        })
        .collect()
    }

    /// Returns whether a schema is `false`, or allows no type.
    #[must_use]
    pub fn is_never(&self, schema_id: SchemaId) -> bool {
        self.nodes.get(schema_id as usize).is_some_and(|node| node.types == 0)
    }

    /// Returns the JSON Pointer of a keyword. The URI of its document and `#` come first, except in the root document.
    #[must_use]
    pub fn pointer_of(&self, location: KeywordLocation) -> String {
        match self.pointer(location.schema_id, location.keyword) {
            ("", pointer) => pointer,
            (document, pointer) => [document, "#", &pointer].concat(),
        }
    }
}

impl<'s> RuleView<'s> {
    /// Returns the keyword of the rule.
    #[must_use]
    pub fn keyword(self) -> KeywordLocation {
        let keyword = match self.rule {
            Some(rule) => Some(rule.keyword),
            None => self.types().is_some().then_some(Keyword::Type),
        };
        KeywordLocation { schema_id: self.schema_id, keyword }
    }

    /// Returns the types of the values that the rule applies to.
    #[must_use]
    pub const fn applies_to(self) -> Types {
        self.applies_to
    }

    /// Returns the allowed types as bits, or `None` for a schema that is `false`.
    fn types(self) -> Option<u8> {
        self.schema.nodes.get(self.schema_id as usize).map(|node| node.types).filter(|types| *types != 0)
    }

    /// Returns the condition that the rule states.
    #[must_use]
    pub fn constraint(self) -> ValueConstraint<'s> {
        let schema = self.schema;
        let limit = |number: u32| schema.numbers.get(number as usize);
        let compares = |operator, number| {
            limit(number).map_or(ValueConstraint::Other, |limit: &'s Limit| {
                ValueConstraint::Compares(operator, &limit.value)
            })
        };
        let measures = |operator, count| ValueConstraint::Measures(self.applies_to, operator, count);
        let Some(rule) = self.rule else {
            let (types, integral) = value_types::as_logic(self.types().unwrap_or_default());
            return ValueConstraint::Types(types, integral);
        };
        match rule.check {
            Check::Ref(schema_id) => ValueConstraint::All(Vec::from([schema_id])),
            Check::AllOf(run) => ValueConstraint::All(run.entries(&schema.ids).to_vec()),
            Check::AnyOf(run) | Check::OneOf(run) => ValueConstraint::Any(run.entries(&schema.ids).to_vec()),
            Check::If(_, then, otherwise) if is_some(then) && is_some(otherwise) => {
                ValueConstraint::Any(Vec::from([then, otherwise]))
            }
            Check::Choice(choice) => schema
                .choices
                .get(choice as usize)
                .map_or(ValueConstraint::Other, |choice| self.values(choice)),
            Check::Minimum(number) => compares(Operator::AtLeast, number),
            Check::Maximum(number) => compares(Operator::AtMost, number),
            Check::ExclusiveMinimum(number) => compares(Operator::Greater, number),
            Check::ExclusiveMaximum(number) => compares(Operator::Less, number),
            Check::MultipleOf(number) => limit(number)
                .map_or(ValueConstraint::Other, |limit| ValueConstraint::MultipleOf(&limit.value)),
            Check::Pattern(pattern) => schema
                .patterns
                .get(pattern as usize)
                .map_or(ValueConstraint::Other, |pattern| ValueConstraint::Pattern(pattern.text())),
            Check::MinLength(count) | Check::MinItems(count) | Check::MinProperties(count) => {
                measures(Operator::AtLeast, count)
            }
            Check::MaxLength(count) | Check::MaxItems(count) | Check::MaxProperties(count) => {
                measures(Operator::AtMost, count)
            }
            Check::ObjectRules(members) => match schema.members.get(members as usize) {
                Some(members) => ValueConstraint::Properties(PropertyRules { schema, members }),
                None => ValueConstraint::Other,
            },
            Check::Items(first, rest) => {
                ValueConstraint::Items(first.entries(&schema.ids), Some(rest).filter(|rest| is_some(*rest)))
            }
            _ => ValueConstraint::Other,
        }
    }

    fn values(self, choice: &Choice) -> ValueConstraint<'s> {
        let schema = self.schema;
        let texts = |names: super::lists::Names| {
            names.properties.entries(&schema.properties).iter().map(|text| schema.text(text.name)).collect()
        };
        ValueConstraint::Values(texts(choice.strings), texts(choice.others))
    }

    /// Returns whether the rule may apply other schemas to the fields of an object, which [`Self::constraint`] does not show.
    #[must_use]
    pub fn may_describe_fields(self) -> bool {
        let Some(rule) = self.rule else { return false };
        match rule.check {
            Check::UnevaluatedProperties(schema_id) => !self.schema.is_never(schema_id),
            // `constraint` shows the schemas that these apply, and `not` describes no field.
            Check::Ref(_) | Check::AllOf(_) | Check::AnyOf(_) | Check::OneOf(_) | Check::Not(_) => false,
            other => other.is_in_place(),
        }
    }

    /// Returns whether the rule can hold for a value. If that depends on the dynamic scope, or if the budget runs out, returns
    /// `true`.
    pub fn may_allow(self, value: Node<'_>, steps: &mut Steps) -> bool {
        self.schema.is_dynamic()
            || self.schema.holds_alone(self.schema_id, self.rule, value, steps).unwrap_or(true)
    }
}

impl<'s> PropertyRules<'s> {
    /// Returns the schemas that a field of this name must match, and whether the field is required.
    #[must_use]
    pub fn schemas_of(self, name: &str, steps: &mut Steps) -> (Vec<SchemaId>, bool) {
        let property = self.members.names.find(self.schema, name.as_bytes(), ends(name.as_bytes()));
        let own = property.map(|property| property.schema).filter(|schema_id| is_some(*schema_id));
        let mut schemas: Vec<SchemaId> = own.into_iter().collect();
        for of in self.members.patterns.entries(&self.schema.by_pattern) {
            let pattern = self.schema.patterns.get(of.pattern as usize);
            match pattern.map(|pattern| pattern.matches(name, steps)) {
                Some(Ok(true)) => schemas.push(of.schema),
                Some(Ok(false)) => {}
                // The budget ran out, so it is unknown whether `additionalProperties` applies.
                _ => return (own.into_iter().collect(), property.is_some_and(|property| property.required)),
            }
        }
        if schemas.is_empty() && is_some(self.members.additional) {
            schemas.push(self.members.additional);
        }
        (schemas, property.is_some_and(|property| property.required))
    }

    /// Returns whether the rule lists the fields of the object: by name or pattern, or because no others are allowed.
    #[must_use]
    pub fn lists_fields(self) -> bool {
        let mut properties = self.members.names.properties.entries(&self.schema.properties).iter();
        self.members.patterns.count > 0
            || self.schema.is_never(self.members.additional)
            || properties.any(|property| is_some(property.schema))
    }

    /// Returns the names of all fields in the rule.
    pub fn all(self) -> impl Iterator<Item = &'s str> {
        let properties = self.members.names.properties.entries(&self.schema.properties).iter();
        properties.map(|property| self.schema.text(property.name))
    }

    /// Returns the names of the required fields.
    pub fn required(self) -> impl Iterator<Item = &'s str> {
        let properties = self.members.names.properties.entries(&self.schema.properties).iter();
        properties.filter(|property| property.required).map(|property| self.schema.text(property.name))
    }
}
