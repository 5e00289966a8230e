//! Validation: an instance against a compiled schema.
//!
//! There is one predicate. It stops at the first rule that does not hold, or, when it collects, notes what does not hold
//! and goes on; nothing else differs.

use alloc::{vec, vec::Vec};

use super::{
    keywords,
    marks::Marks,
    recall::Recall,
    tree::{Family, Id, NONE, Node as Compiled, Rule, Schema},
    violation::Violation,
};
use crate::{codes, error::Error, json::Node, order, steps::Steps};

/// How deep schemas may be applied inside of one another. Instances nest 128 deep, and a schema of what contains its like
/// takes one to four steps from one of their levels to the next, so that none of these ends here. Each takes up to 64 bytes of a
/// module's stack, of which there are 48 KiB.
pub(super) const MAX_NESTING: u32 = 576;

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
    /// For the number of a dynamic anchor's first namesake where references to the name lead, by what has been entered.
    pub(super) scope: Vec<Id>,
    /// Those of them that have been set, in this order.
    set: Vec<u32>,
    /// The resource that was entered last.
    resource: u32,
    pub(super) nesting: u32,
    pub(super) recall: Recall,
    failure: Option<Error>,
}

impl Schema {
    /// Whether the instance is valid. Stops at the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// [`codes::LIMIT_EXCEEDED`] when the budget runs out, or schemas are applied more than 576 deep; those that
    /// only may hold, or look at what others evaluate, count twice.
    pub fn is_valid(&self, instance: Node<'_>, steps: &mut Steps) -> Result<bool, Error> {
        let mut run = Run::new(self, instance, steps, false);
        let is_valid = run.check(0, instance, None);
        run.failure.map_or(Ok(is_valid), Err)
    }

    /// Whether one rule of a schema holds for a value; without one, whether its types do.
    pub(super) fn holds_alone(
        &self,
        id: Id,
        rule: Option<&Rule>,
        value: Node<'_>,
        steps: &mut Steps,
    ) -> Result<bool, Error> {
        let Some(rule) = rule else {
            let types = self.nodes.get(id as usize).map_or(u8::MAX, |node| node.types);
            return Ok(types & keywords::types::of(value).0 != 0 || keywords::types::is_whole(types, value));
        };
        let mut run = Run::new(self, value, steps, false);
        let rules = core::slice::from_ref(rule);
        let holds = match rule.check.is_for_scalars() {
            true => run.own(id, rules, value, None),
            false => run.rule(id, rule, value, None),
        };
        run.failure.map_or(Ok(holds), Err)
    }

