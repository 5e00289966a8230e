//! A transcript, line by line: the turn that is open, and the calls without a result.

use std::{
    collections::BTreeMap,
    mem,
    path::{Path, PathBuf},
};

use adjudicate_core::{
    Error,
    json::{self, Limits, OwnedValue},
};

use super::{
    claude_code, codex, command,
    command::Share,
    entry::{CallEnd, Entry},
    judge::Judge,
    turn::{RefusedCall, Turn, TurnStop, ValidatorEnd},
};
use crate::hooks::{Agent, CallVerdict, Rules, ToolCall, judge_call, place::PathResolver};

/// Tools that start a subagent.
const SUBAGENTS: [&str; 4] = ["Task", "Agent", "spawn_agent", "spawn_agents"];

/// A transcript that is read line by line. Only the open turn is in memory.
pub struct Session<'a> {
    judge: &'a Judge<'a>,
    agent: Agent,
    line: u64,
    id: Option<String>,
    folder: PathBuf,
    root: Option<PathBuf>,
    turn: Option<Turn>,
    /// True if the agent marks the beginnings and ends of turns.
    has_marks: bool,
    pending: BTreeMap<String, Pending>,
}

/// A call without a result.
struct Pending {
    call: Option<ToolCall>,
    command: Option<String>,
    folder: PathBuf,
}

impl<'a> Session<'a> {
    /// Begins a transcript.
    #[must_use]
    pub fn new(judge: &'a Judge<'a>) -> Self {
        Self {
            judge,
            agent: Agent::ClaudeCode,
            line: 0,
            id: None,
            folder: PathBuf::new(),
            root: None,
            turn: None,
            has_marks: false,
            pending: BTreeMap::new(),
        }
    }

    /// Returns the number of lines so far.
    #[must_use]
    pub const fn lines(&self) -> u64 {
        self.line
    }

    /// Returns the folder of the session, once it is known.
    #[must_use]
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// Takes the next line. Returns the turn that ends before or with it.
    ///
    /// # Errors
    ///
    /// Those of [`json::read`]. The line then counts as unknown.
    pub fn take(&mut self, line: &[u8]) -> Result<Option<Turn>, Error> {
        self.line += 1;
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        let tape = json::read(line, Limits::DOCUMENT).inspect_err(|_| self.skip())?;
        let root = tape.root();
        let entries = match root.member("payload") {
            Some(payload) => {
                self.agent = Agent::Codex;
                codex::entries(root, payload)
            }
            None => {
                self.agent = Agent::ClaudeCode;
                claude_code::entries(root)
            }
        };
        let mut ended = None;
        for entry in entries {
            ended = self.entry(entry).or(ended);
        }
        Ok(ended)
    }

    /// Takes a line that is too long to be read.
    pub fn take_unreadable(&mut self) {
        self.line += 1;
        self.skip();
    }

    fn skip(&mut self) {
        if let Some(turn) = &mut self.turn {
            turn.unknown.lines += 1;
        }
    }

    /// Returns the last turn, at the end of the transcript.
    pub fn finish(&mut self) -> Option<Turn> {
        let is_whole = !self.has_marks && self.pending.is_empty();
        self.close(if is_whole { TurnStop::Ended } else { TurnStop::Cut })
    }

    fn close(&mut self, stop: TurnStop) -> Option<Turn> {
        let unended = mem::take(&mut self.pending).len() as u64;
        let mut turn = self.turn.take()?;
        turn.unknown.calls += unended;
        // A turn without its beginning lacks evidence.
        turn.stop = if turn.stop == TurnStop::Cut { TurnStop::Cut } else { stop };
        Some(turn)
    }

    /// Opens a turn at this line.
    fn open(&mut self, stop: TurnStop, prompt: Option<String>) {
        self.turn = Some(Turn { line: self.line, session: self.id.clone(), prompt, stop, ..Turn::default() });
    }

