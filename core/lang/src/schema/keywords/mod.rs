//! The keywords, one file per family: each file has a compiler and the checks.

pub(super) mod arrays;
pub(super) mod combinators;
pub(super) mod conditionals;
pub(super) mod numbers;
pub(super) mod objects;
pub(super) mod references;
pub(super) mod strings;
pub(super) mod types;
pub(super) mod unevaluated;

use alloc::string::String;

use super::{
    compiler::{Compiler, KeywordValues},
    tree::{Check, Family, Schema},
};
use crate::error::Error;

/// Compiles the keywords of a family into rules.
pub(super) type Compile = for<'d> fn(&mut Compiler<'d, '_>, &KeywordValues<'d>) -> Result<(), Error>;

/// One compiler per [`Family`], in its order.
pub(super) const FAMILIES: [Compile; Family::COUNT] =
    [any, numbers::compile, strings::compile, arrays::compile, objects::compile];

/// Compiles the keywords for values of any type, the cheap ones first.
fn any<'d>(compiler: &mut Compiler<'d, '_>, keywords: &KeywordValues<'d>) -> Result<(), Error> {
    types::compile(compiler, keywords)?;
    references::compile(compiler, keywords)?;
    combinators::compile(compiler, keywords)?;
    conditionals::compile(compiler, keywords)
}

/// Returns the text of `expected` for a rule that depends only on the value.
pub(super) fn expected(schema: &Schema, check: Check) -> String {
    use alloc::format;
    match check {
        Check::Choice(choice) => types::choices(schema, choice),
        Check::MinLength(least) => format!("{least} or more characters"),
        Check::MaxLength(most) => format!("{most} or fewer characters"),
        Check::MinItems(least) => format!("{least} or more items"),
        Check::MaxItems(most) => format!("{most} or fewer items"),
        Check::MinProperties(least) => format!("{least} or more fields"),
        Check::MaxProperties(most) => format!("{most} or fewer fields"),
        Check::Not(_) => "a value that the schema of `not` does not hold for".into(),
        Check::UniqueItems => "items that are all different".into(),
        Check::Pattern(_) | Check::Format(_) => strings::expected(schema, check),
        _ => numbers::expected(schema, check),
    }
}
