//! A session of each agent: its goal is judged by the installed hook, and then a slot of a server that is killed. The events are recorded
//! in the form in which the agent sends them, and the answers are read as the agent reads them.

use std::process::{Command, Stdio};

use adjudicate_collect::hooks::Agent;
use serde_json::Value;

use crate::{
    command::{Run, TestFolder, feed},
    hook::line,
    hook_via::{HookServer, store},
    repository::unchanged,
};

/// The events of an agent, and its forms of answers. In an event, `ROOT` is the folder of the project, `TURN` the turn, and `HOLDS` what a
/// pair of values says before and after a hold. In an answer, `TEXT` is the text for the agent or the human.
struct Recorded {
    /// One of each event before a call.
    calls: &'static [&'static str],
    /// The event at the end of a turn. Each agent has one.
    end: &'static str,
    holds: [&'static str; 2],
    /// The answer to a call without an objection.
    allow: &'static str,
    /// The answer that lets a turn end.
    release: &'static str,
    hold: &'static str,
    /// The answer with a message for a human. Without one, the agent logs standard error.
    message: Option<&'static str>,
}

const fn recorded(agent: Agent) -> Recorded {
    match agent {
        Agent::ClaudeCode => Recorded {
            calls: &[
                r#"{"session_id":"s","transcript_path":"/t.jsonl","cwd":"ROOT","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"ROOT/src/a.js","content":""},"tool_use_id":"t1"}"#,
            ],
            end: r#"{"session_id":"s","transcript_path":"/t.jsonl","cwd":"ROOT","permission_mode":"default","prompt_id":"TURN","hook_event_name":"Stop","stop_hook_active":HOLDS,"last_assistant_message":"Done","background_tasks":[]}"#,
            holds: ["false", "true"],
            allow: "",
            release: "",
            hold: r#"{"decision":"block","reason":"TEXT"}"#,
            message: Some(r#"{"systemMessage":"TEXT"}"#),
        },
        Agent::Codex => Recorded {
            calls: &[
                r#"{"session_id":"s","turn_id":"TURN","transcript_path":null,"cwd":"ROOT","hook_event_name":"PreToolUse","model":"m","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Add File: src/a.js\n+a\n*** End Patch"}}"#,
            ],
            end: r#"{"session_id":"s","turn_id":"TURN","transcript_path":null,"cwd":"ROOT","hook_event_name":"Stop","model":"m","stop_hook_active":HOLDS,"last_assistant_message":null}"#,
            holds: ["false", "true"],
            allow: "",
            release: "",
            hold: r#"{"decision":"block","reason":"TEXT"}"#,
            message: Some(r#"{"systemMessage":"TEXT"}"#),
        },
        Agent::Cursor => Recorded {
            calls: &[
                r#"{"conversation_id":"c","generation_id":"TURN","hook_event_name":"preToolUse","workspace_roots":["ROOT"],"tool_name":"Write","tool_input":{"file_path":"ROOT/src/a.js","content":""},"cwd":"ROOT"}"#,
                r#"{"conversation_id":"c","generation_id":"TURN","hook_event_name":"beforeShellExecution","workspace_roots":["ROOT"],"command":"npm test","cwd":"ROOT"}"#,
                r#"{"conversation_id":"c","generation_id":"TURN","hook_event_name":"beforeMCPExecution","workspace_roots":["ROOT"],"tool_name":"search","tool_input":"{\"query\":\"x\"}"}"#,
            ],
            end: r#"{"conversation_id":"c","generation_id":"TURN","hook_event_name":"stop","workspace_roots":["ROOT"],"status":"completed","loop_count":HOLDS}"#,
            holds: ["0", "1"],
            allow: r#"{"permission":"allow"}"#,
            release: "{}",
            hold: r#"{"followup_message":"TEXT"}"#,
            message: None,
        },
        Agent::Gemini => Recorded {
            calls: &[
                r#"{"session_id":"s","transcript_path":"/t.json","cwd":"ROOT","hook_event_name":"BeforeTool","timestamp":"2026-11-28T12:00:00Z","tool_name":"write_file","tool_input":{"file_path":"ROOT/src/a.js","content":"b"}}"#,
            ],
            end: r#"{"session_id":"s","transcript_path":"/t.json","cwd":"ROOT","hook_event_name":"AfterAgent","timestamp":"2026-11-28T12:00:00Z","prompt":"p","prompt_response":"r","stop_hook_active":HOLDS}"#,
            holds: ["false", "true"],
            allow: "",
            release: "",
            hold: r#"{"decision":"deny","reason":"TEXT"}"#,
            message: Some(r#"{"systemMessage":"TEXT"}"#),
        },
        // It does not say whether a hook has held the turn.
        Agent::Copilot => Recorded {
            calls: &[
                r#"{"session_id":"s","timestamp":"2026-11-28T12:00:00Z","cwd":"ROOT","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"ROOT/src/a.js","content":""}}"#,
            ],
            end: r#"{"session_id":"s","timestamp":"2026-11-28T12:00:00Z","cwd":"ROOT","hook_event_name":"Stop","transcript_path":"/t.jsonl","stop_reason":"end_turn"}"#,
            holds: ["", ""],
            allow: "",
            release: "",
            hold: r#"{"decision":"block","reason":"TEXT"}"#,
            message: None,
        },
    }
}

/// Returns the text in an answer of this form.
fn text_in(form: &str, answer: &str) -> Option<String> {
    let (form, answer): (Value, Value) =
        (serde_json::from_str(form).ok()?, serde_json::from_str(answer).ok()?);
    let (form, answer) = (form.as_object()?, answer.as_object()?);
    let text =
        form.iter().find(|(_, value)| *value == "TEXT").and_then(|(name, _)| answer.get(name)?.as_str())?;
    let is_same = |(name, value): (&String, &Value)| *value == "TEXT" || answer.get(name) == Some(value);
    (form.len() == answer.len() && form.iter().all(is_same)).then(|| text.to_owned())
}

/// The answer that an agent reads at the end of a turn.
#[derive(Debug)]
enum TurnAnswer {
    Hold(String),
    /// The turn ends, and a human reads this. It may be empty.
    End(String),
}

impl TurnAnswer {
    fn hold(self) -> String {
        match self {
            Self::Hold(text) => text,
            Self::End(_) => panic!("{self:?}"),
        }
    }

    fn end(self) -> String {
        match self {
            Self::End(text) => text,
            Self::Hold(_) => panic!("{self:?}"),
        }
    }
}

struct Session {
    agent: Agent,
    recorded: Recorded,
    place: TestFolder,
}

impl Session {
    fn new(agent: Agent) -> Self {
        let recorded = recorded(agent);
        for (event, name) in recorded.calls.iter().zip(agent.calls()).chain([(&recorded.end, &agent.end())]) {
            assert!(event.contains(&format!(r#""hook_event_name":"{name}""#)), "{agent:?} {event}");
        }
        assert_eq!(recorded.calls.len(), agent.calls().len(), "{agent:?}");
        Self { agent, recorded, place: unchanged() }
    }

    /// Installs the hook with these options.
    fn install(&self, options: &[&str]) {
        let program = env!("CARGO_BIN_EXE_adjudicate");
        let install = [&["hook", "install", self.agent.name(), "--command", program], options].concat();
        let installed = self.place.run(&install);
        assert_eq!(installed.status, Some(0), "{installed:?}");
    }

    /// Starts the installed hook as the agent does.
    fn start(&self, name: &str, event: &str) -> Run {
        let root = self.place.path(".").canonicalize().unwrap();
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &line(&self.place, self.agent, name)]).current_dir(&root).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.envs(self.agent.folder_variable().map(|name| (name, root.as_path())));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        feed(&mut command, event.replace("ROOT", root.to_str().unwrap()).as_bytes())
    }

    /// The answers to each event before a call.
    fn calls(&self) -> impl Iterator<Item = Run> {
        self.agent.calls().iter().zip(self.recorded.calls).map(|(name, event)| self.start(name, event))
    }

    /// The answer at the end of a turn.
    fn end(&self, turn: &str, is_held_before: bool) -> TurnAnswer {
        let Recorded { end, holds, release, hold, message, .. } = &self.recorded;
        let event = end.replace("TURN", turn).replace("HOLDS", holds[usize::from(is_held_before)]);
        let answer = self.start(self.agent.end(), &event);
        assert_eq!(answer.status, Some(0), "{answer:?}");
        let [output, complaint] = [&answer.stdout, &answer.stderr].map(|text| text.trim_end());
        if let Some(text) = text_in(hold, output) {
            return TurnAnswer::Hold(text);
        }
        match message.and_then(|message| text_in(message, output)) {
            Some(text) => TurnAnswer::End(text),
            None => {
                assert_eq!(output, *release, "{answer:?}");
                assert!(complaint.is_empty() || message.is_none(), "{answer:?}");
                TurnAnswer::End(complaint.to_owned())
            }
        }
    }

    fn goal(&self, arguments: &[&str]) {
        let goal = self.place.run(&[&["goal"], arguments].concat());
        assert_eq!(goal.status, Some(0), "{goal:?}");
    }
}

#[test]
fn a_goal_holds_each_agent_until_it_is_met_and_calls_a_human_at_its_bound() {
    for agent in Agent::ALL {
        let session = Session::new(agent);
        session.install(&[]);
        let unchecked = session.place.run(&["goal", "only change src/**"]);
        assert_eq!(unchecked.status, Some(2), "{unchecked:?}");
        assert!(unchecked.stderr.contains("a human must judge it"), "{unchecked:?}");

        session.goal(&["unit exits 0; within 2 rounds"]);
        session.place.file("code", "1");
        let instructions = session.end("1", false).hold();
        assert!(instructions.starts_with("The goal is not met."), "{agent:?} {instructions}");
        assert!(instructions.contains("`unit` exited 1"), "{agent:?} {instructions}");
        session.place.file("code", "0");
        let message = session.end("1", true).end();
        assert!(message.contains("the goal is met"), "{agent:?} {message}");
        assert_eq!(session.end("2", false).end(), "", "{agent:?}");

        session.goal(&["unit exits 0; within 2 rounds"]);
        session.place.file("code", "1");
        session.end("3", false).hold();
        let message = session.end("3", true).end();
        assert!(message.contains("a human is needed"), "{agent:?} {message}");
        session.goal(&["clear"]);
    }
}

#[test]
fn a_server_that_is_killed_in_a_session_lets_no_call_pass_and_holds_the_turn_once() {
    for agent in Agent::ALL {
        let session = Session::new(agent);
        let mut server = HookServer::start(store());
        let socket = format!("unix:{}", server.place.path("gate.sock").display());
        let addresses = [socket, server.url.clone()];
        let install = |address: &str| session.install(&["--via", address, "--slot", "gate"]);
        for address in &addresses {
            install(address);
            for allowed in session.calls() {
                let found = (allowed.status, allowed.stdout.trim_end());
                assert_eq!(found, (Some(0), session.recorded.allow), "{allowed:?}");
            }
        }
        // Another user could have opened this socket.
        install(&addresses[0]);
        server.set_mode(0o666);
        assert!(session.calls().all(|call| (call.status, &*call.stdout) == (Some(2), "")), "{agent:?}");
        server.set_mode(0o600);
        session.place.file("code", "1");
        server.kill();
        for address in &addresses {
            install(address);
            for denied in session.calls() {
                assert_eq!((denied.status, denied.stdout.as_str()), (Some(2), ""), "{denied:?}");
                let is_named = denied.stderr.contains("did not decide") && denied.stderr.contains(address);
                assert!(is_named, "{denied:?}");
            }
        }
        let reason = session.end("1", false).hold();
        assert!(reason.contains("did not decide"), "{agent:?} {reason}");
        let message = session.end("1", true).end();
        assert!(
            message.contains("uman is needed") && message.contains("did not decide"),
            "{agent:?} {message}"
        );
    }
}
