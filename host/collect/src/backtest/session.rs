//! A transcript, line by line: the open turn, and the calls without a result.

use std::{
    collections::BTreeMap,
    mem,
    path::{Path, PathBuf},
};

use adjudicate_core::{
    Error,
    json::{self, OwnedValue, ReadLimits, shorten},
    owned::DiffFile,
};

use super::{
    CallEnd, Entry, PastRun, TranscriptTurn, TurnStop, claude_code, codex,
    command::{self, Share},
    judge::Judge,
};
use crate::hooks::{Agent, only_reads, place::PathResolver};

/// Tools that start a subagent.
const SUBAGENTS: [&str; 3] = ["Task", "Agent", "spawn_agent"];

/// Further tools of the agents that change no file.
const HARMLESS: [&str; 25] = [
    "AskUserQuestion",
    "BashOutput",
    "EnterPlanMode",
    "ExitPlanMode",
    "KillBash",
    "KillShell",
    "Skill",
    "SlashCommand",
    "StructuredOutput",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoWrite",
    "close_agent",
    "create_goal",
    "request_user_input",
    "resume_agent",
    "send_input",
    "update_goal",
    "update_plan",
    "wait",
    "wait_agent",
];

/// A transcript that is read line by line. Of the calls, it keeps the files and the validators.
pub struct Session<'a> {
    judge: &'a Judge<'a>,
    agent: Agent,
    line: u64,
    id: Option<String>,
    is_subagent: bool,
    is_itemized: bool,
    folder: PathBuf,
    /// The root of the files, and true if it is a working tree of the repository.
    root: Option<(PathBuf, bool)>,
    turn: Option<TranscriptTurn>,
    /// True if the agent marks the beginnings and the ends of turns.
    has_marks: bool,
    /// The calls without a result, by id or by the process that runs on.
    pending: BTreeMap<String, Pending>,
}

/// A call without a result.
struct Pending {
    /// The number of the call.
    number: u64,
    /// The files that it changes; `None` if the call is damaged.
    files: Option<Vec<DiffFile>>,
    /// The folders in which the agent may work.
    folders: Vec<String>,
    is_command: bool,
    /// The validators that the command runs, by id.
    validators: Vec<(String, Share)>,
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
            is_subagent: false,
            is_itemized: false,
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

    /// Returns true if a subagent wrote the transcript. Its work is a part of another turn.
    #[must_use]
    pub const fn is_of_subagent(&self) -> bool {
        self.is_subagent
    }

    /// Returns true if the session began in the repository, and false if it began elsewhere. `None` if the transcript has not named the
    /// folder so far.
    #[must_use]
    pub fn is_of_repository(&self) -> Option<bool> {
        self.root.as_ref().map(|(_, is_of_repository)| *is_of_repository)
    }

    /// Takes the next line. Returns the turn that ends before or with it.
    ///
    /// # Errors
    ///
    /// Those of [`json::read`]. The line then counts as missing.
    pub fn take(&mut self, line: &[u8]) -> Result<Option<TranscriptTurn>, Error> {
        self.line += 1;
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        let tape = json::read(line, ReadLimits::DOCUMENT).inspect_err(|_| self.skip())?;
        let line = tape.root();
        let payload = line.member("payload");
        self.agent = if payload.is_some() { Agent::Codex } else { Agent::ClaudeCode };
        let entries = match payload {
            Some(payload) => codex::entries(line, payload),
            None => claude_code::entries(line, self.turn.is_some()),
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
            turn.miss("lines", 1);
        }
    }

    /// Returns the last turn, at the end of the transcript.
    pub fn finish(&mut self) -> Option<TranscriptTurn> {
        let is_whole = !self.has_marks && self.pending.is_empty();
        self.close(if is_whole { TurnStop::Ended } else { TurnStop::Cut })
    }

    fn close(&mut self, stop: TurnStop) -> Option<TranscriptTurn> {
        let unended = mem::take(&mut self.pending).len() as u64;
        let mut turn = self.turn.take()?;
        turn.miss("calls", unended);
        if turn.stop == TurnStop::Ended {
            turn.stop = stop;
        }
        Some(turn).filter(|turn| turn.has_begun)
    }

    fn open(&mut self, turn: TranscriptTurn) {
        self.turn = Some(TranscriptTurn { line: self.line, session: self.id.clone(), ..turn });
    }

    /// Returns the open turn. A transcript that begins within a turn has one without its beginning.
    fn current(&mut self) -> &mut TranscriptTurn {
        if self.turn.is_none() {
            self.open(TranscriptTurn { stop: TurnStop::Cut, ..TranscriptTurn::default() });
        }
        let turn = self.turn.get_or_insert_default();
        turn.has_begun = true;
        turn
    }

