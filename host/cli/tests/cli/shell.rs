//! A shell that runs the commands of a page, and compares what they print with the page.

use std::{
    env,
    fs::{self, File},
    os::unix::{fs::symlink, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use adjudicate_tests::{artifacts, workspace_root};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::command::TestFolder;

/// The commands of the first hour that need a network or a compiler.
const NOT_RUN: [&str; 3] = ["cargo ", "git clone ", "npm install "];

/// A shell in a folder of its own.
pub(crate) struct Shell {
    home: TestFolder,
    folder: PathBuf,
    /// The number of commands that it ran.
    pub(crate) examples: usize,
    /// True if it also runs programs for Node and blocks of `sh`.
    is_of_first_hour: bool,
    /// The number of commands and programs that it did not run.
    pub(crate) not_run: usize,
    /// The commands that still run.
    servers: Vec<Child>,
}

/// Returns the name of the file that stands below a line, if the line is such a name.
fn file(caption: &str) -> Option<&str> {
    let name = caption.strip_prefix('`')?.strip_suffix("`:")?;
    (!name.contains('`')).then_some(name)
}

impl Drop for Shell {
    fn drop(&mut self) {
        for server in &mut self.servers {
            kill_process_group(Pid::from_child(server), Signal::KILL).unwrap();
            server.wait().unwrap();
        }
    }
}

impl Shell {
    pub(crate) fn new() -> Self {
        let home = TestFolder::new();
        let folder = home.path("");
        Self { home, folder, examples: 0, is_of_first_hour: false, not_run: 0, servers: Vec::new() }
    }

    /// A shell in an empty folder below its home. Node finds the packages there that pages tell you to install.
    pub(crate) fn of_first_hour() -> Self {
        let mut shell = Self::new();
        shell.is_of_first_hour = true;
        shell.folder = shell.home.path("page");
        let packages = shell.home.path("node_modules");
        for folder in [&shell.folder, &packages] {
            fs::create_dir(folder).unwrap();
        }
        symlink(env::var_os("ADJUDICATE_INSTALLED").unwrap(), packages.join("adjudicate")).unwrap();
        symlink(workspace_root().join("js/node_modules/ai"), packages.join("ai")).unwrap();
        shell
    }

    /// Returns the page with what its commands print, run one after the other.
    pub(crate) fn run_page(&mut self, page: &str) -> String {
        let mut written = String::new();
        let mut caption = "";
        let mut lines = page.lines();
        while let Some(line) = lines.next() {
            written.push_str(line);
            written.push('\n');
            let Some(language) = line.strip_prefix("```") else {
                caption = if line.is_empty() { caption } else { line };
                continue;
            };
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let is_of_node = block.iter().any(|line| line.starts_with("$ node "));
            if language == "console" && (self.is_of_first_hour || !is_of_node) {
                for example in block.chunk_by(|_, next| !next.starts_with("$ ")) {
                    written.push_str(&self.run_example(example));
                }
            } else {
                let text = format!("{}\n", block.join("\n"));
                written.push_str(&text);
                if let Some(name) = file(caption) {
                    fs::write(self.folder.join(name), &text).unwrap();
                } else if self.is_of_first_hour && language == "sh" {
                    let mut rest = lines.clone().skip_while(|line| !line.starts_with("```"));
                    let has_output = rest.next() == Some("```text");
                    let shown = rest.take_while(|line| has_output && *line != "```").collect::<Vec<_>>();
                    written.push_str(&self.run_script(&block, &shown));
                } else if language.starts_with("rust") {
                    self.not_run += 1;
                }
            }
            written.push_str("```\n");
            caption = "";
        }
        written
    }

    /// Returns a command with the shown output if the command prints it, otherwise with the printed one.
    fn run_example(&mut self, example: &[&str]) -> String {
        let (command, shown) = example.split_first().unwrap();
        let line = command.strip_prefix("$ ").unwrap_or_else(|| panic!("no command: {command}"));
        self.examples += 1;
        let output = match line.strip_prefix("cd ") {
            Some(folder) => {
                self.folder.push(folder);
                String::new()
            }
            None => self.output(line),
        };
        let printed: Vec<&str> = output.lines().map(str::trim_end).collect();
        let is_shown = shown.len() == printed.len()
            && shown.iter().zip(&printed).all(|(shown, printed)| matches(shown, printed));
        let output = if is_shown { shown } else { printed.as_slice() };
        [&[*command], output].concat().iter().map(|line| format!("{line}\n")).collect()
    }

    /// Runs the lines of a block until they end, or until a server printed what the next block shows. If they printed something
    /// else or failed, returns their output.
    fn run_script(&mut self, script: &[&str], shown: &[&str]) -> String {
        if script.iter().any(|line| NOT_RUN.iter().any(|command| line.contains(command))) {
            self.not_run += script.len();
            return String::new();
        }
        self.examples += script.len();
        let is_server = script.iter().any(|line| line.starts_with("adjudicate serve "));
        let logs = ["stdout", "stderr"].map(|name| self.home.path(name));
        let [stdout, stderr] = logs.each_ref().map(|log| File::create(log).unwrap());
        let mut shell = self.bash(&format!("set -e\n{}", script.join("\n")));
        let mut child = shell.process_group(0).stdout(stdout).stderr(stderr).spawn().unwrap();
        let begin = Instant::now();
        loop {
            let status = child.try_wait().unwrap();
            let printed = logs.each_ref().map(|log| fs::read_to_string(log).unwrap()).concat();
            let is_shown = shown.iter().all(|shown| printed.lines().any(|line| matches(shown, line)));
            match status {
                Some(status) if status.success() && is_shown => return String::new(),
                Some(status) => return format!("{printed}{status}\n"),
                None if begin.elapsed() > Duration::from_secs(60) => {
                    self.servers.push(child);
                    return format!("{printed}did not end\n");
                }
                None if is_server && is_shown => {
                    self.servers.push(child);
                    return String::new();
                }
                None => sleep(Duration::from_millis(20)),
            }
        }
    }

    /// Returns the output of a line, with errors.
    fn output(&self, line: &str) -> String {
        let output = self.bash(&format!("{{ {line}\n}} 2>&1")).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    fn bash(&self, script: &str) -> Command {
        let binary = Path::new(env!("CARGO_BIN_EXE_adjudicate")).parent().unwrap();
        let search = env::join_paths(
            [binary.to_owned()].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap())),
        );
        let mut bash = Command::new("bash");
        bash.args(["-c", script])
            .current_dir(&self.folder)
            .env_clear()
            .env("PATH", search.unwrap())
            .env("HOME", self.home.path(""))
            .env("COLUMNS", "100")
            .env("ADJUDICATE_ENGINE", artifacts::engine())
            .env("REPOSITORY", workspace_root())
            .stdin(Stdio::null());
        if !self.is_of_first_hour {
            bash.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
        }
        bash
    }
}

/// Returns whether a line is the shown line, in which `...` stands for any text.
fn matches(shown: &str, printed: &str) -> bool {
    let mut parts = shown.split("...");
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = printed.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[test]
fn three_dots_stand_for_any_text() {
    for (shown, printed, is_match) in [
        ("a", "a", true),
        ("a", "ab", false),
        ("at ..., done", "at 9, done", true),
        ("at ..., done", "at 9, do", false),
        ("... and ...", "one and two", true),
        ("... and ...", "one or two", false),
        ("...", "", true),
    ] {
        assert_eq!(matches(shown, printed), is_match, "{shown} {printed}");
    }
}
