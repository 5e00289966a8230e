//! The command `logic`: an expression and data in, `{"ok": value}` out.

use adjudicate_core::{
    Error, evaluate_logic,
    json::{self, ReadLimits},
    logic::Mode,
    reply,
};

use crate::{
    environment::Environment,
    exit::Exit,
    failure::Failure,
    requests::{self, Answered, RequestHandler, Requests},
    table::{self, Page},
};
use clap::{Args, ValueEnum};

/// Evaluate a logic expression on data.
#[derive(Debug, Args)]
#[command(
    mut_arg("input", |input| input.help("`{\"logic\": ..., \"data\": ...}`; `-` for standard input"))
)]
pub(crate) struct Logic {
    #[command(flatten)]
    pub(crate) requests: Requests,
    /// The semantics of the expression
    #[arg(long, value_enum, default_value_t)]
    pub(crate) mode: LogicMode,
}

/// The semantics of a logic expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogicMode {
    /// Three-valued and exact, without coercion; an unknown value answers null
    #[default]
    Strict,
    /// The semantics of the reference implementation of JSONLogic
    Compat,
}

impl From<LogicMode> for Mode {
    fn from(mode: LogicMode) -> Self {
        match mode {
            LogicMode::Strict => Self::Strict,
            LogicMode::Compat => Self::Compat,
        }
    }
}

pub(crate) fn run(args: &Logic, env: &Environment) -> Result<Exit, Failure> {
    args.requests.check([])?;
    requests::run(&args.requests, &Expressions(args.mode.into()), env)
}

/// Answers expressions, all in one mode.
struct Expressions(Mode);

impl RequestHandler for Expressions {
    fn answer(&self, document: Vec<u8>) -> Result<Answered, Failure> {
        let json = reply(Ok(evaluate_logic(&document, self.0)?));
        Ok(Answered { input: document, json })
    }

    fn page(&self, answered: &Answered) -> Result<Page, Error> {
        let tape = json::read(answered.json.as_bytes(), ReadLimits::ANSWER)?;
        Ok(table::value(tape.root().member("ok")))
    }
}
