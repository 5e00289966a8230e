//! Workflows call only tasks, steps and files that exist, and name a version of each action; `action.yml` names a commit.

use std::fs;

use saphyr_parser::{Event, Parser};

use crate::{USAGE, test, workspace::Workspace};

/// A workflow, or a part of one.
struct Workflow {
    name: String,
    text: String,
}

impl Workflow {
    /// The scalars of the document, in order. The items of a list are between `[` and `]`.
    fn scalars(&self) -> Vec<String> {
        let events = Parser::new_from_str(&self.text);
        let scalar = |event| match event {
            Event::Scalar(text, ..) => Some(text.into_owned()),
            Event::SequenceStart(..) => Some("[".to_owned()),
            Event::SequenceEnd => Some("]".to_owned()),
            _ => None,
        };
        let read = events.map(|event| event.unwrap_or_else(|error| panic!("{}: {error}", self.name)));
        read.filter_map(|(event, _)| scalar(event)).collect()
    }

    /// The items of the list of a key.
    fn values(&self, key: &str) -> Vec<String> {
        let scalars = self.scalars();
        let at = scalars.windows(2).position(|pair| pair[0] == key && pair[1] == "[").expect(key);
        scalars[at + 2..].iter().take_while(|scalar| *scalar != "]").cloned().collect()
    }

    /// The words after each `cargo xtask`, once for each value of a matrix.
    fn calls(&self) -> Vec<Vec<String>> {
        let scalars = self.scalars();
        let lines = scalars.iter().flat_map(|scalar| scalar.lines());
        let calls = lines.filter_map(|line| line.split_once("cargo xtask ")).map(|(_, call)| call);
        let written_out = calls.flat_map(|call| match call.split_once("${{ matrix.") {
            None => vec![call.to_owned()],
            Some((before, key)) => {
                let key = key.trim_end_matches(" }}");
                self.values(key).iter().map(|value| format!("{before}{value}")).collect()
            }
        });
        written_out.map(|call| call.split_whitespace().map(str::to_owned).collect()).collect()
    }
}

fn workflows() -> Vec<Workflow> {
    let root = Workspace::locate().expect("this program lies somewhere").root().to_owned();
    let read = |folder: &str| {
        let entries =
            fs::read_dir(root.join(folder)).expect("it is there").map(|entry| entry.unwrap().path());
        entries
            .filter(|path| path.extension().is_some_and(|extension| extension == "yml"))
            .collect::<Vec<_>>()
    };
    let files = [read(".github"), read(".github/workflows"), vec![root.join("action.yml")]].concat();
    assert!(files.len() >= 5, "{files:?}");
    let of = |path: &std::path::PathBuf| Workflow {
        name: path.display().to_string(),
        text: fs::read_to_string(path).expect("it is text"),
    };
    files.iter().map(of).collect()
}

/// Returns whether this program has a task with these flags and names.
fn is_known(call: &[String]) -> bool {
    let Some((task, rest)) = call.split_first() else { return false };
    let is_task = USAGE.lines().any(|line| line.split_whitespace().next() == Some(task));
    let (flags, names): (Vec<&String>, Vec<&String>) = rest.iter().partition(|word| word.starts_with('-'));
    is_task
        && flags.iter().all(|flag| USAGE.contains(flag.as_str()))
        && (names.is_empty() || task == "test" && names.iter().all(|name| test::is_known(name)))
}

#[test]
fn every_task_that_a_workflow_calls_exists() {
    let calls: Vec<_> = workflows().iter().flat_map(Workflow::calls).collect();
    assert!(calls.len() >= 4, "{calls:?}");
    for call in calls {
        assert!(is_known(&call), "cargo xtask {}", call.join(" "));
    }
    let call = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    for wrong in ["tests", "test nothing", "quick --faster", "build core"] {
        assert!(!is_known(&call(wrong)), "{wrong}");
    }
}

fn is_commit(version: &str) -> bool {
    version.len() == 40 && version.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[test]
fn every_action_has_a_version_and_every_own_workflow_exists() {
    let root = Workspace::locate().expect("this program lies somewhere").root().to_owned();
    for workflow in workflows() {
        let scalars = workflow.scalars();
        let used = scalars.windows(2).filter(|pair| pair[0] == "uses").map(|pair| &pair[1]);
        for action in used {
            let own = action.strip_prefix("$/").or((action == "./").then_some("action.yml"));
            if let Some(own) = own {
                assert!(root.join(own).is_file(), "{}: {action}", workflow.name);
                continue;
            }
            let version = action.split_once('@').map(|(_, version)| version);
            // `action.yml` runs in repositories of others, and a tag can move.
            let is_pinned = match workflow.name.ends_with("action.yml") {
                true => version.is_some_and(is_commit),
                false => version.is_some_and(|version| version.starts_with('v') && version.len() > 1),
            };
            assert!(is_pinned, "{}: {action}", workflow.name);
        }
    }
}
