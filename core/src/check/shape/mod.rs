//! What an envelope and the facts can have where: the shapes of the documents, as data.
//!
//! The wire types (`evaluate/envelope.rs`, `evaluate/evidence.rs`) say the same to serde; a test reads every member of
//! this table through them. Facts have the types of their own table, and shapes here where more is known.

mod documents;

use alloc::{boxed::Box, format, string::String};

use adjudicate_lang::{
    json::unknown,
    logic::{Operator, Path, Types},
    paths::normalize,
};

use crate::policy::{Fact, Policy, Root};

pub(super) use documents::ENVELOPE;
use documents::{CHANGED_FILE, CLAIMS, CONTRADICTIONS, INTENTS, OUTCOMES, STATUSES};

/// What a value can be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// Anything: what stands under `x-` members.
    Any,
    Bool,
    /// An integer of at least 0.
    Count,
    Integer,
    Text,
    /// A path in normal form.
    Path,
    /// The class of an event, without a detail.
    Class,
    /// One of some words.
    Words(&'static [&'static str]),
    /// A text or a list of texts.
    Notes,
    List(&'static Self),
    Object(&'static [Member]),
    /// An object that may hold other members than the declared ones.
    Open(&'static [Member]),
    /// An object in which every name is data.
    Map(&'static Self),
}

/// A declared member of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub name: &'static str,
    pub shape: Shape,
    pub presence: Presence,
}

/// Whether a member is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Always,
    Optional,
    /// Optional, and perhaps null.
    Nullable,
}

/// Where a path leads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub shape: Shape,
    /// Whether there may be nothing.
    pub optional: bool,
    /// Whether there may be null.
    pub nullable: bool,
}

impl Shape {
    /// The types that a value can have.
    pub(super) const fn types(self) -> Types {
        match self {
            Self::Any => Types::ANY,
            Self::Bool => Types::BOOL,
            Self::Count | Self::Integer => Types::NUMBER,
            Self::Text | Self::Path | Self::Class | Self::Words(_) => Types::TEXT,
            Self::Notes => Types::TEXT.or(Types::LIST),
            Self::List(_) => Types::LIST,
            Self::Object(_) | Self::Open(_) | Self::Map(_) => Types::OBJECT,
        }
    }

    /// Whether a text can be a value, as far as that is known.
    pub(super) fn may_be(self, text: &str) -> bool {
        match self {
            Self::Path => normalize(text) == text,
            Self::Class => !text.contains(':'),
            Self::Words(words) => words.contains(&text),
            _ => true,
        }
    }

    /// Whether a value can begin, or end, with a text, as far as that is known.
    pub(super) fn may_have(self, operator: Operator, text: &str) -> bool {
        let is_at_end = operator == Operator::EndsWith;
        match self {
            Self::Path => {
                // What lies between two slashes, or between one and the end of the path, is a whole name.
                let mut names = text.split('/');
                let _ = if is_at_end { names.next() } else { names.next_back() };
                names.all(|name| !matches!(name, "" | "." | ".."))
            }
            Self::Class => !text.contains(':'),
            Self::Words(words) => {
                words.iter().any(|word| if is_at_end { word.ends_with(text) } else { word.starts_with(text) })
            }
            _ => true,
        }
    }

    /// What the items of a list can be.
    pub(super) const fn item(self) -> Self {
        match self {
            Self::List(item) => *item,
            Self::Notes => Self::Text,
            _ => Self::Any,
        }
    }

    /// Where some segments lead; a fault, for people, where they can lead to nothing.
    pub(super) fn lead(self, segments: &[Box<str>]) -> Result<Place, String> {
        let mut place = Place { shape: self, optional: false, nullable: false };
        for segment in segments {
            // What is null has nothing in it.
            let mut next = Place { shape: Self::Any, optional: true, nullable: true };
            match place.shape {
                Self::Any => return Ok(next),
                Self::Object(members) | Self::Open(members) => match members
                    .iter()
                    .find(|member| member.name == &**segment)
                {
                    Some(member) => {
                        next = Place {
                            shape: member.shape,
                            optional: place.optional || place.nullable || member.presence != Presence::Always,
                            nullable: member.presence == Presence::Nullable,
                        };
                    }
                    None if segment.starts_with("x-") || matches!(place.shape, Self::Open(_)) => {
                        return Ok(next);
                    }
                    None => {
                        let names: alloc::vec::Vec<_> = members.iter().map(|member| member.name).collect();
                        return Err(unknown("member", segment, &names));
                    }
                },
                Self::Map(value) => next = Place { shape: *value, optional: true, nullable: false },
                Self::List(_) | Self::Notes if is_index(segment) => {
                    next = Place { shape: place.shape.item(), optional: true, nullable: false };
                }
                Self::List(_) | Self::Notes => return Err(format!("`{segment}` is no index into a list")),
                other => return Err(format!("there is nothing in {}", other.types())),
            }
            place = next;
        }
        Ok(place)
    }
}

/// Whether a segment is a list index: digits without a leading zero.
fn is_index(segment: &str) -> bool {
    !segment.is_empty()
        && segment.bytes().all(|byte| byte.is_ascii_digit())
        && (segment == "0" || !segment.starts_with('0'))
}

/// Where a variable of a policy's conditions leads, parameters aside; a fault, for people, where that is nowhere.
pub(super) fn of_path(policy: &Policy, path: &Path) -> Result<Place, String> {
    let anything = Place { shape: Shape::Any, optional: true, nullable: true };
    let number = policy.variable_number(path);
    let Some(variable) = number.and_then(|number| policy.variables().get(number as usize)) else {
        return Ok(anything);
    };
    match variable.root() {
        Root::Input => ENVELOPE.lead(variable.rest()),
        Root::Fact(fact) => {
            let place = of_fact(fact).lead(variable.rest())?;
            Ok(Place { optional: place.optional || fact.row().unknown.is_some(), ..place })
        }
        Root::Parameter(_) => Shape::Count.lead(variable.rest()),
    }
}

