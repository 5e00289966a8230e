//! The descriptions of values of ledgers whose readers are written by hand.

use alloc::vec::Vec;

use adjudicate_lang::{
    Decimal,
    document::{Id, Magnitude, Type, describe},
    json::OwnedValue,
};

use super::{
    Hypothesis, StrategySwitch, StrategySwitches,
    confidence::Confidence,
    milliseconds::Milliseconds,
    outputs::{
        ContinueDecision, Duration, ExplorationItem, ExplorationStep, NewInformation, StatedDecision,
        UncertaintyReduction,
    },
    turn::TurnNumber,
};

describe! {
    [] Confidence => Type::Number { minimum: Some(0), maximum: Some(1) };
    [] Duration => Type::Either(Vec::from([
        Magnitude::describe(),
        Type::Text { min_length: 0, pattern: "^[0-9]+(\\.[0-9]+)? *(minutes?|min|seconds?|s|ms)$" },
    ]));
    [] ExplorationItem<'_> => Type::Either(Vec::from([Id::describe(), ExplorationStep::describe()]));
    [] Hypothesis<'_> => Type::Text { min_length: 0, pattern: "[^ \\t\\r\\n]" };
    [const UP: bool] Milliseconds<UP> => Magnitude::describe(), |value| Some(OwnedValue::count(value.0));
    [] NewInformation => Type::Either(Vec::from([Type::Bool, Type::Text { min_length: 0, pattern: "^(yes|no)$" }]));
    [] StatedDecision => ContinueDecision::describe();
    [] StrategySwitches<'_> => <[StrategySwitch<'_>]>::describe();
    [] TurnNumber => Type::Integer { minimum: Some(1), maximum: Some(u64::MAX.into()) };
    [] UncertaintyReduction => Type::Either(Vec::from([
        Decimal::describe(),
        Type::Text { min_length: 0, pattern: "^-?[0-9]+(\\.[0-9]+)?%$" },
    ]));
}
