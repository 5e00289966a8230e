//! The way back: what an adapter was given, from the plan that it made and what is kept in it.
//!
//! Owned here: what the report says of where values are from, and how an object that was taken apart is given back. What each
//! form has is in the file of its adapter.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{
        self, Kind, Node,
        object::{Members, missing, read_items, read_object, refuse},
        write_verbatim,
    },
};

use super::{
    Format, PlanIr, PlanStep, Reason,
    adapters::write_source,
    answer::{ADAPTER, ANSWER, INFERRED},
    ids::Ids,
    plan::Extra,
    slot::Slot,
};

/// The source of a plan that an adapter made: `answer` is the whole answer of `normalize_plan`, since the report says which values
/// are not the source's.
///
/// Values are as they were, numbers to the digit, except for confidences: `1` comes back as `1.0`. Members may stand in another
/// order.
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
    let (mut plan, mut origins) = (None, None);
    read_object(answer, ANSWER, &mut |at, member| {
        match at {
            0 => plan = Some(PlanIr::read(member)?),
            2 => origins = Some(Origins::read(member)?),
            _ => {}
        }
        Ok(())
    })?;
    // What is required was read.
    let read = plan.zip(origins);
    let (plan, origins) = read.ok_or_else(|| missing("plan"))?;
    write_source(&plan, &origins)
}

/// What a report says of the source of a plan's values.
pub(super) struct Origins<'a> {
    pub format: Format,
    /// Whether the source is the list of steps.
    pub is_list: bool,
    paths: Ids<'a>,
    /// Whether the source has nothing there, or what it has.
    values: Vec<(bool, Option<&'a str>)>,
}

impl<'a> Origins<'a> {
    fn read(adapter: Node<'a>) -> Result<Self, Error> {
        let (mut format, mut is_list) = (Format::PlanIr, false);
        let (mut paths, mut values) = (Vec::new(), Vec::new());
        read_object(adapter, ADAPTER, &mut |at, member| {
            match at {
                0 => format = member.as_str().and_then(Format::from_text).unwrap_or(format),
                2 => is_list = member.as_str() == Some(""),
                3 => read_items(member, &mut |item| {
                    let (mut path, mut has_none, mut given) = (None, false, None);
                    read_object(item, INFERRED, &mut |at, member| {
                        match at {
                            0 => path = member.as_str(),
                            2 => has_none = is_absent(member),
                            4 => given = member.as_str(),
                            _ => {}
                        }
                        Ok(())
                    })?;
                    paths.push(path);
                    values.push((has_none, given));
                    Ok(())
                })?,
                _ => {}
            }
            Ok(())
        })?;
        Ok(Self { format, is_list, paths: Ids::of(paths), values })
    }

    /// The text that the source has there, if it is another one.
    pub(super) fn given(&self, step: Option<u32>, slot: Slot) -> Option<&'a str> {
        self.of(step, slot)?.1
    }

    fn of(&self, step: Option<u32>, slot: Slot) -> Option<(bool, Option<&'a str>)> {
        let place = self.paths.find(&slot.path(step))?;
        self.values.get(place as usize).copied()
    }

    /// Whether the source has the value.
    pub(super) fn has(&self, step: Option<u32>, slot: Slot) -> bool {
        self.of(step, slot).is_none_or(|(has_none, _)| !has_none)
    }

    /// The confidence as JSON, if the source has it.
    pub(super) fn confidence(&self, plan: &PlanIr<'_>) -> Option<String> {
        self.has(None, Slot::Confidence).then(|| json::write(&plan.confidence))
    }
}

/// Whether a value for that reason is one of which the source has nothing.
fn is_absent(reason: Node<'_>) -> bool {
    matches!(reason.as_str().and_then(Reason::from_text), Some(Reason::Default | Reason::Derived))
}

/// What is kept aside in an object.
pub(super) fn kept<'a>(extra: &Extra<'a>) -> Result<Option<Node<'a>>, Error> {
    let Extra::Given(object, _) = extra else { return Ok(None) };
    match object.member("x-source") {
        Some(kept) if kept.kind() != Kind::Object => Err(refuse(kept, "an object").under("x-source")),
        kept => Ok(kept),
    }
}

pub(super) fn kept_in_plan<'a>(plan: &PlanIr<'a>) -> Result<Option<Node<'a>>, Error> {
    kept(&plan.extra).map_err(|error| error.under("plan"))
}

/// The list of a plan's steps, as the source has them.
pub(super) fn write_steps(
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
pub(super) struct Back<'o, 'k> {
    kept: Option<Node<'k>>,
    members: Members<'o>,
}

impl<'o, 'k> Back<'o, 'k> {
    pub(super) fn open(kept: Option<Node<'k>>, out: &'o mut String) -> Self {
        Self { kept, members: Members::open(out) }
    }

    pub(super) fn text(&mut self, name: &str, value: Option<&str>) {
        if !self.has(name) {
            self.members.text(name, value);
        }
    }

    pub(super) fn json(&mut self, name: &str, value: Option<&str>) {
        if !self.has(name) {
            self.members.json(name, value);
        }
    }

    fn has(&self, name: &str) -> bool {
        self.kept.is_some_and(|kept| kept.member(name).is_some())
    }

    pub(super) fn close(mut self) {
        for (name, value) in self.kept.into_iter().flat_map(Node::members) {
            self.members.part(name, |out| write_verbatim(value, out));
        }
        self.members.close();
    }
}
