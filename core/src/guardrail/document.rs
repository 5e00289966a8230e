//! A guardrail as it is on the wire, read once.

use alloc::{collections::BTreeSet, format, string::String, vec::Vec};

use adjudicate_lang::{
    Error, Steps,
    json::{
        self, Node,
        object::{Field, Form, Members, optional, read_items, read_object, read_tag, required},
        shorten,
    },
    logic::{Number, Program},
};

use super::action::Action;
use crate::{codes, words::words};

words! {
    /// What happened, and what a guardrail waits for.
    EventKind {
        /// The run began.
        OnStart = "onStart",
        /// A node is done.
        OnNodeComplete = "onNodeComplete",
        /// An output is not what its contract says.
        OnValidationFail = "onValidationFail",
        /// What should hold after a node does not.
        OnPostConditionFailed = "onPostConditionFailed",
        /// Time went by.
        OnTimeout = "onTimeout",
        /// A metric was measured.
        OnMetricBelow = "onMetricBelow",
        /// A person asked for it.
        Manual = "manual",
    }
}

/// A policy that watches a run.
#[derive(Clone, Debug)]
pub struct Guardrail<'a> {
    pub(super) id: &'a str,
    pub(super) is_enabled: bool,
    pub(super) trigger: Trigger<'a>,
    pub(super) action: Action,
    /// As it was given, for what is carried along.
    pub(super) source: Node<'a>,
}

/// When a guardrail fires.
#[derive(Clone, Debug)]
pub struct Trigger<'a> {
    pub(super) kind: EventKind,
    pub(super) selector: Option<Selector<'a>>,
    /// At most two: that of the trigger and that beside it. Each is judged for itself.
    pub(super) conditions: Vec<Program>,
    pub(super) threshold: Threshold<'a>,
    /// As it is printed: in one order, with what was outside of it in its place.
    pub(super) json: String,
}

/// What a node must be; what is not said may be anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Selector<'a> {
    pub node: Option<&'a str>,
    pub kind: Option<&'a str>,
    pub capability: Option<&'a str>,
}

/// What an event must reach.
#[derive(Clone, Debug)]
pub(super) enum Threshold<'a> {
    Nothing,
    /// At least so many milliseconds.
    Elapsed(Number),
    /// Below that value of the metric.
    Below {
        metric: &'a str,
        value: Number,
    },
}

const GUARDRAIL: &[Field] = &[
    required("id", Form::Id),
    optional("enabled", Form::Flag),
    required("trigger", Form::Object),
    optional("condition", Form::Any),
    required("action", Form::Object),
];

/// The members of every trigger, in the order in which they are printed; those of its kind follow.
macro_rules! trigger {
    ($($of_kind:expr),*) => {
        &[
            required("kind", Form::Word(EventKind::WORDS)),
            optional("selector", Form::Object),
            optional("condition", Form::Any),
            optional("nodeId", Form::Id),
            $($of_kind),*
        ]
    };
}
const TRIGGER: &[Field] = trigger!();
const TIMEOUT: &[Field] = trigger!(required("ms", Form::Magnitude));
const METRIC: &[Field] = trigger!(required("metric", Form::Id), required("threshold", Form::Number));

const SELECTOR: &[Field] =
    &[optional("nodeId", Form::Id), optional("kind", Form::Text), optional("capabilityId", Form::Id)];

/// Reads the guardrails of a list.
///
/// # Errors
///
/// The first in document order, with a pointer that begins at the list; an id that was there before is
/// [`codes::INVALID_VALUE`], for counters are by id.
pub(crate) fn read_guardrails<'a>(list: Node<'a>, patterns: &mut Steps) -> Result<Vec<Guardrail<'a>>, Error> {
    let (mut guardrails, mut ids) = (Vec::with_capacity(list.len()), BTreeSet::new());
    read_items(list, &mut |item| {
        guardrails.push(Guardrail::read(item, &mut ids, patterns)?);
        Ok(())
    })?;
    Ok(guardrails)
}

impl<'a> Guardrail<'a> {
    /// Reads a guardrail, in the shape of SPEC section 8 or in the one that 5.9 prints: a condition beside the trigger, a
    /// `nodeId` in it.
    ///
    /// # Errors
    ///
    /// The first in document order; paths begin at the guardrail.
    fn read(value: Node<'a>, ids: &mut BTreeSet<&'a str>, patterns: &mut Steps) -> Result<Self, Error> {
        let (mut id, mut is_enabled) = ("", true);
        let (mut trigger, mut outer, mut action) = (None, None, None);
        read_object(value, GUARDRAIL, &mut |at, member| {
            match at {
                0 => {
                    id = member.as_str().unwrap_or_default();
                    if !ids.insert(id) {
                        let message = format!("`{}` is the id of a policy before it", shorten(id));
                        return Err(Error::new(codes::INVALID_VALUE, message));
                    }
                }
                1 => is_enabled = member.kind() != json::Kind::Bool(false),
                2 => trigger = Some(Draft::read(member, patterns)?),
                3 => outer = Some(condition(member, patterns)?),
                _ => action = Some(Action::read(member)?),
            }
            Ok(())
        })?;
        // What is required was read.
        let (Some(trigger), Some(action)) = (trigger, action) else {
            return Err(Error::new(codes::MISSING_FIELD, "missing field `trigger` or `action`"));
        };
        Ok(Self { id, is_enabled, trigger: trigger.finish(outer)?, action, source: value })
    }
}

