//! `unevaluatedItems` and `unevaluatedProperties`: what is left of a value when all other keywords of its schema, and of
//! those that it leads to at the same place, have had their say.

use crate::{
    error::Error,
    json::Node,
    schema::{
        compile::{Compiler, Site},
        marks::Marks,
        run::{Run, Segment, is_some},
        tree::{Check, Id},
        word::Word,
    },
};

pub(super) fn compile_items<'d>(compiler: &mut Compiler<'d, '_>, site: &Site<'d>) -> Result<(), Error> {
    let schema = compiler.subschema(site, Word::UnevaluatedItems);
    if is_some(schema) && !says_what_is_left(site, Word::Items, Word::UnevaluatedItems) {
        compiler.rule(Word::UnevaluatedItems, Check::UnevaluatedItems(schema));
    }
    Ok(())
}

pub(super) fn compile_properties<'d>(compiler: &mut Compiler<'d, '_>, site: &Site<'d>) -> Result<(), Error> {
    let schema = compiler.subschema(site, Word::UnevaluatedProperties);
    if is_some(schema) && !says_what_is_left(site, Word::AdditionalProperties, Word::UnevaluatedProperties) {
        compiler.rule(Word::UnevaluatedProperties, Check::UnevaluatedProperties(schema));
    }
    Ok(())
}

/// Whether what is left unevaluated is only what the schema's own keywords leave: it stands in for the keyword that speaks of
/// that, and nobody has to remember anything.
pub(super) fn says_what_is_left(site: &Site<'_>, rest: Word, unevaluated: Word) -> bool {
    const IN_PLACE: [Word; 10] = [
        Word::Ref,
        Word::DynamicRef,
        Word::AllOf,
        Word::AnyOf,
        Word::OneOf,
        Word::If,
        Word::DependentSchemas,
        Word::Dependencies,
        Word::Contains,
        Word::Not,
    ];
    let has = |word| site.value(word).is_some();
    has(unevaluated) && !has(rest) && !IN_PLACE.into_iter().any(has)
}

impl<'i> Run<'_, 'i, '_> {
    #[inline(never)]
    pub(in crate::schema) fn unevaluated_items(
        &mut self,
        schema: Id,
        value: Node<'i>,
        seen: Option<&mut Marks>,
    ) -> bool {
        let Some(seen) = seen else { return true };
        let mut holds = true;
        self.spend(value.len());
        for (index, item) in value.items().enumerate() {
            if !seen.has(index) {
                holds &= self.child(schema, Segment::Item(index), item);
            }
            if !(holds || self.goes_on()) {
                break;
            }
        }
        seen.mark_all();
        holds
    }

    #[inline(never)]
    pub(in crate::schema) fn unevaluated_properties(
        &mut self,
        schema: Id,
        value: Node<'i>,
        seen: Option<&mut Marks>,
    ) -> bool {
        let Some(seen) = seen else { return true };
        let mut holds = true;
        self.spend(value.len());
        for (place, (name, member)) in value.pairs().enumerate() {
            if !seen.has(place) {
                holds &= self.child(schema, Segment::Member(name), member);
            }
            if !(holds || self.goes_on()) {
                break;
            }
        }
        seen.mark_all();
        holds
    }
}
