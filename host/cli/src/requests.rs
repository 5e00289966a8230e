//! Requests and answers: one document, or a line of each.

use adjudicate_core::{Error, ErrorCode};

use crate::{
    args::{Format, Requests},
    exit::Exit,
    failure::Failure,
    ndjson, output,
    table::Page,
};

/// A call and its answer.
pub(crate) struct Answered {
    /// The whole of the call's input, JSON text.
    pub(crate) input: Vec<u8>,
    /// The answer, JSON text.
    pub(crate) json: String,
}

/// Who answers, and what is made of an answer.
pub(crate) trait Answers {
    /// Answers one document.
    fn answer(&self, document: Vec<u8>) -> Result<Answered, Failure>;

    /// What errors call the document, where other files go with it.
    fn name(&self) -> Option<&'static str> {
        None
    }

    /// What to end with after an answer.
    fn exit(&self, _answer: &str) -> Result<Exit, Error> {
        Ok(Exit::Answered)
    }

    /// What a person wants to read of an answer.
    fn page(&self, answered: &Answered) -> Result<Page, Error>;

    /// A picture of the answer in one of the languages for that; the command line lets no verb be asked that has none.
    fn picture(&self, _format: Format, _answered: &Answered) -> Result<String, Error> {
        Err(Error::new(ErrorCode::WrongUsage, "there is no picture of this answer"))
    }
}

/// Answers all requests, and prints the answers.
pub(crate) fn run(requests: &Requests, answers: &impl Answers) -> Result<Exit, Failure> {
    if requests.ndjson {
        return ndjson::run(&requests.input, answers);
    }
    let (input, format) = (&requests.input, requests.input_format);
    let document = match answers.name() {
        Some(name) => input.part(name, format)?,
        None => input.document(format)?,
    };
    let answered = answers.answer(document)?;
    let exit = answers.exit(&answered.json)?;
    match requests.format {
        format @ (Format::Dot | Format::Mermaid) => output::text(&answers.picture(format, &answered)?)?,
        format => output::answer(&answered.json, format, requests.color, || answers.page(&answered))?,
    }
    Ok(exit)
}
