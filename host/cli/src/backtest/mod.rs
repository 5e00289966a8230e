//! The command `backtest`: what a policy would have done about the turns in transcripts of coding agents.

mod find;
mod html;
mod report;
mod table;

use std::path::{Path, PathBuf};

use adjudicate_collect::{
    backtest::{Judge, Session},
    hooks::resolved,
};
use adjudicate_core::{Error, Policy, json::MAX_DOCUMENT_BYTES};
use adjudicate_evidence::collect::OwnedConfiguration;
use clap::{Args, ValueEnum};

pub(crate) use report::BacktestReport;

use self::report::Collector;
use crate::{
    codes,
    collect::folder,
    environment::Environment,
    exit::Exit,
    failure::Failure,
    input::Source,
    layout,
    lines::{InputLine, Lines, too_long},
    output::{self, Color, Format},
    reevaluation::progress::Progress,
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
    /// The configuration with the validators [default: that of the current folder, if it has one]
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
    let here = resolved(&folder(env)?);
    let file = args.config.as_ref().map(|path| env.path(path)).or_else(|| adjudicate_collect::find(&here));
    let root = file.as_deref().and_then(Path::parent).map_or_else(|| here.clone(), resolved);
    let configuration = configuration(file.as_deref(), env)?;
    let guardrails = configuration
        .guardrails
        .as_ref()
        .map(|guardrails| Source::File(root.join(guardrails)).part(guardrails, None, env));
    let guardrails = guardrails.transpose()?.map(|text| String::from_utf8_lossy(&text).into_owned());
    let judge = Judge::new(&root, &configuration, &policy, guardrails.as_deref());
    let files = if args.paths.is_empty() { find::of_user(env)? } else { find::below(&args.paths, env)? };
    let only = args.paths.is_empty().then_some(root.as_path());
    let mut collector = Collector::new(&name, judge.absent(), args.with_text);
    for file in &files {
        transcript(file, only, &judge, &mut collector, args.no_progress, env)?;
    }
    let report = collector.finish();
    match args.format {
        BacktestFormat::Json => output::line(env, &layout::json(&report))?,
        BacktestFormat::Html => output::line(env, &html::page(&report))?,
        BacktestFormat::Table => {
            output::answer(env, "", Format::Table, args.color, || Ok(table::page(&report)))?;
        }
    }
    Ok(Exit::Answered)
}

/// Reads the configuration. Without a file, there are no validators.
fn configuration(file: Option<&Path>, env: &Environment) -> Result<OwnedConfiguration, Error> {
    let Some(file) = file else {
        return OwnedConfiguration::from_json(
            br#"{"workflow":"backtest","validators":[],"next_steps":[{"id":"continue","role":"forward"},{"id":"fix","role":"fix"},{"id":"ask","role":"gate"}]}"#,
        );
    };
    let name = file.display().to_string();
    let text = Source::File(file.to_owned()).part(&name, None, env)?;
    OwnedConfiguration::from_json(&text).map_err(|error| error.within(&name))
}

/// Judges the turns of a transcript. With `only`, sessions in other folders are left out.
fn transcript(
    path: &Path,
    only: Option<&Path>,
    judge: &Judge<'_>,
    collector: &mut Collector,
    is_quiet: bool,
    env: &Environment,
) -> Result<(), Failure> {
    let source = Source::File(path.to_owned());
    let progress = Progress::of_file(&source, is_quiet, env);
    let stream = match source.open(env) {
        Ok(stream) => stream,
        Err(error) => {
            collector.unread(path, 0, &error);
            return Ok(());
        }
    };
    let mut lines = Lines::new(progress.counted(stream), MAX_DOCUMENT_BYTES);
    let mut session = Session::new(judge);
    loop {
        let turn = match lines.next() {
            Ok(InputLine::Whole(line)) => match session.take(&line) {
                Ok(turn) => turn,
                Err(error) => {
                    collector.unread(path, session.lines(), &error);
                    None
                }
            },
            Ok(InputLine::TooLong) => {
                session.take_unreadable();
                collector.unread(path, session.lines(), &too_long());
                None
            }
            Ok(InputLine::End) => break,
            Err(error) => {
                session.take_unreadable();
                let error = Error::caused_by(codes::UNREADABLE_INPUT, "the transcript cannot be read", error);
                collector.unread(path, session.lines(), &error);
                break;
            }
        };
        if only.is_some() && session.root().is_some_and(|root| Some(root) != only) {
            collector.elsewhere();
            return Ok(());
        }
        if let Some(turn) = turn {
            collector.turn(path, &turn, &judge.judge(&turn)?);
        }
        progress.done(collector.turns());
    }
    if let Some(turn) = session.finish() {
        collector.turn(path, &turn, &judge.judge(&turn)?);
    }
    collector.transcript();
    Ok(())
}
