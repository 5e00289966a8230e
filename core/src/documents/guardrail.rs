//! Guardrails as documents: the policy of a run, its trigger, and the node of an event.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Decimal, Error,
    document::{Condition, Document, Id, Keyed, Magnitude},
    json::{self, Node, object::ObjectWriter},
    order,
};

use super::action::Action;
use crate::codes;

/// A policy that watches a run, and never changes its plan.
#[derive(Clone, Debug, Document)]
#[document(name = "RuntimePolicy", expecting = "an object", root)]
pub struct Guardrail<'a> {
    /// Its name, for example `qa_runtime_guardrail`. Counters use it. No other guardrail of the list has it.
    pub id: Id<'a>,
    /// False turns the guardrail off. The default is true.
    #[document(default = true)]
    pub enabled: bool,
    /// The events at which it fires.
    pub trigger: Trigger<'a>,
    /// A condition over the output of the event, for example `{"<": [{"var": "score"}, 0.8]}`. If the trigger has a condition, too,
    /// both must hold.
    pub condition: Option<Condition<'a>>,
    /// The action when it fires.
    pub action: Action<'a>,
    /// The guardrail as it was written, with its extensions.
    #[document(source)]
    pub(crate) source: Node<'a>,
}

impl Keyed for Guardrail<'_> {
    const KEY: &'static str = "id";
}

