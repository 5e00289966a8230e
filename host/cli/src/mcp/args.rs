//! The arguments of the command `mcp`.

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};

use super::tools::{NAMES, ToolName};
use crate::input::Source;

/// Serve the engine to a coding agent, over standard input and output.
///
/// The command is a server of the Model Context Protocol (MCP), which the agent starts.
#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// Decide by this policy in `evaluate` and `explain`; calls with another policy are refused
    #[arg(long, value_name = "FILE")]
    pub(super) policy: Option<Source>,
    /// Offer only this tool; repeatable
    #[arg(long = "tool", value_name = "NAME", value_parser = name())]
    pub(super) tools: Vec<ToolName>,
}

/// Returns the parser of the name of a tool.
fn name() -> impl TypedValueParser<Value = ToolName> {
    PossibleValuesParser::new(NAMES.iter().map(|name| name.text()))
        .try_map(|text| ToolName::parse(&text).ok_or("no tool"))
}
