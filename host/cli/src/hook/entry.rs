//! The entries of an event in the settings of an agent.

use adjudicate_collect::hooks::{Agent, MAX_HOLDS};
use adjudicate_core::json::OwnedValue;

use super::answer;

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
        true => deadline + answer::GRACE.as_secs(),
        false => answer::CALL.as_secs(),
    }
}

/// A command in an entry.
pub(super) struct EntryHook<'a> {
    entry: &'a OwnedValue,
    hook: &'a OwnedValue,
}

/// Returns the commands of this program's hook in an entry.
pub(super) fn own_hooks(entry: &OwnedValue, agent: Agent) -> impl Iterator<Item = EntryHook<'_>> {
    let nested = match entry.lookup("hooks") {
        Some(OwnedValue::List(hooks)) => hooks.iter().collect(),
        _ => vec![entry],
    };
    nested.into_iter().filter(move |hook| is_own(hook, agent)).map(move |hook| EntryHook { entry, hook })
}

/// Removes the commands of this program's hook. An entry without another command goes, too.
pub(super) fn remove_own(entries: &mut Vec<OwnedValue>, agent: Agent) {
    entries.retain_mut(|entry| {
        if is_own(entry, agent) {
            return false;
        }
        let OwnedValue::Object(fields) = entry else { return true };
        let hooks = fields.iter_mut().find(|(name, _)| name == "hooks").map(|(_, hooks)| hooks);
        let Some(OwnedValue::List(hooks)) = hooks else { return true };
        let before = hooks.len();
        hooks.retain(|hook| !is_own(hook, agent));
        !hooks.is_empty() || hooks.len() == before
    });
}

/// Returns true if the command of a hook has the words `hook AGENT`.
fn is_own(hook: &OwnedValue, agent: Agent) -> bool {
    let Some(line) = line(hook) else { return false };
    let words: Vec<_> = line.split(|letter: char| !letter.is_alphanumeric() && letter != '-').collect();
    words.windows(2).any(|pair| pair == ["hook", agent.name()])
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
        let matcher = self.entry.lookup("matcher").and_then(OwnedValue::as_str).unwrap_or_default();
        if !matches!(matcher, "" | "*" | ".*") {
            return Some(format!("its `matcher` `{matcher}` leaves tools out"));
        }
        if let Some(name) = ["if", "async", "asyncRewake"].into_iter().find(|name| self.is_set(name)) {
            return Some(format!("its field `{name}` lets calls run"));
        }
        if agent == Agent::Cursor && event != agent.end() && !self.is_set("failClosed") {
            return Some("without `failClosed`, a failure lets calls run".into());
        }
        let unit = if agent == Agent::Gemini { 1000 } else { 1 };
        let limit = self.hook.lookup("timeout").or_else(|| self.hook.lookup("timeoutSec"));
        let limit = match limit {
            Some(OwnedValue::Number(text)) => text.parse().unwrap_or(0.0),
            _ => 0.0,
        };
        let least = least_seconds(agent, event, self.deadline()) * unit;
        (limit <= least as f64)
            .then(|| format!("its time limit must be over {least}, because the hook may take that long"))
    }

    /// Returns true if a field is there, and is neither `false` nor null.
    fn is_set(&self, name: &str) -> bool {
        self.hook
            .lookup(name)
            .is_some_and(|value| !matches!(value, OwnedValue::Bool(false) | OwnedValue::Null))
    }

    /// Returns the time limit of the hook's own command.
    fn deadline(&self) -> u64 {
        let line = self.line();
        let mut words = line.split([' ', '=']).skip_while(|word| *word != "--deadline");
        words.nth(1).and_then(|text| text.parse().ok()).unwrap_or(super::DEADLINE)
    }
}