    /// All that is wrong with the instance, in the order of its places, then of the keywords' places. Of `anyOf`, `oneOf`,
    /// `not`, `if` and `contains` it is only told that they do not hold, not what is wrong inside of them.
    ///
    /// # Errors
    ///
    /// As [`Self::is_valid`]; what is found counts by its length, and more than 10,000 violations are too many.
    pub fn validate(&self, instance: Node<'_>, steps: &mut Steps) -> Result<Vec<Violation>, Error> {
        let mut run = Run::new(self, instance, steps, true);
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
    fn new(schema: &'s Schema, instance: Node<'i>, steps: &'b mut Steps, collects: bool) -> Self {
        Self {
            schema,
            steps,
            collects,
            found: Vec::new(),
            path: Vec::new(),
            scope: vec![NONE; schema.anchors.len()],
            set: Vec::new(),
            resource: u32::MAX,
            nesting: 0,
            recall: Recall::new(instance),
            failure: None,
        }
    }

    /// Whether a value is as a schema says. `seen` is told what is evaluated, where someone asks. Whoever looks at many
    /// values pays for having looked at each.
    #[inline(never)]
    pub(super) fn check(&mut self, id: Id, value: Node<'i>, seen: Option<&mut Marks>) -> bool {
        self.check_here(id, value, seen)
    }

    /// The same, for the loops over items and members: what most of these need is told without another call.
    #[expect(clippy::inline_always, reason = "it is what saves the call")]
    #[inline(always)]
    fn check_here(&mut self, id: Id, value: Node<'i>, seen: Option<&mut Marks>) -> bool {
        let Some(node) = self.schema.nodes.get(id as usize) else { return true };
        let (bits, family) = keywords::types::of(value);
        let fits = node.types & bits != 0;
        if !(fits && node.is_simple) {
            return self.check_any(id, node, (fits, bits, family), value, seen);
        }
        match family {
            _ if node.is_leaf() => true,
            _ if is_some(node.choice) => self.is_one_of(node.choice, value) || self.is_no_choice(id, node),
            Family::Any => true,
            Family::Number => self.numbers(id, self.rules_for(node, family), value),
            Family::String => self.strings(id, self.rules_for(node, family), value),
            Family::Array | Family::Object => self.apply(id, node, fits, family, value, seen),
        }
    }

    /// Checks what is not quickly told.
    #[inline(never)]
    fn check_any(
        &mut self,
        id: Id,
        node: &'s Compiled,
        (fits, bits, family): (bool, u8, Family),
        value: Node<'i>,
        seen: Option<&mut Marks>,
    ) -> bool {
        (fits || self.collects || keywords::types::may_be_whole(node.types, bits))
            && self.apply(id, node, fits, family, value, seen)
    }

    /// Notes that a value is none of those that are the only thing a schema asks for.
    #[cold]
    fn is_no_choice(&mut self, id: Id, node: &Compiled) -> bool {
        self.schema.rules.get(node.first as usize).is_none_or(|rule| self.unmet(id, rule))
    }

    /// Enters the resource that a schema belongs to: its dynamic anchors count where no other has their names. Answers what is
    /// to be known to leave it.
    pub(super) fn enter(&mut self, node: &Compiled) -> (usize, u32) {
        let before = (self.set.len(), self.resource);
        let anchors = &self.schema.anchors;
        if anchors.is_empty() || node.resource == self.resource {
            return before;
        }
        self.resource = node.resource;
        let first = anchors.partition_point(|anchor| anchor.resource < node.resource);
        let own = anchors.get(first..).unwrap_or_default().iter();
        for anchor in own.take_while(|anchor| anchor.resource == node.resource) {
            self.spend(1);
            if let Some(slot) = self.scope.get_mut(anchor.namesake as usize)
                && !is_some(*slot)
            {
                *slot = anchor.schema;
                self.set.push(anchor.namesake);
            }
        }
        before
    }

    pub(super) fn leave(&mut self, (set, resource): (usize, u32)) {
        self.resource = resource;
        while self.set.len() > set
            && let Some(namesake) = self.set.pop()
        {
            self.scope.get_mut(namesake as usize).into_iter().for_each(|slot| *slot = NONE);
        }
    }

    /// Whether all that is wrong is to be found.
    pub(super) const fn goes_on(&self) -> bool {
        self.collects
    }

    /// Checks an item or a member.
    #[expect(clippy::inline_always, reason = "it is what saves the call")]
    #[inline(always)]
    pub(super) fn child(&mut self, id: Id, segment: Segment<'i>, value: Node<'i>) -> bool {
        if self.collects {
            return self.child_on_path(id, segment, value);
        }
        self.check_here(id, value, None)
    }

    /// The same, where it is of interest where that is.
    #[inline(never)]
    fn child_on_path(&mut self, id: Id, segment: Segment<'i>, value: Node<'i>) -> bool {
        // Of many values nothing is asked but a type, or to be one of some.
        if let Some(node) = self.schema.nodes.get(id as usize)
            && node.types & keywords::types::of(value).0 != 0
            && (node.is_leaf() || is_some(node.choice) && self.is_one_of(node.choice, value))
        {
            return true;
        }
        self.path.push(segment);
        let holds = self.check(id, value, None);
        self.path.pop();
        holds
    }

    /// Checks the value itself again, where there is more to remember on the way.
    pub(super) fn deeper(&mut self, id: Id, value: Node<'i>, seen: Option<&mut Marks>) -> bool {
        self.nesting += 1;
        let holds = self.check(id, value, seen);
        self.nesting -= 1;
        holds
    }

    /// Whether a schema holds, which nobody is told about if it does not.
    pub(super) fn quietly(&mut self, id: Id, value: Node<'i>, seen: Option<&mut Marks>) -> bool {
        let collects = core::mem::replace(&mut self.collects, false);
        let holds = self.deeper(id, value, seen);
        self.collects = collects && self.failure.is_none();
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
    pub(super) fn too_deep(&mut self) -> bool {
        self.fail(Error::new(codes::LIMIT_EXCEEDED, "schemas are applied too deep inside of one another"))
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
