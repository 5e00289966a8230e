//! Laws over random policies and diffs.

use adjudicate_core::paths::PathVerdict;
use proptest::{prelude::*, sample::select};
use serde_json::{Value, json};

use crate::paths::{
    envelope, evaluate, file, findings,
    model::{paths, patterns, verdict},
    policy, status, summarized,
};

const LISTS: [&str; 2] = ["forbidden_paths", "protected_paths"];
const CHANGES: [&str; 4] = ["added", "modified", "deleted", "renamed"];

/// An entry of a typed diff.
#[derive(Clone, Debug)]
struct Entry {
    path: String,
    from: String,
    is_directory: bool,
    change: &'static str,
}

fn entries() -> impl Strategy<Value = Entry> {
    (select(paths()), select(paths()), any::<bool>(), select(CHANGES.to_vec()))
        .prop_map(|(path, from, is_directory, change)| Entry { path, from, is_directory, change })
}

impl Entry {
    fn to_json(&self) -> Value {
        let mut entry = file(&self.path, self.change);
        if self.is_directory {
            entry["kind"] = json!("directory");
        }
        if self.change == "renamed" {
            entry["from"] = json!(self.from);
        }
        entry
    }

    fn names(&self) -> Vec<&str> {
        if self.change == "renamed" { vec![&self.path, &self.from] } else { vec![&self.path] }
    }
}

/// The verdict of a list on a diff: true if some path is violated, and true if some is unknown.
fn of_list(list: &[String], diff: &[Entry]) -> (bool, bool) {
    let mut found = (false, false);
    for entry in diff {
        let is_removed = matches!(entry.change, "deleted" | "renamed");
        for name in entry.names() {
            let of_pattern = |pattern: &String| verdict(pattern, name, entry.is_directory, is_removed);
            match list.iter().map(of_pattern).max() {
                Some(PathVerdict::Matched) => found.0 = true,
                Some(PathVerdict::Unknown) => found.1 = true,
                _ => {}
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_decision_follows_from_the_verdicts(
        forbidden in prop::collection::vec(select(patterns()), 0..3),
        protected in prop::collection::vec(select(patterns()), 0..3),
        diff in prop::collection::vec(entries(), 0..3),
    ) {
        let files: Vec<Value> = diff.iter().map(Entry::to_json).collect();
        let answer = evaluate(
            &envelope(&files),
            &policy(&json!({"forbidden_paths": forbidden, "protected_paths": protected})),
        );
        let (of_forbidden, of_protected) = (of_list(&forbidden, &diff), of_list(&protected, &diff));
        let found = |rule: &str| findings(&answer).iter().any(|(found, _)| *found == rule);
        prop_assert_eq!(found("policy_violation"), of_forbidden.0, "{}", answer);
        prop_assert_eq!(found("approval"), of_protected.0, "{}", answer);
        prop_assert_eq!(found("unknown_evidence"), of_forbidden.1 || of_protected.1, "{}", answer);
        let is_clean = of_forbidden == (false, false) && of_protected == (false, false);
        prop_assert_eq!(status(&answer) == "success", is_clean);
    }

    #[test]
    fn an_untracked_directory_that_could_hold_such_a_path_never_leaves_success(
        list in select(LISTS.to_vec()),
        pattern in select(patterns()),
        path in select(paths()),
        others in select(vec!["", " M src/lib.rs\n", "R  x -> y\n"]),
        grants in select(vec![json!([]), json!(["protected_path"])]),
    ) {
        let policy = policy(&json!({list: [pattern]}));
        let before = evaluate(&summarized(others), &policy);
        prop_assume!(status(&before) == "success");
        let directory = if path.is_empty() { "./".to_owned() } else { format!("{path}/") };
        let mut envelope = summarized(&format!("{others}?? {directory}\n"));
        envelope["evidence"]["approvals"] = json!({"required": [], "granted": grants});
        let after = evaluate(&envelope, &policy);
        match verdict(&pattern, &path, true, false) {
            PathVerdict::Clean => prop_assert_eq!(status(&after), "success"),
            PathVerdict::Unknown => prop_assert_ne!(status(&after), "success"),
            // All of it is protected, and a grant covers it.
            PathVerdict::Matched => {
                let is_granted = list == "protected_paths" && grants != json!([]);
                prop_assert_eq!(status(&after) == "success", is_granted);
            }
        }
    }
}
