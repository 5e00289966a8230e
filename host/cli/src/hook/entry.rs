//! The entries of an event in the settings of an agent.

use adjudicate_collect::hooks::{Agent, MAX_HOLDS};
use adjudicate_core::json::OwnedValue;

use super::{CALL, GRACE};

/// The time that an agent gives more than the hook's own limit, in seconds.
const MARGIN: u64 = 10;

/// Returns the entry of an event. The hook has its own time limit at the end of a turn.
pub(super) fn entry(agent: Agent, event: &str, deadline: u64, command: &str) -> OwnedValue {
    let text = OwnedValue::text;
    let seconds = least_seconds(agent, event, deadline) + MARGIN;
    let nested = |fields: Vec<(String, OwnedValue)>| OwnedValue::List(vec![OwnedValue::Object(fields)]);
    let fields = |pairs: &[(&str, OwnedValue)]| -> Vec<(String, OwnedValue)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    };
    let typed = [("type", text("command")), ("command", text(command))];
    match agent {
        Agent::ClaudeCode | Agent::Codex => {
            let hook = [&typed[..], &[("timeout", OwnedValue::count(seconds))]].concat();
            OwnedValue::object([("hooks", nested(fields(&hook)))])
        }
        Agent::Gemini => {
            let name = [("name", text("adjudicate"))];
            let hook = [&name[..], &typed, &[("timeout", OwnedValue::count(seconds * 1000))]].concat();
            OwnedValue::object([("matcher", text("*")), ("hooks", nested(fields(&hook)))])
        }
        Agent::Cursor => {
            let mut hook = fields(&[("command", text(command)), ("timeout", OwnedValue::count(seconds))]);
            if event == agent.end() {
                // The hook counts holds itself. Above its own limit, the host ends a turn without a word.
                hook.push(("loop_limit".into(), OwnedValue::count(2 * MAX_HOLDS)));
            } else {
                hook.push(("failClosed".into(), OwnedValue::Bool(true)));
            }
            OwnedValue::Object(hook)
        }
        Agent::Copilot => OwnedValue::object([
            ("type", text("command")),
            ("bash", text(command)),
            ("powershell", text(command)),
            ("timeoutSec", OwnedValue::count(seconds)),
        ]),
    }
}

/// The time that a hook needs at an event, in seconds.
fn least_seconds(agent: Agent, event: &str, deadline: u64) -> u64 {
    match event == agent.end() {
        true => deadline + GRACE.as_secs(),
        false => CALL.as_secs(),
    }
}

/// A command in an entry.
pub(super) struct EntryHook<'a> {
    entry: &'a OwnedValue,
    hook: &'a OwnedValue,
}

/// Returns the commands of this program's hook in an entry. Only Cursor and Copilot have a command in the entry itself.
pub(super) fn own_hooks(entry: &OwnedValue, agent: Agent) -> impl Iterator<Item = EntryHook<'_>> {
    let is_flat = matches!(agent, Agent::Cursor | Agent::Copilot);
    let hooks = match entry.lookup("hooks") {
        Some(OwnedValue::List(hooks)) if !is_flat => hooks.iter().collect(),
        _ if is_flat => vec![entry],
        _ => Vec::new(),
    };
    hooks.into_iter().filter(move |hook| is_own(hook, agent)).map(move |hook| EntryHook { entry, hook })
}

/// Returns the absolute paths of the programs that the hooks of an agent start.
pub(super) fn programs(settings: &OwnedValue, agent: Agent) -> Vec<String> {
    let events = match settings.lookup("hooks") {
        Some(OwnedValue::Object(events)) => events.as_slice(),
        _ => &[],
    };
    let entries = events.iter().flat_map(|(_, entries)| match entries {
        OwnedValue::List(entries) => entries.as_slice(),
        _ => &[],
    });
    let lines = entries.flat_map(|entry| own_hooks(entry, agent)).map(|hook| hook.line());
    // A path with blanks is quoted.
    let paths = lines.filter_map(|line| {
        let command = line.split(" hook ").next()?.trim_end_matches(['"', '\'']).to_owned();
        let start = match command.rfind(['"', '\'']) {
            Some(quote) => quote + 1,
            None => command.rfind(char::is_whitespace).map_or(0, |blank| blank + 1),
        };
        command.get(start..).map(str::trim_start).filter(|path| path.starts_with('/')).map(str::to_owned)
    });
    paths.collect()
}

/// Removes the commands of this program's hook, and returns true if there were any. An entry without another command goes, too.
pub(super) fn remove_own(entries: &mut Vec<OwnedValue>, agent: Agent) -> bool {
    let mut is_removed = false;
    entries.retain_mut(|entry| {
        if is_own(entry, agent) {
            is_removed = true;
            return false;
        }
        let OwnedValue::Object(fields) = entry else { return true };
        let hooks = fields.iter_mut().find(|(name, _)| name == "hooks").map(|(_, hooks)| hooks);
        let Some(OwnedValue::List(hooks)) = hooks else { return true };
        let before = hooks.len();
        hooks.retain(|hook| !is_own(hook, agent));
        is_removed |= hooks.len() < before;
        !hooks.is_empty() || hooks.len() == before
    });
    is_removed
}

/// Returns true if a command starts this program as the hook of an agent.
fn is_own(hook: &OwnedValue, agent: Agent) -> bool {
    line(hook).is_some_and(|line| words_behind(&line, agent).is_some())
}

