//! Sessions in scratch repositories of four ecosystems: `init`, a change, and `run`.
//!
//! The gate has cargo and Node. For the others, a program prints what the tool printed; `cargo xtask test --all` plays the stories with the
//! tools themselves where they are.

mod session;
mod table;

use std::{collections::BTreeSet, fs, thread};

use serde_json::{Value, json};

use self::{
    session::{Session, json},
    table::{ECOSYSTEMS, Ecosystem, Recorded},
};
use crate::repository::git;

/// A change, and the decision on it.
struct Story {
    name: &'static str,
    prepare: fn(&Session),
    /// The number of runs. The last one counts.
    runs: usize,
    is_stopped: bool,
    status: &'static str,
    /// Rules with findings.
    rules: &'static [&'static str],
    /// Checks the evidence, except of a story that is stopped.
    check: Option<fn(&Session, &Value)>,
}

const GREEN: Story = Story {
    name: "a green change",
    prepare: |session| session.write("notes.md", "A note.\n"),
    runs: 1,
    is_stopped: false,
    status: "success",
    rules: &[],
    check: None,
};

const RED: Story = Story {
    name: "a failing test",
    prepare: |session| session.replace(session.ecosystem.source, session.ecosystem.red),
    status: "partial",
    rules: &["validation_failed"],
    check: Some(|session, evidence| {
        let Ecosystem { validator, case: (case, repro), log: (log, text), .. } = session.ecosystem;
        let cases = evidence["harness_report"]["cases"].as_array().unwrap();
        let failed: Vec<_> = cases.iter().filter(|case| case["status"] == "failed").collect();
        let [failed] = failed[..] else { panic!("{cases:?}") };
        assert_eq!((&failed["id"], &failed["validator"]), (&json!(case), &json!(validator)));
        assert_eq!((&failed["repro"], &evidence["artifacts"][0]), (&json!(repro), &json!(log)));
        assert_eq!(evidence["uncollected"], Value::Null);
        let log = fs::read_to_string(session.place.path(log)).unwrap();
        assert!(log.contains(text), "{log}");
    }),
    ..GREEN
};

const SLOW: Story = Story {
    name: "a validator over its time limit",
    prepare: |session| {
        session.replace(session.ecosystem.source, session.ecosystem.slow);
        session.replace("adjudicate.yaml", session.ecosystem.limit);
    },
    check: Some(|session, evidence| {
        assert_eq!(evidence["validation"]["timeouts"], json!([session.ecosystem.validator]));
        assert_eq!(evidence["validation"]["exit_codes"], json!({}));
    }),
    ..RED
};

const CUT: Story = Story {
    name: "a report that is cut",
    prepare: |session| session.replace("adjudicate.yaml", session.ecosystem.cut),
    status: "needs_human",
    rules: &["unknown_evidence"],
    check: Some(|session, evidence| {
        let items = evidence["uncollected"].as_array().unwrap();
        let validator = format!("of `{}`", session.ecosystem.validator);
        assert!(items.iter().all(|item| item["what"].as_str().unwrap().ends_with(&validator)), "{items:?}");
        assert_eq!(items.len(), 1, "{items:?}");
    }),
    ..GREEN
};

const STORIES: [Story; 9] = [
    GREEN,
    RED,
    Story {
        name: "an untracked migration",
        prepare: |session| session.write("db/migrations/2.sql", "drop table carts;\n"),
        status: "needs_human",
        rules: &["approval"],
        ..GREEN
    },
    Story {
        name: "a failing lint beside green tests",
        prepare: |session| {
            let lint = "validators:\n  - {id: lint, run: echo unused; exit 1}\n";
            session.replace("adjudicate.yaml", ("validators:\n", lint));
        },
        status: "partial",
        rules: &["validation_failed"],
        check: Some(|session, evidence| {
            let cases = evidence["harness_report"]["cases"].as_array().unwrap();
            let is_green = |case: &Value| {
                (&case["status"], &case["validator"])
                    == (&json!("passed"), &json!(session.ecosystem.validator))
            };
            assert!(!cases.is_empty() && cases.iter().all(is_green), "{cases:?}");
        }),
        ..GREEN
    },
    SLOW,
    Story {
        name: "a run that is stopped",
        prepare: |session| session.replace(session.ecosystem.source, session.ecosystem.slow),
        is_stopped: true,
        status: "needs_human",
        rules: &["hard_failure", "interrupted", "unknown_evidence"],
        ..GREEN
    },
    CUT,
    Story {
        name: "a report that is missing",
        prepare: |session| session.replace("adjudicate.yaml", session.ecosystem.lost),
        ..CUT
    },
    Story {
        name: "a second failing round",
        runs: 2,
        status: "needs_human",
        rules: &["refinement_spent", "repeated_blocker"],
        check: None,
        ..RED
    },
];

