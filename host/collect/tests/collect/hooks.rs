//! Hooks of coding agents: reading events, judging calls and turns, and the answers of each host.

use std::{fs::File, path::Path, sync::atomic::AtomicBool, thread, time::Duration};

use adjudicate_collect::{
    CollectOptions,
    hooks::{
        Agent, CallVerdict, HookAnswer, HookCall, HookEvent, MAX_HOLDS, Rules, TurnEnd, TurnVerdict, begin,
        judge_call, judge_turn,
    },
};

use super::scratch::{GREEN, POLICY, RED, Scratch, configuration, exits, unit};

fn read(agent: Agent, input: &str) -> HookEvent {
    agent.read(input.as_bytes()).unwrap_or_else(|error| panic!("{agent:?} {input}: {error}"))
}

fn call(agent: Agent, input: &str) -> HookCall {
    match read(agent, input) {
        HookEvent::Call(call) => call,
        HookEvent::End(end) => panic!("{end:?}"),
    }
}

fn end(agent: Agent, input: &str) -> TurnEnd {
    match read(agent, input) {
        HookEvent::End(end) => end,
        HookEvent::Call(call) => panic!("{call:?}"),
    }
}

/// Claude Code's input before an edit of a file.
fn edit(path: &str) -> HookCall {
    let input = format!(
        r#"{{"session_id": "s", "cwd": "/work/app", "hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": {{"file_path": "{path}"}}}}"#
    );
    call(Agent::ClaudeCode, &input)
}

