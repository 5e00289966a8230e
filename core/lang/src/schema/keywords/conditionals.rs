//! `if`, `then` and `else`.

use crate::{
    error::Error,
    json::Node,
    schema::{
        compile::{Compiler, Site},
        marks::Marks,
        run::{Run, is_some},
        tree::{Check, Id},
        word::Word,
    },
};

pub(super) fn compile<'d>(compiler: &mut Compiler<'d, '_>, site: &Site<'d>) -> Result<(), Error> {
    let [condition, then, otherwise] =
        [Word::If, Word::Then, Word::Else].map(|word| compiler.subschema(site, word));
    // A condition alone says nothing, but what it evaluates counts.
    if is_some(condition) {
        compiler.rule(Word::If, Check::If(condition, then, otherwise));
    }
    Ok(())
}

impl<'i> Run<'_, 'i, '_> {
    #[inline(never)]
    pub(in crate::schema) fn conditional(
        &mut self,
        [condition, then, otherwise]: [Id; 3],
        value: Node<'i>,
        mut seen: Option<&mut Marks>,
    ) -> bool {
        let holds = self.branch(condition, value, seen.as_deref_mut());
        self.check(if holds { then } else { otherwise }, value, seen)
    }
}
