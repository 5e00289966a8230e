//! The way back: what an adapter was given, from the plan that it made and what is kept in it.

use alloc::{format, string::String, vec::Vec};

use super::{
    Format, Intent, PlanIr, PlanStep, Reason,
    adapters::VALIDATION,
    ids::Ids,
    plan::{Extra, Scope},
    slot::Slot,
    spelling::ACTION,
    verbatim::write,
};
use crate::{
    error::Error,
    json::{
        Kind, Node,
        object::{
            Field, Form, Members, missing, optional, read_items, read_object, refuse, required, write_list,
        },
        write_string,
    },
};

pub(super) const ANSWER: &[Field] =
    &[required("plan", Form::Object), required("plan_hash", Form::Text), required("adapter", Form::Object)];

pub(super) const ADAPTER: &[Field] = &[
    required("format", Form::Word(Format::WORDS)),
    required("detected", Form::Flag),
    required("items", Form::Text),
    required("inferred", Form::List),
    required("kept", Form::List),
];

pub(super) const INFERRED: &[Field] = &[
    required("path", Form::Text),
    required("value", Form::Any),
    required("reason", Form::Word(Reason::WORDS)),
    optional("source", Form::Text),
    optional("given", Form::Text),
];

/// The source of a plan that an adapter made: `answer` is the whole answer of `normalize_plan`, since the report says which values
/// are not the source's.
///
/// Values are as they were, numbers to the digit; members may stand in another order.
///
/// # Errors
///
/// The first of an answer that is none of `normalize_plan`, with a pointer that begins at the answer.
///
/// ```
/// use adjudicate_core::{ir::{normalize_text, source_text}, json::{self, Limits}};
/// let source = r#"[{"id":"1","action":"Bash","instruction":"run the tests","target":"cargo test","effort":1.50}]"#;
/// let call = format!(r#"{{"plan":{source}}}"#);
/// let tape = json::read(call.as_bytes(), Limits::DOCUMENT)?;
/// let answer = normalize_text(tape.root())?;
/// let tape = json::read(answer.as_bytes(), Limits::ANSWER)?;
/// let back = source_text(tape.root())?;
/// assert_eq!(back, r#"[{"id":"1","instruction":"run the tests","action":"Bash","target":"cargo test","effort":1.50}]"#);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn source_text(answer: Node<'_>) -> Result<String, Error> {
    let (mut plan, mut account) = (None, None);
    read_object(answer, ANSWER, &mut |at, member| {
        match at {
            0 => plan = Some(PlanIr::read(member)?),
            1 => {}
            _ => account = Some(Account::read(member)?),
        }
        Ok(())
    })?;
    // What is required was read.
    let read = plan.zip(account);
    let (plan, account) = read.ok_or_else(|| missing("plan"))?;
    let mut out = String::new();
    match account.format {
        Format::Adjutant => account.write_subtasks(&plan, &mut out)?,
        Format::Autopilot => account.write_autopilot(&plan, &mut out)?,
        Format::PlanGraph => account.write_graph(&plan, &mut out)?,
        // As it was spelt.
        Format::PlanIr => {
            let given = |step, slot| account.of(step, slot)?.1;
            out = plan.write(Scope::Whole, plan.confidence, &given);
        }
    }
    Ok(out)
}

/// What a report says of a plan's values.
struct Account<'a> {
    format: Format,
    /// Whether the source is the list of steps.
    is_list: bool,
    paths: Ids<'a>,
    /// Whether the source has nothing there, or what it has.
    values: Vec<(bool, Option<&'a str>)>,
}

impl<'a> Account<'a> {
    fn read(adapter: Node<'a>) -> Result<Self, Error> {
        let (mut format, mut is_list) = (Format::PlanIr, false);
        let (mut paths, mut values) = (Vec::new(), Vec::new());
        read_object(adapter, ADAPTER, &mut |at, member| {
            match at {
                0 => format = member.as_str().and_then(Format::from_text).unwrap_or(format),
                2 => is_list = member.as_str() == Some(""),
                3 => read_items(member, &mut |item| {
                    let (mut path, mut is_absent, mut given) = (None, false, None);
                    read_object(item, INFERRED, &mut |at, member| {
                        match at {
                            0 => path = member.as_str(),
                            2 => is_absent = matches!(member.as_str(), Some("default" | "derived")),
                            4 => given = member.as_str(),
                            _ => {}
                        }
                        Ok(())
                    })?;
                    paths.push(path);
                    values.push((is_absent, given));
                    Ok(())
                })?,
                _ => {}
            }
            Ok(())
        })?;
        Ok(Self { format, is_list, paths: Ids::of(paths), values })
    }

    fn of(&self, step: Option<u32>, slot: Slot) -> Option<(bool, Option<&'a str>)> {
        let place = self.paths.find(&slot.path(step))?;
        self.values.get(place as usize).copied()
    }

    /// Whether the source has the value.
    fn has(&self, step: Option<u32>, slot: Slot) -> bool {
        self.of(step, slot).is_none_or(|(is_absent, _)| !is_absent)
    }

