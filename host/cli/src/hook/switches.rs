//! Settings that switch the hooks of an agent off as a whole.

use std::path::{Path, PathBuf};

use adjudicate_collect::hooks::Agent;
use adjudicate_core::{Error, json::OwnedValue};

use super::settings;
use crate::environment::Environment;

/// Returns the first setting that switches a hook off: of the repository, or of the user. `names` are those of the hook.
pub(super) fn switched_off(
    agent: Agent,
    root: &Path,
    names: &[&str],
    env: &Environment,
) -> Result<Option<String>, Error> {
    let home = env.variable("HOME").map(PathBuf::from);
    let below = |folder: Option<PathBuf>, files: &[&str]| -> Vec<PathBuf> {
        folder.iter().flat_map(|folder| files.iter().map(|file| folder.join(file))).collect()
    };
    let files = match agent {
        Agent::ClaudeCode => {
            let own = [".claude/settings.json", ".claude/settings.local.json"];
            let places = [below(Some(root.into()), &own), below(home, &own)].concat();
            let named = env.variable("CLAUDE_CONFIG_DIR").map(PathBuf::from);
            [places, below(named, &["settings.json", "settings.local.json"])].concat()
        }
        Agent::Gemini => {
            let own = [agent.settings()];
            [below(Some(root.into()), &own), below(home, &own)].concat()
        }
        // Their switches are not known, except those in the file of the hook itself.
        Agent::Codex | Agent::Cursor | Agent::Copilot => below(Some(root.into()), &[agent.settings()]),
    };
    for path in files {
        let settings = settings::read(&path, &path.to_string_lossy(), env)?;
        if let Some(switch) = settings.as_ref().and_then(|settings| switch(settings, names)) {
            return Ok(Some(format!("`{switch}` in `{}`", path.display())));
        }
    }
    Ok(None)
}

/// Returns the name of the setting that switches hooks off. The names of one agent mean nothing to another.
fn switch(settings: &OwnedValue, names: &[&str]) -> Option<&'static str> {
    let field = |path: &[&str]| path.iter().try_fold(settings, |value, name| value.lookup(name));
    let is = |path: &[&str], value| field(path) == Some(&OwnedValue::Bool(value));
    let is_ours = |name: &OwnedValue| name.as_str().is_some_and(|name| names.contains(&name));
    if is(&["disableAllHooks"], true) {
        Some("disableAllHooks")
    } else if is(&["hooksConfig", "enabled"], false) {
        Some("hooksConfig.enabled")
    } else if is(&["tools", "enableHooks"], false) {
        Some("tools.enableHooks")
    } else if field(&["env", "PATH"]).is_some() {
        // The agent may find another program than the test.
        Some("env.PATH")
    } else if matches!(field(&["hooksConfig", "disabled"]), Some(OwnedValue::List(list)) if list.iter().any(is_ours))
    {
        Some("hooksConfig.disabled")
    } else {
        None
    }
}
