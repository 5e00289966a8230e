//! `unevaluatedItems` and `unevaluatedProperties`: the items and fields that no other keyword at the same place has evaluated.

use crate::{
    error::Error,
    json::Node,
    schema::{
        annotations::Annotations,
        compiler::{Compiler, KeywordValues},
        keyword::Keyword,
        range::{SchemaId, is_some},
        tree::Check,
        validate::{PathSegment, Validator},
    },
};

pub(super) fn compile_items<'d>(
    compiler: &mut Compiler<'d, '_>,
    keywords: &KeywordValues<'d>,
) -> Result<(), Error> {
    let schema = compiler.subschema(keywords, Keyword::UnevaluatedItems);
    if is_some(schema) && !says_what_is_left(keywords, Keyword::Items, Keyword::UnevaluatedItems) {
        compiler.rule(Keyword::UnevaluatedItems, Check::UnevaluatedItems(schema));
    }
    Ok(())
}

pub(super) fn compile_properties<'d>(
    compiler: &mut Compiler<'d, '_>,
    keywords: &KeywordValues<'d>,
) -> Result<(), Error> {
    let schema = compiler.subschema(keywords, Keyword::UnevaluatedProperties);
    if is_some(schema)
        && !says_what_is_left(keywords, Keyword::AdditionalProperties, Keyword::UnevaluatedProperties)
    {
        compiler.rule(Keyword::UnevaluatedProperties, Check::UnevaluatedProperties(schema));
    }
    Ok(())
}

/// Returns whether `unevaluated` means the same as `rest`, because no keyword applies another schema to the same value. Then it is
/// compiled as `rest`, which needs no evaluated annotations.
pub(super) fn says_what_is_left(keywords: &KeywordValues<'_>, rest: Keyword, unevaluated: Keyword) -> bool {
    const IN_PLACE: [Keyword; 10] = [
        Keyword::Ref,
        Keyword::DynamicRef,
        Keyword::AllOf,
        Keyword::AnyOf,
        Keyword::OneOf,
        Keyword::If,
        Keyword::DependentSchemas,
        Keyword::Dependencies,
        Keyword::Contains,
        Keyword::Not,
    ];
    let has = |keyword| keywords.value(keyword).is_some();
    has(unevaluated) && !has(rest) && !IN_PLACE.into_iter().any(has)
}

impl<'i> Validator<'_, 'i, '_> {
    #[inline(never)]
    pub(in crate::schema) fn unevaluated_items(
        &mut self,
        schema: SchemaId,
        value: Node<'i>,
        evaluated: Option<&mut Annotations>,
    ) -> bool {
        let Some(evaluated) = evaluated else { return true };
        let mut holds = true;
        self.spend(value.len());
        for (index, item) in value.items().enumerate() {
            if !evaluated.has(index) {
                holds &= self.child(schema, PathSegment::Item(index), item);
            }
            if !(holds || self.goes_on()) {
                break;
            }
        }
        evaluated.add_all();
        holds
    }

    #[inline(never)]
    pub(in crate::schema) fn unevaluated_properties(
        &mut self,
        schema: SchemaId,
        value: Node<'i>,
        evaluated: Option<&mut Annotations>,
    ) -> bool {
        let Some(evaluated) = evaluated else { return true };
        let mut holds = true;
        self.spend(value.len());
        for (place, (name, member)) in value.pairs().enumerate() {
            if !evaluated.has(place) {
                holds &= self.child(schema, PathSegment::Field(name), member);
            }
            if !(holds || self.goes_on()) {
                break;
            }
        }
        evaluated.add_all();
        holds
    }
}