impl Story {
    fn play(&self, session: &Session) {
        let Self { name, status, rules, .. } = self;
        let ecosystem = session.ecosystem.name;
        session.reset();
        (self.prepare)(session);
        if let Some(check) = self.check {
            check(session, &session.evidence());
        }
        let args = ["run", "--format", "json"];
        for _ in 1..self.runs {
            session.run(&args);
        }
        let decision = json(&if self.is_stopped { session.run_and_stop(&args) } else { session.run(&args) });
        assert_eq!(decision["decision"]["status"], **status, "{ecosystem}, {name}: {decision}");
        let findings = decision["findings"].as_array().unwrap();
        let has = |rule: &str| findings.iter().any(|finding| finding["rule"] == rule);
        assert!(rules.iter().all(|rule| has(rule)), "{ecosystem}, {name}: {decision}");
        assert!(!has("report_execution_mismatch"), "{ecosystem}, {name}: {decision}");
        if *name == RED.name {
            let edits = decision["decision"]["fix_instructions"]["edits"].to_string();
            let Ecosystem { case: (case, repro), log: (log, _), .. } = session.ecosystem;
            assert!([case, repro, log].iter().all(|part| edits.contains(*part)), "{ecosystem}: {edits}");
        }
    }
}

/// Plays all stories in one repository, which `init` sets up.
fn play(ecosystem: &'static Ecosystem, recorded: Option<&Recorded>) {
    let session = Session::new(ecosystem, recorded);
    assert_eq!(session.run(&["init"]).status, Some(0));
    session.replace("adjudicate.yaml", ecosystem.reports);
    session.replace("adjudicate.policy.yaml", ("protected_paths: []", "protected_paths: [db/migrations/**]"));
    session.commit();
    for story in &STORIES {
        story.play(&session);
    }
}

#[test]
fn each_story_ends_in_the_same_decision_in_each_ecosystem() {
    thread::scope(|scope| {
        for ecosystem in &ECOSYSTEMS {
            scope.spawn(move || play(ecosystem, ecosystem.recorded.as_ref()));
        }
    });
}

#[test]
#[ignore = "the tools need not be there: `cargo xtask test tests-further`"]
fn each_story_ends_in_the_same_decision_with_the_tools_themselves() {
    for ecosystem in &ECOSYSTEMS {
        match &ecosystem.recorded {
            Some(recorded) if !Session::has_tool(recorded) => println!("without {}", recorded.program),
            _ => play(ecosystem, None),
        }
    }
}

#[test]
fn three_commands_lead_from_a_clone_to_a_decision() {
    thread::scope(|scope| {
        for ecosystem in &ECOSYSTEMS {
            scope.spawn(move || {
                let mut session = Session::new(ecosystem, ecosystem.recorded.as_ref());
                let origin = std::mem::replace(&mut session.place, crate::command::TestFolder::new());
                git(&session.place, &["clone", "--quiet", origin.path("").to_str().unwrap(), "."]);
                assert_eq!(session.run(&["init"]).status, Some(0));
                let decision = json(&session.run(&["run", "--format", "json"]));
                assert_eq!(decision["decision"]["status"], "success", "{}: {decision}", ecosystem.name);
            });
        }
    });
}

#[test]
fn files_that_a_tool_creates_leave_its_results_valid() {
    thread::scope(|scope| {
        for ecosystem in &ECOSYSTEMS {
            let Some(created) = ecosystem.created else { continue };
            scope.spawn(move || {
                let session = Session::new(ecosystem, ecosystem.recorded.as_ref());
                session.write(".gitignore", "");
                // The lock file is the one that a clone does not have.
                let _ = fs::remove_file(session.place.path(created));
                assert_eq!(session.run(&["init"]).status, Some(0));
                session.commit();
                for is_named in [true, false] {
                    session.reset();
                    if !is_named {
                        session.replace("adjudicate.yaml", ("\ntree_ignore:", "\n# tree_ignore:"));
                    }
                    let decision = json(&session.run(&["run", "--format", "json"]));
                    let findings = decision["findings"].as_array().unwrap();
                    let rules: BTreeSet<_> =
                        findings.iter().filter_map(|finding| finding["rule"].as_str()).collect();
                    let expected: &[&str] = if is_named { &[] } else { &["stale_evidence"] };
                    assert!(rules.iter().eq(expected), "{}: {decision}", ecosystem.name);
                    assert!(session.place.path(created).exists());
                }
            });
        }
    });
}
