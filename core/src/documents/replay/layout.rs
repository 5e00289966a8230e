//! Reads the events of a replay, in any of their layouts (docs/reference/planir.md).
//!
//! ```text
//! common   {"event": "ToolCall", "id": "tc_1", "step_id": "step-1"}
//! timed    {"event": "ToolCall", "t": "2026-01-13T10:00:02Z", "id": "tc_1", "step_id": "step-1", ...}
//! typed    {"type": "ToolCall", "ts": 1768298402, "id": "tc_1", "step_id": "step-1", ...}
//! ```
//!
//! Owns the field that determines the kind of an event, but no relation between events. An event of any kind may claim a
//! `verification_delta`.

use alloc::vec::Vec;

use adjudicate_lang::{
    Error,
    document::{Document, Reader, Shape},
    json::Node,
};

use super::event::{CarriedEvent, Event};
use crate::codes;

/// The layout of a replay's events. In the last two, events of the session may occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// The kind is `event`; there is no time.
    Common,
    /// The kind is `event`, the time `t`.
    Timed,
    /// The kind is `type`, the time `ts`.
    Typed,
}

/// The kinds of events that concern the plan, then those of the session.
const KINDS: &[&str] = &[
    "PlanStart",
    "ToolCall",
    "ToolResult",
    "StepComplete",
    HEADER,
    "SessionStart",
    "Verification",
    "Payment",
    "RuntimeEvent",
    "SessionEnd",
];

/// The number of kinds that concern the plan.
const LINKED: usize = 4;

/// The kind of an optional first event; it needs no time.
const HEADER: &str = "ReplayHeader";

/// The properties of a log that its first event determines.
#[derive(Clone, Copy, Debug)]
struct Head {
    layout: Layout,
    /// `true` for a `ReplayHeader`, whose log may hold events of other kinds.
    is_header: bool,
}

impl Head {
    fn from_event(event: Node<'_>) -> Self {
        let has = |name| event.member(name).is_some();
        // A header may lack a time.
        let is_header = |tag| event.member(tag).and_then(Node::as_str) == Some(HEADER);
        let layout = match has("event") {
            false if is_header("type") || has("type") && has("ts") => Layout::Typed,
            _ if is_header("event") || has("t") => Layout::Timed,
            _ => Layout::Common,
        };
        Self { layout, is_header: is_header(layout.tag()) }
    }

    /// The kind of an event, a word of [`KINDS`].
    fn kind(self, event: Node<'_>, reader: &mut Reader) -> Option<&'static str> {
        let tag = self.layout.tag();
        let is_other = |kind: &str| self.is_header && !KINDS.contains(&kind);
        if event.member(tag).and_then(Node::as_str).is_some_and(is_other) {
            return Some(HEADER);
        }
        let kinds = self.layout.kinds();
        kinds.get(reader.tag(event, tag, "an object", kinds)?).copied()
    }
}

impl Layout {
    /// The field with the kind of an event.
    const fn tag(self) -> &'static str {
        match self {
            Self::Common | Self::Timed => "event",
            Self::Typed => "type",
        }
    }

    /// Returns the kinds of events of the layout, those that are linked to the plan first.
    #[must_use]
    pub fn kinds(self) -> &'static [&'static str] {
        match self {
            Self::Common => KINDS.get(..LINKED).unwrap_or_default(),
            Self::Timed | Self::Typed => KINDS,
        }
    }
}

/// Reads the events of one replay; the first one determines the layout and the allowed kinds.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventReader {
    head: Option<Head>,
}

impl EventReader {
    pub(crate) fn layout(&self) -> Option<Layout> {
        self.head.map(|head| head.layout)
    }

    /// Reads the next event. An error of its kind comes before all others.
    pub(crate) fn read<'t>(&mut self, event: Node<'t>, reader: &mut Reader) -> Option<Event<'t>> {
        let head = *self.head.get_or_insert_with(|| Head::from_event(event));
        let kind = head.kind(event, reader)?;
        if head.layout == Layout::Typed && event.member("event").is_some() {
            let message = "the replay says by `type` which kind an event is of, and this one has `event` too";
            reader.note(Error::new(codes::INVALID_VALUE, message).at("/event"));
            return None;
        }
        match kind {
            "PlanStart" => Document::read(event, reader).map(Event::PlanStart),
            "ToolCall" => Document::read(event, reader).map(Event::ToolCall),
            "ToolResult" => Document::read(event, reader).map(Event::ToolResult),
            "StepComplete" => Document::read(event, reader).map(Event::StepComplete),
            _ => Document::read(event, reader).map(Event::Session),
        }
    }
}

