//! The report of a backtest.

use std::{collections::BTreeMap, path::Path};

use adjudicate_collect::{
    backtest::{Judged, Turn, Verdict},
    hooks::CallVerdict,
};
use adjudicate_core::{Error, document::Describe};
use serde::Serialize;

/// The most lines that the report lists as unread.
const MOST_UNREAD: usize = 100;

/// What a policy would have done about past turns, the answer of `adjudicate backtest --format json`.
#[derive(Debug, Default, Describe, Serialize)]
pub(crate) struct BacktestReport {
    /// The name of the policy's file.
    pub(super) policy: String,
    /// The number of transcripts.
    pub(super) transcripts: u64,
    /// The number of transcripts from other folders, which were left out.
    pub(super) elsewhere: u64,
    /// The number of turns.
    pub(super) turns: u64,
    /// The turns that the policy would have held.
    pub(super) held: u64,
    /// The turns that would have called a human.
    pub(super) needs_human: u64,
    /// The turns to which nothing known objects, with unknown evidence.
    pub(super) unknown: u64,
    /// The turns that would have ended.
    pub(super) released: u64,
    /// The turns that the user ended, or whose transcript is cut.
    pub(super) unjudged: u64,
    /// The turns with a call that would not have run, or not without a human.
    pub(super) denied: u64,
    /// The rules that object, with the number of turns, most often first.
    pub(super) rules: Vec<RuleCount>,
    /// The causes of held and denied work, most often first. Begin exceptions with those that should not have stopped the agent.
    pub(super) blocks: Vec<Block>,
    /// The evidence that the configuration names, and that no transcript has.
    pub(super) absent: Vec<String>,
    /// The counts of evidence that the transcripts do not have.
    pub(super) missing: BTreeMap<String, u64>,
    /// The number of lines that cannot be read.
    pub(super) unread_lines: u64,
    /// The first lines that cannot be read.
    pub(super) unread: Vec<UnreadLine>,
    /// The turns, in order.
    pub(super) lines: Vec<TurnLine>,
}

/// A rule, with the number of turns to which it objects.
#[derive(Debug, Describe, Serialize)]
pub(crate) struct RuleCount {
    /// The rule.
    pub(super) rule: String,
    /// The number of turns.
    pub(super) turns: u64,
}

/// A cause of held or denied work.
#[derive(Debug, Describe, Serialize)]
pub(crate) struct Block {
    /// The rule; `call` for a call that would not have run.
    pub(super) rule: String,
    /// The path, the id or the tool at fault.
    pub(super) item: String,
    /// The number of turns.
    pub(super) turns: u64,
    /// The place of the first turn.
    pub(super) first: String,
}

/// A line of a transcript that cannot be read.
#[derive(Debug, Describe, Serialize)]
pub(crate) struct UnreadLine {
    /// The transcript and the line.
    pub(super) place: String,
    /// The code of the error.
    pub(super) code: String,
}

/// A turn.
#[derive(Debug, Describe, Serialize)]
pub(crate) struct TurnLine {
    /// The transcript and the line with which the turn begins.
    pub(super) place: String,
    /// The id of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<String>,
    /// `held`, `needs_human`, `unknown`, `released` or `unjudged`.
    pub(super) verdict: &'static str,
    /// The findings that count.
    pub(super) findings: Vec<FindingLine>,
    /// The calls that would not have run, or not without a human.
    pub(super) calls: Vec<CallLine>,
    /// The counts of evidence that the transcript does not have.
    pub(super) missing: BTreeMap<String, u64>,
    /// The prompt, with `--with-text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) prompt: Option<String>,
}

/// A finding about a turn.
#[derive(Debug, Describe, Serialize)]
pub(crate) struct FindingLine {
    /// The rule.
    pub(super) rule: String,
    /// The path or the id at fault.
    pub(super) item: String,
}

/// A call that would not have run, or not without a human.
#[derive(Debug, Describe, Serialize)]
pub(crate) struct CallLine {
    /// The line of the transcript.
    pub(super) line: u64,
    /// `deny` or `ask`.
    pub(super) verdict: &'static str,
    /// The tool.
    pub(super) tool: String,
    /// The files that it changes.
    pub(super) files: Vec<String>,
    /// The command that it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) command: Option<String>,
}

/// Adds up a report.
pub(super) struct Collector {
    report: BacktestReport,
    rules: BTreeMap<String, u64>,
    blocks: BTreeMap<(String, String), (u64, String)>,
    has_text: bool,
}

impl Collector {
    pub(super) fn new(policy: &str, absent: &[String], has_text: bool) -> Self {
        let report = BacktestReport {
            policy: policy.to_owned(),
            absent: absent.to_vec(),
            ..BacktestReport::default()
        };
        Self { report, rules: BTreeMap::new(), blocks: BTreeMap::new(), has_text }
    }

    /// Adds a transcript.
    pub(super) fn transcript(&mut self) {
        self.report.transcripts += 1;
    }

