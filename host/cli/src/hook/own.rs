//! The files that could switch the hook off or change what it sees. They change only with an approval.

use std::path::{Path, PathBuf};

use adjudicate_collect::hooks::{Agent, resolved};
use adjudicate_core::Error;

use super::{entry::programs, settings::Settings};
use crate::{collect::Repository, environment::Environment};

/// The files of this program, of the agents and of git that could switch the hook off or change what it sees. An agent that starts in a
/// folder below takes its settings from there. In a linked worktree, `.git` is a file.
const OWN_PATHS: [&str; 12] = [
    "**/adjudicate.{yaml,yml,json}",
    "**/.adjudicate/**",
    "**/.claude/settings*.json",
    "**/.codex/**",
    "**/.cursor/hooks.json",
    "**/.gemini/**",
    "**/.github/copilot/settings*.json",
    "**/.github/hooks/**",
    "**/bin/adjudicate*",
    "**/node_modules/.bin/adjudicate*",
    "**/node_modules/adjudicate/**",
    ".git",
];

/// The same outside of the repository: the user's settings of agents and of git, whose filters can hide a change, and the folders of other
/// repositories and of linked worktrees.
const OWN_OUTSIDE: [&str; 11] = [
    "**/.claude/settings*.json",
    "**/.codex/{config.toml,hooks.json}",
    "**/.cursor/hooks.json",
    "**/.gemini/{.env,settings.json}",
    "**/.copilot/{config.json,settings.json,hooks/**}",
    "**/.config/git/**",
    "**/bin/adjudicate*",
    "**/node_modules/.bin/adjudicate*",
    "**/node_modules/adjudicate/**",
    ".gitconfig",
    ".git",
];

/// The variables that move the settings of agents and of git, and the end of the pattern of the files there. The folder of
/// `GEMINI_CLI_HOME` is called `.gemini`, as everywhere.
const MOVED: [(&str, &str); 6] = [
    ("CLAUDE_CONFIG_DIR", "/settings*.json"),
    ("CODEX_HOME", "/{config.toml,hooks.json}"),
    ("COPILOT_HOME", "/{config.json,settings.json,hooks/**}"),
    ("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", ""),
    ("GEMINI_CLI_SYSTEM_SETTINGS_PATH", ""),
    ("XDG_CONFIG_HOME", "/git/**"),
];

/// The patterns of the files of the hook itself.
pub(crate) struct OwnPatterns {
    /// Patterns of paths from the root.
    pub(crate) inside: Vec<String>,
    /// Patterns of absolute paths outside of the repository.
    pub(crate) outside: Vec<String>,
}

impl OwnPatterns {
    /// Returns the patterns for a repository: of the settings, also of those in other folders, of the programs, and of the documents that
    /// decide about calls.
    pub(crate) fn new(agent: Agent, repository: &Repository, env: &Environment) -> Result<Self, Error> {
        let root = &repository.root;
        let configuration = &repository.configuration;
        let documents = [configuration.policy.as_deref(), configuration.guardrails.as_deref()];
        let documents = documents.into_iter().flatten().map(|path| format!("/{path}"));
        let mut own = Self {
            inside: OWN_PATHS.map(str::to_owned).into_iter().chain(documents).collect(),
            outside: OWN_OUTSIDE.map(str::to_owned).into(),
        };
        for (variable, end) in MOVED {
            if let Some(path) = env.variable(variable) {
                own.add(root, &env.path(Path::new(&path)), end);
            }
        }
        let settings = Settings::read(agent, root, env)?;
        let installed = settings.iter().flat_map(|settings| programs(&settings.json, agent));
        for program in installed.map(PathBuf::from).chain(env.program().ok()) {
            own.add(root, &program, "");
        }
        Ok(own)
    }

    /// Adds the pattern of an absolute path. The path may lead below the root.
    fn add(&mut self, root: &Path, path: &Path, end: &str) {
        if !path.is_absolute() {
            return;
        }
        let real = resolved(path);
        let below = real.strip_prefix(resolved(root)).ok();
        self.inside.extend(below.map(|below| literal(below) + end));
        let pattern = literal(&real) + end;
        self.inside.push(pattern.clone());
        self.outside.push(pattern);
    }
}

/// Returns a pattern of a path from the top. A character with a meaning in patterns matches any character.
fn literal(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/").replace(['*', '?', '{', '}'], "?");
    format!("/{}", text.trim_start_matches('/'))
}
