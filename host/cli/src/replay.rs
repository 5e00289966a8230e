//! The verb `verify-replay`: a whole call, or a plan and its log, which is read line by line in bounded memory.

use std::io::Read;

use adjudicate_core::{
    Error, Operation,
    ir::{
        PlanIr,
        replay::{Receipt, Replay, Tests},
    },
    join_documents,
    json::{self, Limits, MAX_DOCUMENT_BYTES, Node, Tape},
};

use crate::{
    call::{self, Call},
    codes,
    evaluator::{Evaluator, Sandbox},
    exit::{self, Exit},
    failure::Failure,
    input::{InputFormat, Source},
    lines::{Line, Lines, too_long},
    operation::is_list,
    options::named,
    output,
    parts::{Alone, Parts},
    requests::Requests,
    table,
};
use clap::Args;

/// Check the events of a run against the plan that the run names.
#[derive(Debug, Args)]
#[command(
    after_help = exit::REPLAY_HELP,
    mut_arg("input", |input| input.help(
        "`{\"plan\": ..., \"events\": [...], \"receipt\": ..., \"tests\": ...}` without what is given apart, or, with \
         `--plan`, the events alone, one a line or in one list; `-` for standard input"
    ))
)]
pub(crate) struct VerifyReplay {
    #[command(flatten)]
    pub(crate) requests: Requests,
    /// The plan in its canonical form, or what `normalize-plan` answered
    #[arg(long, value_name = "FILE")]
    pub(crate) plan: Option<Source>,
    /// The receipt of the run
    #[arg(long, value_name = "FILE")]
    pub(crate) receipt: Option<Source>,
    /// How many tests failed before and after the run
    #[arg(long, value_name = "FILE")]
    pub(crate) tests: Option<Source>,
    /// End with 11 for a run that does not follow the plan
    #[arg(long)]
    pub(crate) exit_status: bool,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

impl VerifyReplay {
    /// Refuses what no single argument shows to be wrong.
    fn check(&self) -> Result<(), Error> {
        let beside = named("--plan", &self.plan).chain(named("--receipt", &self.receipt));
        self.requests.check_all(&self.sandbox, beside.chain(named("--tests", &self.tests)))?;
        let Requests { input, input_format, ndjson, .. } = &self.requests;
        let message = match &self.plan {
            Some(_) if *ndjson => "with `--plan` each line is an event, so `--ndjson` says nothing",
            Some(_) if input.format(*input_format) == InputFormat::Yaml => {
                "a log of events is JSON, not YAML"
            }
            _ => return Ok(()),
        };
        Err(Error::new(codes::WRONG_USAGE, message))
    }
}

pub(crate) fn run(args: &VerifyReplay) -> Result<Exit, Failure> {
    args.check()?;
    let Some(plan) = &args.plan else { return whole(args) };
    let plan = plan.part("plan", None)?;
    let plan = read("plan", &plan)?;
    let plan = PlanIr::read(normalized(plan.root())).map_err(|error| error.within("plan"))?;
    let receipt = part("receipt", &args.receipt)?;
    let receipt = receipt.as_ref().map(|text| read("receipt", text)).transpose()?;
    let tests = part("tests", &args.tests)?;
    let tests = tests.as_ref().map(|text| read("tests", text)).transpose()?;
    let beside = Beside::of(receipt.as_ref(), tests.as_ref())?;
    let mut log = Log::open(&args.requests.input)?;
    let answer = match (Evaluator::new(&args.sandbox)?, &mut log) {
        (Evaluator::Native, Log::Lines(lines)) => beside.verify(&plan, lines)?,
        (evaluator, log) => {
            let documents = [("receipt", &receipt), ("tests", &tests)];
            let documents = documents.iter().filter_map(|(name, tape)| Some((*name, tape.as_ref()?.text())));
            let answer = evaluator.answer(Operation::VerifyReplay, &joined(&plan, &log.list()?, documents)?);
            let closed = evaluator.close();
            answer.and_then(|answer| closed.map(|()| answer.into_text()))?
        }
    };
    let exit = call::exit(Operation::VerifyReplay, args.exit_status, &answer)?;
    let requests = &args.requests;
    output::answer(&answer, requests.format, requests.color, || table::replay(&answer))?;
    Ok(exit)
}

/// Answers whole calls, which the receipt and the tests may come apart from. A list is none, as the engine says.
fn whole(args: &VerifyReplay) -> Result<Exit, Failure> {
    let is_apart = args.receipt.is_some() || args.tests.is_some();
    let parts = Parts::new("events", Alone::Like(if is_apart { is_list } else { |_| false }), "[]")
        .with("receipt", args.receipt.as_ref())?
        .with("tests", args.tests.as_ref())?;
    Call::new(Operation::VerifyReplay, &args.sandbox, parts)?.by_status(args.exit_status).run(&args.requests)
}

/// A plan, or the one in what `normalize-plan` answered.
fn normalized(document: Node<'_>) -> Node<'_> {
    document.member("plan").filter(|_| document.member("plan_hash").is_some()).unwrap_or(document)
}

fn part(name: &'static str, source: &Option<Source>) -> Result<Option<Vec<u8>>, Error> {
    source.as_ref().map(|source| source.part(name, None)).transpose()
}

fn read<'a>(name: &str, text: &'a [u8]) -> Result<Tape<'a>, Error> {
    json::read(text, Limits::DOCUMENT).map_err(|error| error.within(name))
}

