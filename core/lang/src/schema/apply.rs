//! Application of a schema's rules: those for any value, then those for the type of the value.

use super::{
    annotations::Annotations,
    range::SchemaId,
    tree::{Check, Family, Rule, SchemaNode},
    validate::{MAX_NESTING, Validator},
    value_types,
};
use crate::json::{Kind, Node};

impl<'s, 'i> Validator<'s, 'i, '_> {
    /// Returns the rules for a family of types.
    #[inline]
    pub(super) fn rules_for(&self, node: &SchemaNode, family: Family) -> &'s [Rule] {
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
        id: SchemaId,
        node: &'s SchemaNode,
        fits: bool,
        family: Family,
        value: Node<'i>,
        mut evaluated: Option<&mut Annotations>,
    ) -> bool {
        let any = self.rules_for(node, Family::Any);
        let own = if matches!(family, Family::Any) { &[] } else { self.rules_for(node, family) };
        let is_asked = !(any.is_empty() && own.is_empty());
        let memoizes = is_asked && self.memo.count_application();
        if memoizes && let Some(holds) = self.memoized(id, value, evaluated.as_deref_mut()) {
            return holds;
        }
        let mut holds = fits || value_types::is_whole(node.types, value);
        if !holds {
            self.type_violation(id, node);
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
                true => self.scoped(id, node, any, own, value, evaluated.as_deref_mut()),
                false => self.both(id, any, own, value, evaluated.as_deref_mut()),
            };
            self.nesting -= 1;
        }
        if memoizes {
            self.memoize(id, value, holds, evaluated);
        }
        holds
    }

    /// Applies the rules of a schema that is in a dynamic scope or reads evaluated annotations.
    #[inline(never)]
    fn scoped(
        &mut self,
        id: SchemaId,
        node: &SchemaNode,
        any: &'s [Rule],
        own: &'s [Rule],
        value: Node<'i>,
        evaluated: Option<&mut Annotations>,
    ) -> bool {
        let before = self.enter(node);
        let collects = u32::from(node.collects);
        self.nesting += collects;
        let holds = match node.collects {
            true => self.collecting(id, any, own, value, evaluated),
            false => self.both(id, any, own, value, evaluated),
        };
        self.nesting -= collects;
        self.leave(before);
        holds
    }

    /// Applies the rules with fresh annotations, then adds these to the caller's.
    #[inline(never)]
    fn collecting(
        &mut self,
        id: SchemaId,
        any: &'s [Rule],
        own: &'s [Rule],
        value: Node<'i>,
        evaluated: Option<&mut Annotations>,
    ) -> bool {
        let mut annotations = Annotations::default();
        let holds = self.both(id, any, own, value, Some(&mut annotations));
        if let Some(evaluated) = evaluated {
            self.spend(annotations.len());
            evaluated.merge(&annotations);
        }
        holds
    }

    /// Applies the rules for any value, then those for the type.
    #[inline]
    fn both(
        &mut self,
        id: SchemaId,
        any: &'s [Rule],
        own: &'s [Rule],
        value: Node<'i>,
        mut evaluated: Option<&mut Annotations>,
    ) -> bool {
        let holds = any.is_empty() || self.rules(id, any, value, evaluated.as_deref_mut());
        if !(holds || self.collects) {
            return false;
        }
        (own.is_empty() || self.own(id, own, value, evaluated)) && holds
    }

    /// Applies the rules for the type of the value.
    #[inline]
    pub(super) fn own(
        &mut self,
        id: SchemaId,
        rules: &'s [Rule],
        value: Node<'i>,
        evaluated: Option<&mut Annotations>,
    ) -> bool {
        match value.kind() {
            Kind::Integer | Kind::Float => self.numbers(id, rules, value),
            Kind::String => self.strings(id, rules, value),
            _ => match rules {
                // Most objects have no other rule.
                [Rule { check: Check::ObjectRules(members), .. }] => {
                    self.members(id, *members, value, evaluated)
                }
                _ => self.rules(id, rules, value, evaluated),
            },
        }
    }

    #[inline(never)]
    fn rules(
        &mut self,
        id: SchemaId,
        rules: &'s [Rule],
        value: Node<'i>,
        mut evaluated: Option<&mut Annotations>,
    ) -> bool {
        let mut holds = true;
        for rule in rules {
            if !self.rule(id, rule, value, evaluated.as_deref_mut()) {
                holds = false;
                if !self.collects {
                    break;
                }
            }
        }
        holds
    }

    #[inline]
    pub(super) fn rule(
        &mut self,
        id: SchemaId,
        rule: &'s Rule,
        value: Node<'i>,
        evaluated: Option<&mut Annotations>,
    ) -> bool {
        let holds = match rule.check {
            Check::Ref(target) => return self.check(target, value, evaluated),
            Check::ObjectRules(members) => return self.members(id, members, value, evaluated),
            Check::Items(first, rest) => return self.items(first, rest, value, evaluated),
            Check::MinItems(least) | Check::MinProperties(least) => value.len() >= least as usize,
            Check::MaxItems(most) | Check::MaxProperties(most) => value.len() <= most as usize,
            Check::Choice(choice) => self.is_one_of(choice, value),
            Check::UniqueItems => self.is_unique(value),
            Check::AllOf(schemas) => return self.all_of(schemas, value, evaluated),
            Check::AnyOf(schemas) => return self.any_of(id, schemas, value, evaluated),
            Check::OneOf(schemas) => return self.one_of(id, schemas, value, evaluated),
            Check::Not(schema) => !self.quietly(schema, value, None),
            Check::If(condition, then, otherwise) => {
                return self.conditional([condition, then, otherwise], value, evaluated);
            }
            Check::DynamicRef(namesake, fallback) => {
                return self.dynamic(namesake, fallback, value, evaluated);
            }
            Check::Contains(schema, least, most) => {
                return self.contains(id, schema, [least, most], value, evaluated);
            }
            Check::UnevaluatedItems(schema) => return self.unevaluated_items(schema, value, evaluated),
            Check::UnevaluatedProperties(schema) => {
                return self.unevaluated_properties(schema, value, evaluated);
            }
            Check::PropertyNames(schema) => return self.property_names(id, schema, value),
            Check::Dependents(dependents) => {
                return self.dependents(id, rule.keyword, dependents, value, evaluated);
            }
            // `numbers` and `strings` handle these in their own loops.
            Check::Minimum(_)
            | Check::Maximum(_)
            | Check::ExclusiveMinimum(_)
            | Check::ExclusiveMaximum(_)
            | Check::MultipleOf(_)
            | Check::MinLength(_)
            | Check::MaxLength(_)
            | Check::Pattern(_)
            | Check::Format(_) => true,
        };
        holds || self.rule_violation(id, rule)
    }
}
