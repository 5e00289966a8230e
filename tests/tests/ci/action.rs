//! `action.yml`, run as GitHub runs it: the steps in order, by their conditions, with their variables and outputs.
//!
//! Steps that use another action are listed, and do nothing.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    process::Command,
};

use adjudicate_tests::workspace_root;
use saphyr_parser::{Event, Parser};
use serde_json::{Map, Value};
use tempfile::TempDir;

use crate::{
    cli::binary,
    repositories::git::{Repository, without_settings},
};

/// The event that started a workflow.
#[derive(Clone, Default)]
pub(super) struct Trigger {
    pub name: &'static str,
    /// The value of `GITHUB_REF`.
    pub reference: &'static str,
    /// The value of `GITHUB_SHA`.
    pub commit: String,
    /// Values of the payload, for example of `github.event.before`.
    pub payload: BTreeMap<&'static str, String>,
}

/// The result of a run of the action.
pub(super) struct ActionRun {
    /// The outputs of the action.
    pub outputs: BTreeMap<String, String>,
    /// The name of the step that failed.
    pub failed: Option<String>,
    /// The other actions that steps used.
    pub used: Vec<String>,
    /// The output of all steps.
    pub log: String,
    /// The job summary.
    pub summary: String,
    _runner: TempDir,
}

/// The values that expressions read.
struct Context {
    values: BTreeMap<String, String>,
    steps: BTreeSet<String>,
}

/// Runs the action in a checkout.
pub(super) fn run(checkout: &Repository, trigger: &Trigger, inputs: &[(&str, &str)]) -> ActionRun {
    let text = fs::read_to_string(workspace_root().join("action.yml")).expect("the action is a file");
    let action = yaml(&text);
    let steps = action["runs"]["steps"].as_array().expect("an action has steps");
    let mut context = Context::new(&action, trigger, inputs);
    let runner = tempfile::tempdir().expect("a folder");
    let summary = runner.path().join("summary");
    fs::write(&summary, "").expect("a file is written");
    let (mut failed, mut used, mut log) = (None, Vec::new(), String::new());
    for step in steps {
        let field = |name: &str| step[name].as_str();
        if field("if").is_some_and(|condition| !context.holds(condition)) {
            continue;
        }
        let Some(script) = field("run") else {
            used.push(field("uses").expect("a step runs or uses something").to_owned());
            continue;
        };
        assert!(!script.contains("${{"), "values reach a script by variables: {script}");
        assert_eq!(field("shell"), Some("bash"), "{script}");
        let output = runner.path().join("output");
        fs::write(&output, "").expect("a file is written");
        let mut bash = Command::new("bash");
        without_settings(&mut bash);
        bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &format!("exec 2>&1\n{script}")])
            .current_dir(checkout.path(&context.expand(field("working-directory").unwrap_or("."))))
            .env("GITHUB_ACTION_PATH", workspace_root())
            .env("GITHUB_EVENT_NAME", trigger.name)
            .env("GITHUB_OUTPUT", &output)
            .env("GITHUB_REF", trigger.reference)
            .env("GITHUB_REPOSITORY", "owner/name")
            .env("GITHUB_SHA", &trigger.commit)
            .env("GITHUB_STEP_SUMMARY", &summary)
            .env("GITHUB_WORKSPACE", checkout.path(""))
            .env("RUNNER_TEMP", runner.path());
        for (name, value) in step["env"].as_object().into_iter().flatten() {
            bash.env(name, context.expand(value.as_str().expect("a variable has a value")));
        }
        let done = bash.output().expect("the program `bash` runs");
        log += &String::from_utf8(done.stdout).expect("the log is UTF-8");
        if let Some(id) = field("id") {
            context.add_outputs(id, &fs::read_to_string(&output).expect("outputs are UTF-8"));
        }
        if !done.status.success() {
            failed = field("name").map(str::to_owned);
            break;
        }
    }
    let declared = action["outputs"].as_object().expect("an action has outputs");
    let value = |output: &Value| context.expand(output["value"].as_str().expect("an output has a value"));
    ActionRun {
        outputs: declared.iter().map(|(name, output)| (name.clone(), value(output))).collect(),
        failed,
        used,
        log,
        summary: fs::read_to_string(summary).expect("the summary is UTF-8"),
        _runner: runner,
    }
}

