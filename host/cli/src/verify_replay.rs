//! The command `verify-replay`: checks a complete call, or a plan and its log, which is read line by line in bounded
//! memory.

use std::io::Read;

use adjudicate_core::{
    Error, Operation,
    ir::{
        PlanIr,
        replay::{Receipt, Replay, Tests},
    },
    join_documents,
    json::{self, MAX_DOCUMENT_BYTES, Node, ReadLimits, Tape},
};

use crate::{
    call::{self, Call},
    codes,
    environment::Environment,
    evaluator::{Evaluator, Sandbox},
    exit::Exit,
    failure::Failure,
    input::{InputFormat, Source},
    lines::{InputLine, Lines, too_long},
    operation::is_list,
    options::named,
    output,
    parts::{BareWhen, Parts},
    requests::Requests,
    table,
};
use clap::Args;

/// Check the events of a run against the plan that the run names.
#[derive(Debug, Args)]
#[command(
    mut_arg("input", |input| input.help(
        "An object with `plan`, `events`, `receipt`, `tests`, or the events; `-` for standard input"
    ).long_help(
        "An object `{\"plan\": ..., \"events\": [...], \"receipt\": ..., \"tests\": ...}` without the parts that options give. \
         With `--plan`, the events: one per line or in one list. `-` for standard input"
    ))
)]
pub(crate) struct VerifyReplay {
    #[command(flatten)]
    pub(crate) requests: Requests,
    /// The plan in its canonical form, or the answer of `normalize-plan`
    #[arg(long, value_name = "FILE")]
    pub(crate) plan: Option<Source>,
    /// The receipt of the run
    #[arg(long, value_name = "FILE")]
    pub(crate) receipt: Option<Source>,
    /// The numbers of failing tests before and after the run
    #[arg(long, value_name = "FILE")]
    pub(crate) tests: Option<Source>,
    /// End with status 11 if the run does not follow the plan
    #[arg(long)]
    pub(crate) exit_status: bool,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

impl VerifyReplay {
    /// Rejects arguments that exclude each other.
    fn check(&self) -> Result<(), Error> {
        let options = named("--plan", &self.plan).chain(named("--receipt", &self.receipt));
        self.requests.check_all(&self.sandbox, options.chain(named("--tests", &self.tests)))?;
        let Requests { input, input_format, ndjson, .. } = &self.requests;
        let message = match &self.plan {
            Some(_) if *ndjson => "with `--plan` each line is an event already: leave out `--ndjson`",
            Some(_) if input.format(*input_format) == InputFormat::Yaml => {
                "a log of events is JSON, not YAML"
            }
            _ => return Ok(()),
        };
        Err(Error::new(codes::WRONG_USAGE, message))
    }
}

pub(crate) fn run(args: &VerifyReplay, env: &Environment) -> Result<Exit, Failure> {
    args.check()?;
    let Some(plan) = &args.plan else { return run_calls(args, env) };
    let plan = plan.part("plan", None, env)?;
    let plan = read("plan", &plan)?;
    let plan = PlanIr::read(normalized(plan.root())).map_err(|error| error.within("plan"))?;
    let receipt = part("receipt", &args.receipt, env)?;
    let receipt = receipt.as_ref().map(|text| read("receipt", text)).transpose()?;
    let tests = part("tests", &args.tests, env)?;
    let tests = tests.as_ref().map(|text| read("tests", text)).transpose()?;
    let documents = ReceiptAndTests::read(receipt.as_ref(), tests.as_ref())?;
    let mut log = EventLog::open(&args.requests.input, env)?;
    let answer = match (Evaluator::new(&args.sandbox, env)?, &mut log) {
        (evaluator, EventLog::Lines(lines)) if evaluator.is_native() => documents.verify(&plan, lines)?,
        (evaluator, log) => {
            let documents = [("receipt", &receipt), ("tests", &tests)];
            let documents = documents.iter().filter_map(|(name, tape)| Some((*name, tape.as_ref()?.text())));
            let answer = evaluator.answer(Operation::VerifyReplay, &joined(&plan, &log.list()?, documents)?);
            let closed = evaluator.close();
            answer.and_then(|answer| closed.map(|()| answer.into_text()))?
        }
    };
    let exit = match args.exit_status {
        true => call::exit(Operation::VerifyReplay, &answer)?,
        false => Exit::Answered,
    };
    let requests = &args.requests;
    output::answer(env, &answer, requests.format, requests.color, || table::replay(&answer))?;
    Ok(exit)
}

/// Answers complete calls. With `--receipt` or `--tests`, a document that is a list is the events alone.
fn run_calls(args: &VerifyReplay, env: &Environment) -> Result<Exit, Failure> {
    let is_apart = args.receipt.is_some() || args.tests.is_some();
    let parts = Parts::new("events", BareWhen::Matches(if is_apart { is_list } else { |_| false }), "[]")
        .with("receipt", args.receipt.as_ref(), env)?
        .with("tests", args.tests.as_ref(), env)?;
    Call::new(Operation::VerifyReplay, |shown| table::replay(&shown.json), &args.sandbox, parts, env)?
        .by_status(args.exit_status)
        .run(&args.requests, env)
}

/// Returns the plan: the document itself, or the plan in an answer of `normalize-plan`.
fn normalized(document: Node<'_>) -> Node<'_> {
    document.member("plan").filter(|_| document.member("plan_hash").is_some()).unwrap_or(document)
}

fn part(name: &'static str, source: &Option<Source>, env: &Environment) -> Result<Option<Vec<u8>>, Error> {
    source.as_ref().map(|source| source.part(name, None, env)).transpose()
}

fn read<'a>(name: &str, text: &'a [u8]) -> Result<Tape<'a>, Error> {
    json::read(text, ReadLimits::DOCUMENT).map_err(|error| error.within(name))
}

