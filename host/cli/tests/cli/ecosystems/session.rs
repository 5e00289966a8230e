//! A scratch repository of an ecosystem, and the commands in it.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    process::{Command, Stdio},
};

use serde_json::Value;

use super::table::{Ecosystem, Recorded};
use crate::{
    command::{Run, TestFolder},
    repository::git,
};

/// The variables by which cargo and other tools find their parts.
const VARIABLES: [&str; 4] = ["HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"];

/// A repository, and the tools that stand in for others.
pub(super) struct Session {
    pub(super) ecosystem: &'static Ecosystem,
    pub(super) place: TestFolder,
    tools: TestFolder,
}

impl Session {
    /// A repository with one commit.
    pub(super) fn new(ecosystem: &'static Ecosystem, recorded: Option<&Recorded>) -> Self {
        let session = Self { ecosystem, place: TestFolder::new(), tools: TestFolder::new() };
        git(&session.place, &["init", "--quiet"]);
        for (name, text) in ecosystem.files {
            session.write(name, text);
        }
        session.write(".gitignore", "target/\n__pycache__/\n.pytest_cache/\n");
        session.commit();
        if let Some(recorded) = recorded {
            session.stand_in(recorded);
        }
        session
    }

    /// Writes a program that prints the recorded outputs.
    fn stand_in(&self, Recorded { program, script, green, red, .. }: &Recorded) {
        let Ecosystem { source, red: (_, is_red), .. } = self.ecosystem;
        let (green, red) = (self.tools.file("green", green), self.tools.file("red", red));
        let script = format!(
            "#!/bin/sh\nreport='{green}' code=0\n\
             grep -q -F '{is_red}' {source} && report='{red}' code=1\nset -- \"$report\" \"$@\"\n{script}\nexit $code\n"
        );
        let file = self.tools.file(program, script);
        fs::set_permissions(file, PermissionsExt::from_mode(0o755)).unwrap();
    }

    /// Returns true if the tool itself is there.
    pub(super) fn has_tool(recorded: &Recorded) -> bool {
        let mut version = Command::new(recorded.program);
        version.args(recorded.version).stdout(Stdio::null()).stderr(Stdio::null());
        version.status().is_ok_and(|status| status.success())
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        let path = self.place.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Replaces a part of a file, which must be there.
    pub(super) fn replace(&self, name: &str, (from, to): (&str, &str)) {
        let text = fs::read_to_string(self.place.path(name)).unwrap();
        assert!(text.contains(from), "{name} has no {from:?}: {text}");
        self.write(name, &text.replacen(from, to, 1));
    }

    pub(super) fn commit(&self) {
        git(&self.place, &["add", "--all"]);
        git(&self.place, &["commit", "--quiet", "--message", "change"]);
    }

    /// Restores the latest commit, and forgets the run.
    pub(super) fn reset(&self) {
        git(&self.place, &["reset", "--quiet", "--hard"]);
        git(&self.place, &["clean", "--quiet", "--force", "-d"]);
        fs::remove_dir_all(self.place.path(".adjudicate")).unwrap();
    }

    /// Runs the command with the tools on its path.
    pub(super) fn run(&self, args: &[&str]) -> Run {
        let mut command = self.place.command(args);
        let path = env::var("PATH").unwrap();
        command.env("PATH", format!("{}:{path}", self.tools.path("").display()));
        command.envs(VARIABLES.iter().filter_map(|name| Some((name, env::var_os(name)?))));
        command.env("npm_config_update_notifier", "false").env("XDG_CACHE_HOME", self.tools.path("cache"));
        command.output().unwrap().into()
    }

    /// The evidence that a collection finds.
    pub(super) fn evidence(&self) -> Value {
        json(&self.run(&["collect"]))["evidence"].take()
    }
}

/// The document that a command printed, without an error.
pub(super) fn json(run: &Run) -> Value {
    assert_eq!((run.stderr.as_str(), run.status), ("", Some(0)), "{run:?}");
    serde_json::from_str(&run.stdout).unwrap()
}
