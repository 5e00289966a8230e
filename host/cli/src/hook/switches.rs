//! Settings that switch the hooks of an agent off as a whole.

use std::path::{Path, PathBuf};

use adjudicate_collect::hooks::Agent;
use adjudicate_core::{Error, json::OwnedValue};

use super::settings;
use crate::environment::Environment;

/// Returns the first setting that switches hooks off: of the repository, or of the user.
pub(super) fn switched_off(agent: Agent, root: &Path, env: &Environment) -> Result<Option<String>, Error> {
    let home = env.variable("HOME").map(PathBuf::from);
    let files: &[&str] = match agent {
        Agent::ClaudeCode => &[".claude/settings.json", ".claude/settings.local.json"],
        Agent::Gemini => &[".gemini/settings.json"],
        // No such setting is known.
        Agent::Codex | Agent::Cursor | Agent::Copilot => &[],
    };
    for folder in [Some(root), home.as_deref()].into_iter().flatten() {
        for file in files {
            let path = folder.join(file);
            let settings = settings::read(&path, file, env)?;
            if let Some(switch) = settings.as_ref().and_then(switch) {
                return Ok(Some(format!("`{switch}` in `{}`", path.display())));
            }
        }
    }
    Ok(None)
}

/// Returns the name of the setting that switches hooks off. The names of one agent mean nothing to another.
fn switch(settings: &OwnedValue) -> Option<&'static str> {
    let hooks = settings.lookup("hooksConfig");
    let disabled = hooks.and_then(|hooks| hooks.lookup("disabled"));
    if settings.lookup("disableAllHooks") == Some(&OwnedValue::Bool(true)) {
        Some("disableAllHooks")
    } else if hooks.and_then(|hooks| hooks.lookup("enabled")) == Some(&OwnedValue::Bool(false)) {
        Some("hooksConfig.enabled")
    } else if matches!(disabled, Some(OwnedValue::List(names)) if names.iter().any(is_ours)) {
        Some("hooksConfig.disabled")
    } else {
        None
    }
}

/// Returns true for the name or the command of this program's hook.
fn is_ours(name: &OwnedValue) -> bool {
    name.as_str().is_some_and(|name| name.contains("adjudicate"))
}
