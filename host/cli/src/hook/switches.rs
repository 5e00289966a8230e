//! Settings that switch the hooks of an agent off as a whole.

use std::path::{Path, PathBuf};

use adjudicate_collect::hooks::Agent;
use adjudicate_core::{Error, json::OwnedValue};

use super::settings;
use crate::{environment::Environment, input::Source};

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
            let home = env.variable("GEMINI_CLI_HOME").map(PathBuf::from).or(home);
            let system = ["GEMINI_CLI_SYSTEM_DEFAULTS_PATH", "GEMINI_CLI_SYSTEM_SETTINGS_PATH"];
            let system = system.iter().filter_map(|name| env.variable(name)).map(PathBuf::from);
            [below(Some(root.into()), &own), below(home, &own), system.collect()].concat()
        }
        Agent::Copilot => {
            let own =
                [agent.settings(), ".github/copilot/settings.json", ".github/copilot/settings.local.json"];
            let named = env.variable("COPILOT_HOME").map(PathBuf::from);
            let user = named.or_else(|| home.map(|home| home.join(".copilot")));
            [below(Some(root.into()), &own), below(user, &["config.json", "settings.json"])].concat()
        }
        // Their switches are not known, except those in the file of the hook itself.
        Agent::Codex | Agent::Cursor => below(Some(root.into()), &[agent.settings()]),
    };
    if agent == Agent::Codex
        && let Some(found) = codex_feature(root, env)?
    {
        return Ok(Some(found));
    }
    for path in files {
        let settings = settings::read_with_comments(&path, env)?;
        if let Some(switch) = settings.as_ref().and_then(|settings| switch(settings, names)) {
            return Ok(Some(format!("`{switch}` in `{}`", path.display())));
        }
    }
    Ok(None)
}

/// Returns the feature by which Codex has hooks switched off, with its file.
fn codex_feature(root: &Path, env: &Environment) -> Result<Option<String>, Error> {
    let user = env.variable("CODEX_HOME").map(PathBuf::from);
    let user = user.or_else(|| Some(PathBuf::from(env.variable("HOME")?).join(".codex")));
    for path in
        [Some(root.join(".codex")), user].into_iter().flatten().map(|folder| folder.join("config.toml"))
    {
        if !env.path(&path).exists() {
            continue;
        }
        let text = Source::File(path.clone()).text(env)?;
        if let Some(feature) = feature_off(&String::from_utf8_lossy(&text)) {
            return Ok(Some(format!("`features.{feature} = false` in `{}`", path.display())));
        }
    }
    Ok(None)
}

/// Returns the feature of hooks that a text in TOML sets to false, in a table, by a dotted key or in an inline table. Tables of profiles
/// count, too.
fn feature_off(text: &str) -> Option<&'static str> {
    let mut table = String::new();
    for line in text.lines() {
        let line: String = line.split('#').next().unwrap_or_default().split(['"', '\'', ' ', '\t']).collect();
        if let Some(name) = line.strip_prefix('[') {
            table = name.trim_matches(['[', ']']).to_owned();
            continue;
        }
        let is_of_features = |key: &str| key == "features" || key.ends_with(".features");
        let Some((key, value)) = line.split_once('=') else { continue };
        let key = [table.as_str(), key].join(".");
        let key = key.trim_start_matches('.');
        let inline = value.strip_prefix('{').filter(|_| is_of_features(key));
        let pairs = match inline {
            Some(inline) => {
                inline.trim_end_matches('}').split(',').filter_map(|pair| pair.split_once('=')).collect()
            }
            None => key
                .rsplit_once('.')
                .filter(|(table, _)| is_of_features(table))
                .map(|(_, key)| (key, value))
                .into_iter()
                .collect::<Vec<_>>(),
        };
        let off = ["hooks", "codex_hooks"].into_iter().find(|name| pairs.contains(&(name, "false")));
        if off.is_some() {
            return off;
        }
    }
    None
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

#[cfg(test)]
mod tests {
    use super::feature_off;

    #[test]
    fn a_feature_is_off_in_each_form_of_toml() {
        for (text, expected) in [
            ("[features]\nhooks = false # for now", Some("hooks")),
            ("model = \"m\"\n\n[features]\na = true\n\"codex_hooks\"=false\n", Some("codex_hooks")),
            ("features.hooks = false", Some("hooks")),
            ("features = { a = true, hooks = false }", Some("hooks")),
            ("[profiles.quick.features]\nhooks = false", Some("hooks")),
            ("[features]\nhooks = true", None),
            ("[features]\n# hooks = false", None),
            ("[other]\nhooks = false", None),
            ("hooks = false", None),
            ("note = \"features.hooks = false\"", None),
            ("", None),
        ] {
            assert_eq!(feature_off(text), expected, "{text}");
        }
    }
}
