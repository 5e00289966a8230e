//! Validation of an instance against a compiled schema.
//!
//! There is one predicate. In yes-or-no mode, it stops at the first rule that fails. In collecting mode, it records violations and
//! continues.

use alloc::{vec, vec::Vec};

use super::{
    annotations::Annotations,
    memo::MemoTable,
    range::{NONE, SchemaId, is_some},
    tree::{Family, Rule, Schema, SchemaNode},
    value_types,
    violation::Violation,
};
use crate::{codes, error::Error, json::Node, order, steps::Steps};

/// The most schemas that may be nested in one another. Instances nest 128 deep, and a recursive schema takes one to four steps per
/// level, so none of these reaches the limit. Each step takes up to 64 bytes of a module's stack of 48 KiB.
pub(super) const MAX_NESTING: u32 = 576;

/// One step of the path into the instance.
#[derive(Clone, Copy)]
pub(super) enum PathSegment<'i> {
    Field(Node<'i>),
    Item(usize),
}

/// The state of one validation.
pub(super) struct Validator<'s, 'i, 'b> {
    pub schema: &'s Schema,
    steps: &'b mut Steps,
    /// True to continue after a failure, and record violations.
    pub collects: bool,
    pub found: Vec<Violation>,
    /// The path of the current value, maintained only while collecting.
    pub path: Vec<PathSegment<'i>>,
    /// The dynamic scope: per anchor name (by the index of its first anchor), the schema that references resolve to.
    pub(super) scope: Vec<SchemaId>,
    /// The indices set in `scope`, in order.
    set: Vec<u32>,
    /// The resource entered last.
    resource: u32,
    pub(super) nesting: u32,
    pub(super) memo: MemoTable,
    failure: Option<Error>,
}

impl Schema {
    /// Returns whether the instance is valid. Stops at the first failure.
    ///
    /// # Errors
    ///
    /// [`codes::LIMIT_EXCEEDED`] when the budget runs out, or when schemas nest more than 576 deep. Branches that may fail, and
    /// schemas that read evaluated annotations, count twice.
    pub fn is_valid(&self, instance: Node<'_>, steps: &mut Steps) -> Result<bool, Error> {
        let mut run = Validator::new(self, instance, steps, false);
        let is_valid = run.check(0, instance, None);
        run.failure.map_or(Ok(is_valid), Err)
    }

    /// Returns whether one rule of a schema holds for a value. Without a rule, checks only the types.
    pub(super) fn holds_alone(
        &self,
        id: SchemaId,
        rule: Option<&Rule>,
        value: Node<'_>,
        steps: &mut Steps,
    ) -> Result<bool, Error> {
        let Some(rule) = rule else {
            let types = self.nodes.get(id as usize).map_or(u8::MAX, |node| node.types);
            return Ok(
                types & value_types::bits_and_family(value).0 != 0 || value_types::is_whole(types, value)
            );
        };
        let mut run = Validator::new(self, value, steps, false);
        let rules = core::slice::from_ref(rule);
        let holds = match rule.check.is_for_scalars() {
            true => run.own(id, rules, value, None),
            false => run.rule(id, rule, value, None),
        };
        run.failure.map_or(Ok(holds), Err)
    }

    /// Returns all violations, sorted by the path of the value, then by the path of the keyword. For `anyOf`, `oneOf`, `not`, `if`
    /// and `contains`, it reports that they fail, and not the failures inside their branches.
    ///
    /// # Errors
    ///
    /// As in [`Self::is_valid`]. Violations cost steps by their length, and more than 10,000 are an error.
    pub fn validate(&self, instance: Node<'_>, steps: &mut Steps) -> Result<Vec<Violation>, Error> {
        let mut run = Validator::new(self, instance, steps, true);
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

impl<'s, 'i, 'b> Validator<'s, 'i, 'b> {
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
            memo: MemoTable::new(instance),
            failure: None,
        }
    }

    /// Returns whether a value matches a schema, and adds evaluated annotations to `seen`. Callers that loop over values pay the
    /// steps for each.
    #[inline(never)]
    pub(super) fn check(
        &mut self,
        id: SchemaId,
        value: Node<'i>,
        evaluated: Option<&mut Annotations>,
    ) -> bool {
        self.check_here(id, value, evaluated)
    }

