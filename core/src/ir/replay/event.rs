//! The events of a replay, in whichever of their layouts (SPEC section 9).
//!
//! ```text
//! common   {"event": "ToolCall", "id": "tc_1", "step_id": "step-1"}
//! timed    {"event": "ToolCall", "t": "2026-01-13T10:00:02Z", "id": "tc_1", "step_id": "step-1", ...}
//! typed    {"type": "ToolCall", "ts": 1768298402, "id": "tc_1", "step_id": "step-1", ...}
//! ```
//!
//! Owned here: the members of an event, and the member that tells its kind. Not here: what events mean to each other.
//! Other members of an event are passed over, its time too. An event of any kind may claim a `verification_delta`.

use adjudicate_lang::{
    Error,
    json::{
        Node,
        object::{Field, Form, count, optional, read_declared, read_tag, required},
    },
};

use super::delta::Delta;
use crate::codes;

/// How the events of a replay are written. In the last two they may tell of the session around the plan, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// The kind is `event`; there is no time.
    Common,
    /// The kind is `event`, the time `t`.
    Timed,
    /// The kind is `type`, the time `ts`.
    Typed,
}

/// One event of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// The plan starts.
    PlanStart {
        /// How many steps it is said to have.
        step_count: u64,
        /// The hash that it is said to have.
        plan_hash: Option<&'a str>,
    },
    /// A tool is called.
    ToolCall {
        /// The call's id.
        id: &'a str,
        /// The step that it is made for.
        step_id: &'a str,
    },
    /// A call has ended.
    ToolResult {
        /// The call's id.
        id: &'a str,
    },
    /// A step has ended.
    StepComplete {
        /// The step's id.
        step_id: &'a str,
        /// How often the step was tried.
        iterations: u64,
    },
    /// Something of the session, or of a kind that is only carried, which says nothing about the plan.
    Session,
}

/// An event, and the delta that it claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Logged<'a> {
    pub event: Event<'a>,
    pub delta: Option<Delta>,
}

/// The kinds of events that are linked, and then those that only tell of the session.
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

/// How many kinds of events are linked.
const LINKED: usize = 4;

/// What a timed replay may begin with; it alone has no time.
const HEADER: &str = "ReplayHeader";

/// The first member of every kind.
const DELTA: Field = optional("verification_delta", Form::Any);

const PLAN_START: &[Field] = &[DELTA, required("step_count", Form::Count), optional("plan_hash", Form::Text)];
const TOOL_CALL: &[Field] = &[DELTA, required("id", Form::Text), required("step_id", Form::Text)];
const TOOL_RESULT: &[Field] = &[DELTA, required("id", Form::Text)];
const STEP_COMPLETE: &[Field] =
    &[DELTA, required("step_id", Form::Text), required("iterations", Form::Count)];
const SESSION: &[Field] = &[DELTA];

/// What the first event of a replay says of all of them.
#[derive(Clone, Copy, Debug)]
struct Head {
    layout: Layout,
    /// `true` if it is a `ReplayHeader`: such logs may hold events of other kinds.
    is_header: bool,
}

impl Head {
    fn of(event: Node<'_>) -> Self {
        let has = |name| event.member(name).is_some();
        // It may be without a time.
        let is_header = |tag| event.member(tag).and_then(Node::as_str) == Some(HEADER);
        let layout = match has("event") {
            false if is_header("type") || has("type") && has("ts") => Layout::Typed,
            _ if is_header("event") || has("t") => Layout::Timed,
            _ => Layout::Common,
        };
        Self { layout, is_header: is_header(layout.tag()) }
    }

    /// The place of an event's kind in [`KINDS`].
    fn kind(self, event: Node<'_>) -> Result<usize, Error> {
        let tag = self.layout.tag();
        let is_other = |kind: &str| self.is_header && !KINDS.contains(&kind);
        if event.member(tag).and_then(Node::as_str).is_some_and(is_other) {
            return Ok(LINKED);
        }
        read_tag(event, tag, self.layout.kinds())
    }
}

impl Layout {
    /// The member that says which kind an event is of.
    const fn tag(self) -> &'static str {
        match self {
            Self::Common | Self::Timed => "event",
            Self::Typed => "type",
        }
    }

    /// The kinds of events that there are.
    fn kinds(self) -> &'static [&'static str] {
        match self {
            Self::Common => KINDS.get(..LINKED).unwrap_or_default(),
            Self::Timed | Self::Typed => KINDS,
        }
    }
}

/// Reads the events of one replay: the first one decides on the layout, and whether there may be other kinds.
#[derive(Clone, Debug, Default)]
pub(super) struct EventReader {
    head: Option<Head>,
}

impl EventReader {
    pub(super) fn layout(&self) -> Option<Layout> {
        self.head.map(|head| head.layout)
    }

    /// Reads the next event.
    ///
    /// # Errors
    ///
    /// The first in document order, that of its kind before all others; paths begin at the event.
    pub(super) fn read<'t>(&mut self, event: Node<'t>) -> Result<Logged<'t>, Error> {
        let head = *self.head.get_or_insert_with(|| Head::of(event));
        let kind = head.kind(event)?;
        if head.layout == Layout::Typed && event.member("event").is_some() {
            let message = "the replay says by `type` which kind an event is of, and this one has `event` too";
            return Err(Error::new(codes::INVALID_VALUE, message).at("/event"));
        }
        let fields = match kind {
            0 => PLAN_START,
            1 => TOOL_CALL,
            2 => TOOL_RESULT,
            3 => STEP_COMPLETE,
            _ => SESSION,
        };
        // What was read is of the form that its field says.
        let (mut delta, mut first, mut second) = (None, event, None);
        read_declared(event, fields, &mut |at, member| {
            match at {
                0 => delta = Some(Delta::read(member)?),
                1 => first = member,
                _ => second = Some(member),
            }
            Ok(())
        })?;
        let text = |member: Node<'t>| member.as_str().unwrap_or_default();
        let number = |member: Node<'_>| count(member).unwrap_or(u64::MAX);
        let event = match kind {
            0 => Event::PlanStart { step_count: number(first), plan_hash: second.map(text) },
            1 => Event::ToolCall { id: text(first), step_id: second.map_or("", text) },
            2 => Event::ToolResult { id: text(first) },
            3 => Event::StepComplete { step_id: text(first), iterations: second.map_or(u64::MAX, number) },
            _ => Event::Session,
        };
        Ok(Logged { event, delta })
    }
}

#[cfg(test)]
mod tests {
    use adjudicate_lang::json::{self, Limits};

    use super::*;
    use alloc::{format, string::String, vec::Vec};

    /// What the events of a log, one a line, are read as: the layout, and the kinds or the error.
    fn read(log: &str) -> (Option<Layout>, String) {
        let mut reader = EventReader::default();
        let mut kinds = Vec::new();
        for line in log.lines() {
            let tape = json::read(line.as_bytes(), Limits::DOCUMENT).unwrap();
            kinds.push(match reader.read(tape.root()) {
                Ok(Logged { event, delta }) => {
                    format!("{event:?}{}", delta.map(|delta| format!(" {delta}")).unwrap_or_default())
                }
                Err(error) => format!("{} {}", error.code().as_str(), error.path()),
            });
        }
        (reader.layout(), kinds.join(" "))
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
            // The kind is looked at before all else.
            (r#"{"id":3,"event":"toolcall"}"#, "invalid_value /event"),
            (r#"{"id":3,"event":null}"#, "invalid_value /event"),
            (r#"{"id":3}"#, "missing_field /event"),
        ] {
            assert_eq!(read(event).1, expected, "{event}");
        }
    }
}