/// The events of a replay, in order.
#[derive(Debug)]
pub struct Events<'a>(pub Vec<Event<'a>>);

impl<'t: 'a, 'a> Document<'t> for Events<'a> {
    const SHAPE: Shape = Shape::List(&CarriedEvent::SHAPE);

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let (mut events, mut next) = (Vec::new(), EventReader::default());
        let is_list = reader.items(node, &mut |event, reader| events.extend(next.read(event, reader)));
        is_list.then_some(Self(events))
    }
}

#[cfg(test)]
mod tests {
    use adjudicate_lang::json::{self, ReadLimits};

    use super::{
        super::event::{PlanStart, StepComplete, ToolCall, ToolResult},
        *,
    };
    use alloc::{format, string::String};

    /// The layout of a log with one event per line, and its kinds or the error.
    fn read(log: &str) -> (Option<Layout>, String) {
        let mut reader = EventReader::default();
        let mut kinds = Vec::new();
        for line in log.lines() {
            let tape = json::read(line.as_bytes(), ReadLimits::DOCUMENT).unwrap();
            let mut errors = Reader::default();
            let event = reader.read(tape.root(), &mut errors);
            kinds.push(match errors.end(event) {
                Ok(event) => {
                    let claim = event.delta().map(|delta| format!(" {delta}")).unwrap_or_default();
                    shown(event) + &claim
                }
                Err(error) => format!("{} {}", error.code().as_str(), error.path()),
            });
        }
        (reader.layout(), kinds.join(" "))
    }

    fn shown(event: Event<'_>) -> String {
        match event {
            Event::PlanStart(PlanStart { step_count, plan_hash, .. }) => {
                format!("PlanStart {{ step_count: {step_count}, plan_hash: {plan_hash:?} }}")
            }
            Event::ToolCall(ToolCall { id, step_id, .. }) => {
                format!("ToolCall {{ id: {id:?}, step_id: {step_id:?} }}")
            }
            Event::ToolResult(ToolResult { id, .. }) => format!("ToolResult {{ id: {id:?} }}"),
            Event::StepComplete(StepComplete { step_id, iterations, .. }) => {
                format!("StepComplete {{ step_id: {step_id:?}, iterations: {iterations} }}")
            }
            Event::Session(_) => "Session".into(),
        }
    }