/// A condition: the expression as it was written, and compiled.
type Condition = (String, Program);

fn condition(value: Node<'_>, patterns: &mut Steps) -> Result<Condition, Error> {
    let program = Program::condition(value, patterns)?;
    Ok((json::canonical(value), program))
}

/// A trigger that is being read.
struct Draft<'a> {
    source: Node<'a>,
    kind: EventKind,
    selector: Option<Selector<'a>>,
    node: Option<&'a str>,
    condition: Option<Condition>,
    numbers: [Option<Node<'a>>; 2],
}

impl<'a> Draft<'a> {
    fn read(source: Node<'a>, patterns: &mut Steps) -> Result<Self, Error> {
        let place = read_tag(source, "kind", EventKind::WORDS)?;
        let kind = EventKind::ALL.get(place).copied().unwrap_or(EventKind::Manual);
        let fields = match kind {
            EventKind::OnTimeout => TIMEOUT,
            EventKind::OnMetricBelow => METRIC,
            _ => TRIGGER,
        };
        let mut draft =
            Self { source, kind, selector: None, node: None, condition: None, numbers: [None; 2] };
        read_object(source, fields, &mut |at, member| {
            match at {
                0 => {}
                1 => draft.selector = Some(Selector::read(member)?),
                2 => draft.condition = Some(condition(member, patterns)?),
                3 => draft.node = member.as_str(),
                _ => {
                    if let Some(place) = draft.numbers.get_mut(at - 4) {
                        *place = Some(member);
                    }
                }
            }
            Ok(())
        })?;
        draft.selector = draft.whole_selector()?;
        Ok(draft)
    }

    fn finish(self, outer: Option<Condition>) -> Result<Trigger<'a>, Error> {
        let threshold = match (self.kind, self.numbers) {
            (EventKind::OnTimeout, [Some(ms), _]) => Threshold::Elapsed(number(ms)),
            (EventKind::OnMetricBelow, [Some(metric), Some(value)]) => {
                Threshold::Below { metric: metric.as_str().unwrap_or_default(), value: number(value) }
            }
            _ => Threshold::Nothing,
        };
        let (texts, conditions): (Vec<_>, Vec<_>) = self.condition.into_iter().chain(outer).unzip();
        let condition = match texts.as_slice() {
            [inner, outer] => Some(format!(r#"{{"and":[{inner},{outer}]}}"#)),
            texts => texts.first().cloned(),
        };
        let mut json = String::new();
        let mut members = Members::open(&mut json);
        members.text("kind", Some(self.kind.as_str()));
        let given = self.source.member("selector");
        members.json("selector", self.selector.map(|selector| selector.to_json(given)).as_deref());
        members.json("condition", condition.as_deref());
        for name in ["ms", "metric", "threshold"] {
            members.json(name, self.source.member(name).map(json::canonical).as_deref());
        }
        members.extensions(self.source);
        members.close();
        Ok(Trigger { kind: self.kind, selector: self.selector, conditions, threshold, json })
    }

    /// The selector, with the `nodeId` that stands outside of it. Whether they agree shows at the trigger's end.
    fn whole_selector(&self) -> Result<Option<Selector<'a>>, Error> {
        match (self.selector, self.node) {
            (Some(Selector { node: Some(inner), .. }), Some(outer)) if inner != outer => {
                let message = format!("`{outer}` and `{inner}` in `selector` can never both be the node");
                Err(Error::new(codes::INVALID_POLICY, message).under("nodeId"))
            }
            (selector, Some(node)) => Ok(Some(Selector { node: Some(node), ..selector.unwrap_or_default() })),
            (selector, None) => Ok(selector),
        }
    }
}

impl<'a> Selector<'a> {
    /// Reads a selector, or what an event says of its node.
    pub(super) fn read(value: Node<'a>) -> Result<Self, Error> {
        let mut selector = Self::default();
        read_object(value, SELECTOR, &mut |at, member| {
            let place = match at {
                0 => &mut selector.node,
                1 => &mut selector.kind,
                _ => &mut selector.capability,
            };
            *place = member.as_str();
            Ok(())
        })?;
        Ok(selector)
    }

    /// Whether a node is what it must be.
    pub(super) fn matches(self, node: Self) -> bool {
        let same = |asked: Option<&str>, found: Option<&str>| asked.is_none() || asked == found;
        same(self.node, node.node) && same(self.kind, node.kind) && same(self.capability, node.capability)
    }

    /// As it is printed; `given` has what is carried along.
    fn to_json(self, given: Option<Node<'_>>) -> String {
        let mut json = String::new();
        let mut members = Members::open(&mut json);
        members.text("nodeId", self.node);
        members.text("kind", self.kind);
        members.text("capabilityId", self.capability);
        if let Some(given) = given {
            members.extensions(given);
        }
        members.close();
        json
    }
}

pub(super) fn number(value: Node<'_>) -> Number {
    Number::read(value.as_number().unwrap_or_default())
}