/// Declares the triggers, each with the fields that it has in addition to those of all triggers.
macro_rules! triggers {
    ($($(#[$about:meta])* $name:ident { $($(#[$meaning:meta])* $field:ident: $kind:ty,)* })+) => {
        /// The kind of an event, and of the trigger that waits for it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Document)]
        #[document(name = "TriggerKind")]
        #[serde(rename_all = "camelCase")]
        pub enum EventKind { $($(#[$about])* $name,)+ }

        /// The events at which a guardrail fires; `kind` says which.
        #[derive(Clone, Debug, Document)]
        #[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
        #[document(expecting = "an object", check = "names_one_node")]
        pub enum Trigger<'a> {
            $($(#[$about])* $name {
                /// The nodes at which it fires. The default is every node, and events without one.
                selector: Option<Selector<'a>>,
                /// A condition over the output of the event, for example `{"<": [{"var": "score"}, 0.8]}`.
                condition: Option<Condition<'a>>,
                /// The same as `nodeId` in `selector`.
                node_id: Option<Id<'a>>,
                $($(#[$meaning])* $field: $kind,)*
                /// The trigger as it was written, with its extensions.
                #[document(source)]
                source: Node<'a>,
            },)+
        }

        impl<'a> Trigger<'a> {
            fn fields(&self) -> TriggerFields<'_, 'a> {
                match self {
                    $(Self::$name { selector, condition, node_id, source, .. } => TriggerFields {
                        kind: EventKind::$name,
                        selector: *selector,
                        condition: condition.as_ref(),
                        node_id: *node_id,
                        source: *source,
                    },)+
                }
            }
        }
    };
}

triggers! {
    /// The run began.
    OnStart {}
    /// A node has completed.
    OnNodeComplete {}
    /// An output breaks its contract.
    OnValidationFail {}
    /// A post-condition of a node does not hold.
    OnPostConditionFailed {}
    /// Time has passed.
    OnTimeout {
        /// The least time, in milliseconds, for example `30000`.
        ms: Magnitude,
    }
    /// A metric was measured.
    OnMetricBelow {
        /// The name of the metric, for example `coverage`.
        metric: Id<'a>,
        /// The guardrail fires below this value, not at it.
        threshold: Decimal,
    }
    /// A human asked for it.
    Manual {}
}

/// The parts that every trigger has.
struct TriggerFields<'g, 'a> {
    kind: EventKind,
    selector: Option<Selector<'a>>,
    condition: Option<&'g Condition<'a>>,
    node_id: Option<Id<'a>>,
    source: Node<'a>,
}

/// Checks that the two fields that name the node of a trigger agree.
fn names_one_node(trigger: &Trigger<'_>) -> Result<(), Error> {
    let TriggerFields { selector, node_id, .. } = trigger.fields();
    match (selector.and_then(|selector| selector.node_id), node_id) {
        (Some(Id(inner)), Some(Id(outer))) if inner != outer => {
            let message = format!("`{outer}` and `{inner}` in `selector` can never both be the node");
            Err(Error::new(codes::INVALID_POLICY, message).under("nodeId"))
        }
        _ => Ok(()),
    }
}

/// The properties of a node, or those that a node must have. An absent field stands for any value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Document)]
#[serde(rename_all = "camelCase")]
#[document(name = "NodeSelector", expecting = "an object")]
pub struct Selector<'a> {
    /// The id of the node in the plan, for example `publish-1`.
    pub node_id: Option<Id<'a>>,
    /// The kind of the node, for example `validation`.
    pub kind: Option<&'a str>,
    /// The id of its capability, for example `PublishAgent.post`.
    pub capability_id: Option<Id<'a>>,
}

impl<'a> Guardrail<'a> {
    /// The condition in the trigger and the one next to it. Each is judged on its own.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = &Condition<'a>> {
        self.trigger.condition().into_iter().chain(&self.condition)
    }

    /// Writes the trigger as it is printed: in one order, with the parts outside of it in their places.
    pub(crate) fn write_trigger(&self, out: &mut String) {
        let TriggerFields { kind, source, .. } = self.trigger.fields();
        let conditions: Vec<_> = self.conditions().map(|one| json::canonical(one.source)).collect();
        let condition = match conditions.as_slice() {
            [inner, outer] => Some(format!(r#"{{"and":[{inner},{outer}]}}"#)),
            conditions => conditions.first().cloned(),
        };
        let mut members = ObjectWriter::open(out);
        members.text("kind", Some(kind.as_str()));
        if let Some(selector) = self.trigger.selector() {
            members.part("selector", |out| selector.write(source.member("selector"), out));
        }
        members.json("condition", condition.as_deref());
        let is_written = |name: &str| ["kind", "selector", "condition", "nodeId"].contains(&name);
        let own = source.members().filter(|(name, _)| !is_written(name) && !name.starts_with("x-"));
        let mut own: Vec<_> = own.collect();
        order::sort_by(&mut own, |(left, _), (right, _)| left.cmp(right));
        for (name, value) in own {
            members.json(name, Some(&json::canonical(value)));
        }
        members.extensions(source);
        members.close();
    }
}

impl<'a> Trigger<'a> {
    /// Returns the kind of the events.
    #[must_use]
    pub fn kind(&self) -> EventKind {
        self.fields().kind
    }

    /// Returns the condition over the output of the event.
    #[must_use]
    pub fn condition(&self) -> Option<&Condition<'a>> {
        self.fields().condition
    }

    /// Returns the selector, with the `nodeId` that stands outside of it.
    pub(crate) fn selector(&self) -> Option<Selector<'a>> {
        let TriggerFields { selector, node_id, .. } = self.fields();
        match node_id {
            Some(_) => Some(Selector { node_id, ..selector.unwrap_or_default() }),
            None => selector,
        }
    }
}

impl Selector<'_> {
    /// Returns whether a node has the properties that this selector names.
    pub(crate) fn matches(self, node: Self) -> bool {
        let agrees = |wanted: Option<&str>, found: Option<&str>| wanted.is_none() || wanted == found;
        agrees(self.node(), node.node())
            && agrees(self.kind, node.kind)
            && agrees(self.capability(), node.capability())
    }

    /// Writes the selector as it is printed, with the extensions of `given`.
    fn write(self, given: Option<Node<'_>>, out: &mut String) {
        let mut members = ObjectWriter::open(out);
        members.text("nodeId", self.node());
        members.text("kind", self.kind);
        members.text("capabilityId", self.capability());
        if let Some(given) = given {
            members.extensions(given);
        }
        members.close();
    }
}

impl<'a> Selector<'a> {
    /// Returns the id of the node.
    #[must_use]
    pub fn node(self) -> Option<&'a str> {
        self.node_id.map(|Id(id)| id)
    }

    /// Returns the id of the capability.
    #[must_use]
    pub fn capability(self) -> Option<&'a str> {
        self.capability_id.map(|Id(id)| id)
    }
}