/// The whole call, for who takes no less.
fn joined<'a>(
    plan: &PlanIr<'_>,
    events: &[u8],
    beside: impl Iterator<Item = (&'static str, &'a str)>,
) -> Result<Vec<u8>, Error> {
    let plan = plan.to_json();
    let mut documents = vec![("plan", plan.as_bytes()), ("events", events)];
    documents.extend(beside.map(|(name, text)| (name, text.as_bytes())));
    join_documents(&documents).map(String::into_bytes)
}

/// What goes with a plan and its log.
struct Beside<'a> {
    receipt: Option<Receipt<'a>>,
    tests: Option<Tests>,
}

impl<'a> Beside<'a> {
    fn of(receipt: Option<&'a Tape<'_>>, tests: Option<&Tape<'_>>) -> Result<Self, Error> {
        let receipt = receipt.map(|tape| Receipt::read(tape.root())).transpose();
        let tests = tests.map(|tape| Tests::read(tape.root())).transpose();
        Ok(Self {
            receipt: receipt.map_err(|error| error.within("receipt"))?,
            tests: tests.map_err(|error| error.within("tests"))?,
        })
    }

    /// The report on a log, of which no more than a line is held.
    fn verify(self, plan: &PlanIr<'_>, log: &mut LogLines) -> Result<String, Error> {
        let mut replay = Replay::new(plan, self.receipt, self.tests);
        while let Some((number, line)) = log.next()? {
            let taken =
                json::read(&line, Limits::DOCUMENT).and_then(|event| replay.event(number, event.root()));
            taken.map_err(|error| error.within(&format!("line {number}")))?;
        }
        Ok(replay.finish().to_json())
    }
}

/// The events of a run: one a line, or in one list.
enum Log {
    Lines(LogLines),
    List(Vec<u8>),
}

/// The lines of a log that are not blank, with their numbers from 1.
struct LogLines {
    source: Source,
    lines: Lines<Box<dyn Read>>,
    /// How many lines were read.
    count: u64,
    /// The first line, which was read to see what there is.
    first: Option<(u64, Vec<u8>)>,
}

impl Log {
    fn open(source: &Source) -> Result<Self, Error> {
        let lines = Lines::new(source.open()?, MAX_DOCUMENT_BYTES);
        let mut log = LogLines { source: source.clone(), lines, count: 0, first: None };
        let first = log.next()?;
        match first {
            Some((_, line)) if line.trim_ascii_start().starts_with(b"[") => {
                let rest = log.lines.rest().map_err(|error| source.unreadable(&error))?;
                Ok(Self::List([line, rest].join(&b'\n')))
            }
            first => Ok(Self::Lines(LogLines { first, ..log })),
        }
    }

    /// All events as one list.
    fn list(&mut self) -> Result<Vec<u8>, Error> {
        let lines = match self {
            Self::List(list) => return Ok(std::mem::take(list)),
            Self::Lines(lines) => lines,
        };
        let mut list = vec![b'['];
        while let Some((number, line)) = lines.next()? {
            // What is not one JSON text could be several events.
            json::read(&line, Limits::DOCUMENT).map_err(|error| error.within(&format!("line {number}")))?;
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

impl LogLines {
    fn next(&mut self) -> Result<Option<(u64, Vec<u8>)>, Error> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        loop {
            let line = self.lines.next().map_err(|error| self.source.unreadable(&error))?;
            self.count += 1;
            match line {
                Line::End => return Ok(None),
                Line::TooLong => return Err(too_long().within(&format!("line {}", self.count))),
                Line::Whole(line) if line.trim_ascii().is_empty() => {}
                Line::Whole(line) => return Ok(Some((self.count, line))),
            }
        }
    }
}
