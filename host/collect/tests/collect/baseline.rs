//! The validators on the base revision.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use adjudicate_collect::{CollectError, CollectOptions, Decided, Progress, baseline, collect, run};
use adjudicate_core::{codes::Status, owned::Baseline};
use adjudicate_evidence::collect::{OwnedBaselineSettings, OwnedConfiguration};
use tempfile::TempDir;

use super::scratch::{POLICY, Scratch, configuration, rules, status, uncollected};

/// The variable with the root for [`runs_in_a_child`].
const ROOT: &str = "ADJUDICATE_BASELINE_TEST_ROOT";

/// A repository whose base has a failing case, and a folder for the list of runs of its validator.
struct Based {
    scratch: Scratch,
    outside: TempDir,
}

impl Based {
    /// The report of the validator is a tracked file, so each revision has one of its own.
    fn new() -> Self {
        let based = Self { scratch: Scratch::new(), outside: tempfile::tempdir().unwrap() };
        based.cases(&[("adds", true), ("pays", false), ("ships", true)]);
        based.scratch.commit();
        based.scratch.write("src/cart.js", "2\n");
        based
    }

    fn cases(&self, cases: &[(&str, bool)]) {
        let case = |(name, passes): &(&str, bool)| {
            let failure = if *passes { "" } else { "<failure message='no'/>" };
            format!("<testcase name='{name}' file='{}/tests/{name}.js'>{failure}</testcase>", "ROOT")
        };
        let cases: String = cases.iter().map(case).collect();
        self.scratch.write("cases.xml", &format!("<testsuite name='cart'>{cases}</testsuite>"));
    }

    fn outside(&self, name: &str) -> PathBuf {
        self.outside.path().join(name)
    }

    /// The validator writes absolute paths, as jest does, and exits with 1 if a case failed. `extra` runs before it.
    fn configuration(&self, extra: &str) -> OwnedConfiguration {
        let runs = self.outside("runs");
        let line = format!(
            "pwd >> {}; {extra} sed \"s|ROOT|$(pwd)|g\" cases.xml > .adjudicate/reports/unit.xml; ! grep -q failure cases.xml",
            runs.display()
        );
        let unit = format!(
            r#"{{"id": "unit", "run": {line:?}, "reports": [".adjudicate/reports/*.xml"], "timeout_seconds": 20}}"#
        );
        let lint = r#"{"id": "lint", "run": "exit 0"}"#;
        OwnedConfiguration {
            baseline: Some(OwnedBaselineSettings::default()),
            ..configuration(&[&unit, lint].join(","))
        }
    }

    /// The folders in which the validator ran.
    fn runs(&self) -> Vec<PathBuf> {
        let runs = fs::read_to_string(self.outside("runs")).unwrap_or_default();
        runs.lines().map(PathBuf::from).collect()
    }

    fn run(&self, configuration: &OwnedConfiguration) -> Decided {
        run(self.scratch.root(), configuration, Some(&accepting()), &ready()).unwrap()
    }

    fn worktrees(&self) -> usize {
        self.scratch.git(&["worktree", "list"]).lines().count()
    }
}

fn ready() -> CollectOptions<'static> {
    CollectOptions { may_run_baseline: true, wait: Duration::from_secs(60), ..CollectOptions::default() }
}

