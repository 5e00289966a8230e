//! `$ref` and `$dynamicRef`.

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
    for word in [Word::Ref, Word::DynamicRef] {
        let Some(value) = site.value(word) else { continue };
        let Some(reference) = value.as_str() else {
            return Err(compiler.wrong(site, word, "a URI reference"));
        };
        if compiler.locator.faults.hide_names {
            continue;
        }
        let target = compiler.locator.referred(site.id, word, reference)?;
        let check = match compiler.dynamic_name(target, word, reference) {
            Some(name) => Check::DynamicRef(name, target),
            None => Check::Ref(target),
        };
        compiler.rule(word, check);
    }
    Ok(())
}

impl Compiler<'_, '_> {
    /// The anchor that a reference asks for, if it is dynamic, and what it leads to at first has that anchor.
    fn dynamic_name(&self, target: Id, word: Word, reference: &str) -> Option<u32> {
        let schema = &self.locator.schema;
        let (_, name) = reference.split_once('#').filter(|_| word == Word::DynamicRef)?;
        let mut anchors = schema.anchors.iter().filter(|anchor| anchor.schema == target);
        anchors.find(|anchor| schema.text(anchor.name) == name).map(|anchor| anchor.namesake)
    }
}

impl<'i> Run<'_, 'i, '_> {
    #[inline(never)]
    pub(in crate::schema) fn dynamic(
        &mut self,
        namesake: u32,
        fallback: Id,
        value: Node<'i>,
        seen: Option<&mut Marks>,
    ) -> bool {
        self.spend(1);
        let outermost = self.scope.get(namesake as usize).copied().filter(|id| is_some(*id));
        self.check(outermost.unwrap_or(fallback), value, seen)
    }
}