    /// The same, for loops over items and fields: decides the most common cases without another call.
    #[expect(clippy::inline_always, reason = "it is what saves the call")]
    #[inline(always)]
    fn check_here(&mut self, id: SchemaId, value: Node<'i>, evaluated: Option<&mut Annotations>) -> bool {
        let Some(node) = self.schema.nodes.get(id as usize) else { return true };
        let (bits, family) = value_types::bits_and_family(value);
        let fits = node.types & bits != 0;
        if !(fits && node.is_simple) {
            return self.check_any(id, node, (fits, bits, family), value, evaluated);
        }
        match family {
            _ if node.is_leaf() => true,
            _ if is_some(node.choice) => self.is_one_of(node.choice, value) || self.is_no_choice(id, node),
            Family::Any => true,
            Family::Number => self.numbers(id, self.rules_for(node, family), value),
            Family::String => self.strings(id, self.rules_for(node, family), value),
            Family::Array | Family::Object => self.apply(id, node, fits, family, value, evaluated),
        }
    }

    /// Checks the cases that are not decided at once.
    #[inline(never)]
    fn check_any(
        &mut self,
        id: SchemaId,
        node: &'s SchemaNode,
        (fits, bits, family): (bool, u8, Family),
        value: Node<'i>,
        evaluated: Option<&mut Annotations>,
    ) -> bool {
        (fits || self.collects || value_types::may_be_whole(node.types, bits))
            && self.apply(id, node, fits, family, value, evaluated)
    }

    /// Records that a value is not in the `enum` or `const` that is the only rule of a schema.
    #[cold]
    fn is_no_choice(&mut self, id: SchemaId, node: &SchemaNode) -> bool {
        self.schema.rules.get(node.first as usize).is_none_or(|rule| self.rule_violation(id, rule))
    }

    /// Enters the resource of a schema: its dynamic anchors apply unless an outer resource has one of the same name. Returns the
    /// state for [`Self::leave`].
    pub(super) fn enter(&mut self, node: &SchemaNode) -> (usize, u32) {
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

    /// Returns whether to continue after a failure.
    pub(super) const fn goes_on(&self) -> bool {
        self.collects
    }

    /// Checks an item or a field.
    #[expect(clippy::inline_always, reason = "it is what saves the call")]
    #[inline(always)]
    pub(super) fn child(&mut self, id: SchemaId, segment: PathSegment<'i>, value: Node<'i>) -> bool {
        if self.collects {
            return self.child_on_path(id, segment, value);
        }
        self.check_here(id, value, None)
    }

    /// The same, in collecting mode, which maintains the path.
    #[inline(never)]
    fn child_on_path(&mut self, id: SchemaId, segment: PathSegment<'i>, value: Node<'i>) -> bool {
        // Most values only have a type or an `enum`, so the path is not needed.
        if let Some(node) = self.schema.nodes.get(id as usize)
            && node.types & value_types::bits_and_family(value).0 != 0
            && (node.is_leaf() || is_some(node.choice) && self.is_one_of(node.choice, value))
        {
            return true;
        }
        self.path.push(segment);
        let holds = self.check(id, value, None);
        self.path.pop();
        holds
    }

    /// Checks the same value against another schema, one level deeper, because the caller needs more stack.
    pub(super) fn deeper(
        &mut self,
        id: SchemaId,
        value: Node<'i>,
        evaluated: Option<&mut Annotations>,
    ) -> bool {
        self.nesting += 1;
        let holds = self.check(id, value, evaluated);
        self.nesting -= 1;
        holds
    }

    /// Returns whether a schema holds, without recording violations.
    pub(super) fn quietly(
        &mut self,
        id: SchemaId,
        value: Node<'i>,
        evaluated: Option<&mut Annotations>,
    ) -> bool {
        let collects = core::mem::replace(&mut self.collects, false);
        let holds = self.deeper(id, value, evaluated);
        self.collects = collects && self.failure.is_none();
        holds
    }

    /// Takes steps from the budget. Returns `false` if they are not available; then every later check fails too.
    #[inline]
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        match self.steps.spend(steps) {
            Ok(()) => true,
            Err(error) => self.fail(error),
        }
    }

    /// Runs `work`, which has its own errors, on the budget.
    pub(super) fn within<T: Default>(&mut self, work: impl FnOnce(&mut Steps) -> Result<T, Error>) -> T {
        match work(self.steps) {
            Ok(done) => done,
            Err(error) => {
                self.fail(error);
                T::default()
            }
        }
    }

    /// Ends validation: sets the budget to 0, so that running loops stop soon.
    #[cold]
    pub(super) fn fail(&mut self, error: Error) -> bool {
        self.failure.get_or_insert(error);
        self.collects = false;
        *self.steps = Steps::new(0);
        false
    }

    #[cold]
    pub(super) fn too_deep(&mut self) -> bool {
        self.fail(Error::new(codes::LIMIT_EXCEEDED, "schemas nest more than 576 deep"))
    }

    /// Returns the value of an object's field, if it is present.
    pub(super) fn member(&mut self, value: Node<'i>, name: &str) -> Option<Node<'i>> {
        self.spend(value.len()).then(|| value.member(name)).flatten()
    }
}