fn accepting() -> String {
    POLICY.replacen('{', r#"{"known_failures": "accept", "#, 1)
}

fn known(decided: &Decided) -> Vec<&str> {
    decided.evaluation.known_failures.iter().flatten().map(|case| case.id.as_str()).collect()
}

fn evidence_of(decided: &Decided) -> Baseline {
    decided.collected.envelope.evidence.baseline.clone().unwrap()
}

#[test]
fn a_failure_of_the_base_is_known_and_a_lost_test_is_found() {
    let based = Based::new();
    let configuration = based.configuration("");
    let decided = based.run(&configuration);
    assert_eq!((status(&decided), rules(&decided.evaluation)), (Status::Success, vec![]), "{decided:?}");
    assert_eq!(known(&decided), ["cart/pays"]);
    let evidence = evidence_of(&decided);
    assert_eq!(evidence.tree, Some(format!("git:{}", based.scratch.git(&["rev-parse", "HEAD^{tree}"]))));
    assert_eq!(evidence.exit_codes.into_iter().collect::<Vec<_>>(), [("lint".into(), 0), ("unit".into(), 1)]);
    let files: Vec<_> = evidence.cases.iter().flatten().map(|case| case.file.as_deref().unwrap()).collect();
    assert_eq!(files, ["tests/adds.js", "tests/pays.js", "tests/ships.js"]);
    // A deleted test is lost, also the one that failed.
    based.cases(&[("adds", true)]);
    let decided = based.run(&configuration);
    assert_eq!(rules(&decided.evaluation), ["tests_shrunk", "tests_shrunk"]);
    // A new failure is one.
    based.cases(&[("adds", false), ("pays", false), ("ships", true)]);
    let decided = based.run(&configuration);
    assert!(rules(&decided.evaluation).contains(&"validation_failed"), "{:?}", rules(&decided.evaluation));
    // Without the policy, a known failure is a failure.
    based.cases(&[("adds", true), ("pays", false), ("ships", true)]);
    let decided = run(based.scratch.root(), &configuration, Some(POLICY), &ready()).unwrap();
    assert_ne!(status(&decided), Status::Success);
}

#[test]
fn the_validators_run_once_for_a_base_and_a_configuration() {
    let based = Based::new();
    let configuration = based.configuration("");
    let root = based.scratch.root().canonicalize().unwrap();
    let on_base = || based.runs().iter().filter(|folder| **folder != root).count();
    let before =
        (based.scratch.git(&["count-objects", "-v"]), fs::read(based.scratch.path(".git/index")).unwrap());
    let first = baseline(&root, &configuration, false, &ready()).unwrap();
    assert_eq!(
        (based.scratch.git(&["count-objects", "-v"]), fs::read(based.scratch.path(".git/index")).unwrap()),
        before,
        "the repository stays as it is"
    );
    assert!(!based.scratch.path(".adjudicate/state.json").exists(), "so does the state");
    assert!(!based.scratch.path(".adjudicate/reports/unit.xml").exists(), "so do the reports");
    assert!(based.scratch.read(".adjudicate/logs/baseline/lint.log").is_empty());
    assert_eq!((based.runs().len(), on_base(), based.worktrees()), (1, 1, 1));
    assert!(!based.runs()[0].exists(), "the working tree is gone");
    let second = baseline(&root, &configuration, false, &ready()).unwrap();
    assert_eq!((on_base(), second.to_json()), (1, first.to_json()));
    collect(&root, &configuration, &ready()).unwrap();
    based.run(&configuration);
    assert_eq!(on_base(), 1);
    baseline(&root, &configuration, true, &ready()).unwrap();
    assert_eq!(on_base(), 2, "it was asked to run again");
    baseline(&root, &based.configuration("true;"), false, &ready()).unwrap();
    assert_eq!(on_base(), 3, "another configuration");
    based.scratch.commit();
    let other = CollectOptions { base: Some("HEAD"), ..ready() };
    let third = baseline(&root, &based.configuration("true;"), false, &other).unwrap();
    assert_eq!((on_base(), third.base == first.base), (4, false), "another base");
    fs::write(root.join(".adjudicate/baseline.json"), "{").unwrap();
    baseline(&root, &based.configuration("true;"), false, &other).unwrap();
    assert_eq!(on_base(), 5, "a damaged file is none");
}

#[test]
fn a_validator_that_hangs_on_the_base_is_a_timeout() {
    let based = Based::new();
    let mut configuration = based.configuration("grep -q 2 src/cart.js || sleep 60;");
    configuration.validators[0].timeout_seconds = Some(1);
    let decided = based.run(&configuration);
    let evidence = evidence_of(&decided);
    assert_eq!(evidence.timeouts.as_deref(), Some(&["unit".to_owned()][..]));
    assert_eq!((known(&decided), uncollected(&decided)), (vec![], vec![]));
    assert!(rules(&decided.evaluation).contains(&"validation_failed"));
}

#[test]
fn an_exit_status_of_0_without_a_report_does_not_tell_the_tests_of_the_base() {
    let based = Based::new();
    based.scratch.write(".git/info/exclude", "modules\n");
    based.scratch.write("modules", "");
    for without_cases in ["", "echo '<testsuites/>' > .adjudicate/reports/unit.xml;"] {
        let extra = format!("test -e modules || {{ {without_cases} exit 0; }};");
        let decided = based.run(&based.configuration(&extra));
        assert_eq!(evidence_of(&decided).exit_codes["unit"], 0);
        let what: Vec<_> = uncollected(&decided).into_iter().map(|(what, _)| what).collect();
        assert!(what.len() == 1 && what[0].starts_with("baseline: "), "{what:?}");
        assert_eq!(status(&decided), Status::NeedsHuman);
    }
}

#[test]
fn a_setup_runs_first_and_its_failure_is_reported() {
    let based = Based::new();
    // Git does not have what the validator needs.
    based.scratch.write(".gitignore", "reports/\nmodules\n");
    based.scratch.commit();
    based.scratch.write("modules", "");
    based.scratch.write("src/cart.js", "3\n");
    let configuration = based.configuration("test -e modules || exit 9;");
    let code = |configuration: &OwnedConfiguration| {
        let stored = baseline(based.scratch.root(), configuration, false, &ready());
        stored.map(|stored| (stored.baseline.exit_codes["unit"], stored.problems.unwrap_or_default().len()))
    };
    assert_eq!(code(&configuration).unwrap(), (9, 1));
    let decided = based.run(&configuration);
    let what: Vec<_> = uncollected(&decided).into_iter().map(|(what, _)| what).collect();
    assert_eq!(what, ["baseline: reports `.adjudicate/reports/*.xml` of `unit`"]);
    let with_setup = |line: &str, seconds| {
        let text = format!(r#"{{"setup": {line:?}, "timeout_seconds": {seconds}}}"#);
        OwnedConfiguration {
            baseline: OwnedConfiguration::from_json(
                format!(r#"{{"workflow": "w", "next_steps": [], "validators": [], "baseline": {text}}}"#)
                    .as_bytes(),
            )
            .unwrap()
            .baseline,
            ..configuration.clone()
        }
    };
    assert_eq!(code(&with_setup("touch modules", 20)).unwrap(), (1, 0));
    for (line, seconds, expected) in [
        (
            "echo no network >&2; exit 3",
            20,
            "`baseline.setup` ended with 3, with the log `.adjudicate/logs/baseline/_setup.log`: no network",
        ),
        (
            "sleep 60",
            1,
            "`baseline.setup` did not end within 1 s, with the log `.adjudicate/logs/baseline/_setup.log`",
        ),
    ] {
        let configuration = with_setup(line, seconds);
        let error = code(&configuration).unwrap_err();
        assert_eq!(error.to_string(), format!("the base cannot be checked: {expected}"));
        let decided = based.run(&configuration);
        assert_eq!(uncollected(&decided), [("baseline".to_owned(), expected.to_owned())]);
        assert_eq!(status(&decided), Status::NeedsHuman);
        assert_eq!(based.worktrees(), 1);
    }
}

#[test]
fn a_base_that_cannot_be_checked_out_is_reported() {
    let based = Based::new();
    let blob = based.scratch.git(&["rev-parse", "HEAD:src/cart.js"]);
    let configuration = based.configuration("");
    fs::remove_file(based.scratch.path(&format!(".git/objects/{}/{}", &blob[..2], &blob[2..]))).unwrap();
    let error = baseline(based.scratch.root(), &configuration, false, &ready()).unwrap_err();
    assert!(matches!(&error, CollectError::Baseline(reason) if reason.contains("git worktree")), "{error}");
    let decided = based.run(&configuration);
    assert!(uncollected(&decided).iter().any(|(what, _)| what == "baseline"), "{:?}", uncollected(&decided));
    assert_eq!((status(&decided), based.worktrees()), (Status::NeedsHuman, 1));
    // A repository without a commit has no base to check out.
    let empty = Scratch::new();
    fs::remove_dir_all(empty.path(".git")).unwrap();
    empty.git(&["init", "--quiet"]);
    let decided = run(empty.root(), &configuration, None, &ready()).unwrap();
    assert!(uncollected(&decided).iter().any(|(what, _)| what == "baseline"), "{:?}", uncollected(&decided));
}

#[test]
fn without_leave_to_run_only_a_stored_baseline_is_used() {
    let based = Based::new();
    let configuration = based.configuration("");
    let collected =
        |configuration| collect(based.scratch.root(), configuration, &CollectOptions::default()).unwrap();
    let evidence = collected(&configuration).envelope.evidence;
    let missing = evidence.uncollected.unwrap();
    assert_eq!(
        (missing[0].what.as_str(), missing[0].reason.as_str(), evidence.baseline.is_some()),
        ("baseline", "the validators did not run on the base; to run them: `adjudicate baseline`", false)
    );
    // Nothing is missing if the configuration asks for nothing.
    let silent = OwnedConfiguration { baseline: None, ..configuration.clone() };
    assert_eq!(collected(&silent).envelope.evidence.uncollected.map(|items| items.len()), None);
    baseline(based.scratch.root(), &configuration, false, &ready()).unwrap();
    assert!(collected(&configuration).envelope.evidence.baseline.is_some());
    assert!(collected(&silent).envelope.evidence.baseline.is_none(), "it is of another configuration");
}

#[test]
fn a_stop_ends_the_validators_of_the_base_and_stores_nothing() {
    let based = Based::new();
    let stop = AtomicBool::new(false);
    let on_progress = |progress: Progress| {
        if matches!(progress, Progress::Started(id, 0, 2) if id == "unit (base)") {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let options = CollectOptions { stop: Some(&stop), progress: Some(&on_progress), ..ready() };
    let configuration = based.configuration("sleep 60;");
    let error = baseline(based.scratch.root(), &configuration, false, &options).unwrap_err();
    assert_eq!(error.to_string(), "the base cannot be checked: the run was interrupted");
    assert_eq!((based.worktrees(), based.scratch.path(".adjudicate/baseline.json").exists()), (1, false));
}

/// Not a test by itself: another one starts it as a process of its own.
#[test]
fn runs_in_a_child() {
    let Some(root) = env::var_os(ROOT).map(PathBuf::from) else { return };
    let hangs =
        configuration(r#"{"id": "unit", "run": "pwd > ../place.new; mv ../place.new ../place; sleep 60"}"#);
    baseline(&root, &hangs, false, &ready()).unwrap();
}

#[test]
fn the_working_tree_of_a_killed_run_is_removed_by_the_next() {
    for is_lost in [false, true] {
        let based = Based::new();
        let temporary = based.outside("temporary");
        fs::create_dir(&temporary).unwrap();
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "baseline::runs_in_a_child", "--nocapture"])
            .env(ROOT, based.scratch.root())
            .env("TMPDIR", &temporary)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let place = loop {
            let folders = fs::read_dir(&temporary).unwrap().map(|entry| entry.unwrap().path().join("place"));
            match folders.filter_map(|file| fs::read_to_string(file).ok()).next() {
                Some(place) => break PathBuf::from(place.trim()),
                None => thread::sleep(Duration::from_millis(5)),
            }
        };
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!((based.worktrees(), place.exists()), (2, true));
        if is_lost {
            fs::remove_dir_all(place.parent().unwrap()).unwrap();
        }
        // One of the user stays.
        let own = based.outside("own");
        based.scratch.git(&["worktree", "add", "--quiet", "--detach", own.to_str().unwrap()]);
        baseline(based.scratch.root(), &based.configuration(""), false, &ready()).unwrap();
        assert_eq!((based.worktrees(), place.exists(), Path::exists(&own)), (2, false, true));
    }
}

#[test]
fn two_at_once_run_the_validators_once() {
    let based = Based::new();
    let configuration = based.configuration("");
    thread::scope(|scope| {
        let both = [(); 2].map(|()| {
            scope.spawn(|| baseline(based.scratch.root(), &configuration, false, &ready()).unwrap().to_json())
        });
        let [left, right] = both.map(|thread| thread.join().unwrap());
        assert_eq!(left, right);
    });
    assert_eq!(based.runs().len(), 1);
}
