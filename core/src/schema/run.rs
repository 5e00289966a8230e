//! Validation: an instance against a compiled schema.
//!
//! There is one predicate. It stops at the first rule that does not hold, or, when it collects, notes what does not hold
//! and goes on; nothing else differs.

use alloc::vec::Vec;

use super::{
    keywords,
    marks::Marks,
    tree::{Check, Family, Id, NONE, Node as Compiled, Rule, Schema},
    violation::Violation,
};
use crate::{codes::ErrorCode, error::Error, json::Node, order, steps::Steps};

/// How deep schemas may be applied inside of one another. Instances nest 128 deep, and most schemas take two steps from
/// one of their levels to the next; each takes about a hundred bytes of a module's stack, of which there are 48 KiB.
const MAX_NESTING: u32 = 320;

/// One step into the instance.
#[derive(Clone, Copy)]
pub(super) enum Segment<'i> {
    /// The member of that name.
    Member(Node<'i>),
    Item(usize),
}

/// What validation carries along.
pub(super) struct Run<'s, 'i, 'b> {
    pub schema: &'s Schema,
    steps: &'b mut Steps,
    /// Whether to go on after what does not hold.
    pub collects: bool,
    pub found: Vec<Violation>,
    /// Where in the instance, if that is of interest.
    pub path: Vec<Segment<'i>>,
    /// The resources that have been entered, if references depend on them.
    scope: Vec<u32>,
    nesting: u32,
    failure: Option<Error>,
}

impl Schema {
    /// Whether the instance is valid. Stops at the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::LimitExceeded`] when the budget runs out, or schemas are applied more than 320 deep; those that
    /// only may hold, or look at what others evaluate, count twice.
    pub fn is_valid(&self, instance: Node<'_>, steps: &mut Steps) -> Result<bool, Error> {
        let mut run = Run::new(self, steps, false);
        let is_valid = run.check(0, instance, None);
        run.failure.map_or(Ok(is_valid), Err)
    }

    /// All that is wrong with the instance, in the order of its places, then of the keywords' places. Of `anyOf`, `oneOf`,
    /// `not`, `if` and `contains` it is only told that they do not hold, not what is wrong inside of them.
    ///
    /// # Errors
    ///
    /// As [`Self::is_valid`]; what is found counts by its length, and more than 10,000 violations are too many.
    pub fn validate(&self, instance: Node<'_>, steps: &mut Steps) -> Result<Vec<Violation>, Error> {
        let mut run = Run::new(self, steps, true);
        run.check(0, instance, None);
        if let Some(failure) = run.failure {
            return Err(failure);
        }
        let mut found = run.found;
        order::sort_by(&mut found, Violation::order);
        found.dedup();
        Ok(found)
    }
}

impl<'s, 'i, 'b> Run<'s, 'i, 'b> {
    fn new(schema: &'s Schema, steps: &'b mut Steps, collects: bool) -> Self {
        Self {
            schema,
            steps,
            collects,
            found: Vec::new(),
            path: Vec::new(),
            scope: Vec::new(),
            nesting: 0,
            failure: None,
        }
    }

    /// Whether a value is as a schema says. `seen` is told what is evaluated, where someone asks. Whoever looks at many
    /// values pays for having looked at each.
    #[inline]
    pub(super) fn check(&mut self, id: Id, value: Node<'i>, seen: Option<&mut Marks>) -> bool {
        let Some(node) = self.schema.nodes.get(id as usize) else { return true };
        let (bits, family) = keywords::types::of(value);
        let fits = node.types & bits != 0;
        if fits && node.is_leaf() {
            return true;
        }
        match family {
            Family::Any | Family::Number | Family::String if fits && node.is_simple => {
                self.scalar(id, node, family, value)
            }
            _ if !(fits || self.collects || keywords::types::may_be_whole(node.types, bits)) => false,
            _ => self.apply(id, node, fits, family, value, seen),
        }
    }

    /// Applies rules that lead nowhere else.
    #[inline(never)]
    fn scalar(&mut self, id: Id, node: &'s Compiled, family: Family, value: Node<'i>) -> bool {
        let (any, own) = self.rules_for(node, family);
        self.both(id, any, own, value, None)
    }

    /// The rules for any value, and those for a kind of values.
    #[inline]
    fn rules_for(&self, node: &Compiled, family: Family) -> (&'s [Rule], &'s [Rule]) {
        let end = |family: usize| node.ends.get(family).map_or(0, |end| usize::from(*end));
        let (any, from, to) = (end(0), end((family as usize).saturating_sub(1)), end(family as usize));
        let rules = self.schema.rules.get(node.first as usize..).unwrap_or_default();
        (rules.get(..any).unwrap_or_default(), rules.get(from..to).unwrap_or_default())
    }

