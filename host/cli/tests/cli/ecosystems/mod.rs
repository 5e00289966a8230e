//! Sessions in clones of four ecosystems: `init`, a change, and `run`. `host/collect` has the decisions that are alike in each of them.
//!
//! The gate has cargo and Node. For the others, a program prints what the tool printed; `cargo xtask test --all` plays the sessions with the
//! tools themselves where they are.

mod session;
mod table;

use std::{fs, mem, thread};

use serde_json::{Value, json};

use self::{
    session::{Session, json},
    table::{ECOSYSTEMS, Ecosystem, Recorded},
};
use crate::{command::TestFolder, repository::git};

fn play(ecosystem: &'static Ecosystem, recorded: Option<&Recorded>) {
    let Ecosystem { name, validator, case: (case, repro), log: (log, text), .. } = ecosystem;
    let mut session = Session::new(ecosystem, recorded);
    let origin = mem::replace(&mut session.place, TestFolder::new());
    git(&session.place, &["clone", "--quiet", origin.path("").to_str().unwrap(), "."]);
    assert_eq!(session.run(&["init"]).status, Some(0));
    let decided = |session: &Session| json(&session.run(&["run", "--format", "json"]));
    let decision = decided(&session);
    assert_eq!(decision["decision"]["status"], "success", "{name}: {decision}");

    // A test fails.
    session.replace("adjudicate.yaml", ecosystem.reports);
    session.commit();
    session.reset();
    session.replace(ecosystem.source, ecosystem.red);
    let evidence = session.evidence();
    let cases = evidence["harness_report"]["cases"].as_array().unwrap();
    let failed: Vec<_> = cases.iter().filter(|case| case["status"] == "failed").collect();
    let [failed] = failed[..] else { panic!("{cases:?}") };
    assert_eq!((&failed["id"], &failed["validator"]), (&json!(case), &json!(validator)));
    assert_eq!((&failed["repro"], &evidence["artifacts"][0]), (&json!(repro), &json!(log)));
    assert_eq!(evidence["uncollected"], Value::Null);
    let written = fs::read_to_string(session.place.path(log)).unwrap();
    assert!(written.contains(text), "{written}");
    let decision = decided(&session);
    assert_eq!(decision["decision"]["status"], "partial", "{name}: {decision}");
    let edits = decision["decision"]["fix_instructions"]["edits"].to_string();
    assert!([case, repro, log].iter().all(|part| edits.contains(*part)), "{name}: {edits}");

    // The report is cut or missing.
    for change in [ecosystem.cut, ecosystem.lost] {
        session.reset();
        session.replace("adjudicate.yaml", change);
        let evidence = session.evidence();
        let items = evidence["uncollected"].as_array().unwrap();
        assert_eq!(items.len(), 1, "{items:?}");
        assert!(items[0]["what"].as_str().unwrap().ends_with(&format!("of `{validator}`")), "{items:?}");
        let decision = decided(&session);
        assert_eq!(decision["decision"]["status"], "needs_human", "{name}: {decision}");
        assert!(decision.to_string().contains(r#""rule":"unknown_evidence""#), "{name}: {decision}");
    }
}

#[test]
fn a_failing_test_and_a_report_that_is_cut_are_found_in_each_ecosystem() {
    thread::scope(|scope| {
        for ecosystem in &ECOSYSTEMS {
            scope.spawn(move || play(ecosystem, ecosystem.recorded.as_ref()));
        }
    });
}

#[test]
#[ignore = "the tools need not be there: `cargo xtask test tests-further`"]
fn a_failing_test_and_a_report_that_is_cut_are_found_with_the_tools_themselves() {
    for ecosystem in &ECOSYSTEMS {
        match &ecosystem.recorded {
            Some(recorded) if !Session::has_tool(recorded) => println!("without {}", recorded.program),
            _ => play(ecosystem, None),
        }
    }
}
