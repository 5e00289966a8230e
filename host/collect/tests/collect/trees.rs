//! The trees of results, and the tree that is judged.

use adjudicate_core::{codes::Status, owned::Evidence};
use adjudicate_evidence::collect::OwnedConfiguration;

use crate::scratch::{Scratch, configuration, exits, rules, status};

/// A validator that runs a line of the shell.
fn line(id: &str, run: &str) -> String {
    format!(r#"{{"id": "{id}", "run": {run:?}}}"#)
}

fn evidence(scratch: &Scratch, configuration: &OwnedConfiguration) -> (Evidence, Vec<String>, Status) {
    let options = adjudicate_collect::CollectOptions { new_run: true, ..Default::default() };
    let decided = adjudicate_collect::run(scratch.root(), configuration, None, &options).unwrap();
    let rules = rules(&decided.evaluation).into_iter().map(str::to_owned).collect();
    let status = status(&decided);
    (decided.collected.envelope.evidence, rules, status)
}

/// The tree of the working tree as git itself names it.
fn tree(scratch: &Scratch) -> String {
    scratch.git(&["add", "--all", "--", ":/", ":(exclude,top).adjudicate"]);
    let tree = scratch.git(&["write-tree"]);
    scratch.git(&["reset", "--quiet"]);
    format!("git:{}", tree.trim())
}

#[test]
fn every_result_is_of_the_tree_that_git_names() {
    let scratch = Scratch::with_change();
    for name in [":(top)odd", "line\nbreak", "new/*.txt", "-a"] {
        scratch.write(name, "1\n");
    }
    let objects = || scratch.git(&["count-objects", "-v"]);
    let before = objects();
    let validators = [exits("unit", 0), exits("lint", 0)].join(",");
    let (evidence, rules, status) = evidence(&scratch, &configuration(&validators));
    assert_eq!(objects(), before, "the repository stays as it is");
    let expected = tree(&scratch);
    assert_eq!(evidence.tree, Some(expected.clone()));
    let trees = evidence.validation.trees.unwrap();
    assert_eq!(
        trees.into_iter().collect::<Vec<_>>(),
        [("lint".to_owned(), expected.clone()), ("unit".to_owned(), expected.clone())]
    );
    assert_eq!((rules, status), (Vec::new(), Status::Success));
    // A commit has the same tree.
    scratch.commit();
    let tree = self::evidence(&scratch, &configuration(&validators)).0.tree.unwrap();
    assert_eq!(tree, expected);
    assert_eq!(tree, format!("git:{}", scratch.git(&["rev-parse", "HEAD^{tree}"]).trim()));
    scratch.write("-a", "2\n");
    assert_ne!(self::evidence(&scratch, &configuration(&validators)).0.tree.unwrap(), expected);
}

#[test]
fn a_validator_that_changes_files_has_a_stale_result() {
    for (change, name) in [
        ("echo 1 >> src/cart.js", "src/cart.js"),
        ("echo 1 > coverage.xml", "coverage.xml"),
        ("rm src/cart.js", "src/cart.js"),
        ("chmod +x src/cart.js", "src/cart.js"),
    ] {
        let scratch = Scratch::with_change();
        scratch.write("src/cart.js", "1\n");
        let validators = [line("format", change), exits("unit", 0)].join(",");
        let (evidence, rules, status) = evidence(&scratch, &configuration(&validators));
        assert_eq!((rules, status), (vec!["stale_evidence".to_owned()], Status::Partial), "{change}");
        let trees = evidence.validation.trees.unwrap();
        assert_eq!(Some(&trees["unit"]), evidence.tree.as_ref());
        assert!(trees["format"].contains(".."), "{trees:?}");
        let notes = adjudicate_core::json::write(&evidence.extra["x-collect"]);
        assert_eq!(notes, format!(r#"{{"changed_by":{{"format":["{name}"]}}}}"#));
    }
}

#[test]
fn files_that_validators_may_create_are_no_part_of_the_tree() {
    let scratch = Scratch::with_change();
    let text = |ignore: &str| {
        let mut configuration = configuration(&line("unit", "mkdir -p out; date +%N > out/report.xml"));
        configuration.tree_ignore = Some(vec![ignore.to_owned()]);
        configuration
    };
    let (evidence, rules, _) = evidence(&scratch, &text("out/"));
    let tree = evidence.tree;
    assert_eq!((rules, &tree), (Vec::new(), &evidence.validation.trees.unwrap().remove("unit")));
    // Further runs know the file.
    let (evidence, rules, _) = self::evidence(&scratch, &text("out/"));
    assert_eq!((rules, evidence.tree), (Vec::new(), tree));
    assert_eq!(self::evidence(&scratch, &text("other/")).1, ["stale_evidence"]);
    // A file that no validator created is a part of the tree.
    let other = Scratch::with_change();
    other.write("out/report.xml", "1\n");
    assert_eq!(self::evidence(&other, &text("out/")).1, ["stale_evidence"]);
    // So is a file that was committed.
    scratch.commit();
    assert_eq!(self::evidence(&scratch, &text("out/")).1, ["stale_evidence"]);
}

#[test]
fn a_state_lists_no_more_created_files_than_it_can_hold() {
    let scratch = Scratch::with_change();
    let mut many = configuration(&line(
        "unit",
        "mkdir -p out; touch $(seq -f out/a-file-with-a-long-name-%0200.0f 5900)",
    ));
    many.tree_ignore = Some(vec!["out/".to_owned()]);
    assert_eq!(evidence(&scratch, &many).1, Vec::<String>::new());
    let state = scratch.state();
    assert!((1_000..5_900).contains(&state.created.unwrap().len()));
    assert_eq!(evidence(&scratch, &many).1, Vec::<String>::new());
}

#[test]
fn without_git_there_is_no_tree() {
    let scratch = Scratch::with_change();
    std::fs::remove_dir_all(scratch.path(".git")).unwrap();
    let (evidence, ..) = evidence(&scratch, &configuration(&exits("unit", 0)));
    assert_eq!((evidence.tree, evidence.validation.trees), (None, None));
}

#[test]
fn a_submodule_with_changes_of_its_own_has_no_tree() {
    let scratch = Scratch::with_change();
    let other = Scratch::with_change();
    other.commit();
    let url = other.root().to_str().unwrap();
    scratch.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "part"]);
    scratch.commit();
    let (clean, ..) = evidence(&scratch, &configuration(&exits("unit", 0)));
    assert!(clean.tree.is_some());
    scratch.write("part/new.js", "1\n");
    let (dirty, ..) = evidence(&scratch, &configuration(&exits("unit", 0)));
    assert_eq!((dirty.tree, dirty.validation.trees), (None, None));
    let notes = adjudicate_core::json::write(&dirty.extra["x-collect"]);
    assert_eq!(notes, r#"{"no_tree":"a submodule has changes that are not committed"}"#);
}
