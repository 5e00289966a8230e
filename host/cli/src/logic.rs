//! The verb `logic`: an expression and data in, `{"ok": value}` out.

use adjudicate_core::{
    Error,
    json::{self, Limits},
    logic::{Mode, evaluate_text},
    reply,
};

use crate::{
    args::Logic,
    exit::Exit,
    failure::Failure,
    requests::{self, Answered, Answers},
    table::{self, Page},
};

pub(crate) fn run(args: &Logic) -> Result<Exit, Failure> {
    requests::run(&args.requests, &Expressions(args.mode.into()))
}

/// Answers expressions, all in one mode.
struct Expressions(Mode);

impl Answers for Expressions {
    fn answer(&self, document: Vec<u8>) -> Result<Answered, Failure> {
        let json = reply(Ok(evaluate_text(&document, self.0)?));
        Ok(Answered { input: document, json })
    }

    fn page(&self, answered: &Answered) -> Result<Page, Error> {
        let tape = json::read(answered.json.as_bytes(), Limits::ANSWER)?;
        Ok(table::value(tape.root().member("ok")))
    }
}
