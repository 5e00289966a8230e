//! Requests and answers: one document, or a line of each.

use adjudicate_core::Error;

use crate::{args::Requests, exit::Exit, failure::Failure, ndjson, output, table::Page};

/// Who answers, and what is made of an answer.
pub(crate) trait Answers {
    /// Answers one document with JSON text.
    fn answer(&self, document: Vec<u8>) -> Result<String, Failure>;

    /// What to end with after an answer.
    fn exit(&self, _answer: &str) -> Result<Exit, Error> {
        Ok(Exit::Answered)
    }

    /// What a person wants to read of an answer.
    fn page(&self, answer: &str) -> Result<Page, Error>;
}

/// Answers all requests, and prints the answers.
pub(crate) fn run(requests: &Requests, answers: &impl Answers) -> Result<Exit, Failure> {
    if requests.ndjson {
        return ndjson::run(&requests.input, answers);
    }
    let answer = answers.answer(requests.input.document(requests.input_format)?)?;
    let exit = answers.exit(&answer)?;
    output::answer(&answer, requests.format, requests.color, || answers.page(&answer))?;
    Ok(exit)
}
