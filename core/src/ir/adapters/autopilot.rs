//! Autopilot: `implementation_steps`, a list of texts or lines, and what is true of all of them: `analysis`, `confidence`,
//! `estimated_complexity` and `test_strategy`.

use alloc::{borrow::Cow, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{
        self, Kind, Limits, Node,
        object::{missing, refuse, write_list},
        write_string,
    },
};

use super::{Found, FoundStep, each_member, read_steps, string};
use crate::ir::{
    Complexity, PlanIr,
    read::{check_count, confidence},
    slot::Slot,
    source::{Back, Origins, kept_in_plan},
    spelling::COMPLEXITY,
};

const STEPS: &str = "implementation_steps";

pub(super) fn read(source: Node<'_>) -> Result<Found<'_>, Error> {
    let mut found = Found::new(source, "/implementation_steps", "id");
    each_member(source, &mut |name, member| {
        match name {
            STEPS => read_all(member, &mut found)?,
            "analysis" => {
                found.analysis = Some(string(member)?);
                found.used.push("analysis");
            }
            "confidence" => {
                found.confidence = Some(confidence(member)?);
                found.used.push("confidence");
            }
            "test_strategy" => {
                found.success_criteria = Some(string(member)?);
                found.used.push("test_strategy");
            }
            "estimated_complexity" => read_complexity(member, &mut found)?,
            _ => {}
        }
        Ok(())
    })?;
    match source.member(STEPS) {
        Some(_) => Ok(found),
        None => Err(missing(STEPS)),
    }
}

fn read_complexity<'a>(member: Node<'a>, found: &mut Found<'a>) -> Result<(), Error> {
    const NAME: &str = "estimated_complexity";
    let place = COMPLEXITY.read(member, true)?;
    found.complexity = Complexity::ALL.get(place).copied();
    let given = string(member)?;
    match COMPLEXITY.word(place) == Some(given) {
        true => found.used.push(NAME),
        false => found.spelling = Some((NAME, Cow::Borrowed(given))),
    }
    Ok(())
}

fn read_all<'a>(member: Node<'a>, found: &mut Found<'a>) -> Result<(), Error> {
    if let Some(text) = member.as_str() {
        // The text is kept, for the steps do not say what stood around them.
        let texts = texts(text);
        check_count(texts.len())?;
        found.steps = texts.into_iter().map(step).collect();
        return Ok(());
    }
    if member.kind() != Kind::Array {
        return Err(refuse(member, "a list of strings, or lines"));
    }
    found.used.push(STEPS);
    read_steps(member, &mut |item| {
        found.steps.push(step(Cow::Borrowed(string(item)?)));
        Ok(())
    })
}

/// The steps of a text: of a list that is written as one, else of its lines, without dashes before them, and without those in
/// which there is nothing else.
fn texts(text: &str) -> Vec<Cow<'_, str>> {
    written_list(text).unwrap_or_else(|| {
        let lines = text.split('\n').map(|line| trim(trim(line).trim_start_matches('-')));
        lines.filter(|line| !line.is_empty()).map(Cow::Borrowed).collect()
    })
}

/// Once, for it is much code.
#[inline(never)]
fn trim(line: &str) -> &str {
    line.trim()
}

/// The strings of a JSON text that is a list of strings.
fn written_list<'a>(text: &str) -> Option<Vec<Cow<'a, str>>> {
    if !trim(text).starts_with('[') {
        return None;
    }
    let tape = json::read(text.as_bytes(), Limits::ANSWER).ok()?;
    let list = tape.root();
    list.items().map(|item| Some(Cow::Owned(item.as_str()?.into()))).collect()
}

fn step(description: Cow<'_, str>) -> FoundStep<'_> {
    FoundStep { description: Some(description), ..FoundStep::default() }
}

/// The way back.
pub(super) fn write(plan: &PlanIr<'_>, origins: &Origins<'_>) -> Result<String, Error> {
    let mut steps = String::new();
    write_list(&plan.steps, &mut steps, |step, out| write_string(step.description(), out));
    let strategy = origins.has(None, Slot::SuccessCriteria).then_some(plan.verification.success_criteria);
    let complexity = origins.has(None, Slot::Complexity).then_some(plan.complexity.as_str());
    let mut out = String::new();
    let mut source = Back::open(kept_in_plan(plan)?, &mut out);
    source.text("analysis", origins.has(None, Slot::Analysis).then_some(plan.analysis));
    source.json(STEPS, Some(&steps));
    source.text("test_strategy", strategy);
    source.text("estimated_complexity", complexity);
    source.json("confidence", origins.confidence(plan).as_deref());
    source.close();
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_texts() {
        for (text, expected) in [
            ("", &[][..]),
            ("a", &["a"]),
            ("a\nb\r\n\n  c  ", &["a", "b", "c"]),
            ("- a\n-- b\n  -c\n- - d\n-", &["a", "b", "c", "- d"]),
            ("a - b\n* c\n1. d", &["a - b", "* c", "1. d"]),
            ("---\n \t\n", &[]),
            (r#"["a", "- b", ""]"#, &["a", "- b", ""]),
            ("\n [\"a\"]\n", &["a"]),
            ("[]", &[]),
            // No list of strings: lines.
            ("[x] a\n[ ] b", &["[x] a", "[ ] b"]),
            ("[1]", &["[1]"]),
            (r#"["a""#, &[r#"["a""#]),
            (r#"["a"] b"#, &[r#"["a"] b"#]),
        ] {
            assert_eq!(texts(text), expected, "{text:?}");
        }
    }
}
