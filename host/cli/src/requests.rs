//! Requests and answers: one document, or one document a line.

use std::io::{self, BufWriter, Write};

use adjudicate_core::{Error, json::MAX_DOCUMENT_BYTES};

use crate::{
    codes,
    evaluator::Sandbox,
    exit::Exit,
    failure::Failure,
    input::{InputFormat, Source},
    layout,
    lines::{Line, Lines, too_long},
    options::{layouts, one_stdin},
    output::{self, Color, Format},
    table::Page,
};
use clap::Args;

/// The input of requests, and the format of answers.
#[derive(Debug, Args)]
pub(crate) struct Requests {
    /// The document; `-` for standard input
    #[arg(value_name = "FILE")]
    pub(crate) input: Source,
    /// Read one request per line, write one reply per line, in order; blank lines are skipped
    #[arg(long)]
    pub(crate) ndjson: bool,
    /// How to print the answer
    #[arg(long, value_parser = layouts(), default_value = "json", conflicts_with = "ndjson")]
    pub(crate) format: Format,
    /// When to use colours in a table
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Color,
    /// The format of FILE, instead of the one that its name ends in
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) input_format: Option<InputFormat>,
}

impl Requests {
    /// [`Requests::check`], and the options of the sandbox, which are for each module among the documents, too.
    pub(crate) fn check_all<'a>(
        &'a self,
        sandbox: &Sandbox,
        beside: impl IntoIterator<Item = (&'a str, &'a Source)>,
    ) -> Result<(), Error> {
        let beside: Vec<_> = beside.into_iter().collect();
        sandbox.check(beside.iter().any(|(_, source)| source.module().is_some()))?;
        self.check(beside)
    }

    /// Refuses arguments that exclude each other; `beside` are the other documents of the call.
    pub(crate) fn check<'a>(
        &'a self,
        beside: impl IntoIterator<Item = (&'a str, &'a Source)>,
    ) -> Result<(), Error> {
        one_stdin([("FILE", &self.input)].into_iter().chain(beside))?;
        if self.ndjson && self.input.format(self.input_format) == InputFormat::Yaml {
            return Err(Error::new(codes::WRONG_USAGE, "`--ndjson` reads JSON lines, not YAML"));
        }
        Ok(())
    }
}

/// A call and its answer.
pub(crate) struct Answered {
    /// The complete input of the call, as JSON text.
    pub(crate) input: Vec<u8>,
    /// The answer, as JSON text.
    pub(crate) json: String,
}

/// An evaluator of requests, and the rendering of its answers.
pub(crate) trait Answers {
    /// Answers one document.
    fn answer(&self, document: Vec<u8>) -> Result<Answered, Failure>;

    /// Returns the name of the document in errors, if there are other files.
    fn name(&self) -> Option<&'static str> {
        None
    }

    /// Returns the exit status after an answer.
    fn exit(&self, _answer: &str) -> Result<Exit, Error> {
        Ok(Exit::Answered)
    }

    /// Returns the table of an answer, for humans.
    fn page(&self, answered: &Answered) -> Result<Page, Error>;

    /// Returns a drawing of the answer. The command line offers these formats only for commands that have a drawing.
    fn picture(&self, _format: Format, _answered: &Answered) -> Result<String, Error> {
        Err(Error::new(codes::WRONG_USAGE, "there is no picture of this answer"))
    }
}

/// Answers all requests, and prints the answers.
pub(crate) fn run(requests: &Requests, answers: &impl Answers) -> Result<Exit, Failure> {
    if requests.ndjson {
        return run_lines(&requests.input, answers);
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

/// Answers a request a line: one reply a line, in order, in bounded memory.
///
/// The reply to a line without an answer is its error, and the next lines are still answered. Blank lines are skipped. Each reply is
/// flushed before the command waits for the next request, so that both sides can take turns.
fn run_lines(input: &Source, answers: &impl Answers) -> Result<Exit, Failure> {
    let mut requests = Lines::new(input.open()?, MAX_DOCUMENT_BYTES);
    let mut out = BufWriter::new(io::stdout().lock());
    let mut exit = Exit::Answered;
    loop {
        if !requests.has_more_at_hand() {
            out.flush().map_err(|error| Failure::of_writing(&error))?;
        }
        let line = match requests.next().map_err(|error| input.unreadable(&error))? {
            Line::End => break,
            Line::Whole(line) if line.trim_ascii().is_empty() => continue,
            Line::Whole(line) => Ok(line),
            Line::TooLong => Err(too_long()),
        };
        let (reply, line_exit) = reply(answers, line)?;
        exit = exit.or_graver(line_exit);
        writeln!(out, "{reply}").map_err(|error| Failure::of_writing(&error))?;
    }
    out.flush().map_err(|error| Failure::of_writing(&error))?;
    Ok(exit)
}

/// Returns the reply to one line, and its exit status.
fn reply(answers: &impl Answers, line: Result<Vec<u8>, Error>) -> Result<(String, Exit), Failure> {
    let answer = line.map_err(Failure::from).and_then(|line| answers.answer(line));
    let judged = answer.and_then(|answered| {
        let exit = answers.exit(&answered.json)?;
        Ok((layout::compact(&answered.json), exit))
    });
    judged.or_else(|failure| match failure.line() {
        Some(line) => Ok((line, failure.exit())),
        None => Err(failure),
    })
}
