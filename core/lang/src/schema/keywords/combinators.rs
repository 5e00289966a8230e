//! `allOf`, `anyOf`, `oneOf` and `not`.

use alloc::format;

use crate::{
    error::Error,
    json::Node,
    schema::{
        annotations::Annotations,
        compiler::{Compiler, KeywordValues},
        keyword::Keyword,
        range::{ListRange, SchemaId, is_some},
        tree::Check,
        validate::Validator,
    },
};

/// A keyword with a list of schemas, and its check.
type ListKeyword = (Keyword, fn(ListRange) -> Check);

const LISTS: [ListKeyword; 3] =
    [(Keyword::AllOf, Check::AllOf), (Keyword::AnyOf, Check::AnyOf), (Keyword::OneOf, Check::OneOf)];

pub(super) fn compile<'d>(
    compiler: &mut Compiler<'d, '_>,
    keywords: &KeywordValues<'d>,
) -> Result<(), Error> {
    for (keyword, check) in LISTS {
        if let Some(schemas) = compiler.subschemas(keywords, keyword)? {
            compiler.rule(keyword, check(schemas));
        }
    }
    let schema = compiler.subschema(keywords, Keyword::Not);
    if is_some(schema) {
        compiler.rule(Keyword::Not, Check::Not(schema));
    }
    Ok(())
}

impl<'i> Validator<'_, 'i, '_> {
    #[inline(never)]
    pub(in crate::schema) fn all_of(
        &mut self,
        schemas: ListRange,
        value: Node<'i>,
        mut evaluated: Option<&mut Annotations>,
    ) -> bool {
        let schema = self.schema;
        let mut holds = true;
        self.spend(schemas.count as usize);
        for id in schemas.entries(&schema.ids) {
            holds &= self.check(*id, value, evaluated.as_deref_mut());
            if !(holds || self.goes_on()) {
                break;
            }
        }
        holds
    }

    #[inline(never)]
    pub(in crate::schema) fn any_of(
        &mut self,
        id: SchemaId,
        schemas: ListRange,
        value: Node<'i>,
        mut evaluated: Option<&mut Annotations>,
    ) -> bool {
        let schema = self.schema;
        let mut holds = false;
        self.spend(schemas.count as usize);
        for branch in schemas.entries(&schema.ids) {
            holds |=
                !self.is_excluded(*branch, value) && self.branch(*branch, value, evaluated.as_deref_mut());
            // All branches contribute evaluated annotations, so they are all evaluated if the caller needs these.
            if holds && evaluated.is_none() {
                break;
            }
        }
        holds
            || self.violation(id, Keyword::AnyOf, |_| {
                format!("a value that one of {} schemas holds for", schemas.count)
            })
    }

    #[inline(never)]
    pub(in crate::schema) fn one_of(
        &mut self,
        id: SchemaId,
        schemas: ListRange,
        value: Node<'i>,
        mut evaluated: Option<&mut Annotations>,
    ) -> bool {
        let schema = self.schema;
        let mut count = 0;
        self.spend(schemas.count as usize);
        for branch in schemas.entries(&schema.ids) {
            count += u32::from(
                !self.is_excluded(*branch, value) && self.branch(*branch, value, evaluated.as_deref_mut()),
            );
            if count > 1 {
                break;
            }
        }
        count == 1
            || self.violation(id, Keyword::OneOf, |_| {
                let found = if count == 0 { "none" } else { "several" };
                format!("a value that exactly one of {} schemas holds for, not {found}", schemas.count)
            })
    }

    /// Returns whether the discriminator proves that a schema does not hold for an object.
    fn is_excluded(&mut self, id: SchemaId, value: Node<'i>) -> bool {
        let schema = self.schema;
        let Some(Some(discriminator)) = schema.discriminators.get(id as usize) else { return false };
        let member = self.member(value, schema.text(discriminator.name));
        member.is_some_and(|member| !self.is_one_of(discriminator.choice, member))
    }

    /// Returns whether an optional schema holds. Its evaluated annotations count only if it does.
    pub(super) fn branch(
        &mut self,
        id: SchemaId,
        value: Node<'i>,
        evaluated: Option<&mut Annotations>,
    ) -> bool {
        let Some(evaluated) = evaluated else { return self.quietly(id, value, None) };
        let mut annotations = Annotations::default();
        let holds = self.quietly(id, value, Some(&mut annotations));
        if holds {
            self.spend(annotations.len());
            evaluated.merge(&annotations);
        }
        holds
    }
}
