//! `if`, `then` and `else`.

use crate::{
    error::Error,
    json::Node,
    schema::{
        annotations::Annotations,
        compiler::{Compiler, KeywordValues},
        keyword::Keyword,
        range::{SchemaId, is_some},
        tree::Check,
        validate::Validator,
    },
};

pub(super) fn compile<'d>(
    compiler: &mut Compiler<'d, '_>,
    keywords: &KeywordValues<'d>,
) -> Result<(), Error> {
    let [condition, then, otherwise] =
        [Keyword::If, Keyword::Then, Keyword::Else].map(|keyword| compiler.subschema(keywords, keyword));
    // An `if` alone asserts nothing, but its evaluated annotations count.
    if is_some(condition) {
        compiler.rule(Keyword::If, Check::If(condition, then, otherwise));
    }
    Ok(())
}

impl<'i> Validator<'_, 'i, '_> {
    #[inline(never)]
    pub(in crate::schema) fn conditional(
        &mut self,
        [condition, then, otherwise]: [SchemaId; 3],
        value: Node<'i>,
        mut evaluated: Option<&mut Annotations>,
    ) -> bool {
        let holds = self.branch(condition, value, evaluated.as_deref_mut());
        self.check(if holds { then } else { otherwise }, value, evaluated)
    }
}
