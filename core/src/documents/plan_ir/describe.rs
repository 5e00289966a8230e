//! The descriptions of values of PlanIR whose readers are written by hand.

use adjudicate_lang::document::{Describe, Type, describe};

use super::{AdjutantAction, Byte, Fraction, Spelled, SpelledWord, StepId, Steps};

describe! {
    [] AdjutantAction => Type::TEXT;
    [const LEAST: u8] Byte<LEAST> => Type::Integer { minimum: Some(LEAST.into()), maximum: Some(u8::MAX.into()) };
    [] Fraction => Type::Number { minimum: Some(0), maximum: Some(1) };
    [T: Spelled + Describe, const IMPORT: bool] SpelledWord<'_, T, IMPORT> => if IMPORT { Type::TEXT } else { T::describe() };
    [const IMPORT: bool] StepId<'_, IMPORT> =>
        if IMPORT { Type::TEXT } else { Type::Text { min_length: 0, pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$" } };
    [T: Describe] Steps<T> => <[T]>::describe();
}
