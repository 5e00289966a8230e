//! A compiled schema, to look at rule by rule: for those who ask what it allows without having a value.
//!
//! All that knows how a schema is laid out and is asked from elsewhere is here. What a rule says that has no form of its own is
//! [`Says::Other`]: whoever goes by less allows more.

use alloc::{string::String, vec::Vec};

use super::{
    lists::{Choice, Limit, Members},
    run::is_some,
    tree::{Check, Id, Rule, Schema},
    word::Word,
};
use crate::{
    json::{Node, ends},
    logic::{Number, Operator, Types},
    steps::Steps,
};

/// The number of a schema or subschema in a compiled one; [`Schema::ROOT`] is the whole.
pub type Spot = Id;

/// A keyword of a schema, or a schema that is `false`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keyword {
    spot: Spot,
    word: Option<Word>,
}

/// The condition that a rule states about a value.
pub enum Says<'s> {
    /// Its types; the flag is for numbers that are integers alone.
    Types(Types, bool),
    /// It is one of these texts, or one of these other values, which are JSON texts.
    Values(Vec<&'s str>, Vec<&'s str>),
    /// A number compares with a limit so.
    Compares(Operator, &'s Number),
    /// A text matches a pattern.
    Pattern(&'s str),
    /// A number is a multiple of another.
    MultipleOf(&'s Number),
    /// The length of whatever has these types compares with a count so.
    Measures(Types, Operator, u32),
    /// All of these schemas hold for it, too.
    All(Vec<Spot>),
    /// One of these schemas holds for it, at least.
    Any(Vec<Spot>),
    /// Its members.
    Members(Names<'s>),
    /// Its first items, each its own, and all others.
    Items(&'s [Spot], Option<Spot>),
    /// Something else.
    Other,
}

/// The rule for the members of an object.
#[derive(Clone, Copy)]
pub struct Names<'s> {
    schema: &'s Schema,
    members: &'s Members,
}

/// A rule, to be asked about values.
#[derive(Clone, Copy)]
pub struct View<'s> {
    schema: &'s Schema,
    spot: Spot,
    /// The types alone, if there is none.
    rule: Option<&'s Rule>,
    applies_to: Types,
}

const FAMILIES: [Types; 5] = [Types::ANY, Types::NUMBER, Types::TEXT, Types::LIST, Types::OBJECT];

impl Schema {
    /// The schema as a whole.
    pub const ROOT: Spot = 0;

    /// The rules of a schema, in the order in which they are applied. None for a number that it does not have.
    ///
    /// ```
    /// use adjudicate_lang::{Steps, json::{self, Limits}, schema::{Documents, Options, Says, Schema}};
    /// let mut steps = Steps::default();
    /// let document = json::read(br#"{"pattern": "^a"}"#, Limits::DOCUMENT)?;
    /// let schema = Schema::compile(document.root(), &Documents::default(), Options::default(), &mut steps)?;
    /// let rules = schema.views_of(Schema::ROOT);
    /// assert!(matches!(rules[0].says(), Says::Pattern("^a")));
    /// assert_eq!(schema.place_of(rules[0].keyword()), "/pattern");
    /// # Ok::<(), adjudicate_lang::Error>(())
    /// ```
    #[must_use]
    pub fn views_of(&self, spot: Spot) -> Vec<View<'_>> {
        let Some(node) = self.nodes.get(spot as usize) else { return Vec::new() };
        let types = (node.types != u8::MAX).then_some(None);
        let rules = self.rules.get(node.first as usize..).unwrap_or_default().iter().enumerate();
        let of_family = |place: usize| node.ends.iter().position(|end| place < usize::from(*end));
        let rules = rules.map_while(|(place, rule)| Some((of_family(place)?, Some(rule))));
        let all = types.map(|types| (0, types)).into_iter().chain(rules);
        all.map(|(family, rule)| View {
            schema: self,
            spot,
            rule,
            applies_to: FAMILIES.get(family).copied().unwrap_or(Types::ANY),
        })
        .collect()
    }

    /// The JSON Pointer of a keyword, after the URI of its document and `#` if that is another one.
    #[must_use]
    pub fn place_of(&self, keyword: Keyword) -> String {
        match self.pointer(keyword.spot, keyword.word) {
            ("", pointer) => pointer,
            (document, pointer) => [document, "#", &pointer].concat(),
        }
    }
}

impl<'s> View<'s> {
    /// The keyword of the rule.
    #[must_use]
    pub fn keyword(self) -> Keyword {
        let word = match self.rule {
            Some(rule) => Some(rule.word),
            None => self.types().is_some().then_some(Word::Type),
        };
        Keyword { spot: self.spot, word }
    }

    /// The types of the values that the rule applies to.
    #[must_use]
    pub const fn applies_to(self) -> Types {
        self.applies_to
    }

    /// The types that are allowed, as bits; none for a schema that is `false`.
    fn types(self) -> Option<u8> {
        self.schema.nodes.get(self.spot as usize).map(|node| node.types).filter(|types| *types != 0)
    }

    /// The condition that the rule states.
    #[must_use]
    pub fn says(self) -> Says<'s> {
        let schema = self.schema;
        let limit = |number: u32| schema.numbers.get(number as usize);
        let compares = |operator, number| {
            limit(number).map_or(Says::Other, |limit: &'s Limit| Says::Compares(operator, &limit.value))
        };
        let measures = |operator, count| Says::Measures(self.applies_to, operator, count);
        let Some(rule) = self.rule else {
            let (types, integral) = super::keywords::types::as_logic(self.types().unwrap_or_default());
            return Says::Types(types, integral);
        };
        match rule.check {
            Check::Ref(spot) => Says::All(Vec::from([spot])),
            Check::AllOf(run) => Says::All(run.of(&schema.ids).to_vec()),
            Check::AnyOf(run) | Check::OneOf(run) => Says::Any(run.of(&schema.ids).to_vec()),
            Check::If(_, then, otherwise) if is_some(then) && is_some(otherwise) => {
                Says::Any(Vec::from([then, otherwise]))
            }
            Check::Choice(choice) => {
                schema.choices.get(choice as usize).map_or(Says::Other, |choice| self.values(choice))
            }
            Check::Minimum(number) => compares(Operator::AtLeast, number),
            Check::Maximum(number) => compares(Operator::AtMost, number),
            Check::ExclusiveMinimum(number) => compares(Operator::Greater, number),
            Check::ExclusiveMaximum(number) => compares(Operator::Less, number),
            Check::MultipleOf(number) => {
                limit(number).map_or(Says::Other, |limit| Says::MultipleOf(&limit.value))
            }
            Check::Pattern(pattern) => schema
                .patterns
                .get(pattern as usize)
                .map_or(Says::Other, |pattern| Says::Pattern(pattern.text())),
            Check::MinLength(count) | Check::MinItems(count) | Check::MinProperties(count) => {
                measures(Operator::AtLeast, count)
            }
            Check::MaxLength(count) | Check::MaxItems(count) | Check::MaxProperties(count) => {
                measures(Operator::AtMost, count)
            }
            Check::Members(members) => match schema.members.get(members as usize) {
                Some(members) => Says::Members(Names { schema, members }),
                None => Says::Other,
            },
            Check::Items(first, rest) => {
                Says::Items(first.of(&schema.ids), Some(rest).filter(|rest| is_some(*rest)))
            }
            _ => Says::Other,
        }
    }

    fn values(self, choice: &Choice) -> Says<'s> {
        let schema = self.schema;
        let texts = |names: super::lists::Names| {
            names.properties.of(&schema.properties).iter().map(|text| schema.text(text.name)).collect()
        };
        Says::Values(texts(choice.strings), texts(choice.others))
    }

    /// Returns whether it holds for a value, without looking at what other schemas say of it. Where that depends on the way that led
    /// here, and when the budget runs out, it may.
    pub fn may_allow(self, value: Node<'_>, steps: &mut Steps) -> bool {
        self.schema.is_dynamic()
            || self.schema.holds_alone(self.spot, self.rule, value, steps).unwrap_or(true)
    }
}