/// Joins the parts to a complete call, for modules and slots.
fn joined<'a>(
    plan: &PlanIr<'_>,
    events: &[u8],
    others: impl Iterator<Item = (&'static str, &'a str)>,
) -> Result<Vec<u8>, Error> {
    let plan = plan.to_json();
    let mut documents = vec![("plan", plan.as_bytes()), ("events", events)];
    documents.extend(others.map(|(name, text)| (name, text.as_bytes())));
    join_documents(&documents).map(String::into_bytes)
}

/// The other parts of a call: the receipt and the tests.
struct ReceiptAndTests<'a> {
    receipt: Option<Receipt<'a>>,
    tests: Option<Tests>,
}

impl<'a> ReceiptAndTests<'a> {
    fn read(receipt: Option<&'a Tape<'_>>, tests: Option<&Tape<'_>>) -> Result<Self, Error> {
        let receipt = receipt.map(|tape| Receipt::read(tape.root())).transpose();
        let tests = tests.map(|tape| Tests::read(tape.root())).transpose();
        Ok(Self {
            receipt: receipt.map_err(|error| error.within("receipt"))?,
            tests: tests.map_err(|error| error.within("tests"))?,
        })
    }

    /// Verifies a log line by line, and returns the report.
    fn verify(self, plan: &PlanIr<'_>, log: &mut EventLines) -> Result<String, Error> {
        let mut replay = Replay::new(plan, self.receipt, self.tests);
        while let Some((number, line)) = log.next()? {
            let taken =
                json::read(&line, ReadLimits::DOCUMENT).and_then(|event| replay.event(number, event.root()));
            taken.map_err(|error| error.within(&format!("line {number}")))?;
        }
        Ok(replay.finish().to_json())
    }
}

/// The events of a run: one per line, or one list.
enum EventLog {
    Lines(EventLines),
    List(Vec<u8>),
}

/// The lines of a log that are not blank, with their numbers from 1.
struct EventLines {
    source: Source,
    lines: Lines<Box<dyn Read>>,
    /// The number of lines read so far.
    count: u64,
    /// The first line, which was read to recognize a list.
    first: Option<(u64, Vec<u8>)>,
}

impl EventLog {
    fn open(source: &Source, env: &Environment) -> Result<Self, Error> {
        let lines = Lines::new(source.open(env)?, MAX_DOCUMENT_BYTES);
        let mut log = EventLines { source: source.clone(), lines, count: 0, first: None };
        let first = log.next()?;
        match first {
            Some((_, line)) if line.trim_ascii_start().starts_with(b"[") => {
                let rest = log.lines.rest().map_err(|error| source.unreadable(error))?;
                Ok(Self::List([line, rest].join(&b'\n')))
            }
            first => Ok(Self::Lines(EventLines { first, ..log })),
        }
    }

    /// Returns all events as one JSON list.
    fn list(&mut self) -> Result<Vec<u8>, Error> {
        let lines = match self {
            Self::List(list) => return Ok(std::mem::take(list)),
            Self::Lines(lines) => lines,
        };
        let mut list = vec![b'['];
        while let Some((number, line)) = lines.next()? {
            // Each line must be one JSON value; otherwise it could add several events to the list.
            json::read(&line, ReadLimits::DOCUMENT)
                .map_err(|error| error.within(&format!("line {number}")))?;
            if list.len() > 1 {
                list.push(b',');
            }
            list.extend(line);
            if list.len() > MAX_DOCUMENT_BYTES {
                let message =
                    format!("{} is over the limit of {MAX_DOCUMENT_BYTES} bytes for a module", lines.source);
                return Err(Error::new(codes::LIMIT_EXCEEDED, message));
            }
        }
        list.push(b']');
        Ok(list)
    }
}

impl EventLines {
    fn next(&mut self) -> Result<Option<(u64, Vec<u8>)>, Error> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        loop {
            let line = self.lines.next().map_err(|error| self.source.unreadable(error))?;
            self.count += 1;
            match line {
                InputLine::End => return Ok(None),
                InputLine::TooLong => return Err(too_long().within(&format!("line {}", self.count))),
                InputLine::Whole(line) if line.trim_ascii().is_empty() => {}
                InputLine::Whole(line) => return Ok(Some((self.count, line))),
            }
        }
    }
}
