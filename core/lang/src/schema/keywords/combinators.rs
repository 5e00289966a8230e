//! `allOf`, `anyOf`, `oneOf` and `not`.

use alloc::format;

use crate::{
    error::Error,
    json::Node,
    schema::{
        compile::{Compiler, Site},
        marks::Marks,
        run::{Run, is_some},
        tree::{Check, Id, Run as Range},
        word::Word,
    },
};

/// A keyword with a list of schemas, and its check.
type Row = (Word, fn(Range) -> Check);

const LISTS: [Row; 3] =
    [(Word::AllOf, Check::AllOf), (Word::AnyOf, Check::AnyOf), (Word::OneOf, Check::OneOf)];

pub(super) fn compile<'d>(compiler: &mut Compiler<'d, '_>, site: &Site<'d>) -> Result<(), Error> {
    for (word, check) in LISTS {
        if let Some(schemas) = compiler.subschemas(site, word)? {
            compiler.rule(word, check(schemas));
        }
    }
    let schema = compiler.subschema(site, Word::Not);
    if is_some(schema) {
        compiler.rule(Word::Not, Check::Not(schema));
    }
    Ok(())
}

impl<'i> Run<'_, 'i, '_> {
    #[inline(never)]
    pub(in crate::schema) fn all_of(
        &mut self,
        schemas: Range,
        value: Node<'i>,
        mut seen: Option<&mut Marks>,
    ) -> bool {
        let schema = self.schema;
        let mut holds = true;
        self.spend(schemas.count as usize);
        for id in schemas.of(&schema.ids) {
            holds &= self.check(*id, value, seen.as_deref_mut());
            if !(holds || self.goes_on()) {
                break;
            }
        }
        holds
    }

    #[inline(never)]
    pub(in crate::schema) fn any_of(
        &mut self,
        id: Id,
        schemas: Range,
        value: Node<'i>,
        mut seen: Option<&mut Marks>,
    ) -> bool {
        let schema = self.schema;
        let mut holds = false;
        self.spend(schemas.count as usize);
        for branch in schemas.of(&schema.ids) {
            holds |= !self.is_excluded(*branch, value) && self.branch(*branch, value, seen.as_deref_mut());
            // Where someone asks what is evaluated, all branches tell.
            if holds && seen.is_none() {
                break;
            }
        }
        holds
            || self.wrong(id, Word::AnyOf, |_| {
                format!("a value that one of {} schemas holds for", schemas.count)
            })
    }

    #[inline(never)]
    pub(in crate::schema) fn one_of(
        &mut self,
        id: Id,
        schemas: Range,
        value: Node<'i>,
        mut seen: Option<&mut Marks>,
    ) -> bool {
        let schema = self.schema;
        let mut count = 0;
        self.spend(schemas.count as usize);
        for branch in schemas.of(&schema.ids) {
            count += u32::from(
                !self.is_excluded(*branch, value) && self.branch(*branch, value, seen.as_deref_mut()),
            );
            if count > 1 {
                break;
            }
        }
        count == 1
            || self.wrong(id, Word::OneOf, |_| {
                let found = if count == 0 { "none" } else { "several" };
                format!("a value that exactly one of {} schemas holds for, not {found}", schemas.count)
            })
    }

    /// Whether the one member tells that a schema does not hold for an object: the schemas of a choice often differ by what
    /// they have a member say.
    fn is_excluded(&mut self, id: Id, value: Node<'i>) -> bool {
        let schema = self.schema;
        let Some(Some(guard)) = schema.guards.get(id as usize) else { return false };
        let member = self.member(value, schema.text(guard.name));
        member.is_some_and(|member| !self.is_one_of(guard.choice, member))
    }

    /// Whether a schema holds that need not; what it evaluates counts if it does.
    pub(super) fn branch(&mut self, id: Id, value: Node<'i>, seen: Option<&mut Marks>) -> bool {
        let Some(seen) = seen else { return self.quietly(id, value, None) };
        let mut marks = Marks::default();
        let holds = self.quietly(id, value, Some(&mut marks));
        if holds {
            self.spend(marks.len());
            seen.join(&marks);
        }
        holds
    }
}