    #[test]
    fn the_first_event_says_which_layout_it_is() {
        let result = |id: &str| format!("ToolResult {{ id: {id:?} }}");
        for (log, layout, expected) in [
            (r#"{"event":"ToolResult","id":"a"}"#, Layout::Common, result("a")),
            (r#"{"event":"ToolResult","id":"a","ts":1}"#, Layout::Common, result("a")),
            (r#"{"event":"ToolResult","id":"a","t":null}"#, Layout::Timed, result("a")),
            (r#"{"event":"ToolResult","id":"a","type":"ToolCall","ts":1}"#, Layout::Common, result("a")),
            (r#"{"type":"ToolResult","id":"a","ts":1}"#, Layout::Typed, result("a")),
            (r#"{"event":"ReplayHeader","replay_version":1}"#, Layout::Timed, "Session".into()),
            (r#"{"type":"ReplayHeader","version":"1.0.0"}"#, Layout::Typed, "Session".into()),
            (r#"{"event":"SessionStart","t":""}"#, Layout::Timed, "Session".into()),
            (r#"{"type":"SessionEnd","ts":""}"#, Layout::Typed, "Session".into()),
            (r#"{"event":"SessionStart"}"#, Layout::Common, "invalid_value /event".into()),
            (r#"{"type":"ToolResult","id":"a"}"#, Layout::Common, "missing_field /event".into()),
            (r#"{"id":"a","ts":1}"#, Layout::Common, "missing_field /event".into()),
            ("1", Layout::Common, "invalid_value ".into()),
        ] {
            assert_eq!(read(log), (Some(layout), expected), "{log}");
        }
    }

    #[test]
    fn errors_of_one_event_are_reported_together() {
        let event = br#"{"event":"ToolCall","id":1,"verification_delta":1.5,"more":null}"#;
        let tape = json::read(event, ReadLimits::DOCUMENT).unwrap();
        let mut errors = Reader::default();
        let event = EventReader::default().read(tape.root(), &mut errors);
        let error = errors.end(event).unwrap_err();
        assert_eq!(Vec::from_iter(error.all().map(Error::path)), ["/id", "/verification_delta", "/step_id"]);
    }

    #[test]
    fn all_events_are_of_the_layout_of_the_first() {
        let common = r#"{"event":"ToolResult","id":"a"}"#;
        let timed = r#"{"event":"ToolResult","id":"a","t":1}"#;
        let typed = r#"{"type":"ToolResult","id":"a","ts":1}"#;
        let both = r#"{"type":"ToolResult","event":"ToolResult","id":"a","ts":1}"#;
        let session = r#"{"event":"SessionEnd","t":1}"#;
        let ok = r#"ToolResult { id: "a" }"#;
        for (first, second, expected) in [
            (common, timed, ok),
            (timed, common, ok),
            (common, typed, "missing_field /event"),
            (timed, typed, "missing_field /event"),
            (typed, common, "missing_field /type"),
            (typed, both, "invalid_value /event"),
            (common, both, ok),
            (common, session, "invalid_value /event"),
            (timed, session, "Session"),
        ] {
            let (_, found) = read(&format!("{first}\n{second}"));
            assert_eq!(found, format!("{ok} {expected}"), "{first} {second}");
        }
    }

    #[test]
    fn events_have_the_members_of_their_kind() {
        for (event, expected) in [
            (r#"{"event":"PlanStart","step_count":2}"#, "PlanStart { step_count: 2, plan_hash: None }"),
            (
                r#"{"plan_hash":"","event":"PlanStart","id":7,"step_count":18446744073709551615}"#,
                r#"PlanStart { step_count: 18446744073709551615, plan_hash: Some("") }"#,
            ),
            (r#"{"event":"PlanStart"}"#, "missing_field /step_count"),
            (r#"{"event":"PlanStart","step_count":"2"}"#, "invalid_value /step_count"),
            (r#"{"event":"PlanStart","step_count":2.0}"#, "invalid_value /step_count"),
            (r#"{"event":"PlanStart","step_count":-1}"#, "invalid_value /step_count"),
            (r#"{"event":"PlanStart","step_count":1,"plan_hash":null}"#, "invalid_value /plan_hash"),
            (r#"{"plan_hash":1,"event":"PlanStart"}"#, "invalid_value /plan_hash"),
            (r#"{"event":"ToolCall","id":"","step_id":"s"}"#, r#"ToolCall { id: "", step_id: "s" }"#),
            (r#"{"event":"ToolCall","step_id":"s"}"#, "missing_field /id"),
            (r#"{"event":"ToolCall","id":"a"}"#, "missing_field /step_id"),
            (r#"{"event":"ToolCall","step_id":1,"id":1}"#, "invalid_value /step_id"),
            (r#"{"event":"ToolResult"}"#, "missing_field /id"),
            (r#"{"event":"ToolResult","id":3}"#, "invalid_value /id"),
            (
                r#"{"iterations":0,"event":"StepComplete","step_id":"s"}"#,
                r#"StepComplete { step_id: "s", iterations: 0 }"#,
            ),
            (r#"{"event":"StepComplete","iterations":1}"#, "missing_field /step_id"),
            (r#"{"event":"StepComplete","step_id":"s"}"#, "missing_field /iterations"),
            (r#"{"event":"StepComplete","step_id":"s","iterations":null}"#, "invalid_value /iterations"),
            // The kind is read first.
            (r#"{"id":3,"event":"toolcall"}"#, "invalid_value /event"),
            (r#"{"id":3,"event":null}"#, "invalid_value /event"),
            (r#"{"id":3}"#, "missing_field /event"),
        ] {
            assert_eq!(read(event).1, expected, "{event}");
        }
    }
}
