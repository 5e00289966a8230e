//! The keywords, one file for each family: how their values are read, and when they hold.

pub(super) mod arrays;
pub(super) mod combinators;
pub(super) mod conditionals;
pub(super) mod format;
pub(super) mod numbers;
pub(super) mod objects;
pub(super) mod references;
pub(super) mod strings;
pub(super) mod types;
pub(super) mod unevaluated;

use alloc::string::String;

use super::{
    compile::{Compiler, Site},
    tree::{Check, Family, Schema},
};
use crate::error::Error;

/// Reads a family's keywords and lays out its rules.
pub(super) type Compile = for<'d> fn(&mut Compiler<'d, '_>, &Site<'d>) -> Result<(), Error>;

/// In the order of [`Family`].
pub(super) const FAMILIES: [Compile; Family::COUNT] =
    [any, numbers::compile, strings::compile, arrays::compile, objects::compile];

/// The keywords that look at any value: those first that are quickly told.
fn any<'d>(compiler: &mut Compiler<'d, '_>, site: &Site<'d>) -> Result<(), Error> {
    types::compile(compiler, site)?;
    references::compile(compiler, site)?;
    combinators::compile(compiler, site)?;
    conditionals::compile(compiler, site)
}

/// What a rule expects that looks at nothing but the value, for people.
pub(super) fn expected(schema: &Schema, check: Check) -> String {
    use alloc::format;
    match check {
        Check::Choice(choice) => types::choices(schema, choice),
        Check::MinLength(least) => format!("{least} or more characters"),
        Check::MaxLength(most) => format!("{most} or fewer characters"),
        Check::MinItems(least) => format!("{least} or more items"),
        Check::MaxItems(most) => format!("{most} or fewer items"),
        Check::MinProperties(least) => format!("{least} or more members"),
        Check::MaxProperties(most) => format!("{most} or fewer members"),
        Check::Not(_) => "a value that the schema of `not` does not hold for".into(),
        Check::UniqueItems => "items that are all different".into(),
        Check::Pattern(_) | Check::Format(_) => strings::expected(schema, check),
        _ => numbers::expected(schema, check),
    }
}
