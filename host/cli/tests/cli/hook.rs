//! `adjudicate hook`: as agents start it, installed, and tested.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use adjudicate_collect::hooks::Agent;
use serde_json::{Value, json};

use crate::{
    command::{Run, TestFolder, feed},
    repository::{CONFIGURATION, git, unchanged as repository},
};

/// Returns the event before an edit of a file, in a session in this folder.
pub(crate) fn edit(folder: &Path, file: &Path) -> Value {
    json!({
        "session_id": "s", "cwd": folder, "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": {"file_path": file, "content": ""}
    })
}

/// Returns the decision on a call: `allow` without an answer, and `failed` after a failure, which denies, too.
pub(crate) fn decision(answer: &Run) -> String {
    match (answer.status, answer.stdout.as_str()) {
        (Some(2), "") if !answer.stderr.is_empty() => "failed".to_owned(),
        (Some(0), "") => "allow".to_owned(),
        (Some(0), _) => {
            answer.json()["hookSpecificOutput"]["permissionDecision"].as_str().unwrap().to_owned()
        }
        _ => panic!("{answer:?}"),
    }
}

/// Starts the hook of Claude Code in a folder with a variable.
fn start(place: &TestFolder, folder: &Path, variable: (&str, &Path), event: &Value) -> Run {
    let mut command = place.command(&["hook", "claude-code"]);
    feed(command.current_dir(folder).env(variable.0, variable.1), event.to_string().as_bytes())
}

#[test]
fn a_configuration_in_a_folder_below_replaces_nothing() {
    let place = repository();
    fs::create_dir(place.path("below")).unwrap();
    place.file("below/adjudicate.yaml", CONFIGURATION.replace("policy: adjudicate.policy.yaml\n", ""));
    let root = place.path(".").canonicalize().unwrap();
    let event = edit(&root.join("below"), &root.join("secrets/key.pem")).to_string();
    let mut command = place.command(&["hook", "codex"]);
    let answer = feed(command.current_dir(root.join("below")), event.as_bytes());
    assert_eq!(decision(&answer), "deny");
}

