//! The report of a backtest.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use adjudicate_collect::backtest::{PastVerdict, StopCause, TranscriptTurn};
use adjudicate_core::{Error, document::Describe, module::Digest};
use serde::Serialize;

/// The most lines that the report lists as unread.
const MOST_UNREAD: usize = 100;

/// The verdicts of a policy on past turns, the answer of `adjudicate backtest --format json`.
#[derive(Debug, Default, Describe, Serialize)]
pub(crate) struct BacktestReport {
    /// The name of the policy's file.
    pub(super) policy: String,
    /// The number of transcripts with turns that count.
    pub(super) transcripts: u64,
    /// The number of transcripts that were left out: of sessions in other folders, and of subagents.
    pub(super) left_out: u64,
    /// The number of turns.
    pub(super) turns: u64,
    /// The number of turns by verdict.
    pub(super) verdicts: BTreeMap<String, u64>,
    /// The number of turns with a call that the hook would have refused.
    pub(super) refused: u64,
    /// The number of turns by rule. `deny` and `ask` are calls.
    pub(super) rules: BTreeMap<String, u64>,
    /// The causes, most often first. Begin exceptions with those that should not have stopped the agent.
    pub(super) blocks: Vec<Block>,
    /// The evidence that the configuration names, and that no transcript has.
    pub(super) not_recorded: Vec<String>,
    /// The counts of other evidence that the transcripts do not have.
    pub(super) missing: BTreeMap<String, u64>,
    /// The number of lines that cannot be read.
    pub(super) unread_lines: u64,
    /// The first lines that cannot be read.
    pub(super) unread: Vec<UnreadLine>,
    /// The turns, in order.
    pub(super) lines: Vec<TurnLine>,
}

/// A cause for which the agent would have been stopped.
#[derive(Debug, Describe, Serialize)]
pub(crate) struct Block {
    /// The rule; `deny` or `ask` for a call.
    pub(super) rule: String,
    /// The path, the id, the command or the tool at fault.
    pub(super) item: String,
    /// The number of turns.
    pub(super) turns: u64,
    /// The first place: the transcript and the line.
    pub(super) first: String,
}

/// A line of a transcript that cannot be read.
#[derive(Debug, Describe, Serialize)]
pub(crate) struct UnreadLine {
    /// The transcript and the line.
    pub(super) place: String,
    /// The code of the error.
    pub(super) code: &'static str,
}

/// A turn.
#[derive(Debug, Describe, Serialize)]
pub(crate) struct TurnLine {
    /// The transcript, and the line with which the turn begins.
    pub(super) place: String,
    /// The id of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<String>,
    /// `held`, `needs_human`, `unknown`, `released` or `unjudged`.
    pub(super) verdict: &'static str,
    /// The causes.
    pub(super) causes: Vec<CauseLine>,
    /// The counts of evidence that the transcript does not have.
    pub(super) missing: BTreeMap<String, u64>,
    /// The prompt, with `--with-text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) prompt: Option<String>,
}

/// A cause in a turn.
#[derive(Debug, Describe, Serialize)]
pub(crate) struct CauseLine {
    /// The rule; `deny` or `ask` for a call.
    pub(super) rule: String,
    /// The path, the id, the command or the tool at fault.
    pub(super) item: String,
    /// The line with the call, or the line with which the turn begins.
    pub(super) line: u64,
}

/// Adds up a report.
pub(super) struct Collector {
    pub(super) report: BacktestReport,
    blocks: BTreeMap<(String, String), (u64, String)>,
    /// The turns so far that a session that was resumed or forked may repeat.
    repeatable: BTreeSet<Digest>,
    has_text: bool,
}

impl Collector {
    pub(super) fn new(policy: &str, not_recorded: &[String], has_text: bool) -> Self {
        let report = BacktestReport {
            policy: policy.to_owned(),
            not_recorded: not_recorded.to_vec(),
            verdicts: PastVerdict::ALL.map(|verdict| (verdict.as_str().to_owned(), 0)).into(),
            ..BacktestReport::default()
        };
        Self { report, blocks: BTreeMap::new(), repeatable: BTreeSet::new(), has_text }
    }

    /// Adds a line that cannot be read.
    pub(super) fn unread(&mut self, path: &Path, line: u64, error: &Error) {
        self.report.unread_lines += 1;
        if self.report.unread.len() < MOST_UNREAD {
            self.report.unread.push(UnreadLine { place: place(path, line), code: error.code().as_str() });
        }
    }

    /// Adds a turn, once.
    pub(super) fn turn(
        &mut self,
        path: &Path,
        turn: TranscriptTurn,
        verdict: PastVerdict,
        causes: Vec<StopCause>,
    ) {
        if turn.repetition().is_some_and(|digest| !self.repeatable.insert(digest)) {
            return;
        }
        let report = &mut self.report;
        report.turns += 1;
        report.refused += u64::from(!turn.refused.is_empty());
        *report.verdicts.entry(verdict.as_str().to_owned()).or_default() += 1;
        let rules: BTreeSet<_> = causes.iter().map(|cause| cause.rule.clone()).collect();
        for rule in rules {
            *report.rules.entry(rule).or_default() += 1;
        }
        let mut items = BTreeMap::new();
        for StopCause { rule, item, line } in &causes {
            items.entry((rule.clone(), item.clone())).or_insert(*line);
        }
        for (cause, line) in items {
            self.blocks.entry(cause).or_insert_with(|| (0, place(path, line))).0 += 1;
        }
        let missing: BTreeMap<_, _> =
            turn.missing.into_iter().map(|(kind, count)| (kind.to_owned(), count)).collect();
        for (kind, count) in &missing {
            *report.missing.entry(kind.clone()).or_default() += count;
        }
        let causes = causes.into_iter().map(|StopCause { rule, item, line }| CauseLine { rule, item, line });
        report.lines.push(TurnLine {
            place: place(path, turn.line),
            session: turn.session,
            verdict: verdict.as_str(),
            causes: causes.collect(),
            missing,
            prompt: turn.prompt.filter(|_| self.has_text),
        });
    }

    /// Returns the report.
    pub(super) fn finish(self) -> BacktestReport {
        let blocks = self.blocks.into_iter();
        let mut blocks: Vec<_> =
            blocks.map(|((rule, item), (turns, first))| Block { rule, item, turns, first }).collect();
        blocks.sort_by_key(|block| Reverse(block.turns));
        BacktestReport { blocks, ..self.report }
    }
}

impl BacktestReport {
    /// Returns the counts of turns, each with its name.
    pub(super) fn counts(&self) -> impl Iterator<Item = (String, u64)> {
        let verdicts = PastVerdict::ALL.map(PastVerdict::as_str).into_iter();
        let counts = verdicts.map(|verdict| {
            (verdict.replace('_', " "), self.verdicts.get(verdict).copied().unwrap_or_default())
        });
        counts.chain([("with a refused call".to_owned(), self.refused)])
    }
}

impl TurnLine {
    /// Returns true if the agent would have been stopped.
    pub(super) fn is_stopped(&self) -> bool {
        !self.causes.is_empty()
    }
}

/// Returns the place of a line.
fn place(path: &Path, line: u64) -> String {
    format!("{}:{line}", path.display())
}