    /// Adds a transcript from another folder.
    pub(super) fn elsewhere(&mut self) {
        self.report.elsewhere += 1;
    }

    /// Returns the number of turns so far.
    pub(super) const fn turns(&self) -> u64 {
        self.report.turns
    }

    /// Adds a line that cannot be read.
    pub(super) fn unread(&mut self, path: &Path, line: u64, error: &Error) {
        self.report.unread_lines += 1;
        if self.report.unread.len() < MOST_UNREAD {
            self.report.unread.push(UnreadLine { place: place(path, line), code: error.code().to_owned() });
        }
    }

    /// Adds a turn.
    pub(super) fn turn(&mut self, path: &Path, turn: &Turn, judged: &Judged) {
        let report = &mut self.report;
        report.turns += 1;
        report.denied += u64::from(!turn.refused.is_empty());
        let (count, verdict) = match judged.verdict {
            Verdict::Held => (&mut report.held, "held"),
            Verdict::NeedsHuman => (&mut report.needs_human, "needs_human"),
            Verdict::Unknown => (&mut report.unknown, "unknown"),
            Verdict::Released => (&mut report.released, "released"),
            Verdict::Unjudged => (&mut report.unjudged, "unjudged"),
        };
        *count += 1;
        let place = place(path, turn.line);
        let of_turn = judged.findings.iter().map(|finding| (finding.rule.clone(), finding.item.clone()));
        let mut causes: Vec<_> = of_turn.collect();
        let mut rules: Vec<_> = causes.iter().map(|(rule, _)| rule.clone()).collect();
        for call in &turn.refused {
            let items = if call.files.is_empty() { std::slice::from_ref(&call.tool) } else { &call.files };
            causes.extend(items.iter().map(|item| ("call".to_owned(), item.clone())));
        }
        rules.sort();
        rules.dedup();
        causes.sort();
        causes.dedup();
        for rule in rules {
            *self.rules.entry(rule).or_default() += 1;
        }
        for cause in causes {
            self.blocks.entry(cause).or_insert_with(|| (0, place.clone())).0 += 1;
        }
        let counts = turn.unknown.counts().into_iter().filter(|(_, count)| *count > 0);
        let missing: BTreeMap<_, _> = counts.map(|(name, count)| (name.to_owned(), count)).collect();
        for (name, count) in &missing {
            *report.missing.entry(name.clone()).or_default() += count;
        }
        let calls = turn.refused.iter().map(|call| CallLine {
            line: call.line,
            verdict: if matches!(call.verdict, CallVerdict::Ask(_)) { "ask" } else { "deny" },
            tool: call.tool.clone(),
            files: call.files.clone(),
            command: call.command.clone(),
        });
        let findings = judged.findings.iter();
        let findings =
            findings.map(|finding| FindingLine { rule: finding.rule.clone(), item: finding.item.clone() });
        report.lines.push(TurnLine {
            place,
            session: turn.session.clone(),
            verdict,
            findings: findings.collect(),
            calls: calls.collect(),
            missing,
            prompt: turn.prompt.clone().filter(|_| self.has_text),
        });
    }

    /// Returns the report.
    pub(super) fn finish(self) -> BacktestReport {
        let mut rules: Vec<_> =
            self.rules.into_iter().map(|(rule, turns)| RuleCount { rule, turns }).collect();
        rules.sort_by_key(|count| std::cmp::Reverse(count.turns));
        let blocks = self.blocks.into_iter();
        let mut blocks: Vec<_> =
            blocks.map(|((rule, item), (turns, first))| Block { rule, item, turns, first }).collect();
        blocks.sort_by_key(|block| std::cmp::Reverse(block.turns));
        BacktestReport { rules, blocks, ..self.report }
    }
}

impl BacktestReport {
    /// Returns the counts of turns, each with its name and its color.
    pub(super) fn counts(&self) -> [(&'static str, u64, &'static str); 6] {
        [
            ("held", self.held, "fair"),
            ("needs a human", self.needs_human, "ask"),
            ("unknown", self.unknown, "none"),
            ("released", self.released, "good"),
            ("not judged", self.unjudged, "plain"),
            ("with a denied call", self.denied, "stuck"),
        ]
    }
}

impl TurnLine {
    /// Returns true if the policy would have done something about the turn.
    pub(super) fn is_stopped(&self) -> bool {
        matches!(self.verdict, "held" | "needs_human") || !self.calls.is_empty()
    }

    /// Returns the causes, each with its rule.
    pub(super) fn causes(&self) -> Vec<String> {
        let findings = self.findings.iter().map(|finding| format!("{} {}", finding.rule, finding.item));
        let calls = self.calls.iter().map(|call| {
            let what = call.command.clone().unwrap_or_else(|| call.files.join(" "));
            format!("{} {} {what} (line {})", call.verdict, call.tool, call.line)
        });
        findings.chain(calls).collect()
    }
}

fn place(path: &Path, line: u64) -> String {
    format!("{}:{line}", path.display())
}