#[test]
fn each_host_names_the_tool_and_its_files() {
    let patch = r"*** Begin Patch\n*** Update File: src/a.rs\n*** Move to: src/b.rs\n@@\n-x\n+y\n*** Add File: c.rs\n+z\n*** Delete File: d.rs\n*** End Patch";
    for (agent, input, tool, files) in [
        (
            Agent::ClaudeCode,
            r#"{"session_id":"s","transcript_path":"/t","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push -f"},"tool_use_id":"t1"}"#.to_owned(),
            "Bash",
            &[][..],
        ),
        (
            Agent::ClaudeCode,
            r#"{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","permission_mode":"default","tool_name":"NotebookEdit","tool_input":{"notebook_path":"/w/a.ipynb","new_source":""}}"#.into(),
            "NotebookEdit",
            &["/w/a.ipynb"],
        ),
        (
            Agent::Codex,
            format!(r#"{{"session_id":"s","turn_id":"1","transcript_path":null,"cwd":"/w","hook_event_name":"PreToolUse","model":"m","tool_name":"apply_patch","tool_input":{{"command":"{patch}"}}}}"#),
            "apply_patch",
            &["src/a.rs", "src/b.rs", "c.rs", "d.rs"],
        ),
        (
            Agent::Cursor,
            "\u{feff}{\"conversation_id\":\"c\",\"generation_id\":\"g\",\"hook_event_name\":\"beforeShellExecution\",\"workspace_roots\":[\"/w\"],\"command\":\"rm -rf /\",\"cwd\":\"\"}".into(),
            "shell",
            &[],
        ),
        (
            Agent::Cursor,
            r#"{"conversation_id":"c","hook_event_name":"beforeMCPExecution","workspace_roots":["/w"],"tool_name":"search","tool_input":"{\"query\":\"x\"}"}"#.into(),
            "search",
            &[],
        ),
        (
            Agent::Gemini,
            r#"{"session_id":"s","cwd":"/w","hook_event_name":"BeforeTool","timestamp":"2026-11-28T12:00:00Z","tool_name":"write_file","tool_input":{"file_path":"/w/a","content":"b"}}"#.into(),
            "write_file",
            &["/w/a"],
        ),
        (
            Agent::Copilot,
            r#"{"sessionId":"s","timestamp":1790000000000,"cwd":"/w","toolName":"edit","toolArgs":"{\"path\":\"/w/a\"}"}"#.into(),
            "edit",
            &["/w/a"],
        ),
        (
            Agent::Copilot,
            r#"{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"/w/a"}}"#.into(),
            "Write",
            &["/w/a"],
        ),
    ] {
        let call = call(agent, &input);
        let paths: Vec<_> = call.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!((call.tool.as_str(), paths.as_slice()), (tool, files), "{agent:?}");
        assert_eq!(call.folders.last().map(String::as_str), Some("/w"));
        // Of Cursor's events, two can ask. Codex and Copilot cannot, or may run the call.
        let can_ask = matches!(agent, Agent::ClaudeCode | Agent::Gemini | Agent::Cursor);
        assert_eq!(call.can_ask, can_ask, "{agent:?}");
    }
}

#[test]
fn each_host_names_the_turn() {
    for (agent, input, turn, is_repeated, is_busy) in [
        (
            Agent::ClaudeCode,
            r#"{"session_id":"s","prompt_id":"p","hook_event_name":"Stop","stop_hook_active":false,"background_tasks":[]}"#,
            "s/p",
            Some(false),
            false,
        ),
        (
            Agent::ClaudeCode,
            r#"{"session_id":"s","hook_event_name":"Stop","stop_hook_active":true,"background_tasks":[{"id":"1"}]}"#,
            "s/",
            Some(true),
            true,
        ),
        (
            Agent::Codex,
            r#"{"session_id":"s","turn_id":"7","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":null}"#,
            "s/7",
            Some(false),
            false,
        ),
        (
            Agent::Cursor,
            r#"{"conversation_id":"c","generation_id":"g","hook_event_name":"stop","status":"completed","loop_count":2}"#,
            "c/",
            Some(true),
            false,
        ),
        (
            Agent::Gemini,
            r#"{"session_id":"s","hook_event_name":"AfterAgent","prompt":"p","prompt_response":"r","stop_hook_active":false}"#,
            "s/",
            Some(false),
            false,
        ),
        (
            Agent::Copilot,
            r#"{"sessionId":"s","timestamp":1,"cwd":"/w","stopReason":"end_turn"}"#,
            "s/",
            None,
            false,
        ),
    ] {
        let end = end(agent, input);
        assert_eq!(
            (end.turn.as_str(), end.is_repeated, end.is_busy),
            (turn, is_repeated, is_busy),
            "{agent:?}"
        );
    }
}

#[test]
fn an_input_of_another_form_is_an_error() {
    for agent in Agent::ALL {
        let event = match agent {
            Agent::Cursor => "preToolUse",
            Agent::Gemini => "BeforeTool",
            _ => "PreToolUse",
        };
        for (input, path) in [
            (String::new(), ""),
            ("{".into(), ""),
            ("[]".into(), ""),
            ("{}".into(), "/hook_event_name"),
            (r#"{"hook_event_name": "PostToolUse", "tool_name": "Edit"}"#.into(), "/hook_event_name"),
            (r#"{"hook_event_name": 7}"#.into(), "/hook_event_name"),
            (format!(r#"{{"hook_event_name": "{event}"}}"#), "/tool_name"),
            (format!(r#"{{"hook_event_name": "{event}", "tool_name": ["Edit"]}}"#), "/tool_name"),
            (
                format!(
                    r#"{{"hook_event_name": "{event}", "tool_name": "apply_patch", "tool_input": {{"command": "ls"}}}}"#
                ),
                "/tool_input",
            ),
            (
                format!(
                    r#"{{"hook_event_name": "{event}", "tool_name": "apply_patch", "tool_input": null}}"#
                ),
                "/tool_input",
            ),
        ] {
            let error = agent.read(input.as_bytes()).unwrap_err();
            assert_eq!(error.path(), path, "{agent:?} {input}: {error}");
        }
    }
    let no_path = r#"{"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": {"path": "a"}}"#;
    assert_eq!(Agent::ClaudeCode.read(no_path.as_bytes()).unwrap_err().path(), "/tool_input");
}

const LISTS: &str = r#"{"policy": "house", "version": "1.0.0", "profile": "oa06.1", "forbidden_paths": ["secrets/**"], "protected_paths": ["db/**"],
    "required_artifacts": ["report.html"], "rules": [{"id": "always", "when": true, "then": {"status": "unsafe", "summary": "never"}}]}"#;

const GUARDRAILS: &str = r#"[
    {"id": "push", "trigger": {"kind": "onStart", "selector": {"capabilityId": "Bash"}},
     "condition": {"in": ["push", {"var": "input.command"}]}, "action": {"type": "hitl", "rationale": "a human pushes"}},
    {"id": "force", "trigger": {"kind": "onStart"},
     "condition": {"and": [{"==": [{"var": "tool"}, "Bash"]}, {"in": ["-f", {"var": "input.command"}]}]},
     "action": {"type": "fail", "message": "no force"}},
    {"id": "note", "trigger": {"kind": "onStart"}, "action": {"type": "emit", "event": "seen"}}
]"#;

fn judge(call: &HookCall) -> CallVerdict {
    let own_paths = ["adjudicate.yaml".to_owned()];
    let rules = Rules {
        root: Path::new("/work/app"),
        policy: Some(LISTS),
        guardrails: Some(GUARDRAILS),
        own_paths: &own_paths,
        own_outside: &["**/.claude/settings*.json".to_owned(), ".git/".to_owned()],
    };
    judge_call(&rules, call).unwrap()
}

#[test]
fn path_lists_judge_the_files_of_a_call() {
    for (path, expected) in [
        ("/work/app/src/a.rs", "allow"),
        ("/work/app/secrets/key.pem", "deny"),
        ("/work/app/src/../secrets/key.pem", "deny"),
        ("secrets/key.pem", "deny"),
        ("/work/app/db/1.sql", "ask"),
        ("/work/app/adjudicate.yaml", "ask"),
        ("/work/app/Adjudicate.YAML", "ask"),
        // Files outside of the repository are no changes of it, except those that switch the hook off.
        ("/tmp/notes.md", "allow"),
        ("/home/a/.claude/plans/plan.md", "allow"),
        ("/work/app/../other/a", "allow"),
        ("/home/a/.claude/settings.json", "ask"),
        ("/home/a/.Claude/Settings.json", "ask"),
        ("/work/app/../other/.git/config", "ask"),
        ("~/.bashrc", "ask"),
    ] {
        let verdict = judge(&edit(path));
        let found = match &verdict {
            CallVerdict::Allow => "allow",
            CallVerdict::Ask(_) => "ask",
            CallVerdict::Deny(_) => "deny",
        };
        assert_eq!(found, expected, "{path}: {verdict:?}");
    }
    let CallVerdict::Deny(reason) = judge(&edit("secrets/key.pem")) else { panic!("not denied") };
    assert!(reason.contains("secrets/key.pem") && reason.contains(": "), "{reason}");
}

#[test]
fn only_allowed_paths_may_change() {
    let policy = r#"{"policy": "house", "version": "1.0.0", "allowed_paths": ["src/**"]}"#;
    let rules = rules_of(policy);
    assert_eq!(judge_call(&rules, &edit("/work/app/src/a.rs")).unwrap(), CallVerdict::Allow);
    assert!(matches!(judge_call(&rules, &edit("/work/app/docs/a.md")), Ok(CallVerdict::Deny(_))));
    assert_eq!(judge_call(&rules, &edit("/tmp/notes.md")).unwrap(), CallVerdict::Allow);
}

#[test]
fn a_policy_may_name_files_outside_of_the_repository() {
    let verdict = |outside: &str| {
        let policy = format!(
            r#"{{"policy": "house", "version": "1.0.0", "forbidden_paths": ["secrets/**"], "outside": "{outside}"}}"#
        );
        judge_call(&rules_of(&policy), &edit("/tmp/notes.md")).unwrap()
    };
    assert!(matches!(verdict("ask"), CallVerdict::Ask(_)));
    assert!(matches!(verdict("refuse"), CallVerdict::Deny(_)));
    assert_eq!(verdict("allow"), CallVerdict::Allow);
}

fn rules_of(policy: &str) -> Rules<'_> {
    Rules {
        root: Path::new("/work/app"),
        policy: Some(policy),
        guardrails: None,
        own_paths: &[],
        own_outside: &[],
    }
}

#[cfg(unix)]
#[test]
fn no_link_leads_around_a_path_list() {
    use std::os::unix::fs::symlink;

    let scratch = Scratch::new();
    scratch.write("db/1.sql", "");
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link");
    symlink(scratch.path("db"), &link).unwrap();
    let verdict = |path: &Path| {
        let rules = Rules { root: scratch.root(), policy: Some(LISTS), ..rules_of(LISTS) };
        judge_call(&rules, &edit(path.to_str().unwrap())).unwrap()
    };
    assert!(matches!(verdict(&link.join("2.sql")), CallVerdict::Ask(_)));
    assert_eq!(verdict(&elsewhere.path().join("2.sql")), CallVerdict::Allow);
    // An alias of the root, such as `/tmp` of `/private/tmp`.
    let alias = elsewhere.path().join("alias");
    symlink(scratch.root(), &alias).unwrap();
    assert!(matches!(verdict(&alias.join("secrets/key.pem")), CallVerdict::Deny(_)));
}

#[test]
fn guardrails_judge_a_call() {
    let bash = |command: &str| {
        let input = format!(
            r#"{{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {{"command": "{command}"}}}}"#
        );
        judge(&call(Agent::ClaudeCode, &input))
    };
    assert_eq!(bash("ls"), CallVerdict::Allow);
    assert_eq!(bash("git push"), CallVerdict::Ask("the guardrail `push` objects: a human pushes".into()));
    assert_eq!(bash("git push -f"), CallVerdict::Deny("the guardrail `force` objects: no force".into()));
    // A condition that cannot be decided asks.
    let unclear = call(
        Agent::ClaudeCode,
        r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}}"#,
    );
    assert!(matches!(judge(&unclear), CallVerdict::Ask(_)));
}

#[test]
fn damaged_rules_are_errors() {
    let call = edit("a");
    for (policy, guardrails) in
        [(Some("{"), None), (Some("{}"), None), (None, Some("{}")), (None, Some("[{}]")), (None, Some("["))]
    {
        let rules = Rules { policy, guardrails, ..rules_of("") };
        assert!(rules.check().is_err(), "{policy:?} {guardrails:?}");
        assert!(judge_call(&rules, &call).is_err(), "{policy:?} {guardrails:?}");
    }
    assert_eq!(Rules { guardrails: Some("[]"), ..rules_of(LISTS) }.check(), Ok(()));
}

#[test]
fn each_host_gets_its_form() {
    let reason = || "r".to_owned();
    for (agent, allow, ask, deny, release, say, hold) in [
        (
            Agent::ClaudeCode,
            "",
            r#""permissionDecision":"ask""#,
            r#""permissionDecision":"deny""#,
            "",
            r#"{"systemMessage":"r"}"#,
            r#"{"decision":"block","reason":"r"}"#,
        ),
        (
            Agent::Codex,
            "",
            r#""permissionDecision":"deny""#,
            r#""permissionDecision":"deny""#,
            "",
            r#"{"systemMessage":"r"}"#,
            r#"{"decision":"block","reason":"r"}"#,
        ),
        (
            Agent::Cursor,
            r#"{"permission":"allow"}"#,
            r#""permission":"ask""#,
            r#""permission":"deny""#,
            "{}",
            "{}",
            r#"{"followup_message":"r"}"#,
        ),
        (
            Agent::Gemini,
            "",
            r#""decision":"ask""#,
            r#""decision":"deny""#,
            "",
            r#"{"systemMessage":"r"}"#,
            r#"{"decision":"deny","reason":"r"}"#,
        ),
        (
            Agent::Copilot,
            "",
            r#""permissionDecision":"deny""#,
            r#""permissionDecision":"deny""#,
            "",
            "",
            r#"{"decision":"block","reason":"r"}"#,
        ),
    ] {
        let can_ask = !matches!(agent, Agent::Codex | Agent::Copilot);
        let output = |verdict| agent.answer_call(can_ask, &verdict).output;
        assert_eq!(output(CallVerdict::Allow), allow, "{agent:?}");
        assert!(output(CallVerdict::Ask(reason())).contains(ask), "{agent:?}");
        assert!(output(CallVerdict::Deny(reason())).contains(deny), "{agent:?}");
        let turn = |verdict| agent.answer_turn(&verdict);
        assert_eq!(turn(TurnVerdict::Release).output, release, "{agent:?}");
        assert_eq!(turn(TurnVerdict::Hold(reason())).output, hold, "{agent:?}");
        let reported = turn(TurnVerdict::Say(reason()));
        assert_eq!(reported.output, say, "{agent:?}");
        assert!(reported.output.contains('r') || reported.complaint == "r\n", "{reported:?}");
        assert_eq!(agent.answer_call(can_ask, &CallVerdict::Deny(reason())).exit_code, 0);
    }
    let HookAnswer { output, complaint, exit_code } = HookAnswer::refusal("x");
    assert_eq!((output.as_str(), exit_code), ("", 2));
    assert!(complaint.contains("x\n"));
}

fn turn(scratch: &Scratch, validators: &str, end: &TurnEnd) -> TurnVerdict {
    judge_turn(scratch.root(), &configuration(validators), Some(POLICY), end, &CollectOptions::default())
}

fn stop(turn: &str) -> TurnEnd {
    let input = format!(
        r#"{{"session_id": "s", "prompt_id": "{turn}", "hook_event_name": "Stop", "stop_hook_active": false}}"#
    );
    end(Agent::ClaudeCode, &input)
}

#[test]
fn a_turn_is_held_until_it_is_done_or_needs_a_human() {
    let scratch = Scratch::new();
    assert_eq!(turn(&scratch, &unit(1), &stop("0")), TurnVerdict::Release, "nothing has changed");
    scratch.write("src/cart.js", "2\n");
    let busy = TurnEnd { is_busy: true, ..stop("0") };
    let TurnVerdict::Say(message) = turn(&scratch, &unit(1), &busy) else { panic!("it says nothing") };
    assert!(message.contains("was not judged"), "{message}");
    scratch.report(RED);
    let TurnVerdict::Hold(instructions) = turn(&scratch, &unit(1), &stop("1")) else { panic!("not held") };
    assert!(instructions.contains("cart/pays") && instructions.contains("npx vitest"), "{instructions}");
    // Under `oa06.1`, a second failing round asks a human.
    let TurnVerdict::Say(message) = turn(&scratch, &unit(1), &stop("1")) else { panic!("held again") };
    assert!(message.contains("a human is needed"), "{message}");
    scratch.report(GREEN);
    let done = judge_turn(
        scratch.root(),
        &configuration(&unit(0)),
        Some(POLICY),
        &stop("2"),
        &CollectOptions { new_run: true, ..CollectOptions::default() },
    );
    assert_eq!(done, TurnVerdict::Say("adjudicate: the decision is `success`".into()));
}

/// A policy under which the same failure stays `partial`.
const LENIENT: &str = r#"{"policy": "change", "version": "1.0.0", "profile": "oa06", "review": "optional",
    "parameters": {"partial_threshold": 1000, "blocker_repeat": 1000}}"#;

#[test]
fn no_turn_is_held_for_ever() {
    let scratch = Scratch::with_change();
    let verdict = |turn: &str| {
        judge_turn(
            scratch.root(),
            &configuration(&exits("lint", 1)),
            Some(LENIENT),
            &stop(turn),
            &CollectOptions::default(),
        )
    };
    for number in 1..=MAX_HOLDS {
        assert!(matches!(verdict("1"), TurnVerdict::Hold(_)), "{number}");
    }
    let TurnVerdict::Say(message) = verdict("1") else { panic!("held again") };
    assert!(message.contains("a human is needed"), "{message}");
    assert!(matches!(verdict("2"), TurnVerdict::Hold(_)), "another turn has a count of its own");
}

#[test]
fn hosts_that_name_no_turn_have_a_count_for_each() {
    let scratch = Scratch::with_change();
    let verdict = |generation: u64| {
        let input = format!(
            r#"{{"conversation_id": "c", "generation_id": "{generation}", "hook_event_name": "stop", "status": "completed"}}"#
        );
        let end = end(Agent::Cursor, &input);
        judge_turn(
            scratch.root(),
            &configuration(&exits("lint", 1)),
            Some(LENIENT),
            &end,
            &CollectOptions::default(),
        )
    };
    // Each follow-up message begins another generation.
    assert!((0..MAX_HOLDS).all(|number| matches!(verdict(number), TurnVerdict::Hold(_))));
    assert!(matches!(verdict(MAX_HOLDS), TurnVerdict::Say(_)));
    assert!(matches!(verdict(MAX_HOLDS + 1), TurnVerdict::Hold(_)), "the next turn");
}

#[test]
fn the_end_of_a_subagent_is_no_end_of_a_turn() {
    let scratch = Scratch::with_change();
    for (agent, event) in [
        (Agent::ClaudeCode, "SubagentStop"),
        (Agent::Codex, "SubagentStop"),
        (Agent::Cursor, "subagentStop"),
        (Agent::Copilot, "subagentStop"),
    ] {
        let input = format!(r#"{{"session_id": "s", "hook_event_name": "{event}", "agent_id": "a"}}"#);
        let end = end(agent, &input);
        assert_eq!(turn(&scratch, &exits("lint", 1), &end), TurnVerdict::Release, "{agent:?}");
    }
    assert!(!scratch.path(".adjudicate").exists(), "no validator ran");
}

#[test]
fn a_hook_waits_for_another_collection() {
    let scratch = Scratch::with_change();
    let lock = locked(&scratch);
    let options = CollectOptions { wait: Duration::from_secs(60), ..CollectOptions::default() };
    let verdict = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(300));
            lock.unlock().unwrap();
        });
        judge_turn(scratch.root(), &configuration(&exits("lint", 0)), Some(POLICY), &stop("1"), &options)
    });
    assert_eq!(verdict, TurnVerdict::Say("adjudicate: the decision is `success`".into()));
}