    fn entry(&mut self, entry: Entry) -> Option<Turn> {
        match entry {
            Entry::Session(id) => self.id = Some(id),
            Entry::Folder(folder) => {
                self.folder = folder.into();
                self.root.get_or_insert_with(|| self.judge.root_of(&self.folder));
            }
            Entry::Start => {
                let ended = self.close(if self.has_marks { TurnStop::Cut } else { TurnStop::Ended });
                self.has_marks = true;
                self.open(TurnStop::Ended, None);
                return ended;
            }
            Entry::Prompt(prompt) => match &mut self.turn {
                // A further prompt of a marked turn belongs to it.
                Some(turn) if self.has_marks => turn.prompt = turn.prompt.take().or(prompt),
                _ => {
                    let ended = self.close(TurnStop::Ended);
                    self.open(TurnStop::Ended, prompt);
                    return ended;
                }
            },
            Entry::Call { id, tool, input } => self.call(id, &tool, input),
            Entry::Result { id, end } => {
                if let Some(pending) = self.pending.remove(&id) {
                    self.result(&pending, end);
                }
            }
            Entry::End => return self.close(TurnStop::Ended),
            Entry::Aborted => return self.close(TurnStop::Aborted),
            Entry::Damaged => self.current().unknown.calls += 1,
        }
        None
    }

    /// Returns the open turn. A transcript that begins within a turn has one without its beginning.
    fn current(&mut self) -> &mut Turn {
        if self.turn.is_none() {
            self.open(TurnStop::Cut, None);
        }
        self.turn.get_or_insert_default()
    }

    fn call(&mut self, id: String, tool: &str, input: OwnedValue) {
        let (line, root) = (self.line, self.root().unwrap_or(&self.folder).to_owned());
        let command = command::line(&input);
        let folder = command::folder(&input, &self.folder);
        let folders = vec![self.folder.to_string_lossy().into_owned()];
        let rules = Rules { root: &root, ..self.judge.rules };
        let call = self.agent.tool_call(tool, input, folders);
        // A call that cannot be judged must not run.
        let verdict = call.as_ref().map_err(Clone::clone).and_then(|call| judge_call(&rules, call));
        let verdict = verdict.unwrap_or_else(|error| CallVerdict::Deny(error.to_string()));
        let call = call.ok();
        let files = call.iter().flat_map(|call| &call.files).map(|file| file.path.clone()).collect();
        let turn = self.current();
        turn.unknown.subagents += u64::from(SUBAGENTS.contains(&tool));
        if verdict != CallVerdict::Allow {
            let (tool, command) = (tool.to_owned(), command.clone());
            turn.refused.push(RefusedCall { line, tool, files, command, verdict });
        }
        self.pending.insert(id, Pending { call, command, folder });
    }

    fn result(&mut self, pending: &Pending, end: CallEnd) {
        let root = self.root().unwrap_or(&self.folder).to_owned();
        let judge = self.judge;
        let turn = self.current();
        let Some(call) = &pending.call else {
            turn.unknown.calls += u64::from(end != CallEnd::Failed);
            return;
        };
        let has_failed = matches!(end, CallEnd::Failed | CallEnd::Exited(_));
        if let Some(command) = &pending.command {
            let code = match end {
                CallEnd::Done => Some(0),
                CallEnd::Exited(code) => Some(code),
                CallEnd::Failed | CallEnd::Unknown => None,
            };
            let mut is_validator = false;
            for (id, line, folder) in &judge.commands {
                let Some(share) = command::share(command, &pending.folder, line, &root.join(folder)) else {
                    continue;
                };
                is_validator |= share == Share::Whole;
                let exit_code = match share {
                    Share::Whole => code,
                    Share::Link => code.filter(|code| *code == 0),
                    Share::Hidden => None,
                };
                turn.unknown.exit_codes += u64::from(exit_code.is_none());
                turn.runs.insert(id.clone(), ValidatorEnd { exit_code, edits: turn.edits });
            }
            turn.unknown.commands += u64::from(!is_validator && call.files.is_empty());
        }
        // A command that failed may have changed files before.
        if call.files.is_empty() || has_failed && pending.command.is_none() {
            return;
        }
        turn.unknown.calls += u64::from(end == CallEnd::Unknown);
        turn.edits += 1;
        let resolver = PathResolver::new(&root, &call.folders);
        for file in &call.files {
            for path in resolver.names(&file.path).inside {
                let named = adjudicate_core::owned::DiffFile { path: path.clone(), ..file.clone() };
                turn.files.insert(path, named);
            }
        }
    }
}
