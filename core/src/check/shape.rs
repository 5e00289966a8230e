//! The targets of a policy's variables: parts of the envelope, whose shape comes from its type, and facts.

use alloc::string::String;

pub(super) use adjudicate_lang::document::{Member, PathTarget, Presence, Shape};
use adjudicate_lang::{
    document::Document as _,
    logic::{Types, VariablePath},
};

use crate::{
    codes::Status,
    documents::{
        envelope::Envelope,
        evidence::{Change, Claim, Intent},
        outcome::Outcome,
    },
    evaluate::CONTRADICTIONS,
    policy::{Fact, Policy, Root},
};

/// The envelope (docs/reference/envelope.md).
pub(super) const ENVELOPE: Shape = Envelope::SHAPE;

/// An item of the fact `diff.files`.
const CHANGED_FILE: &[Member] = &[
    Member { name: "path", shape: Shape::Path, presence: Presence::Always },
    Member { name: "change", shape: Change::SHAPE, presence: Presence::Optional },
];

/// Returns the target of a variable of a policy's conditions, or a message for humans if there is none.
pub(super) fn path_target(policy: &Policy, path: &VariablePath) -> Result<PathTarget, String> {
    let anything = PathTarget { shape: Shape::Any, optional: true, nullable: true };
    let Some(variable) = policy.variable(path) else { return Ok(anything) };
    match variable.root() {
        Root::Input => {
            let place = ENVELOPE.lead(variable.rest())?;
            // A field that breaks the declared inputs makes the whole envelope unknown.
            let may_break = variable.rest().is_empty() && policy.inputs().is_some();
            Ok(PathTarget { optional: place.optional || may_break, ..place })
        }
        Root::Fact(fact) => {
            let place = fact_shape(fact).lead(variable.rest())?;
            Ok(PathTarget { optional: place.optional || fact.row().unknown.is_some(), ..place })
        }
        Root::Parameter(_) => Shape::Count.lead(variable.rest()),
    }
}