/// Returns true if a word is the name of this program, or a path to it.
pub(super) fn is_program(word: &str) -> bool {
    let name = word.trim_matches(['"', '\'']).rsplit(['/', '\\']).next().unwrap_or_default();
    name.starts_with("adjudicate")
}

/// Returns the words behind `adjudicate hook AGENT` in a line. Operators of the shell need no blanks around them.
fn words_behind(line: &str, agent: Agent) -> Option<Vec<&str>> {
    let words =
        line.split(|c: char| c.is_whitespace() || ";&|()<>".contains(c)).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.map(|word| word.trim_matches(['"', '\''])).collect();
    let at = words.windows(3).position(|three| match three {
        [program, action, name] => is_program(program) && *action == "hook" && *name == agent.name(),
        _ => false,
    });
    Some(words.into_iter().skip(at? + 3).collect())
}

/// Returns the command of a hook with its arguments, as one line.
fn line(hook: &OwnedValue) -> Option<String> {
    let command = hook.lookup("command").or_else(|| hook.lookup("bash"))?.as_str()?;
    Some([command].into_iter().chain(arguments(hook)).collect::<Vec<_>>().join(" "))
}

fn arguments(hook: &OwnedValue) -> impl Iterator<Item = &str> {
    let list = match hook.lookup("args") {
        Some(OwnedValue::List(arguments)) => arguments.as_slice(),
        _ => &[],
    };
    list.iter().filter_map(OwnedValue::as_str)
}

impl EntryHook<'_> {
    /// Returns the command with its arguments, as one line.
    pub(super) fn line(&self) -> String {
        line(self.hook).unwrap_or_default()
    }

    /// Returns the program and its arguments, as the agent starts them: a list of arguments needs no shell.
    pub(super) fn program(&self) -> (String, Vec<String>) {
        let arguments: Vec<_> = arguments(self.hook).map(str::to_owned).collect();
        match self.hook.lookup("command").and_then(OwnedValue::as_str) {
            Some(program) if self.hook.lookup("args").is_some() => (program.to_owned(), arguments),
            _ if cfg!(windows) => ("cmd".into(), vec!["/C".into(), self.line()]),
            _ => ("/bin/sh".into(), vec!["-c".into(), self.line()]),
        }
    }

    /// Returns why the agent would not start the command, or would not wait for it.
    pub(super) fn problem(&self, agent: Agent, event: &str) -> Option<String> {
        let text = |value: &OwnedValue| value.as_str().map(str::to_owned);
        let matcher = self.entry.lookup("matcher").map_or(Some(String::new()), text);
        if !matches!(matcher.as_deref(), Some("" | "*" | ".*")) {
            return Some("its `matcher` leaves tools out".into());
        }
        if self.hook.lookup("type").map_or(agent != Agent::Cursor, |kind| kind.as_str() != Some("command")) {
            return Some("its `type` is not `command`".into());
        }
        if let Some(name) = ["if", "async", "asyncRewake"].into_iter().find(|name| self.is_set(name)) {
            return Some(format!("its field `{name}` lets calls run"));
        }
        if agent != Agent::ClaudeCode && self.hook.lookup("args").is_some() {
            return Some("the agent does not read `args`".into());
        }
        let line = self.line();
        let program = line.split_whitespace().next().unwrap_or_default().trim_matches(['"', '\'']);
        if program.contains('/') && !program.starts_with(['/', '$', '~']) {
            return Some("the folder of the agent changes, so its program needs an absolute path".into());
        }
        if program.rsplit(['/', '\\']).next() == Some("npx") {
            return Some(
                "`npx` obeys `.npmrc` and `package.json`, where an agent can put another program".into(),
            );
        }
        let is_end = event == agent.end();
        if agent == Agent::Cursor
            && !is_end
            && self.hook.lookup("failClosed") != Some(&OwnedValue::Bool(true))
        {
            return Some("without `failClosed`, a failure lets calls run".into());
        }
        if agent == Agent::Cursor && is_end && self.number("loop_limit").is_some_and(|limit| limit < 1.0) {
            return Some("with its `loop_limit`, a hold has no effect".into());
        }
        let field = if agent == Agent::Copilot { "timeoutSec" } else { "timeout" };
        let unit = if agent == Agent::Gemini { 1000 } else { 1 };
        let least = least_seconds(agent, event, self.deadline(agent)) * unit;
        let is_long = self.number(field).is_some_and(|limit| limit > least as f64);
        (!is_long).then(|| format!("its `{field}` must be over {least}, because the hook may take that long"))
    }

    /// Returns the value of a field that is a number.
    fn number(&self, name: &str) -> Option<f64> {
        match self.hook.lookup(name) {
            Some(OwnedValue::Number(text)) => text.parse().ok(),
            _ => None,
        }
    }

    /// Returns the name of the hook, if it has one.
    pub(super) fn name(&self) -> Option<&str> {
        self.hook.lookup("name").and_then(OwnedValue::as_str)
    }

    /// Returns true if a field is there, and is neither `false` nor null.
    fn is_set(&self, name: &str) -> bool {
        self.hook
            .lookup(name)
            .is_some_and(|value| !matches!(value, OwnedValue::Bool(false) | OwnedValue::Null))
    }

    /// Returns the time limit of the hook's own command.
    fn deadline(&self, agent: Agent) -> u64 {
        let line = self.line();
        let words = words_behind(&line, agent).unwrap_or_default();
        let seconds = words.iter().skip_while(|word| **word != "--deadline").nth(1);
        seconds.and_then(|seconds| seconds.parse().ok()).unwrap_or(super::DEADLINE)
    }
}