/// Locks the folder of the run, as another process does.
fn locked(scratch: &Scratch) -> File {
    scratch.write(".adjudicate/lock", "");
    let lock = File::open(scratch.path(".adjudicate/lock")).unwrap();
    lock.lock().unwrap();
    lock
}

#[test]
fn a_wait_for_another_collection_ends_with_the_time_of_the_turn() {
    let scratch = Scratch::with_change();
    let _lock = locked(&scratch);
    let stop_now = AtomicBool::new(true);
    let options =
        CollectOptions { wait: Duration::from_secs(600), stop: Some(&stop_now), ..CollectOptions::default() };
    let verdict = judge_turn(scratch.root(), &configuration(&exits("lint", 0)), None, &stop("1"), &options);
    let TurnVerdict::Say(message) = verdict else { panic!("{verdict:?}") };
    assert!(message.contains("another process"), "{message}");
}

#[test]
fn a_failure_holds_a_turn_once() {
    let scratch = Scratch::with_change();
    let broken = |end: &TurnEnd| {
        judge_turn(
            scratch.root(),
            &configuration(&exits("lint", 0)),
            Some("{"),
            end,
            &CollectOptions::default(),
        )
    };
    assert!(matches!(broken(&stop("1")), TurnVerdict::Hold(_)));
    let TurnVerdict::Say(message) = broken(&stop("1")) else { panic!("held again") };
    assert!(message.contains("A human is needed") || message.contains("a human is needed"), "{message}");
    // A damaged state counts nothing, so the turn ends.
    scratch.write(".adjudicate/state.json", "{");
    assert!(matches!(broken(&stop("2")), TurnVerdict::Say(_)));
}