/// Returns the shape of a known fact.
pub(super) fn fact_shape(fact: Fact) -> Shape {
    match fact {
        Fact::Intent => Intent::SHAPE,
        Fact::Claims => Shape::List(&Claim::SHAPE),
        Fact::Outcome => Outcome::SHAPE,
        Fact::HistoryLast => Status::SHAPE,
        Fact::Contradictions => Shape::List(&Shape::Words(&CONTRADICTIONS)),
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

    use alloc::boxed::Box;

    use adjudicate_lang::{
        document::{self, Document},
        json::{self, OwnedValue},
    };

    use crate::{
        check::model_values,
        documents::{GuardrailCall, MergeCall, ObserveCall, PlanCall},
    };

    #[test]
    fn facts_have_the_types_of_their_table() {
        for fact in Fact::ALL {
            assert_eq!(fact_shape(*fact).types(), fact.row().gives, "{}", fact.row().name);
        }
    }

    #[test]
    fn paths_lead_to_fields_of_the_envelope() {
        for (path, expected) in [
            ("run_id", Ok((Types::TEXT, false))),
            ("evidence.validation.exit_codes.cargo-test", Ok((Types::NUMBER, true))),
            ("evidence.review.issues.0.severity", Ok((Types::TEXT, true))),
            ("evidence.x-team.name", Ok((Types::ANY, true))),
            ("evidence.harness_report.summary.passed", Ok((Types::NUMBER, true))),
            ("evidence.validation.tool", Ok((Types::ANY, true))),
            ("evidence.validation.exit_code.t", Err("unknown field `exit_code`, did you mean `exit_codes`?")),
            ("evidense.claims", Err("unknown field `evidense`, did you mean `evidence`?")),
            ("evidence.claims.first", Err("`first` is no index into a list")),
            ("run_id.0", Err("there is nothing in a string")),
        ] {
            let found = ENVELOPE.lead(VariablePath::new(path).segments());
            let found = found.map(|place| (place.shape.types(), place.optional));
            assert_eq!(found, expected.map_err(Into::into), "{path}");
        }
    }

    /// A value with all fields of its shape, or with the required ones only. `choice` picks among variants and alternatives.
    fn made(shape: Shape, whole: bool, choice: usize) -> OwnedValue {
        let object = |members: &[Member]| {
            let is_required = |member: &&Member| matches!(member.presence, Presence::Always | Presence::Null);
            let wanted = members.iter().filter(|member| whole || is_required(member));
            // An entry has `status` or `outcome`, not both.
            let has_outcome = members.iter().any(|member| member.name == "outcome");
            let wanted = wanted.filter(|member| !(has_outcome && member.name == "outcome"));
            let value = |member: &Member| match (member.name, member.shape) {
                ("variantPath", _) => OwnedValue::text("/x"),
                ("failures", shape) => with_severity("hard", made(shape, whole, choice)),
                ("warnings", shape) => with_severity("soft", made(shape, whole, choice)),
                ("infos", shape) => with_severity("informational", made(shape, whole, choice)),
                (_, shape) => made(shape, whole, choice),
            };
            OwnedValue::Object(wanted.map(|member| (member.name.into(), value(member))).collect())
        };
        match shape {
            Shape::Object(members) | Shape::Open(members) => object(members),
            Shape::Tagged(tag, variants) => {
                let variant = &variants[choice % variants.len()];
                let mut value = object(variant.members);
                value.set(&[tag], OwnedValue::text(variant.name));
                value
            }
            Shape::Either(shapes) => made(shapes[choice % shapes.len()], whole, choice),
            Shape::Recursive(_, shape) => made(shape(), false, choice),
            Shape::Condition => OwnedValue::Object(alloc::vec![("!".into(), OwnedValue::Bool(true))]),
            Shape::List(item) if whole => OwnedValue::List(alloc::vec![made(*item, whole, choice)]),
            Shape::Map(value) if whole => {
                OwnedValue::Object(alloc::vec![("name".into(), made(*value, whole, choice))])
            }
            other => model_values::default(other),
        }
    }

    /// A list of diagnostics, all of one severity.
    fn with_severity(severity: &str, mut list: OwnedValue) -> OwnedValue {
        if let OwnedValue::List(diagnostics) = &mut list {
            diagnostics
                .iter_mut()
                .for_each(|diagnostic| diagnostic.set(&["severity"], OwnedValue::text(severity)));
        }
        list
    }

    /// Reads values of a shape, each with a change.
    #[track_caller]
    fn read_made<T: Document<'static>>(change: &dyn Fn(&mut OwnedValue)) {
        for (whole, choice) in
            [true, false].into_iter().flat_map(|whole| (0..7).map(move |choice| (whole, choice)))
        {
            let mut value = made(T::SHAPE, whole, choice);
            change(&mut value);
            let text: &'static str = Box::leak(json::write(&value).into());
            let tape = Box::leak(Box::new(json::read(text.as_bytes(), json::ReadLimits::DOCUMENT).unwrap()));
            let read = document::read::<T>(tape.root());
            assert!(read.is_ok(), "{:?} {text}", read.err());
        }
    }

    #[test]
    fn documents_read_values_of_their_shape() {
        read_made::<Envelope<'_>>(&|envelope| envelope.set(&["evaluate_prompt"], OwnedValue::text("p.v1")));
        // The other list has a constraint of the same id.
        let no_constraints =
            |call: &mut OwnedValue| call.set(&["task", "constraints"], OwnedValue::texts([""; 0]));
        read_made::<PlanCall<'_>>(&no_constraints);
        read_made::<GuardrailCall<'_>>(&|_| {});
        read_made::<MergeCall<'_>>(&|_| {});
        read_made::<ObserveCall<'_>>(&|_| {});
    }
}
