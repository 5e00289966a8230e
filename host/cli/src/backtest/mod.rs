//! The command `backtest`: what a policy would have done about the turns in transcripts of coding agents.

mod find;
mod html;
mod report;
mod table;

use std::path::{Path, PathBuf};

use adjudicate_collect::{
    backtest::{Judge, Session, TranscriptTurn},
    hooks::{Agent, Rules, resolved},
};
use adjudicate_core::{Error, Policy, json::MAX_DOCUMENT_BYTES};
use clap::{Args, ValueEnum};

pub(crate) use report::BacktestReport;

use self::report::Collector;
use crate::{
    codes,
    collect::{Repository, folder},
    environment::Environment,
    exit::Exit,
    failure::Failure,
    hook::own::OwnPatterns,
    input::Source,
    layout,
    lines::{InputLine, Lines, too_long},
    output::{self, Color, Format},
    progress::Progress,
};

/// Report what a policy would have done about the past turns of coding agents.
///
/// The transcripts of Claude Code and Codex stay on this machine. The report has paths, commands and ids of them, and no other text.
#[derive(Debug, Args)]
pub(crate) struct Backtest {
    /// Transcripts, or folders with transcripts
    ///
    /// By default, the command reads all transcripts of the user from the repository in the current folder.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The policy (YAML if its name ends in .yaml or .yml)
    #[arg(long, value_name = "FILE")]
    policy: Source,
    /// The configuration with the validators [default: that of the current folder]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Add the prompt of each turn to the report
    #[arg(long)]
    with_text: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: BacktestFormat,
    /// When to use colors in a table
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    color: Color,
    /// Hide the progress bar
    #[arg(long)]
    no_progress: bool,
}

/// The format of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum BacktestFormat {
    /// Text in columns, for a terminal
    #[default]
    Table,
    /// JSON on one line
    Json,
    /// A self-contained web page
    Html,
}

pub(crate) fn run(args: &Backtest, env: &Environment) -> Result<Exit, Failure> {
    let name = args.policy.name();
    let policy = args.policy.part(&name, None, env)?;
    Policy::parse(&policy).map_err(|error| error.within(&name))?;
    let policy = String::from_utf8_lossy(&policy);
    let repository = match &args.config {
        Some(path) => Repository::of_file(&resolved(&env.path(path)), env)?,
        None => Repository::open_documents(&resolved(&folder(env)?), env)?,
    };
    let guardrails = repository.guardrails(env)?;
    let mut own = OwnPatterns::new(Agent::ClaudeCode, &repository, env)?;
    let of_codex = OwnPatterns::new(Agent::Codex, &repository, env)?;
    own.inside.extend(of_codex.inside);
    own.outside.extend(of_codex.outside);
    let rules = Rules {
        root: &repository.root,
        policy: Some(&policy),
        guardrails: guardrails.as_deref(),
        own_paths: &own.inside,
        own_outside: &own.outside,
    };
    let judge = Judge::new(rules, &repository.configuration)?;
    let files = if args.paths.is_empty() { find::of_user(env)? } else { find::below(&args.paths, env)? };
    let collector = Collector::new(&name, judge.not_recorded(), args.with_text);
    let mut reader = TranscriptReader {
        judge: &judge,
        collector,
        is_of_user: args.paths.is_empty(),
        is_quiet: args.no_progress,
    };
    for file in &files {
        reader.transcript(file, env)?;
    }
    let report = reader.collector.finish();
    match args.format {
        BacktestFormat::Json => output::line(env, &layout::json(&report))?,
        BacktestFormat::Html => output::line(env, &html::page(&report))?,
        BacktestFormat::Table => {
            output::answer(env, "", Format::Table, args.color, || Ok(table::page(&report)))?;
        }
    }
    Ok(Exit::Answered)
}

/// Reads transcripts into a report.
struct TranscriptReader<'a> {
    judge: &'a Judge<'a>,
    collector: Collector,
    /// True if only sessions of the repository count.
    is_of_user: bool,
    is_quiet: bool,
}

impl TranscriptReader<'_> {
    /// Judges the turns of a transcript.
    fn transcript(&mut self, path: &Path, env: &Environment) -> Result<(), Failure> {
        let source = Source::File(path.to_owned());
        let progress = Progress::of_file(&source, self.is_quiet, env);
        let stream = match source.open(env) {
            Ok(stream) if !find::is_compressed(path) => stream,
            Ok(_) => {
                let error = Error::new(codes::UNREADABLE_INPUT, "the transcript is compressed");
                self.collector.unread(path, 0, &error);
                return Ok(());
            }
            Err(error) => {
                self.collector.unread(path, 0, &error);
                return Ok(());
            }
        };
        let mut lines = Lines::new(progress.counted(stream), MAX_DOCUMENT_BYTES);
        let mut session = Session::new(self.judge);
        loop {
            let turn = match lines.next() {
                Ok(InputLine::Whole(line)) => session.take(&line),
                Ok(InputLine::TooLong) => {
                    session.take_unreadable();
                    Err(too_long())
                }
                Ok(InputLine::End) => break,
                Err(error) => {
                    session.take_unreadable();
                    let error =
                        Error::caused_by(codes::UNREADABLE_INPUT, "the transcript cannot be read", error);
                    self.collector.unread(path, session.lines(), &error);
                    break;
                }
            };
            if session.is_of_subagent() || self.is_of_user && session.is_of_repository() == Some(false) {
                self.collector.report.left_out += 1;
                return Ok(());
            }
            match turn {
                Ok(turn) => self.turn(path, &session, turn)?,
                Err(error) => self.collector.unread(path, session.lines(), &error),
            }
            progress.done(self.collector.report.turns);
        }
        let last = session.finish();
        self.turn(path, &session, last)?;
        let is_counted = !self.is_of_user || session.is_of_repository().is_some();
        self.collector.report.transcripts += u64::from(is_counted);
        self.collector.report.left_out += u64::from(!is_counted);
        Ok(())
    }

    /// Adds a turn. In a folder that is not known, it is none of the repository.
    fn turn(
        &mut self,
        path: &Path,
        session: &Session<'_>,
        turn: Option<TranscriptTurn>,
    ) -> Result<(), Failure> {
        let is_counted = !self.is_of_user || session.is_of_repository() == Some(true);
        if let Some(turn) = turn.filter(|_| is_counted) {
            let (verdict, causes) = self.judge.judge(&turn)?;
            self.collector.turn(path, turn, verdict, causes);
        }
        Ok(())
    }
}