impl Context {
    fn new(action: &Value, trigger: &Trigger, inputs: &[(&str, &str)]) -> Self {
        let mut values = BTreeMap::new();
        for (name, input) in action["inputs"].as_object().expect("an action has inputs") {
            values.insert(format!("inputs.{name}"), input["default"].as_str().unwrap_or_default().to_owned());
        }
        let command = binary().display().to_string();
        for (name, value) in [("command", command.as_str())].iter().chain(inputs) {
            let known = values.insert(format!("inputs.{name}"), (*value).to_owned());
            assert!(known.is_some(), "the action has no input `{name}`");
        }
        values.extend(trigger.payload.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        let steps = action["runs"]["steps"].as_array().into_iter().flatten();
        let ids = steps.filter_map(|step| step["id"].as_str());
        Self { values, steps: ids.map(str::to_owned).collect() }
    }

    /// Adds the outputs of a step, as it wrote them.
    fn add_outputs(&mut self, step: &str, text: &str) {
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let (name, end) = line.split_once("<<").expect("an output begins with its name and its end");
            let value: Vec<&str> = lines.by_ref().take_while(|line| *line != end).collect();
            self.values.insert(format!("steps.{step}.outputs.{name}"), value.join("\n"));
        }
    }

    /// Decides on a condition of the form `NAME == 'TEXT'`.
    fn holds(&self, condition: &str) -> bool {
        let (name, text) = condition.split_once(" == ").expect("a condition compares");
        self.value(name) == text.trim_matches('\'')
    }

    /// Replaces the expressions of a text.
    fn expand(&self, text: &str) -> String {
        let mut parts = text.split("${{");
        let mut expanded = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (expression, rest) = part.split_once("}}").expect("an expression ends");
            expanded += &self.value(expression);
            expanded += rest;
        }
        expanded
    }

    /// Returns the first value of an expression `NAME || NAME` that is not empty.
    fn value(&self, expression: &str) -> String {
        let mut values = expression.split("||").map(|name| self.look_up(name.trim()));
        values.find(|value| !value.is_empty()).unwrap_or_default()
    }

    fn look_up(&self, name: &str) -> String {
        let is_of_step = || {
            name.strip_prefix("steps.")
                .and_then(|rest| rest.split_once(".outputs."))
                .is_some_and(|(step, _)| self.steps.contains(step))
        };
        match self.values.get(name) {
            Some(value) => value.clone(),
            // An event may lack a value, and a step may have been skipped.
            None if name.starts_with("github.event.") || is_of_step() => String::new(),
            None => panic!("`{name}` is no value"),
        }
    }
}

impl ActionRun {
    /// Returns the document whose path is an output.
    pub(super) fn document(&self, output: &str) -> Value {
        let text = fs::read_to_string(&self.outputs[output]).expect("the file is there");
        serde_json::from_str(&text).expect("it is JSON")
    }

    /// Returns the lines of the log that the runner obeys, for example annotations.
    pub(super) fn commands(&self) -> Vec<&str> {
        let mut pause = None;
        let mut commands = Vec::new();
        for line in self.log.lines() {
            let Some(command) = line.trim_start().strip_prefix("::") else { continue };
            match pause {
                Some(word) if command.strip_suffix("::") == Some(word) => pause = None,
                Some(_) => {}
                None => match command.strip_prefix("stop-commands::") {
                    Some(word) => pause = Some(word),
                    None => commands.push(line),
                },
            }
        }
        commands
    }
}

/// Reads a document. Every scalar is a string.
pub(super) fn yaml(text: &str) -> Value {
    let events = Parser::new_from_str(text).map(|event| event.expect("it is YAML").0);
    let mut events = events.skip_while(|event| !matches!(event, Event::DocumentStart(_))).skip(1);
    let first = events.next().expect("there is a document");
    value(first, &mut events)
}

/// Reads the value that begins with an event.
fn value<'t>(event: Event<'t>, events: &mut dyn Iterator<Item = Event<'t>>) -> Value {
    match event {
        Event::Scalar(text, ..) => Value::String(text.into_owned()),
        Event::SequenceStart(..) => {
            let mut items = Vec::new();
            loop {
                match events.next().expect("the sequence ends") {
                    Event::SequenceEnd => return Value::Array(items),
                    item => items.push(value(item, events)),
                }
            }
        }
        Event::MappingStart(..) => {
            let mut fields = Map::new();
            loop {
                match events.next().expect("the mapping ends") {
                    Event::MappingEnd => return Value::Object(fields),
                    Event::Scalar(key, ..) => {
                        let first = events.next().expect("a key has a value");
                        fields.insert(key.into_owned(), value(first, events));
                    }
                    other => panic!("expected a key, found {other:?}"),
                }
            }
        }
        other => panic!("expected a value, found {other:?}"),
    }
}