    #[inline(never)]
    fn apply(
        &mut self,
        id: Id,
        node: &'s Compiled,
        fits: bool,
        family: Family,
        value: Node<'i>,
        seen: Option<&mut Marks>,
    ) -> bool {
        let mut holds = fits || keywords::types::is_whole(node.types, value);
        if !holds {
            self.wrong_type(id, node);
            if !self.collects {
                return false;
            }
        }
        let (any, own) = self.rules_for(node, family);
        if any.is_empty() && own.is_empty() {
            return holds;
        }
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return self.too_deep();
        }
        if !self.spend(1) {
            return false;
        }
        holds &= match node.collects || self.schema.is_dynamic() {
            true => self.scoped(id, node, any, own, value, seen),
            false => self.both(id, any, own, value, seen),
        };
        self.nesting -= 1;
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
        let scope = self.enter(node);
        self.nesting += 1;
        let holds = match node.collects {
            true => self.collecting(id, any, own, value, seen),
            false => self.both(id, any, own, value, seen),
        };
        self.nesting -= 1;
        self.scope.truncate(scope);
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
        let own = own.is_empty()
            || match value.is_number() {
                true => self.numbers(id, own, value),
                false => self.rules(id, own, value, seen),
            };
        own && holds
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
    fn rule(&mut self, id: Id, rule: &'s Rule, value: Node<'i>, seen: Option<&mut Marks>) -> bool {
        let holds = match rule.check {
            Check::Ref(target) => return self.check(target, value, seen),
            Check::Members(members) => return self.members(id, members, value, seen),
            Check::Items(first, rest) => return self.items(first, rest, value, seen),
            Check::MinLength(least) => self.is_long(value.bytes(), least),
            Check::MaxLength(most) => self.is_short(value.bytes(), most),
            Check::MinItems(least) | Check::MinProperties(least) => value.len() >= least as usize,
            Check::MaxItems(most) | Check::MaxProperties(most) => value.len() <= most as usize,
            Check::Choice(choice) => self.is_one_of(choice, value),
            Check::Pattern(pattern) => self.matches(pattern, value.name()),
            Check::Format(format) => self.spend(value.bytes().len()) && format.allows(value.name()),
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
            // Those for numbers have a loop of their own.
            Check::Minimum(_)
            | Check::Maximum(_)
            | Check::ExclusiveMinimum(_)
            | Check::ExclusiveMaximum(_)
            | Check::MultipleOf(_) => true,
        };
        holds || self.unmet(id, rule)
    }

    /// Remembers which resource a schema belongs to, where that matters; how many there were.
    fn enter(&mut self, node: &Compiled) -> usize {
        let before = self.scope.len();
        if self.schema.is_dynamic() && self.scope.last() != Some(&node.resource) {
            self.scope.push(node.resource);
        }
        before
    }

    /// The resources that have been entered, the outermost first.
    pub(super) fn scope(&self) -> &[u32] {
        &self.scope
    }

    /// Whether all that is wrong is to be found.
    pub(super) const fn goes_on(&self) -> bool {
        self.collects
    }

    /// Checks an item or a member.
    #[inline]
    pub(super) fn child(&mut self, id: Id, segment: Segment<'i>, value: Node<'i>) -> bool {
        if !self.collects {
            return self.check(id, value, None);
        }
        self.path.push(segment);
        let holds = self.check(id, value, None);
        self.path.pop();
        holds
    }

    /// Whether a schema holds, which nobody is told about if it does not.
    pub(super) fn quietly(&mut self, id: Id, value: Node<'i>, seen: Option<&mut Marks>) -> bool {
        let collects = core::mem::replace(&mut self.collects, false);
        let nesting = self.nesting;
        // There is more to remember on the way.
        self.nesting += 1;
        let holds = self.check(id, value, seen);
        self.collects = collects && self.failure.is_none();
        self.nesting = nesting;
        holds
    }

    /// Takes steps from the budget; false if they are not there, and then nothing holds any more.
    #[inline]
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        match self.steps.spend(steps) {
            Ok(()) => true,
            Err(error) => self.fail(error),
        }
    }

    /// Lends the budget to what fails by itself.
    pub(super) fn within<T: Default>(&mut self, work: impl FnOnce(&mut Steps) -> Result<T, Error>) -> T {
        match work(self.steps) {
            Ok(done) => done,
            Err(error) => {
                self.fail(error);
                T::default()
            }
        }
    }

    /// Ends validation: no steps are left, so whatever goes on ends soon.
    #[cold]
    pub(super) fn fail(&mut self, error: Error) -> bool {
        self.failure.get_or_insert(error);
        self.collects = false;
        *self.steps = Steps::new(0);
        false
    }

    #[cold]
    fn too_deep(&mut self) -> bool {
        self.fail(Error::new(ErrorCode::LimitExceeded, "schemas are applied too deep inside of one another"))
    }

    /// A value of an object's member, if it is there.
    pub(super) fn member(&mut self, value: Node<'i>, name: &str) -> Option<Node<'i>> {
        self.spend(value.len()).then(|| value.member(name)).flatten()
    }
}

/// Whether there is such a schema.
pub(super) const fn is_some(id: Id) -> bool {
    id != NONE
}
