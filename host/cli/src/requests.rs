//! Requests and answers: one document, or one per line.

use std::io::{BufWriter, Write};

use adjudicate_core::{Error, json::MAX_DOCUMENT_BYTES};

use crate::{
    codes,
    drawing::{self, Drawing},
    environment::Environment,
    evaluator::Sandbox,
    exit::Exit,
    failure::Failure,
    input::{InputFormat, Source},
    layout,
    lines::{InputLine, Lines, too_long},
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
    /// Read one request per line and write one reply per line, in order
    ///
    /// Blank lines are skipped.
    #[arg(long)]
    pub(crate) ndjson: bool,
    /// The format of the answer
    #[arg(long, value_parser = layouts(), default_value = "json", conflicts_with = "ndjson")]
    pub(crate) format: Format,
    /// When to use colors in a table
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Color,
    /// The format of FILE, instead of the one that its name ends in
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) input_format: Option<InputFormat>,
}

impl Requests {
    /// Rejects arguments that exclude each other, and options of the sandbox without a module.
    pub(crate) fn check_all<'a>(
        &'a self,
        sandbox: &Sandbox,
        options: impl IntoIterator<Item = (&'a str, &'a Source)>,
    ) -> Result<(), Error> {
        let options: Vec<_> = options.into_iter().collect();
        sandbox.check(options.iter().any(|(_, source)| source.module().is_some()))?;
        self.check(options)
    }

    /// Rejects arguments that exclude each other; `options` are the options that name further documents, each with its source.
    pub(crate) fn check<'a>(
        &'a self,
        options: impl IntoIterator<Item = (&'a str, &'a Source)>,
    ) -> Result<(), Error> {
        one_stdin([("FILE", &self.input)].into_iter().chain(options))?;
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

impl Answered {
    /// Reads the answer as a type. The host does not check the answers of known engines, so one of another version can break it.
    pub(crate) fn typed<T>(&self, from_json: fn(&[u8]) -> Result<T, Error>) -> Result<T, Error> {
        from_json(self.json.as_bytes()).map_err(|error| {
            let message = format!("{} ({})", error.message(), error.code());
            Error::new(codes::MODULE_INVALID_DECISION, message).at(error.path())
        })
    }
}

/// An evaluator of requests, and the rendering of its answers.
pub(crate) trait RequestHandler {
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
    fn picture(&self, _write: fn(&Drawing) -> String, _answered: &Answered) -> Result<String, Error> {
        Err(Error::new(codes::WRONG_USAGE, "there is no picture of this answer"))
    }
}

/// Answers all requests, and prints the answers.
pub(crate) fn run(
    requests: &Requests,
    handler: &impl RequestHandler,
    env: &Environment,
) -> Result<Exit, Failure> {
    if requests.ndjson {
        return run_lines(&requests.input, handler, env);
    }
    let (input, format) = (&requests.input, requests.input_format);
    let document = match handler.name() {
        Some(name) => input.part(name, format, env)?,
        None => input.document(format, env)?,
    };
    let answered = handler.answer(document)?;
    let exit = handler.exit(&answered.json)?;
    match requests.format {
        Format::Dot => output::text(env, &handler.picture(drawing::dot, &answered)?)?,
        Format::Mermaid => output::text(env, &handler.picture(drawing::mermaid, &answered)?)?,
        format @ (Format::Json | Format::Pretty | Format::Table) => {
            output::answer(env, &answered.json, format, requests.color, || handler.page(&answered))?;
        }
    }
    Ok(exit)
}

/// Answers one request per line with one reply per line, in order and in bounded memory.
///
/// The reply to a line without an answer is its error, and the next lines are still answered. Blank lines are skipped. Each reply
/// is flushed before the command waits for the next request, so that both sides can take turns.
fn run_lines(input: &Source, handler: &impl RequestHandler, env: &Environment) -> Result<Exit, Failure> {
    let mut requests = Lines::new(input.open(env)?, MAX_DOCUMENT_BYTES);
    let mut out = BufWriter::new(env.output.clone());
    let mut exit = Exit::Answered;
    loop {
        if !requests.has_more_at_hand() {
            out.flush().map_err(Failure::of_writing)?;
        }
        let line = match requests.next().map_err(|error| input.unreadable(error))? {
            InputLine::End => break,
            InputLine::Whole(line) if line.trim_ascii().is_empty() => continue,
            InputLine::Whole(line) => Ok(line),
            InputLine::TooLong => Err(too_long()),
        };
        let (reply, line_exit) = reply(handler, line)?;
        exit = exit.or_more_severe(line_exit);
        writeln!(out, "{reply}").map_err(Failure::of_writing)?;
    }
    out.flush().map_err(Failure::of_writing)?;
    Ok(exit)
}

/// Returns the reply to one line, and its exit status.
fn reply(handler: &impl RequestHandler, line: Result<Vec<u8>, Error>) -> Result<(String, Exit), Failure> {
    let answer = line.map_err(Failure::from).and_then(|line| handler.answer(line));
    let judged = answer.and_then(|answered| {
        let exit = handler.exit(&answered.json)?;
        Ok((layout::compact(&answered.json), exit))
    });
    judged.or_else(|failure| match failure.line() {
        Some(line) => Ok((line, failure.exit())),
        None => Err(failure),
    })
}
