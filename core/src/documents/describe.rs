//! The descriptions of values whose readers are written by hand.

use alloc::{boxed::Box, vec::Vec};

use adjudicate_lang::{
    Decimal,
    document::{Condition, Content, Definition, Describe, Type, describe},
};

use super::{
    Action, ConstraintExpression, Numbers, PostCondition, Previous, ResultPath, Task, Trigger,
    action::{ActionKind, NextAction},
    bundle::Share,
    contract::PostConditionFields,
    diagnostic::{Bucket, Diagnostic, DiagnosticFields},
    guardrail_answer::PrintedTrigger,
    previous::PreviousPayload,
    task::TaskDocument,
};

describe! {
    [] Action<'_> => ActionKind::describe();
    [] NextAction<'_> => Type::Either(Vec::from([Type::TEXT, Action::describe()]));
    [] ConstraintExpression<'_> => Type::Named(&CONSTRAINT_EXPRESSION);
    [] Diagnostic<'_> => DiagnosticFields::describe();
    [const LEVEL: usize] Bucket<'_, LEVEL> => <[Diagnostic<'_>]>::describe();
    [N: Describe] Numbers<'_, N> => Type::Map(Box::new(N::describe()));
    [] PostCondition<'_> => Type::Named(&POST_CONDITION);
    [] Previous<'_> => PreviousPayload::describe();
    [] PrintedTrigger<'_> => Trigger::describe();
    [] ResultPath<'_> => Type::Text { min_length: 0, pattern: "^(/([^~/]|~[01])*)*$" };
    [] Share => Decimal::describe();
    [] Task<'_> => TaskDocument::describe();
}

static POST_CONDITION: Definition = Definition {
    name: "PostCondition",
    source: "adjudicate_core::documents::PostCondition",
    about: "A condition that holds after a node: an object with the condition in `expr`, or the condition alone.",
    content: Content::Type(|| {
        Type::Either(Vec::from([PostConditionFields::describe(), ConstraintExpression::describe()]))
    }),
    keywords: "",
};

static CONSTRAINT_EXPRESSION: Definition = Definition {
    name: "ConstraintExpression",
    source: "adjudicate_core::documents::ConstraintExpression",
    about: "A condition over the result: an object in JSONLogic.",
    content: Content::Type(Condition::describe),
    keywords: r#"{"type": "object"}"#,
};