/// The shape of a fact where it is known.
pub(super) fn of_fact(fact: Fact) -> Shape {
    match fact {
        Fact::Intent => Shape::Words(INTENTS),
        Fact::Claims => Shape::List(&Shape::Words(CLAIMS)),
        Fact::Outcome => Shape::Words(OUTCOMES),
        Fact::HistoryLast => Shape::Words(STATUSES),
        Fact::Contradictions => Shape::List(&Shape::Words(CONTRADICTIONS)),
        Fact::DiffFiles => Shape::List(&Shape::Object(CHANGED_FILE)),
        Fact::DiffPaths | Fact::DiffForbidden | Fact::DiffProtected => Shape::List(&Shape::Path),
        Fact::EventsClasses => Shape::List(&Shape::Class),
        _ => match fact.row().gives {
            Types::BOOL => Shape::Bool,
            Types::NUMBER => Shape::Count,
            Types::LIST => Shape::List(&Shape::Text),
            _ => Shape::Text,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    use adjudicate_lang::json::{self, OwnedValue};

    use crate::{check::pick, evaluate::Envelope};

    #[test]
    fn facts_have_the_types_of_their_table() {
        for fact in Fact::ALL {
            assert_eq!(of_fact(*fact).types(), fact.row().gives, "{}", fact.row().name);
        }
    }

    #[test]
    fn paths_lead_where_the_envelope_has_something() {
        for (path, expected) in [
            ("run_id", Ok((Types::TEXT, false))),
            ("evidence.validation.exit_codes.cargo-test", Ok((Types::NUMBER, true))),
            ("evidence.review.issues.0.severity", Ok((Types::TEXT, true))),
            ("evidence.x-team.name", Ok((Types::ANY, true))),
            ("evidence.harness_report.summary.passed", Ok((Types::NUMBER, true))),
            ("evidense.claims", Err("unknown member `evidense`, did you mean `evidence`?")),
            ("evidence.claims.first", Err("`first` is no index into a list")),
            ("run_id.0", Err("there is nothing in a string")),
        ] {
            let found = ENVELOPE.lead(Path::new(path).segments());
            let found = found.map(|place| (place.shape.types(), place.optional));
            assert_eq!(found, expected.map_err(Into::into), "{path}");
        }
    }

    /// A value with each of its members, or with those only that it must have.
    fn made(shape: Shape, whole: bool) -> OwnedValue {
        match shape {
            Shape::Object(members) | Shape::Open(members) => {
                let wanted = members.iter().filter(|member| whole || member.presence == Presence::Always);
                // An entry has a status or an outcome.
                let has_status = members.iter().any(|member| member.name == "status");
                let wanted = wanted.filter(|member| !(has_status && member.name == "outcome"));
                OwnedValue::Object(
                    wanted.map(|member| (member.name.into(), made(member.shape, whole))).collect(),
                )
            }
            Shape::List(item) if whole => OwnedValue::List(alloc::vec![made(*item, whole)]),
            Shape::Map(value) if whole => {
                OwnedValue::Object(alloc::vec![("name".into(), made(*value, whole))])
            }
            other => pick::default(other),
        }
    }

    #[test]
    fn the_wire_types_know_every_member_and_need_no_other() {
        for whole in [true, false] {
            let mut envelope = made(ENVELOPE, whole);
            envelope.set(&["evaluate_prompt"], OwnedValue::text("p.v1"));
            let text = json::write(&envelope);
            let tape = json::read(text.as_bytes(), json::Limits::DOCUMENT).unwrap();
            let read = Envelope::from_tape(&tape);
            assert!(read.is_ok(), "{:?} {text}", read.err());
        }
    }

    /// Every list of words in a shape, with the names that lead to a value of it.
    fn closed_lists(
        shape: Shape,
        way: &[Box<str>],
        found: &mut Vec<(Vec<Box<str>>, &'static [&'static str])>,
    ) {
        let inner = |name: &str| way.iter().cloned().chain([name.into()]).collect::<Vec<_>>();
        match shape {
            Shape::Words(words) => found.push((way.to_vec(), words)),
            Shape::List(item) => closed_lists(*item, &inner("0"), found),
            Shape::Map(value) => closed_lists(*value, &inner("name"), found),
            Shape::Object(members) | Shape::Open(members) => {
                members.iter().for_each(|member| closed_lists(member.shape, &inner(member.name), found));
            }
            _ => {}
        }
    }

    #[test]
    fn words_are_those_of_the_wire_types() {
        let mut lists = Vec::new();
        closed_lists(ENVELOPE, &[], &mut lists);
        assert!(lists.len() > 12, "{lists:?}");
        for (way, words) in lists {
            let mut envelope = made(ENVELOPE, true);
            envelope.set(&["evaluate_prompt"], OwnedValue::text("p.v1"));
            pick::put(&mut envelope, ENVELOPE, &way, OwnedValue::text("odd")).unwrap();
            let text = json::write(&envelope);
            let tape = json::read(text.as_bytes(), json::Limits::DOCUMENT).unwrap();
            // The refusal names every word that the wire type knows.
            let error = Envelope::from_tape(&tape).unwrap_err();
            let known: Vec<&str> = error.message().split('`').skip(3).step_by(2).collect();
            assert_eq!(known, words, "{way:?} {error}");
        }
    }
}