impl<'s> Names<'s> {
    /// The schemas of the member of a name, and whether it is required.
    #[must_use]
    pub fn of(self, name: &str, steps: &mut Steps) -> (Vec<Spot>, bool) {
        let property = self.members.names.find(self.schema, name.as_bytes(), ends(name.as_bytes()));
        let own = property.map(|property| property.schema).filter(|spot| is_some(*spot));
        let mut spots: Vec<Spot> = own.into_iter().collect();
        for of in self.members.patterns.of(&self.schema.by_pattern) {
            let pattern = self.schema.patterns.get(of.pattern as usize);
            match pattern.map(|pattern| pattern.matches(name, steps)) {
                Some(Ok(true)) => spots.push(of.schema),
                Some(Ok(false)) => {}
                // It cannot be told whether it is an additional one.
                _ => return (own.into_iter().collect(), property.is_some_and(|property| property.required)),
            }
        }
        if spots.is_empty() && is_some(self.members.additional) {
            spots.push(self.members.additional);
        }
        (spots, property.is_some_and(|property| property.required))
    }

    /// The names of the members that are required.
    pub fn required(self) -> impl Iterator<Item = &'s str> {
        let properties = self.members.names.properties.of(&self.schema.properties).iter();
        properties.filter(|property| property.required).map(|property| self.schema.text(property.name))
    }
}
