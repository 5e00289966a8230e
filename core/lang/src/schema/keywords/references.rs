//! `$ref` and `$dynamicRef`.

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
    for keyword in [Keyword::Ref, Keyword::DynamicRef] {
        let Some(value) = keywords.value(keyword) else { continue };
        let Some(reference) = value.as_str() else {
            return Err(compiler.value_error(keywords, keyword, "a URI reference"));
        };
        if compiler.index.faults.hide_names {
            continue;
        }
        let target = compiler.index.resolve_reference(keywords.id, keyword, reference)?;
        let check = match compiler.dynamic_name(target, keyword, reference) {
            Some(name) => Check::DynamicRef(name, target),
            None => Check::Ref(target),
        };
        compiler.rule(keyword, check);
    }
    Ok(())
}

impl Compiler<'_, '_> {
    /// Returns the anchor of a `$dynamicRef` whose initial target has a dynamic anchor of that name.
    fn dynamic_name(&self, target: SchemaId, keyword: Keyword, reference: &str) -> Option<u32> {
        let schema = &self.index.schema;
        let (_, name) = reference.split_once('#').filter(|_| keyword == Keyword::DynamicRef)?;
        let mut anchors = schema.anchors.iter().filter(|anchor| anchor.schema == target);
        anchors.find(|anchor| schema.text(anchor.name) == name).map(|anchor| anchor.namesake)
    }
}

impl<'i> Validator<'_, 'i, '_> {
    #[inline(never)]
    pub(in crate::schema) fn dynamic(
        &mut self,
        namesake: u32,
        fallback: SchemaId,
        value: Node<'i>,
        evaluated: Option<&mut Annotations>,
    ) -> bool {
        self.spend(1);
        let outermost = self.scope.get(namesake as usize).copied().filter(|id| is_some(*id));
        self.check(outermost.unwrap_or(fallback), value, evaluated)
    }
}
