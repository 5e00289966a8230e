//! Claims, reviews, artifacts, and the files of the state.

use adjudicate_collect::{CONFIGURATION_NAMES, CollectError, CollectOptions, collect, find, init, run};
use adjudicate_core::codes::Status;
use adjudicate_evidence::collect::OwnedConfiguration;

use crate::scratch::{POLICY, Scratch, configuration, exits, status, uncollected};

fn with_files() -> OwnedConfiguration {
    OwnedConfiguration {
        claims: Some("claims.txt".into()),
        review: Some("review.json".into()),
        artifacts: Some(vec!["dist/*".into()]),
        required_artifacts: Some(vec!["dist/app.js".into()]),
        ..configuration(&exits("lint", 0))
    }
}

#[test]
fn claims_reviews_and_artifacts_are_evidence() {
    let scratch = Scratch::with_change();
    let absent = run(scratch.root(), &with_files(), Some(POLICY), &CollectOptions::default()).unwrap();
    assert_eq!((status(&absent), uncollected(&absent)), (Status::Blocked, vec![]));
    scratch.write("claims.txt", "claims: implemented\n");
    scratch.write("dist/app.js", "");
    scratch.write("review.json", r#"{"artifact_ref": "review.json", "issues": []}"#);
    let decided = run(scratch.root(), &with_files(), Some(POLICY), &CollectOptions::default()).unwrap();
    let evidence = decided.collected.envelope.evidence;
    assert_eq!(evidence.transcript_summary, "claims: implemented\n");
    assert_eq!(evidence.artifacts, [".adjudicate/logs/lint.log", "review.json", "dist/app.js"]);
    assert_eq!(evidence.review.unwrap().artifact_ref, "review.json");
}

#[test]
fn an_unreadable_file_is_uncollected() {
    let scratch = Scratch::with_change();
    std::fs::write(scratch.path("claims.txt"), b"\xff").unwrap();
    scratch.write("review.json", "{");
    scratch.write("dist/app.js", "");
    let decided = run(scratch.root(), &with_files(), Some(POLICY), &CollectOptions::default()).unwrap();
    let what: Vec<_> = uncollected(&decided).into_iter().map(|item| item.0).collect();
    assert_eq!(what, ["file `claims.txt`", "review `review.json`"]);
    assert_eq!(status(&decided), Status::NeedsHuman);
}

#[test]
fn the_folder_of_the_state_never_appears_in_the_diff() {
    let scratch = Scratch::new();
    for _ in 0..2 {
        let decided = scratch.run(&exits("lint", 0));
        assert_eq!(decided.collected.envelope.evidence.diff.unwrap().files, []);
    }
    assert_eq!(scratch.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_collection_alone_spends_nothing() {
    let scratch = Scratch::with_change();
    let configuration = configuration(&exits("lint", 1));
    let first = collect(scratch.root(), &configuration, &CollectOptions::default()).unwrap();
    let second = collect(scratch.root(), &configuration, &CollectOptions::default()).unwrap();
    assert_eq!(first.envelope.run_id, second.envelope.run_id);
    assert_eq!(second.envelope.evaluate_history, Some(vec![]));
    let state = scratch.state();
    assert_eq!((state.evaluations(), state.running), (0, None));
}

#[test]
fn a_damaged_state_is_an_error_and_stays() {
    let scratch = Scratch::with_change();
    scratch.write(".adjudicate/state.json", "{");
    let error = scratch.try_run(&exits("lint", 0), &CollectOptions::default()).unwrap_err();
    assert!(matches!(&error, CollectError::Document(path, _) if path.ends_with("state.json")), "{error}");
    assert!(error.to_string().ends_with("; to begin a new run: `adjudicate run --new-run`"), "{error}");
    assert_eq!(scratch.read(".adjudicate/state.json"), "{");
}

#[test]
fn a_damaged_policy_is_an_error_and_no_attempt() {
    let scratch = Scratch::with_change();
    let configuration = configuration(&exits("lint", 0));
    let error = run(scratch.root(), &configuration, Some("{}"), &CollectOptions::default()).unwrap_err();
    assert!(matches!(error, CollectError::Document(..)), "{error}");
    assert!(!scratch.path(".adjudicate").exists(), "a validator may have run");
}

#[test]
fn a_state_that_cannot_be_written_is_an_error_that_names_the_file() {
    let scratch = Scratch::with_change();
    std::fs::create_dir_all(scratch.path(".adjudicate/state.json.new")).unwrap();
    let error = scratch.try_run(&exits("lint", 0), &CollectOptions::default()).unwrap_err();
    assert!(error.to_string().contains("state.json"), "{error}");
    assert!(!scratch.path(".adjudicate/state.json").exists());
}

#[test]
fn the_nearest_configuration_is_found() {
    let scratch = Scratch::new();
    assert_eq!(find(&scratch.path("src")), None);
    scratch.write(CONFIGURATION_NAMES[2], "{}");
    assert_eq!(find(&scratch.path("src")), Some(scratch.path("adjudicate.json")));
}

#[test]
fn no_link_leads_what_is_written_elsewhere() {
    for (name, is_error) in [
        (".adjudicate/logs/lint.log", false),
        (".adjudicate/state.json.new", false),
        (".adjudicate/.gitignore", false),
        (".adjudicate/state.json", true),
        (".adjudicate/lock", true),
        (".adjudicate/logs", true),
        (".adjudicate", true),
    ] {
        let scratch = Scratch::with_change();
        let target = scratch.path("reports/kept");
        scratch.write("reports/kept", "kept");
        let place = scratch.path(name);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(
            if name.ends_with("logs") || is_error && name == ".adjudicate" {
                scratch.path("reports")
            } else {
                target
            },
            place,
        )
        .unwrap();
        let decided = scratch.try_run(&exits("lint", 0), &CollectOptions::default());
        assert_eq!(decided.is_err(), is_error, "{name}");
        assert_eq!(scratch.read("reports/kept"), "kept", "{name}");
        assert_eq!(std::fs::read_dir(scratch.path("reports")).unwrap().count(), 1, "{name}");
    }
}

#[test]
fn each_tool_has_its_validator() {
    for (files, expected) in [
        (&["Cargo.toml"][..], &["id: cargo-test"][..]),
        (&["package.json"], &["id: npm-test"]),
        (&["package.json", "pnpm-lock.yaml"], &["id: pnpm-test"]),
        (&["pyproject.toml", "pytest.ini"], &["run: python3 -m pytest -o"]),
        (&["go.mod", "Makefile"], &["output: go-test"]),
        (&["pom.xml"], &["run: mvn --batch-mode verify\n"]),
        (&["pom.xml", "mvnw"], &["run: ./mvnw --batch-mode verify\n"]),
        (&["build.gradle.kts"], &["run: gradle cleanTest test\n"]),
        (&["build.gradle", "gradlew"], &["run: ./gradlew cleanTest test\n"]),
        (&["Makefile"], &["id: make-test"]),
        (&["Cargo.toml", "package-lock.json"], &["id: cargo-test", "id: npm-test"]),
    ] {
        let scratch = Scratch::new();
        files.iter().for_each(|file| scratch.write(file, ""));
        let written = init(scratch.root()).unwrap();
        assert_eq!((written.paths.len(), written.has_validators), (2, true));
        let text = scratch.read("adjudicate.yaml");
        let count = text.matches("\n  - id: ").count();
        assert!(expected.iter().all(|line| text.contains(line)), "{files:?}: {text}");
        assert_eq!(count, expected.len(), "{files:?}: {text}");
        assert!(scratch.read("adjudicate.policy.yaml").contains("profile: oa06.1\nreview: optional\n"));
    }
}

#[test]
fn files_that_tools_create_are_no_part_of_the_tree() {
    for (files, expected) in [
        (&["Cargo.toml", "pom.xml"][..], Some("tree_ignore: [/Cargo.lock, /target/, target/]\n")),
        (&["pyproject.toml", "pytest.ini"], Some("tree_ignore: [__pycache__/, .pytest_cache/]\n")),
        (&["build.gradle"], Some("tree_ignore: [.gradle/, build/]\n")),
        (&["go.mod", "package-lock.json"], None),
    ] {
        let scratch = Scratch::new();
        files.iter().for_each(|file| scratch.write(file, ""));
        init(scratch.root()).unwrap();
        let text = scratch.read("adjudicate.yaml");
        let line = text.lines().find(|line| line.starts_with("tree_ignore")).map(|line| format!("{line}\n"));
        assert_eq!(line.as_deref(), expected, "{files:?}: {text}");
    }
}

#[test]
fn a_repository_without_a_tool_has_no_validator() {
    let scratch = Scratch::new();
    assert!(!init(scratch.root()).unwrap().has_validators);
    let text = scratch.read("adjudicate.yaml");
    assert!(text.ends_with("\nvalidators: []\n") && text.contains("required_validators: []"), "{text}");
}

#[test]
fn no_file_is_overwritten() {
    for name in ["adjudicate.yaml", "adjudicate.yml", "adjudicate.json", "adjudicate.policy.yaml"] {
        let scratch = Scratch::new();
        scratch.write(name, "mine\n");
        let error = init(scratch.root()).unwrap_err();
        assert!(matches!(&error, CollectError::Exists(path) if path.ends_with(name)), "{error}");
        assert_eq!(scratch.read(name), "mine\n");
        assert_eq!(scratch.git(&["status", "--porcelain"]), format!("?? {name}"));
    }
}
