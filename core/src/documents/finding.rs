//! Findings: the reasons of an evaluation.

use alloc::{borrow::Cow, boxed::Box, string::String, vec::Vec};

use adjudicate_lang::{
    document::{Describe, Type},
    logic::{Number, Value},
};
use serde::Serialize;

use super::rule::RuleMode;
use crate::codes::{ResolutionKind, RuleCode, Severity, Status};

/// Declares findings: the types of three fields, and the fields that they have in addition.
macro_rules! findings {
    ($($(#[$about:meta])* $name:ident($summary:ty, $evidence_ref:ty, $(#[$shown_in:meta])* $shown:ty) { $($more:tt)* })+) => { $(
        $(#[$about])*
        #[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
        pub struct $name<'a> {
            /// The name of the rule.
            pub rule: &'a str,
            /// The status that the finding calls for.
            pub status: Status,
            /// The risk flag that the finding raises.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub flag: Option<&'a str>,
            /// The code of the blocker.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub blocker: Option<&'a str>,
            /// The severity.
            pub severity: Severity,
            /// One line for humans.
            pub summary: $summary,
            /// JSON Pointer into the envelope.
            pub evidence_ref: $evidence_ref,
            /// The number of findings that are left out, in the finding `findings_omitted`.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub count: Option<u64>,
            /// The value that the rule looks for.
            #[serde(skip_serializing_if = "Option::is_none")]
            $(#[$shown_in])*
            pub expected: Option<$shown>,
            /// The value that the rule found.
            #[serde(skip_serializing_if = "Option::is_none")]
            $(#[$shown_in])*
            pub actual: Option<$shown>,
            /// The act that makes the finding go away.
            pub resolution: Resolution<'a>,
            /// `monitor` for a finding without effect.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub mode: Option<RuleMode>,
            $($more)*
        }
    )+ };
}

findings! {
    /// A finding of one rule about one item of the evidence.
    #[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
    Finding(String, String, Shown<'a>) {
        /// The rule, for internal use.
        #[serde(skip)]
        pub(crate) origin: Origin,
        /// The id, path, event or approval at fault; the rule's name if there is none.
        #[serde(skip)]
        pub(crate) item: Cow<'a, str>,
    }
    /// A finding of one rule about one item of the evidence, with its evaluator.
    #[derive(Clone, Debug, Describe, Serialize)]
    #[document(answer(AnswerFinding, "a finding object"), owned)]
    ComposedFinding(Cow<'a, str>, Option<Cow<'a, str>>, #[cfg_attr(feature = "typescript", tsify(type = "unknown"))] Value<'a>) {
        /// The evaluator, in the answer of a composition.
        #[document(accepts = "Option<&'a str>")]
        pub origin: &'a str,
    }
}

/// The rule of a finding; the order is the order of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// A built-in rule.
    BuiltIn(RuleCode),
    /// A rule of the policy, by index.
    Policy(u32),
    /// No rule: the finding stands for those that are left out.
    Omitted,
}

/// An expected or actual value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(untagged)]
pub enum Shown<'a> {
    /// A whole number.
    Integer(i64),
    /// A count.
    Count(u64),
    /// A text.
    Text(Cow<'a, str>),
    /// Several texts.
    List(Vec<Cow<'a, str>>),
    /// Nothing, written as null.
    Nothing,
}

impl Describe for Shown<'_> {
    #[inline]
    fn describe() -> Type {
        let shown = Type::Either(Vec::from([
            Type::Integer { minimum: Some(i64::MIN.into()), maximum: Some(u64::MAX.into()) },
            Type::TEXT,
            Type::List(Box::new(Type::TEXT)),
        ]));
        shown.nullable()
    }
}

impl From<i64> for Shown<'_> {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<u64> for Shown<'_> {
    fn from(value: u64) -> Self {
        Self::Count(value)
    }
}

impl<'a> From<&'a str> for Shown<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(Cow::Borrowed(value))
    }
}

impl From<String> for Shown<'_> {
    fn from(value: String) -> Self {
        Self::Text(Cow::Owned(value))
    }
}

impl<'a> From<Option<&'a str>> for Shown<'a> {
    fn from(value: Option<&'a str>) -> Self {
        value.map_or(Self::Nothing, Self::from)
    }
}

impl<'a> FromIterator<&'a str> for Shown<'a> {
    fn from_iter<I: IntoIterator<Item = &'a str>>(values: I) -> Self {
        Self::List(values.into_iter().map(Cow::Borrowed).collect())
    }
}

/// The act that makes a finding go away.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerResolution, "a resolution object"), owned)]
pub struct Resolution<'a> {
    /// The kind of the act.
    pub kind: ResolutionKind,
    /// One line for humans.
    pub hint: Cow<'a, str>,
}

impl<'a> From<Shown<'a>> for Value<'a> {
    fn from(shown: Shown<'a>) -> Self {
        match shown {
            Shown::Integer(value) => Self::Number(Number::from(value)),
            Shown::Count(value) => Self::Number(Number::from(value)),
            Shown::Text(Cow::Borrowed(text)) => Self::Text(text),
            Shown::Text(Cow::Owned(text)) => Self::BuiltText(text.into()),
            Shown::Nothing => Self::Null,
            Shown::List(texts) => {
                Self::list(texts.into_iter().map(|text| Self::from(Shown::Text(text))).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_values_are_plain_json() {
        for (shown, expected) in [
            (Shown::from(-3_i64), "-3"),
            (Shown::from(u64::MAX), "18446744073709551615"),
            (Shown::from("a\"b"), r#""a\"b""#),
            (["a", "b"].into_iter().collect(), r#"["a","b"]"#),
            (Shown::from(None), "null"),
        ] {
            assert_eq!(adjudicate_lang::json::write(&shown), expected);
        }
    }
}