#[test]
fn a_linked_worktree_is_judged_by_the_configuration_of_the_project() {
    let place = repository();
    let root = place.path(".").canonicalize().unwrap();
    place.file(".gitignore", ".claude/\n");
    git(&place, &["add", "--all"]);
    git(&place, &["commit", "--quiet", "--message", "ignore worktrees"]);
    git(&place, &["worktree", "add", "--quiet", ".claude/worktrees/feature"]);
    let worktree = root.join(".claude/worktrees/feature");
    // The configuration of the worktree would let all pass.
    place.file(".claude/worktrees/feature/adjudicate.policy.yaml", "{policy: change, version: 1.0.0}\n");
    let ask = |event: &Value| start(&place, &worktree, ("CLAUDE_PROJECT_DIR", &root), event);
    for (file, expected) in [("src/a.js", "allow"), ("secrets/key.pem", "deny"), ("adjudicate.yaml", "ask")] {
        assert_eq!(decision(&ask(&edit(&worktree, &worktree.join(file)))), expected, "{file}");
    }
    // The project has no change, and the worktree fails.
    place.file(".claude/worktrees/feature/code", "1");
    let stop = json!({"session_id": "s", "prompt_id": "1", "cwd": worktree, "hook_event_name": "Stop"});
    let held = ask(&stop).stdout;
    assert!(held.contains(r#""decision":"block""#) && held.contains("`unit` exited 1"), "{held}");
}

/// Returns the decision about an edit of a file by its absolute path, for an agent that starts in a folder with a variable.
fn decided(place: &TestFolder, folder: &Path, variable: (&str, &Path), file: &Path) -> String {
    decision(&start(place, folder, variable, &edit(folder, file)))
}

#[test]
fn a_call_in_a_working_tree_that_the_event_does_not_name_is_judged() {
    let place = repository();
    let root = place.path(".").canonicalize().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let worktree = elsewhere.path().canonicalize().unwrap().join("feature");
    git(&place, &["worktree", "add", "--quiet", worktree.to_str().unwrap()]);
    let decision = |file: &Path| decided(&place, &root, ("CLAUDE_PROJECT_DIR", &root), file);
    assert_eq!(decision(&worktree.join("src/a.js")), "allow");
    assert_eq!(decision(&worktree.join("secrets/key.pem")), "deny");
    assert_eq!(decision(&worktree.join("adjudicate.yaml")), "ask");
    assert_eq!(decision(&elsewhere.path().join("secrets/key.pem")), "allow", "another folder");
}

#[test]
fn a_link_to_the_project_leads_to_its_configuration() {
    let place = repository();
    let root = place.path(".").canonicalize().unwrap();
    fs::create_dir(root.join("below")).unwrap();
    // The folder around the link has a configuration of its own, without a policy.
    let elsewhere = TestFolder::new();
    git(&elsewhere, &["init", "--quiet"]);
    elsewhere.file("adjudicate.yaml", CONFIGURATION.replace("policy: adjudicate.policy.yaml\n", ""));
    for target in [root.clone(), root.join("below")] {
        let link = elsewhere.path("link");
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let file = link.join(if target == root { "secrets/key.pem" } else { "../secrets/key.pem" });
        let found = decided(&place, &link, ("CLAUDE_PROJECT_DIR", &link), &file);
        assert_eq!(found, "deny", "{target:?}");
        fs::remove_file(link).unwrap();
    }
}

#[test]
fn settings_in_other_folders_and_the_program_are_protected() {
    let place = repository();
    let root = place.path(".").canonicalize().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let moved = elsewhere.path().canonicalize().unwrap().join("{odd} [name]");
    for (variable, folder, file, expected) in [
        ("CLAUDE_CONFIG_DIR", &moved, "settings.json", "ask"),
        ("CLAUDE_CONFIG_DIR", &moved, "projects/a.md", "allow"),
        ("CLAUDE_CONFIG_DIR", &root.join("own"), "settings.local.json", "ask"),
        ("CODEX_HOME", &moved, "config.toml", "ask"),
        ("CODEX_HOME", &moved, "hooks.json", "ask"),
        ("COPILOT_HOME", &moved, "settings.json", "ask"),
        ("COPILOT_HOME", &moved, "hooks/mine.json", "ask"),
        ("COPILOT_HOME", &moved, "session-state/a.json", "allow"),
        ("COPILOT_HOME", &root, ".github/copilot/settings.local.json", "ask"),
        ("GEMINI_CLI_HOME", &moved, ".gemini/settings.json", "ask"),
        ("XDG_CONFIG_HOME", &moved, "git/attributes", "ask"),
    ] {
        let found = decided(&place, &root, (variable, folder), &folder.join(file));
        assert_eq!(found, expected, "{variable} {file}");
    }
    let system = moved.join("system.json");
    for variable in ["GEMINI_CLI_SYSTEM_SETTINGS_PATH", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH"] {
        assert_eq!(decided(&place, &root, (variable, &system), &system), "ask", "{variable}");
    }
    let decision = |file: &Path| decided(&place, &root, ("CLAUDE_PROJECT_DIR", &root), file);
    assert_eq!(decision(&moved.join("bin/adjudicate")), "ask");
    assert_eq!(decision(&root.join("tools/bin/adjudicate.exe")), "ask");
    assert_eq!(decision(Path::new(env!("CARGO_BIN_EXE_adjudicate"))), "ask");
    let program = moved.join("adjudicate-gate");
    assert_eq!(decision(&program), "allow");
    let quoted = format!("'{}'", program.display());
    for command in [&quoted, &format!("env A=1 {quoted}")] {
        place.run(&["hook", "install", "claude-code", "--command", command]);
        assert_eq!(decision(&program), "ask", "{command}");
    }
}

#[test]
#[ignore = "takes 20 seconds: `cargo xtask test tests-further`"]
fn a_call_that_is_not_judged_in_time_is_denied() {
    let place = repository();
    let mut child = place.command(&["hook", "claude-code"]).stdin(Stdio::piped()).spawn().unwrap();
    // The event does not end.
    let stdin = child.stdin.take();
    let answer = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!((answer.status.code(), answer.stdout.as_slice()), (Some(2), &b""[..]));
    assert!(String::from_utf8_lossy(&answer.stderr).contains("it took too long"), "{answer:?}");
}

fn settings(place: &TestFolder, name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(place.path(name)).unwrap()).unwrap()
}

/// Returns the installed line of an event.
pub(crate) fn line(place: &TestFolder, agent: Agent, event: &str) -> String {
    let entry = settings(place, agent.settings())["hooks"][event][0].take();
    let hook = entry.get("hooks").map_or(&entry, |hooks| &hooks[0]);
    hook.get("command").or_else(|| hook.get("bash")).unwrap().as_str().unwrap().to_owned()
}

#[test]
fn a_program_that_is_missing_or_crashes_lets_no_call_run() {
    for agent in Agent::ALL {
        // Cursor with `failClosed` and Copilot deny after any status except 0, the others only after 2 with a reason.
        let denies_itself = matches!(agent, Agent::Cursor | Agent::Copilot);
        for (script, status) in [
            (None, 127),
            (Some("kill -9 $$"), 137),
            (Some("echo crashed >&2; exit 1"), 1),
            (Some("echo no >&2; exit 2"), 2),
            (Some("echo denied"), 0),
        ] {
            let place = repository();
            let program = match script {
                Some(script) => format!("/bin/sh {}", place.file("adjudicate", script)),
                None => "/missing/adjudicate".to_owned(),
            };
            place.run(&["hook", "install", agent.name(), "--command", &program]);
            for event in agent.calls().iter().chain([&agent.end()]) {
                let ended =
                    Command::new("/bin/sh").args(["-c", &line(&place, agent, event)]).output().unwrap();
                let is_denial = status != 0 && *event != agent.end() && !denies_itself;
                let expected = if is_denial { 2 } else { status };
                assert_eq!(
                    ended.status.code().unwrap_or(137),
                    expected,
                    "{agent:?} {event} {script:?} {ended:?}"
                );
                assert!(!is_denial || !ended.stderr.is_empty(), "{agent:?} {event} {script:?}");
                let output: &[u8] = if status == 0 { b"denied\n" } else { b"" };
                assert_eq!(ended.stdout, output, "{agent:?} {event} {script:?}");
            }
        }
    }
}

#[test]
fn a_hook_is_installed_once_and_refuses() {
    let program = env!("CARGO_BIN_EXE_adjudicate");
    for agent in Agent::ALL.map(Agent::name) {
        let place = repository();
        let first = place.run(&["hook", "install", agent, "--command", "/missing/adjudicate"]);
        assert_eq!(first.status, Some(0), "{first:?}");
        let name = first.stdout.lines().next().unwrap().strip_prefix("wrote ").unwrap().to_owned();
        // Other settings stay, and the entries are replaced.
        let mut changed = settings(&place, &name);
        changed["theme"] = "dark".into();
        let event = changed["hooks"].as_object().unwrap().keys().next().unwrap().clone();
        let list = changed["hooks"][&event].as_array_mut().unwrap();
        list.insert(0, json!({"command": "lint"}));
        let own =
            [format!("{program} hook {agent} --deadline 9"), format!("({program} hook {agent})||exit 2")];
        list.push(json!({"hooks": [{"command": "audit"}, {"command": own[0]}, {"command": own[1]}]}));
        place.file(&name, changed.to_string());
        let second = place.run(&["hook", "install", agent, "--command", program, "--deadline", "30"]);
        assert_eq!(second.status, Some(0), "{second:?}");
        let installed = settings(&place, &name);
        assert_eq!(installed["theme"], "dark");
        let entries = installed["hooks"][&event].as_array().unwrap();
        assert_eq!((entries.len(), &entries[0]["command"]), (3, &"lint".into()), "{installed}");
        assert_eq!(entries[1]["hooks"], json!([{"command": "audit"}]));
        let tested = place.run(&["hook", "test", agent]);
        let events = installed["hooks"].as_object().unwrap().keys();
        assert!(
            events.into_iter().all(|event| tested.stdout.contains(&format!("{event}: "))),
            "{agent}: {tested:?}"
        );
        // Each event needs the hook.
        for event in installed["hooks"].as_object().unwrap().keys() {
            let mut without = installed.clone();
            without["hooks"].as_object_mut().unwrap().remove(event);
            place.file(&name, without.to_string());
            let tested = place.run(&["hook", "test", agent]);
            assert_eq!(tested.code(), "unreadable_input", "{agent} {event}");
        }
        place.file(&name, installed.to_string());
        let removed = place.run(&["hook", "uninstall", agent]);
        assert_eq!(removed.status, Some(0), "{removed:?}");
        let left = settings(&place, &name);
        assert_eq!(left["hooks"], json!({event: [{"command": "lint"}, {"hooks": [{"command": "audit"}]}]}));
        // Without other settings, nothing is left.
        fs::remove_file(place.path(&name)).unwrap();
        place.run(&["hook", "install", agent]);
        place.run(&["hook", "uninstall", agent]);
        assert!(!place.path(&name).exists(), "{agent}");
    }
    let place = repository();
    for text in ["[]", "{", r#"{"hooks": []}"#, r#"{"hooks": {"PreToolUse": {}}}"#] {
        fs::create_dir_all(place.path(".claude")).unwrap();
        place.file(".claude/settings.json", text);
        for action in ["install", "test", "uninstall"] {
            assert_eq!(place.run(&["hook", action, "claude-code"]).status, Some(2), "{text}");
            assert_eq!(fs::read_to_string(place.path(".claude/settings.json")).unwrap(), text);
        }
    }
}

/// Installs the hook, changes its settings, and returns the error of the test.
fn error_after(place: &TestFolder, agent: &str, change: impl FnOnce(&mut Value)) -> String {
    let installed =
        place.run(&["hook", "install", agent, "--command", env!("CARGO_BIN_EXE_adjudicate")]).stdout;
    let name = installed.lines().next().unwrap().strip_prefix("wrote ").unwrap();
    let mut changed = settings(place, name);
    change(&mut changed);
    place.file(name, changed.to_string());
    let tested = place.run(&["hook", "test", agent]);
    assert_ne!(tested.status, Some(0), "{agent}: {changed}");
    fs::remove_file(place.path(name)).unwrap();
    tested.stderr
}

#[test]
fn an_entry_that_lets_work_pass_fails_the_test() {
    const ENTRY: &str = "/hooks/PreToolUse/0";
    const HOOK: &str = "/hooks/PreToolUse/0/hooks/0";
    let program = env!("CARGO_BIN_EXE_adjudicate");
    let place = repository();
    let with = |end: &str| json!(format!("{program} hook claude-code{end}"));
    let deny = json!(format!("echo '\"x\":\"deny\" {program} hook claude-code'"));
    // An object of the settings, its field, the new value or null, and a part of the error.
    for (agent, object, field, value, expected) in [
        ("claude-code", ENTRY, "matcher", json!("Bash"), "`matcher`"),
        ("claude-code", ENTRY, "matcher", json!(["Bash"]), "`matcher`"),
        ("claude-code", HOOK, "if", json!("Bash(git *)"), "`if`"),
        ("claude-code", HOOK, "async", json!(true), "`async`"),
        ("claude-code", HOOK, "timeout", json!(20), "`timeout` must be over 20"),
        ("claude-code", HOOK, "timeout", Value::Null, "`timeout` must be over 20"),
        ("claude-code", HOOK, "type", json!("prompt"), "`type`"),
        ("claude-code", HOOK, "type", Value::Null, "`type`"),
        ("claude-code", HOOK, "command", json!("./bin/adjudicate hook claude-code"), "absolute path"),
        ("claude-code", HOOK, "command", json!("npx adjudicate hook claude-code"), "obeys `.npmrc`"),
        ("claude-code", HOOK, "command", with(" || true"), "damaged event"),
        ("claude-code", HOOK, "command", with(" 2>&1"), "damaged event"),
        ("claude-code", HOOK, "command", with(" | cat; true"), "damaged event"),
        ("claude-code", HOOK, "command", with("; exit 1"), "answers the test"),
        ("claude-code", HOOK, "command", deny, "answers the test"),
        ("claude-code", "", "disableAllHooks", json!(true), "`disableAllHooks` in"),
        ("claude-code", "", "env", json!({"PATH": "/usr/bin"}), "`env.PATH` in"),
        ("gemini", "", "hooksConfig", json!({"disabled": ["adjudicate"]}), "`hooksConfig.disabled` in"),
        ("copilot", "/hooks/Stop/0", "timeoutSec", json!(1), "`timeoutSec` must be over 585"),
        ("cursor", "/hooks/stop/0", "loop_limit", json!(0), "`loop_limit`"),
        ("cursor", "/hooks/stop/0", "timeout", json!(100), "over 585"),
        ("cursor", "/hooks/beforeMCPExecution/0", "failClosed", json!(false), "failClosed"),
    ] {
        let error = error_after(&place, agent, |settings| {
            let object = settings.pointer_mut(object).unwrap().as_object_mut().unwrap();
            match value {
                Value::Null => object.remove(field),
                _ => object.insert(field.to_owned(), value),
            };
        });
        let is_named =
            error.contains(expected) && (agent != "cursor" || error.contains(object.trim_end_matches("/0")));
        assert!(is_named, "{agent} {object} {field}: {error}");
    }
    let of_other_agents = error_after(&place, "claude-code", |settings| {
        let hook = settings.pointer_mut(HOOK).unwrap();
        (hook["timeoutSec"], hook["timeout"]) = (99.into(), Value::Null);
    });
    assert!(of_other_agents.contains("`timeout` must be over 20"), "{of_other_agents}");
    let flat = error_after(&place, "claude-code", |settings| {
        settings["hooks"]["Stop"][0] = settings["hooks"]["Stop"][0]["hooks"][0].take();
    });
    assert!(flat.contains("has no hook of this program"), "{flat}");
    let renamed = error_after(&place, "gemini", |settings| {
        settings["hooks"]["AfterAgent"][0]["hooks"][0]["name"] = "gate".into();
        settings["hooksConfig"]["disabled"] = json!(["gate"]);
    });
    assert!(renamed.contains("`hooksConfig.disabled` in"), "{renamed}");
    fs::create_dir_all(place.path(".codex")).unwrap();
    place.file(".codex/config.toml", "[features]\nhooks = false\n");
    let off = error_after(&place, "codex", |_| ());
    assert!(off.contains("`features.hooks = false` in"), "{off}");
    let installed = place.run(&["hook", "install", "codex", "--command", program]);
    assert!(installed.stderr.contains("warning: `features.hooks = false` in"), "{installed:?}");
    // Claude Code starts a program with arguments without a shell.
    place.run(&["hook", "install", "claude-code", "--command", program]);
    let mut split = settings(&place, ".claude/settings.json");
    let hook = split.pointer_mut(HOOK).unwrap();
    (hook["command"], hook["args"]) = (program.into(), json!(["hook", "claude-code"]));
    place.file(".claude/settings.json", split.to_string());
    assert_eq!(place.run(&["hook", "test", "claude-code"]).status, Some(0));
}

#[test]
fn a_setting_of_the_user_switches_the_hook_off_wherever_a_variable_moves_it() {
    let program = env!("CARGO_BIN_EXE_adjudicate");
    let place = repository();
    let elsewhere = TestFolder::new();
    let copilot = "{ // off for now\n\"disableAllHooks\": true /* all */ }";
    let gemini = r#"{"hooksConfig": {"enabled": false}}"#;
    for (agent, variable, value, file, text) in [
        ("copilot", "HOME", "", ".copilot/settings.json", copilot),
        ("copilot", "COPILOT_HOME", "", "settings.json", copilot),
        ("gemini", "HOME", "", ".gemini/settings.json", gemini),
        ("gemini", "GEMINI_CLI_HOME", "", ".gemini/settings.json", gemini),
        ("gemini", "GEMINI_CLI_SYSTEM_SETTINGS_PATH", "system.json", "system.json", gemini),
        ("gemini", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH", "system.json", "system.json", gemini),
    ] {
        let path = elsewhere.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let install = ["hook", "install", agent, "--command", program];
        let moved = elsewhere.path(value).canonicalize().unwrap();
        let warned = place.command(&install).env(variable, &moved).output().unwrap();
        let warning = String::from_utf8(warned.stderr).unwrap();
        assert!(warning.starts_with("warning: `") && warning.contains(file), "{agent} {variable}: {warning}");
        let tested = place.command(&["hook", "test", agent]).env(variable, &moved).output().unwrap();
        assert_eq!(tested.status.code(), Some(2), "{agent} {variable}: {tested:?}");
        assert_eq!(place.run(&["hook", "test", agent]).status, Some(0), "{agent} without {variable}");
        fs::remove_file(path).unwrap();
    }
    fs::create_dir_all(place.path(".github/copilot")).unwrap();
    place.file(".github/copilot/settings.local.json", copilot);
    let tested = place.run(&["hook", "test", "copilot"]);
    assert!(tested.stderr.contains("`disableAllHooks` in"), "{tested:?}");
}

#[test]
fn commands_of_others_stay() {
    let place = repository();
    let others = [
        "python hooks/hook_cursor.py",
        "./scripts/hook.cursor.sh",
        "~/audit/hook/cursor/run.sh",
        "notify 'end of hook cursor'",
        "adjudicate hook cursors",
        "adjudicate hook codex",
    ];
    let entries: Vec<Value> = others.iter().map(|command| json!({"command": command})).collect();
    fs::create_dir_all(place.path(".cursor")).unwrap();
    let before = json!({"version": 1, "hooks": {"stop": entries, "sessionStart": []}});
    place.file(".cursor/hooks.json", before.to_string());
    assert_eq!(place.run(&["hook", "uninstall", "cursor"]).code(), "unreadable_input");
    place.run(&["hook", "install", "cursor"]);
    assert_eq!(settings(&place, ".cursor/hooks.json")["hooks"]["stop"].as_array().unwrap().len(), 7);
    assert_eq!(place.run(&["hook", "uninstall", "cursor"]).status, Some(0));
    assert_eq!(settings(&place, ".cursor/hooks.json"), before);
    for command in ["", "gate", "adjudicate run"] {
        assert_eq!(place.run(&["hook", "install", "cursor", "--command", command]).code(), "wrong_usage");
    }
    // The target of a link is changed, not the link.
    place.file("linked.json", json!({"version": 1}).to_string());
    fs::remove_file(place.path(".cursor/hooks.json")).unwrap();
    std::os::unix::fs::symlink(
        place.path("linked.json").canonicalize().unwrap(),
        place.path(".cursor/hooks.json"),
    )
    .unwrap();
    place.run(&["hook", "install", "cursor"]);
    place.run(&["hook", "uninstall", "cursor"]);
    assert_eq!(settings(&place, "linked.json"), json!({"version": 1}));
}
