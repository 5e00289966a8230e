//! Applying the rules of a schema: those for any value, then those for its kind.

use super::{
    keywords,
    marks::Marks,
    run::{MAX_NESTING, Run},
    tree::{Check, Family, Id, Node as Compiled, Rule},
};
use crate::json::{Kind, Node};

impl<'s, 'i> Run<'s, 'i, '_> {
    /// The rules for a family of values.
    #[inline]
    pub(super) fn rules_for(&self, node: &Compiled, family: Family) -> &'s [Rule] {
        let before = match family {
            Family::Any => 0,
            family => node.ends.get(family as usize - 1).copied().unwrap_or_default(),
        };
        let (first, end) = (node.first as usize, node.ends.get(family as usize).copied().unwrap_or_default());
        self.schema.rules.get(first + usize::from(before)..first + usize::from(end)).unwrap_or_default()
    }

    #[inline(never)]
    pub(super) fn apply(
        &mut self,
        id: Id,
        node: &'s Compiled,
        fits: bool,
        family: Family,
        value: Node<'i>,
        mut seen: Option<&mut Marks>,
    ) -> bool {
        let any = self.rules_for(node, Family::Any);
        let own = if matches!(family, Family::Any) { &[] } else { self.rules_for(node, family) };
        let is_asked = !(any.is_empty() && own.is_empty());
        let keeps = is_asked && self.recall.begins();
        if keeps && let Some(holds) = self.recall(id, value, seen.as_deref_mut()) {
            return holds;
        }
        let mut holds = fits || keywords::types::is_whole(node.types, value);
        if !holds {
            self.wrong_type(id, node);
        }
        if is_asked && (holds || self.collects) {
            self.nesting += 1;
            if self.nesting > MAX_NESTING {
                return self.too_deep();
            }
            if !self.spend(1) {
                return false;
            }
            holds &= match node.collects || self.schema.is_dynamic() {
                true => self.scoped(id, node, any, own, value, seen.as_deref_mut()),
                false => self.both(id, any, own, value, seen.as_deref_mut()),
            };
            self.nesting -= 1;
        }
        if keeps {
            self.keep(id, value, holds, seen);
        }
        holds
    }

    /// Applies rules where references depend on how one got there, or where rules look at what others evaluate.
    #[inline(never)]
    fn scoped(
        &mut self,
        id: Id,
        node: &Compiled,
        any: &'s [Rule],
        own: &'s [Rule],
        value: Node<'i>,
        seen: Option<&mut Marks>,
    ) -> bool {
        let before = self.enter(node);
        let collects = u32::from(node.collects);
        self.nesting += collects;
        let holds = match node.collects {
            true => self.collecting(id, any, own, value, seen),
            false => self.both(id, any, own, value, seen),
        };
        self.nesting -= collects;
        self.leave(before);
        holds
    }

    /// Applies rules, and sees what they evaluate before it tells whoever asks.
    #[inline(never)]
    fn collecting(
        &mut self,
        id: Id,
        any: &'s [Rule],
        own: &'s [Rule],
        value: Node<'i>,
        seen: Option<&mut Marks>,
    ) -> bool {
        let mut marks = Marks::default();
        let holds = self.both(id, any, own, value, Some(&mut marks));
        if let Some(seen) = seen {
            self.spend(marks.len());
            seen.join(&marks);
        }
        holds
    }

    /// The rules for any value, then those for its kind.
    #[inline]
    fn both(
        &mut self,
        id: Id,
        any: &'s [Rule],
        own: &'s [Rule],
        value: Node<'i>,
        mut seen: Option<&mut Marks>,
    ) -> bool {
        let holds = any.is_empty() || self.rules(id, any, value, seen.as_deref_mut());
        if !(holds || self.collects) {
            return false;
        }
        (own.is_empty() || self.own(id, own, value, seen)) && holds
    }

    /// The rules for a value's kind.
    #[inline]
    pub(super) fn own(
        &mut self,
        id: Id,
        rules: &'s [Rule],
        value: Node<'i>,
        seen: Option<&mut Marks>,
    ) -> bool {
        match value.kind() {
            Kind::Integer | Kind::Float => self.numbers(id, rules, value),
            Kind::String => self.strings(id, rules, value),
            _ => match rules {
                // Of most objects nothing else is asked than what their members are.
                [Rule { check: Check::Members(members), .. }] => self.members(id, *members, value, seen),
                _ => self.rules(id, rules, value, seen),
            },
        }
    }

    #[inline(never)]
    fn rules(&mut self, id: Id, rules: &'s [Rule], value: Node<'i>, mut seen: Option<&mut Marks>) -> bool {
        let mut holds = true;
        for rule in rules {
            if !self.rule(id, rule, value, seen.as_deref_mut()) {
                holds = false;
                if !self.collects {
                    break;
                }
            }
        }
        holds
    }

    #[inline]
    pub(super) fn rule(&mut self, id: Id, rule: &'s Rule, value: Node<'i>, seen: Option<&mut Marks>) -> bool {
        let holds = match rule.check {
            Check::Ref(target) => return self.check(target, value, seen),
            Check::Members(members) => return self.members(id, members, value, seen),
            Check::Items(first, rest) => return self.items(first, rest, value, seen),
            Check::MinItems(least) | Check::MinProperties(least) => value.len() >= least as usize,
            Check::MaxItems(most) | Check::MaxProperties(most) => value.len() <= most as usize,
            Check::Choice(choice) => self.is_one_of(choice, value),
            Check::UniqueItems => self.is_unique(value),
            Check::AllOf(schemas) => return self.all_of(schemas, value, seen),
            Check::AnyOf(schemas) => return self.any_of(id, schemas, value, seen),
            Check::OneOf(schemas) => return self.one_of(id, schemas, value, seen),
            Check::Not(schema) => !self.quietly(schema, value, None),
            Check::If(condition, then, otherwise) => {
                return self.conditional([condition, then, otherwise], value, seen);
            }
            Check::DynamicRef(namesake, fallback) => return self.dynamic(namesake, fallback, value, seen),
            Check::Contains(schema, least, most) => {
                return self.contains(id, schema, [least, most], value, seen);
            }
            Check::UnevaluatedItems(schema) => return self.unevaluated_items(schema, value, seen),
            Check::UnevaluatedProperties(schema) => return self.unevaluated_properties(schema, value, seen),
            Check::PropertyNames(schema) => return self.property_names(id, schema, value),
            Check::Dependents(dependents) => return self.dependents(id, rule.word, dependents, value, seen),
            // Those for numbers and strings have loops of their own.
            _ => true,
        };
        holds || self.unmet(id, rule)
    }
}