    fn write_subtasks(&self, plan: &PlanIr<'_>, out: &mut String) -> Result<(), Error> {
        let kept = kept_in_plan(plan)?;
        let list = write_steps(plan, |place, step, item| {
            item.text("id", self.has(place, Slot::Id).then_some(step.id()));
            // No adapter makes a step that synthesizes of one: whoever did writes something.
            let action = ACTION.word(step.intent as usize).or(ACTION.word(Intent::Modify as usize));
            item.text("action", action);
            item.text("target", step.target_files.first().copied());
            item.text("instruction", self.has(place, Slot::Description).then_some(step.description()));
        })?;
        if self.is_list {
            out.push_str(&list);
            return Ok(());
        }
        let mut source = Back::open(kept, out);
        source.json("subtasks", &list);
        source.close();
        Ok(())
    }

    fn write_autopilot(&self, plan: &PlanIr<'_>, out: &mut String) -> Result<(), Error> {
        let mut steps = String::new();
        write_list(&plan.steps, &mut steps, |step, out| write_string(step.description(), out));
        let strategy = self.has(None, Slot::SuccessCriteria).then_some(plan.verification.success_criteria);
        let complexity = self.has(None, Slot::Complexity).then_some(plan.complexity.as_str());
        let mut source = Back::open(kept_in_plan(plan)?, out);
        source.json("implementation_steps", &steps);
        source.text("test_strategy", strategy);
        source.text("estimated_complexity", complexity);
        source.close();
        Ok(())
    }

    fn write_graph(&self, plan: &PlanIr<'_>, out: &mut String) -> Result<(), Error> {
        let nodes = write_steps(plan, |place, step, item| {
            item.text("nodeId", self.has(place, Slot::Id).then_some(step.id()));
            item.text("kind", (step.intent == Intent::Verify).then_some(VALIDATION));
            item.text("label", self.has(place, Slot::Description).then_some(step.description()));
        })?;
        let mut edges = String::new();
        let links = plan.steps.iter().flat_map(|step| step.depends_on.iter().map(move |from| (from, step)));
        // As they were given: others are kept.
        let given = |step: &PlanStep<'_>| -> Result<String, Error> {
            let kept = kept(&step.extra)?.and_then(|kept| kept.member("nodeId")?.as_str());
            Ok(kept.unwrap_or(step.id()).into())
        };
        let mut ends = Vec::new();
        for (from, to) in links {
            let from = plan.steps.get(*from as usize).map_or_else(|| Ok(String::new()), given)?;
            ends.push((from, given(to)?));
        }
        write_list(ends, &mut edges, |(from, to), out| {
            let mut members = Members::open(out);
            members.text("from", Some(&from));
            members.text("to", Some(&to));
            members.close();
        });
        let mut source = Back::open(kept_in_plan(plan)?, out);
        source.json("nodes", &nodes);
        source.json("edges", &edges);
        source.close();
        Ok(())
    }
}

/// What is kept aside in an object.
fn kept<'a>(extra: &Extra<'a>) -> Result<Option<Node<'a>>, Error> {
    let Extra::Given(object) = extra else { return Ok(None) };
    match object.member("x-source") {
        Some(kept) if kept.kind() != Kind::Object => Err(refuse(kept, "an object").under("x-source")),
        kept => Ok(kept),
    }
}

fn kept_in_plan<'a>(plan: &PlanIr<'a>) -> Result<Option<Node<'a>>, Error> {
    kept(&plan.extra).map_err(|error| error.under("plan"))
}

/// The list of a plan's steps, as the source has them.
fn write_steps(
    plan: &PlanIr<'_>,
    write: impl Fn(Option<u32>, &PlanStep<'_>, &mut Back<'_, '_>),
) -> Result<String, Error> {
    let mut list = String::from("[");
    for (place, step) in (0..).zip(&plan.steps) {
        if place > 0 {
            list.push(',');
        }
        let kept = kept(&step.extra)
            .map_err(|error| error.under(&format!("{place}")).under("steps").under("plan"))?;
        let mut item = Back::open(kept, &mut list);
        write(Some(place), step, &mut item);
        item.close();
    }
    list.push(']');
    Ok(list)
}

/// An object that is given back: what is kept of it stands for what it became.
struct Back<'o, 'k> {
    kept: Option<Node<'k>>,
    members: Members<'o>,
}

impl<'o, 'k> Back<'o, 'k> {
    fn open(kept: Option<Node<'k>>, out: &'o mut String) -> Self {
        Self { kept, members: Members::open(out) }
    }

    fn text(&mut self, name: &str, value: Option<&str>) {
        if !self.has(name) {
            self.members.text(name, value);
        }
    }

    fn json(&mut self, name: &str, value: &str) {
        if !self.has(name) {
            self.members.json(name, Some(value));
        }
    }

    fn has(&self, name: &str) -> bool {
        self.kept.is_some_and(|kept| kept.member(name).is_some())
    }

    fn close(mut self) {
        for (name, value) in self.kept.into_iter().flat_map(Node::members) {
            let mut text = String::new();
            write(value, &mut text);
            self.members.json(name, Some(&text));
        }
        self.members.close();
    }
}
