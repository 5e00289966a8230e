//! The diagnostics of the engine: their codes, and a builder.

mod builder;
mod code;

pub(crate) use builder::DiagnosticBuilder;
pub use code::PlanCode;