#[test]
fn a_commit_of_the_agent_is_judged() {
    let scratch = Scratch::new();
    begin(scratch.root(), &configuration(&exits("lint", 1)), &CollectOptions::default()).unwrap();
    scratch.write("src/cart.js", "2\n");
    scratch.commit();
    assert!(matches!(turn(&scratch, &exits("lint", 1), &stop("1")), TurnVerdict::Hold(_)));
    // A turn without a change begins a run, too.
    let scratch = Scratch::new();
    assert_eq!(turn(&scratch, &exits("lint", 1), &stop("1")), TurnVerdict::Release);
    scratch.write("src/cart.js", "2\n");
    scratch.commit();
    assert!(matches!(turn(&scratch, &exits("lint", 1), &stop("1")), TurnVerdict::Hold(_)));
}

#[test]
fn files_are_known_in_other_forms() {
    let bash = r"cd /w && apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: secrets/key.pem \n*** End Patch\nEOF";
    for (tool, input, files) in [
        ("Bash", format!(r#"{{"command": "{bash}"}}"#), &["secrets/key.pem", "/w/secrets/key.pem"][..]),
        (
            "Bash",
            format!(r#"{{"command": "cd a; {}", "workdir": "b"}}"#, bash.replace("/w ", "'../c' ")),
            &[
                "secrets/key.pem",
                "a/secrets/key.pem",
                "a/../c/secrets/key.pem",
                "b/secrets/key.pem",
                "b/a/secrets/key.pem",
                "b/a/../c/secrets/key.pem",
            ],
        ),
        ("apply_patch", r#"{"command": "*** Delete File:  a \u00a0\n"}"#.to_owned(), &["a"]),
        (
            "mcp__files__move_file",
            r#"{"source": "a", "destination": "secrets/b"}"#.into(),
            &["a", "secrets/b"],
        ),
        ("StrReplace", r#"{"path": "a"}"#.into(), &["a"]),
        ("Read", r#"{"file_path": "a"}"#.into(), &[]),
        ("WebFetch", r#"{"url": "a", "file": "b"}"#.into(), &[]),
        ("mcp__files__read_file", r#"{"path": "a"}"#.into(), &[]),
        ("run_shell_command", r#"{"command": "ls", "directory": "a"}"#.into(), &[]),
        // A tool that is not known, in fields of any depth.
        (
            "mcp__search__put",
            r#"{"items": [{"filePath": "a", "text": "b"}], "targets": ["c", "file:///d"], "uri": "https://e"}"#.into(),
            &["a", "c", "/d"],
        ),
        ("mcp_read_put", r#"{"path": "a"}"#.into(), &["a"]),
        ("read_and_write", r#"{"path": "a"}"#.into(), &["a"]),
    ] {
        let input =
            format!(r#"{{"hook_event_name": "PreToolUse", "tool_name": "{tool}", "tool_input": {input}}}"#);
        let call = call(Agent::Codex, &input);
        let paths: Vec<_> = call.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, files, "{tool}");
    }
}

#[test]
fn a_patch_in_an_unknown_folder_is_an_error() {
    for command in ["cd $HOME", "cd", "cd ~/a", "cd `pwd`", "cd 'my folder'", "pushd a*"] {
        let command =
            format!(r"{command} && apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n*** End Patch");
        let input = format!(
            r#"{{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {{"command": "{command}"}}}}"#
        );
        let error = Agent::Codex.read(input.as_bytes()).unwrap_err();
        assert!(error.to_string().contains("the folder of the patch is unknown"), "{error}");
    }
}

#[test]
fn each_objection_that_asks_is_named() {
    let guardrails = r#"[{"id": "one", "trigger": {"kind": "onStart"}, "action": {"type": "hitl", "rationale": "a"}},
        {"id": "two", "trigger": {"kind": "onStart"}, "action": {"type": "pause", "reason": "b"}}]"#;
    let own_paths = ["adjudicate.yaml".to_owned(), "db/**".to_owned()];
    let rules = Rules { guardrails: Some(guardrails), own_paths: &own_paths, ..rules_of(LISTS) };
    let CallVerdict::Ask(reason) = judge_call(&rules, &edit("db/1.sql")).unwrap() else {
        panic!("not asked")
    };
    let lines: Vec<_> = reason.lines().collect();
    assert_eq!(lines.len(), 3, "{reason}");
    assert_eq!(lines[..2], ["the guardrail `one` objects: a", "the guardrail `two` objects: b"]);
    assert!(lines[2].contains("`db/1.sql`"), "{reason}");
    let deny = || CallVerdict::Deny("c".into());
    assert_eq!(CallVerdict::Ask("a".into()).and(deny()), deny());
}

#[test]
fn two_hooks_at_the_end_of_a_turn_are_one_round() {
    // With a name of the turn, and without one.
    for turn in [r#""prompt_id": "1", "#, ""] {
        let scratch = Scratch::with_change();
        let input = format!(r#"{{{turn}"session_id": "s", "hook_event_name": "Stop"}}"#);
        let end = end(Agent::ClaudeCode, &input);
        let lint = configuration(&exits("lint", 1));
        let judge = || {
            let options = CollectOptions { wait: Duration::from_secs(60), ..CollectOptions::default() };
            judge_turn(scratch.root(), &lint, Some(LENIENT), &end, &options)
        };
        for number in 1..=MAX_HOLDS + 1 {
            let lock = locked(&scratch);
            let verdicts = thread::scope(|scope| {
                let hooks = [(); 2].map(|()| scope.spawn(judge));
                thread::sleep(Duration::from_millis(300));
                lock.unlock().unwrap();
                hooks.map(|hook| hook.join().unwrap())
            });
            assert_eq!(scratch.state().evaluations(), number, "{verdicts:?}");
            let held = verdicts.iter().filter(|verdict| matches!(verdict, TurnVerdict::Hold(_))).count();
            assert_eq!(held, if number <= MAX_HOLDS { 2 } else { 0 }, "{number}: {verdicts:?}");
        }
    }
}

#[test]
fn a_turn_that_was_aborted_says_that_it_was_not_judged() {
    let scratch = Scratch::new();
    let aborted = TurnEnd { is_aborted: true, ..stop("1") };
    assert_eq!(turn(&scratch, &exits("lint", 1), &aborted), TurnVerdict::Release, "nothing has changed");
    scratch.write("src/cart.js", "2\n");
    let TurnVerdict::Say(message) = turn(&scratch, &exits("lint", 1), &aborted) else { panic!("not said") };
    assert!(message.contains("was not judged"), "{message}");
    // The agent cannot continue, so no failure holds it.
    scratch.write(".adjudicate/state.json", "{");
    let damaged = turn(&scratch, &exits("lint", 1), &TurnEnd { is_repeated: Some(false), ..aborted });
    assert!(matches!(&damaged, TurnVerdict::Say(text) if text.contains("not judged")), "{damaged:?}");
}

#[test]
fn a_conversion_ends_no_judged_turn() {
    let scratch = Scratch::new();
    scratch.write("new.js", "1\n");
    let success = TurnVerdict::Say("adjudicate: the decision is `success`".into());
    assert_eq!(turn(&scratch, &exits("lint", 0), &stop("1")), success);
    assert_eq!(turn(&scratch, &exits("lint", 0), &stop("1")), TurnVerdict::Release);
    scratch.git(&["config", "filter.own.clean", "echo 1"]);
    scratch.write(".git/info/attributes", "new.js filter=own\n");
    scratch.write("new.js", "hidden\n");
    let verdict = turn(&scratch, &exits("lint", 0), &stop("1"));
    assert!(matches!(&verdict, TurnVerdict::Say(text) if text.contains("a human is needed")), "{verdict:?}");
}
