//! Views of a checked input. `views.rs` has the objects with their fields; a method of the view reads each field.
//!
//! A method is code only if the policy calls it, so a module contains the code of the fields that its policy reads, and no more.

use crate::value::Value;

/// A value of a checked input, as a policy reads it.
pub(crate) trait View<'a>: Sized {
    /// The value in place of an absent one. Required fields are never absent, because the input was checked.
    const ABSENT: Self;

    /// Reads a value; `None` for one of another type.
    fn of(value: &'a Value<'a>) -> Option<Self>;
}

impl<'a> View<'a> for &'a Value<'a> {
    const ABSENT: Self = &Value::Null;

    fn of(value: Self) -> Option<Self> {
        Some(value)
    }
}

impl<'a> View<'a> for &'a str {
    const ABSENT: Self = "";

    fn of(value: &'a Value<'a>) -> Option<Self> {
        value.as_str()
    }
}

impl<'a> View<'a> for bool {
    const ABSENT: Self = false;

    fn of(value: &'a Value<'a>) -> Option<Self> {
        if let Value::Bool(truth) = value { Some(*truth) } else { None }
    }
}

impl<'a> View<'a> for i64 {
    const ABSENT: Self = 0;

    fn of(value: &'a Value<'a>) -> Option<Self> {
        value.as_i64()
    }
}

impl<'a> View<'a> for u64 {
    const ABSENT: Self = 0;

    fn of(value: &'a Value<'a>) -> Option<Self> {
        value.as_u64()
    }
}

/// Reads a required field.
pub(crate) fn field<'a, T: View<'a>>(object: &'a Value<'a>, name: &str) -> T {
    optional_field(object, name).unwrap_or(T::ABSENT)
}

/// Reads an optional field.
pub(crate) fn optional_field<'a, T: View<'a>>(object: &'a Value<'a>, name: &str) -> Option<T> {
    T::of(object.member(name)?)
}

/// Reads an optional field that may be null.
pub(crate) fn nullable_field<'a, T: View<'a>>(object: &'a Value<'a>, name: &str) -> Option<T> {
    object.member(name).filter(|value| !matches!(value, Value::Null)).and_then(T::of)
}

/// Reads a list.
pub(crate) fn list<'a, T: View<'a>>(
    object: &'a Value<'a>,
    name: &'static str,
) -> impl DoubleEndedIterator<Item = T> {
    items(object, name).iter().filter_map(T::of)
}

/// Reads a list that differs from an empty one if it is absent.
pub(crate) fn optional_list<'a, T: View<'a>>(
    object: &'a Value<'a>,
    name: &'static str,
) -> Option<impl DoubleEndedIterator<Item = T>> {
    object.member(name).map(|value| value.items().iter().filter_map(T::of))
}

/// Reads an object in which every name is data.
pub(crate) fn map<'a, T: View<'a>>(
    object: &'a Value<'a>,
    name: &'static str,
) -> impl DoubleEndedIterator<Item = (&'a str, T)> {
    let members = field::<&Value<'_>>(object, name).members();
    members.iter().filter_map(|(key, value)| Some((&**key, T::of(value)?)))
}

// Not inlined, because many methods call it.
#[inline(never)]
fn items<'a>(object: &'a Value<'a>, name: &str) -> &'a [Value<'a>] {
    field::<&Value<'_>>(object, name).items()
}

/// Objects: for each a view with a method for each field, and a table for the check.
macro_rules! views {
    ($(
        $(#[$about:meta])*
        $visible:vis struct $name:ident: $table:ident($expecting:literal, $is_open:literal, $rule:ident) {
            $($(#[$of:meta])* $field:ident: $presence:ident($shape:expr), $read:ident -> $type:ty;)+
            $($ignored:literal;)?
        }
    )+) => { $(
        pub(crate) static $table: $crate::check::Object = $crate::check::Object {
            expecting: $expecting,
            fields: &[
                $($presence(stringify!($field), $shape),)+
                $(optional($ignored, Shape::Anything),)?
            ],
            is_open: $is_open,
            rule: $rule,
        };

        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        $visible struct $name<'a>(pub(crate) &'a Value<'a>);

        impl<'a> $crate::view::View<'a> for $name<'a> {
            const ABSENT: Self = Self(&Value::Null);

            fn of(value: &'a Value<'a>) -> Option<Self> {
                Some(Self(value))
            }
        }

        impl<'a> $name<'a> {
            $(
                $(#[$of])*
                $visible fn $field(self) -> $type {
                    $read(self.0, stringify!($field))
                }
            )+
        }
    )+ };
}

pub(crate) use views;

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use crate::{Claim, Opcode, Outcome, Severity, testing::Sample};

    #[test]
    fn methods_read_the_values_of_fields() {
        let sample = Sample::new()
            .exit_code("lint", -2)
            .member(
                "provenance_window",
                r#"[{"step_id":"a\n","opcode":"RUN_VALIDATION","outcome":"error","diff_summary":"","risk_flags":["slow"],
                     "blocker_codes":[],"failures":2,"reviewed":true}]"#,
            )
            .member("refinement", r#"{"spent":1}"#)
            .extension("harness_report", r#"{"summary":{"passed":9,"failed":1,"duration_ms":1.5}}"#)
            .extension("review", r#"{"artifact_ref":"r","issues":[{"id":"1","summary":"","severity":"low","evidence_ref":null}]}"#)
            .extension("claims", r#"["fixed","tests_passed"]"#)
            .extension("required_validators", "[]");
        sample.read(|envelope| {
            let entry = envelope.provenance_window().next().unwrap();
            assert_eq!((entry.step_id(), entry.opcode()), ("a\n", Opcode::RunValidation));
            assert_eq!((entry.status(), entry.outcome()), (None, Some(Outcome::Error)));
            assert_eq!((entry.failures(), entry.reviewed()), (Some(2), Some(true)));
            assert_eq!(entry.risk_flags().collect::<Vec<_>>(), ["slow"]);
            assert!(entry.blockers().is_none() && envelope.evaluate_history().is_none());
            let refinement = envelope.refinement().unwrap();
            assert_eq!((refinement.cap(), refinement.spent()), (None, 1));
            let evidence = envelope.evidence();
            assert_eq!(evidence.validation().exit_codes().collect::<Vec<_>>(), [("lint", -2)]);
            let report = evidence.harness_report().unwrap();
            assert_eq!((report.suite_id(), report.cases().count()), (None, 0));
            assert_eq!(report.summary().unwrap().duration_ms().unwrap().scaled(1), Some(15));
            let issue = evidence.review().unwrap().issues().next().unwrap();
            assert_eq!((issue.severity(), issue.evidence_ref()), (Severity::Low, None));
            assert_eq!(evidence.claims().unwrap().collect::<Vec<_>>(), [Claim::Fixed, Claim::TestsPassed]);
            assert_eq!(evidence.required_validators().unwrap().count(), 0);
        });
        // Both forms of no report.
        Sample::new().read(|envelope| assert!(envelope.evidence().harness_report().is_none()));
        let sample = Sample::new().extension("harness_report", "null");
        sample.read(|envelope| assert!(envelope.evidence().harness_report().is_none()));
    }
}