    fn entry(&mut self, entry: Entry) -> Option<TranscriptTurn> {
        match entry {
            // A fork repeats the lines of the session that it continues.
            Entry::Session(id) => drop(self.id.get_or_insert(id)),
            Entry::Subagent => self.is_subagent = true,
            Entry::Itemized => self.is_itemized = true,
            Entry::Folder(folder) if self.folder == Path::new(&folder) => {}
            Entry::Folder(folder) => {
                self.folder = folder.into();
                self.root.get_or_insert_with(|| self.judge.root_of(&self.folder));
            }
            Entry::Start { id } => {
                let ended = self.close(if self.has_marks { TurnStop::Cut } else { TurnStop::Ended });
                self.has_marks = true;
                self.open(TranscriptTurn { id, has_begun: true, ..TranscriptTurn::default() });
                return ended;
            }
            Entry::Prompt { id, text } => match &mut self.turn {
                // A further prompt of a marked turn belongs to it.
                Some(turn) if self.has_marks => turn.prompt = turn.prompt.take().or(text),
                _ => {
                    let ended = self.close(TurnStop::Ended);
                    let has_begun = self.agent == Agent::Codex;
                    self.open(TranscriptTurn { id, prompt: text, has_begun, ..TranscriptTurn::default() });
                    return ended;
                }
            },
            Entry::Work => drop(self.current()),
            Entry::Call { id, tool, input } => self.call(id, &tool, input),
            Entry::Code if self.is_itemized => {}
            Entry::Code => self.current().miss("commands", 1),
            Entry::Wait { id, process } => {
                if let Some(pending) = self.pending.remove(&key(&process)) {
                    self.pending.insert(id, pending);
                }
            }
            Entry::Result { id, end } => self.result(&id, end),
            Entry::End => return self.close(TurnStop::Ended),
            Entry::Aborted => return self.close(TurnStop::Aborted),
            Entry::Damaged => self.current().miss("calls", 1),
        }
        None
    }

    fn call(&mut self, id: String, tool: &str, input: OwnedValue) {
        if self.pending.contains_key(&id) {
            return;
        }
        let command = command::line(tool, &input);
        let validators = command.as_ref().map_or_else(Vec::new, |command| {
            let start = command::folder(&input, &self.folder);
            self.judge.validators(command, &start, self.root())
        });
        let folders = vec![self.folder.to_string_lossy().into_owned()];
        let (line, root) = (self.line, self.root().to_owned());
        let (judge, agent) = (self.judge, self.agent);
        let session = self.id.clone().unwrap_or_default();
        let call = agent.tool_call(&session, tool, input, folders.clone());
        // The texts of other tools may be anything, so they are neither files nor in the report.
        let names_files = agent.names_files(tool) || command.is_some();
        let files = call.as_ref().ok().map(|call| if names_files { call.files.clone() } else { Vec::new() });
        let turn = self.current();
        let count = turn.calls.len() as u64 + 1;
        let is_new = !turn.calls.contains_key(&id);
        let number = *turn.calls.entry(id.clone()).or_insert(count);
        if is_new {
            let fallback =
                command.as_deref().map_or_else(|| tool.to_owned(), |line| shorten(line).into_owned());
            turn.refused.extend(judge.refusals(&root, call, &fallback, names_files, line));
            let is_subagent = SUBAGENTS.contains(&tool);
            turn.miss("subagents", is_subagent.into());
            let is_known = names_files || is_subagent || HARMLESS.contains(&tool);
            turn.miss("tools", (!is_known && (command::is_run_by(tool) || !only_reads(tool))).into());
            let is_other = validators.iter().all(|(_, share)| *share != Share::Whole);
            turn.miss(
                "commands",
                (command.is_some() && is_other && files.as_ref().is_none_or(Vec::is_empty)).into(),
            );
        }
        let is_command = command.is_some();
        self.pending.insert(id, Pending { number, files, folders, is_command, validators });
    }

    fn result(&mut self, id: &str, end: CallEnd) {
        let Some(pending) = self.pending.remove(id) else { return };
        if let CallEnd::Running(process) = end {
            self.pending.insert(key(&process), pending);
            return;
        }
        let root = self.root().to_owned();
        let Pending { number, files, folders, is_command, validators } = pending;
        let turn = self.current();
        let Some(files) = files else { return turn.miss("calls", u64::from(end != CallEnd::Failed)) };
        let code = match end {
            CallEnd::Done => Some(0),
            CallEnd::Exited(code) => Some(code),
            CallEnd::Failed | CallEnd::Running(_) | CallEnd::Unknown => None,
        };
        for (id, share) in validators {
            let exit_code = share.exit_code(code);
            turn.miss("exit_codes", exit_code.is_none().into());
            if turn.runs.get(&id).is_none_or(|run| run.call <= number) {
                turn.runs.insert(id, PastRun { call: number, exit_code });
            }
        }
        // A command that failed may have changed files before.
        if files.is_empty() || code != Some(0) && end != CallEnd::Unknown && !is_command {
            return;
        }
        turn.miss("calls", (end == CallEnd::Unknown).into());
        turn.last_edit = turn.last_edit.max(number);
        let resolver = PathResolver::new(&root, &folders);
        for file in files {
            for path in resolver.names(&file.path).inside {
                turn.files.insert(path.clone(), DiffFile { path, ..file.clone() });
            }
        }
    }

    fn root(&self) -> &Path {
        self.root.as_ref().map_or(self.judge.root(), |(root, _)| root)
    }
}

/// Returns the key of a call whose process runs on. No id of a call has a blank.
fn key(process: &str) -> String {
    format!("process {process}")
}
