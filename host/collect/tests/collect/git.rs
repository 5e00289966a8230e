//! The typed diff of real repositories.

#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use adjudicate_collect::{BaseDocuments, CollectError, CollectOptions, run};
use adjudicate_core::{codes::Status, evaluate::Change};

use super::scratch::{POLICY, Scratch, configuration, exits, status, uncollected};

/// The changes of a decision, as `CHANGE PATH`.
pub(crate) fn changes(scratch: &Scratch, options: &CollectOptions<'_>) -> Vec<(Change, String)> {
    let decided = scratch.try_run(&exits("lint", 0), options).unwrap();
    let diff = decided.collected.envelope.evidence.diff.unwrap();
    let mut changes: Vec<_> = diff.files.into_iter().map(|file| (file.change, file.path)).collect();
    changes.sort();
    changes
}

#[test]
fn every_change_since_the_base_is_in_the_diff() {
    let scratch = Scratch::new();
    scratch.write("old name.rs", "fn a() {}\nfn b() {}\n");
    scratch.write("gone.rs", "fn c() {}\n");
    scratch.write("kept.rs", "");
    scratch.commit();
    assert_eq!(changes(&scratch, &CollectOptions::default()), []);
    // A commit, a change of the index, a change of the working tree, and an untracked file.
    scratch.git(&["mv", "old name.rs", "new \u{e9}\nname.rs"]);
    scratch.commit();
    scratch.git(&["rm", "--quiet", "gone.rs"]);
    scratch.git(&["rm", "--quiet", "--cached", "kept.rs"]);
    scratch.write("src/cart.js", "changed\n");
    scratch.write("new/a.rs", "");
    let expected = [
        (Change::Added, "kept.rs"),
        (Change::Added, "new/a.rs"),
        (Change::Modified, "src/cart.js"),
        (Change::Deleted, "gone.rs"),
        (Change::Deleted, "kept.rs"),
        (Change::Renamed, "new \u{e9}\nname.rs"),
    ];
    assert_eq!(
        changes(&scratch, &CollectOptions::default()),
        expected.map(|(change, path)| (change, path.into()))
    );
    let head = CollectOptions { base: Some("HEAD"), ..CollectOptions::default() };
    assert_eq!(changes(&scratch, &head).len(), 5);
}

#[test]
fn a_staged_change_that_the_working_tree_hides_is_in_the_diff() {
    let scratch = Scratch::new();
    scratch.write("src/cart.js", "staged\n");
    scratch.git(&["add", "--all"]);
    scratch.write("src/cart.js", "1\n");
    assert_eq!(changes(&scratch, &CollectOptions::default()), [(Change::Modified, "src/cart.js".into())]);
}

#[test]
fn the_configuration_of_the_user_changes_nothing() {
    let scratch = Scratch::with_change();
    scratch.write("b.rs", "");
    #[cfg(unix)]
    std::fs::set_permissions(scratch.path(".gitignore"), PermissionsExt::from_mode(0o755)).unwrap();
    let expected = changes(&scratch, &CollectOptions::default());
    assert_eq!(expected.len(), if cfg!(unix) { 3 } else { 2 });
    for (name, value) in [
        ("diff.renames", "false"),
        ("diff.external", "false"),
        ("diff.noprefix", "true"),
        ("status.showUntrackedFiles", "no"),
        ("color.ui", "always"),
        ("core.fsmonitor", "false; touch monitored"),
        ("core.quotePath", "true"),
        ("status.branch", "true"),
        ("status.showStash", "true"),
        ("status.relativePaths", "true"),
        ("diff.relative", "true"),
        ("diff.ignoreSubmodules", "all"),
        ("core.ignoreStat", "true"),
        ("core.fileMode", "false"),
    ] {
        scratch.git(&["config", name, value]);
    }
    assert_eq!(changes(&scratch, &CollectOptions::default()), expected);
}

#[test]
fn a_conflict_is_uncollected() {
    let scratch = Scratch::new();
    scratch.git(&["checkout", "--quiet", "-b", "other"]);
    scratch.write("src/cart.js", "other\n");
    scratch.commit();
    scratch.git(&["checkout", "--quiet", "main"]);
    scratch.write("src/cart.js", "main\n");
    scratch.commit();
    let merge = Command::new("git").args(["merge", "--quiet", "other"]).current_dir(scratch.root()).output();
    assert!(!merge.unwrap().status.success());
    let decided = scratch.run(&exits("lint", 0));
    assert_eq!(uncollected(&decided)[0].0, "unmerged paths");
    assert_eq!(status(&decided), Status::NeedsHuman);
}

#[test]
fn a_file_that_git_does_not_compare_is_uncollected() {
    for mark in ["--assume-unchanged", "--skip-worktree"] {
        let scratch = Scratch::new();
        scratch.git(&["update-index", mark, "src/cart.js"]);
        scratch.write("src/cart.js", "hidden\n");
        let decided = scratch.run(&exits("lint", 0));
        let reason = "`src/cart.js`, 1 in all, are marked assume-unchanged or skip-worktree";
        assert_eq!(uncollected(&decided), [("files that git does not compare".into(), reason.into())]);
        assert_eq!(status(&decided), Status::NeedsHuman);
    }
}

#[test]
fn a_file_with_the_time_and_the_size_of_the_index_is_read() {
    let scratch = Scratch::new();
    scratch.write("key", "1\n");
    scratch.commit();
    let set_time = || {
        let done =
            Command::new("touch").args(["-d", "2020-01-01", "key"]).current_dir(scratch.root()).status();
        assert!(done.unwrap().success());
    };
    set_time();
    scratch.git(&["add", "key"]);
    scratch.write("key", "2\n");
    set_time();
    assert_eq!(changes(&scratch, &CollectOptions::default()), [(Change::Modified, "key".into())]);
    // A filter that only one call of git has.
    scratch.write(".gitattributes", "key filter=own\n");
    scratch.write("key", "another size\n");
    set_time();
    scratch.git(&["-c", "filter.own.clean=echo 1", "add", "key"]);
    std::fs::remove_file(scratch.path(".gitattributes")).unwrap();
    assert_eq!(changes(&scratch, &CollectOptions::default()), [(Change::Modified, "key".into())]);
}

#[test]
fn files_that_git_never_lists_are_uncollected() {
    let scratch = Scratch::new();
    scratch.write("db/.git/2.sql", "");
    assert!(Command::new("mkfifo").arg(scratch.path("src/pipe")).status().unwrap().success());
    let decided = scratch.run(&exits("lint", 0));
    let reason = "`db/.git`, `src/pipe`, 2 in all, are pipes, devices or sockets, or named `.git` in a folder that is no repository";
    assert_eq!(uncollected(&decided), [("files that git does not compare".into(), reason.into())]);
    assert_eq!(status(&decided), Status::NeedsHuman);
    // A repository within is a folder of the diff.
    let scratch = Scratch::new();
    scratch.write("inner/a", "");
    scratch.git(&["-C", "inner", "init", "--quiet"]);
    let decided = scratch.run(&exits("lint", 0));
    assert_eq!(uncollected(&decided), []);
    assert_eq!(changes(&scratch, &CollectOptions::default()), [(Change::Added, "inner/".into())]);
}

#[test]
fn a_sparse_checkout_leaves_files_out() {
    let scratch = Scratch::new();
    scratch.write("docs/a.md", "");
    scratch.commit();
    scratch.git(&["sparse-checkout", "set", "src"]);
    assert!(!scratch.path("docs/a.md").exists());
    scratch.write("src/cart.js", "2\n");
    assert_eq!(changes(&scratch, &CollectOptions::default()), [(Change::Modified, "src/cart.js".into())]);
    assert_eq!(uncollected(&scratch.run(&exits("lint", 0))), []);
}

#[test]
fn a_base_that_names_two_commits_is_an_error() {
    let scratch = Scratch::new();
    scratch.git(&["tag", "v1"]);
    scratch.write("src/cart.js", "2\n");
    scratch.commit();
    let base = |name| CollectOptions { base: Some(name), ..CollectOptions::default() };
    assert_eq!(changes(&scratch, &base("v1")), [(Change::Modified, "src/cart.js".into())]);
    scratch.git(&["branch", "v1"]);
    let error = scratch.try_run(&exits("lint", 0), &base("v1")).unwrap_err();
    assert!(matches!(&error, CollectError::Base(_, reason) if reason.contains("ambiguous")), "{error}");
    assert_eq!(changes(&scratch, &base("refs/tags/v1")), [(Change::Modified, "src/cart.js".into())]);
}

#[test]
fn a_repository_with_another_working_tree_is_uncollected() {
    let other = tempfile::tempdir().unwrap();
    for tree in [other.path().to_str().unwrap(), "../.."] {
        let scratch = Scratch::with_change();
        scratch.git(&["config", "core.worktree", tree]);
        let decided = scratch.run(&exits("lint", 0));
        assert_eq!(uncollected(&decided)[0].0, "workspace diff");
        assert_eq!(status(&decided), Status::NeedsHuman);
    }
}

#[test]
fn a_root_within_a_repository_is_uncollected() {
    let scratch = Scratch::with_change();
    scratch.write("package/a.js", "");
    let root = scratch.path("package");
    let decided =
        run(&root, &configuration(&exits("lint", 0)), Some(POLICY), &CollectOptions::default()).unwrap();
    let reason =
        "git compares a folder around the root: keep the configuration in the top folder of the repository";
    assert_eq!(uncollected(&decided), [("workspace diff".into(), reason.into())]);
}

#[test]
fn files_that_a_new_rule_ignores_are_untracked() {
    let scratch = Scratch::new();
    scratch.write(".gitignore", "reports/\n*.tmp\n");
    scratch.write("lib/.gitignore", "build\n");
    scratch.commit();
    for name in ["reports/a", "b.tmp", "lib/build/c", "lib/build/d.tmp"] {
        scratch.write(name, "");
    }
    assert_eq!(changes(&scratch, &CollectOptions::default()), [], "rules of the base");
    // A rule that ignores its own file, a new line in a tracked file, names that could be patterns, and a renamed file.
    scratch.write("db/.gitignore", "*\n");
    scratch.write("db/migrations/1.sql", "");
    scratch.write(":d/.gitignore", "*\n");
    scratch.write("[l]ib/.gitignore", "*\n");
    scratch.write(".gitignore", "# more\nreports/\n*.log\n*.tmp\n");
    scratch.write("x.log", "");
    scratch.git(&["mv", "src/cart.js", "! src"]);
    let new = [
        (Change::Added, ":d/.gitignore"),
        (Change::Added, "[l]ib/.gitignore"),
        (Change::Added, "db/.gitignore"),
        (Change::Added, "db/migrations/1.sql"),
        (Change::Added, "x.log"),
        (Change::Modified, ".gitignore"),
        (Change::Renamed, "! src"),
    ];
    let expected = |list: &[(Change, &str)]| {
        Vec::from_iter(list.iter().map(|(change, path)| (*change, (*path).to_owned())))
    };
    assert_eq!(changes(&scratch, &CollectOptions::default()), expected(&new));
    assert_ne!(status(&scratch.run(&exits("lint", 0))), Status::Success, "`db/migrations/**` is protected");
    scratch.commit();
    assert_eq!(
        changes(&scratch, &CollectOptions::default()),
        expected(&new),
        "after a commit without the ignored files"
    );
}

#[test]
fn a_rule_of_the_base_that_is_gone_hides_nothing() {
    let scratch = Scratch::new();
    scratch.write(".gitignore", "*.sql\n");
    scratch.write("db/.gitignore", "!*.sql\n");
    scratch.commit();
    scratch.write("db/migrations/1.sql", "");
    scratch.write("a.sql", "");
    for rules in ["", "# !*.sql\n", "!*.sql\t\n"] {
        scratch.write("db/.gitignore", rules);
        let found = changes(&scratch, &CollectOptions::default());
        let expected =
            [(Change::Added, "db/migrations/1.sql".into()), (Change::Modified, "db/.gitignore".into())];
        assert_eq!(found, expected, "{rules:?}");
    }
    std::fs::remove_file(scratch.path("db/.gitignore")).unwrap();
    scratch.write("rules", "!*.sql\n");
    std::os::unix::fs::symlink("../rules", scratch.path("db/.gitignore")).unwrap();
    let found = changes(&scratch, &CollectOptions::default());
    assert!(found.contains(&(Change::Added, "db/migrations/1.sql".into())), "{found:?}");
}

#[test]
fn many_files_that_a_new_rule_ignores_are_a_folder() {
    let scratch = Scratch::new();
    scratch.write("cache/.gitignore", "*\n");
    for number in 0..1_001 {
        scratch.write(&format!("cache/many/{number}"), "");
    }
    let expected = [(Change::Added, "cache/.gitignore".into()), (Change::Added, "cache/many/".into())];
    assert_eq!(changes(&scratch, &CollectOptions::default()), expected);
}

#[test]
fn a_folder_that_git_cannot_read_is_uncollected() {
    let scratch = Scratch::new();
    scratch.write("secret/key.pem", "");
    std::fs::set_permissions(scratch.path("secret"), PermissionsExt::from_mode(0o111)).unwrap();
    if std::fs::read_dir(scratch.path("secret")).is_ok() {
        // The user of this test reads any folder. A path that is too long cannot be read either.
        std::fs::set_permissions(scratch.path("secret"), PermissionsExt::from_mode(0o755)).unwrap();
        let name = "n".repeat(200);
        let script = format!(
            "i=0; while [ $i -lt 22 ]; do mkdir {name} && cd {name}; i=$((i+1)); done; echo x > k.pem"
        );
        assert!(
            Command::new("sh")
                .args(["-c", &script])
                .stderr(Stdio::null())
                .current_dir(scratch.root())
                .status()
                .unwrap()
                .success()
        );
    }
    let decided = scratch.run(&exits("lint", 0));
    assert_eq!(
        (uncollected(&decided)[0].0.as_str(), status(&decided)),
        ("workspace diff", Status::NeedsHuman)
    );
    let _ = std::fs::set_permissions(scratch.path("secret"), PermissionsExt::from_mode(0o755));
}

#[test]
fn a_submodule_without_a_repository_is_uncollected() {
    let inner = Scratch::new();
    let scratch = Scratch::new();
    let url = inner.root().to_str().unwrap();
    scratch.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "part"]);
    scratch.commit();
    assert_eq!(uncollected(&scratch.run(&exits("lint", 0))), []);
    scratch.write("part/src/cart.js", "hidden\n");
    std::fs::remove_file(scratch.path("part/.git")).unwrap();
    for is_damaged in [false, true] {
        if is_damaged {
            scratch.write("part/.git", "");
        }
        let reason = "`part`, 1 in all, are submodules with files and without a repository of their own";
        let found = uncollected(&scratch.run(&exits("lint", 0)));
        assert!(found.contains(&("files that git does not compare".into(), reason.into())), "{found:?}");
    }
    // A submodule that is not checked out has no files.
    std::fs::remove_dir_all(scratch.path("part")).unwrap();
    std::fs::create_dir(scratch.path("part")).unwrap();
    assert_eq!(uncollected(&scratch.run(&exits("lint", 0))), []);
}

#[test]
fn a_marked_file_of_an_inactive_submodule_is_uncollected() {
    let inner = Scratch::new();
    let scratch = Scratch::new();
    let url = inner.root().to_str().unwrap();
    scratch.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "part"]);
    scratch.commit();
    scratch.git(&["config", "submodule.part.active", "false"]);
    assert_eq!(uncollected(&scratch.run(&exits("lint", 0))), []);
    scratch.git(&["-C", "part", "update-index", "--assume-unchanged", "src/cart.js"]);
    scratch.write("part/src/cart.js", "hidden\n");
    let reason = "`part/src/cart.js`, 1 in all, are marked assume-unchanged or skip-worktree";
    let found = uncollected(&scratch.run(&exits("lint", 0)));
    assert_eq!(found, [("files that git does not compare".into(), reason.into())]);
}

#[test]
fn a_repository_without_a_commit_has_added_files() {
    let scratch = Scratch::new();
    std::fs::remove_dir_all(scratch.path(".git")).unwrap();
    scratch.git(&["init", "--quiet"]);
    scratch.git(&["add", "src"]);
    let expected = [(Change::Added, ".gitignore".into()), (Change::Added, "src/cart.js".into())];
    assert_eq!(changes(&scratch, &CollectOptions::default()), expected);
}

#[test]
fn a_folder_without_git_is_uncollected() {
    let folder = tempfile::tempdir().unwrap();
    let decided =
        run(folder.path(), &configuration(&exits("lint", 0)), Some(POLICY), &CollectOptions::default())
            .unwrap();
    assert_eq!(status(&decided), Status::NeedsHuman);
    assert_eq!(uncollected(&decided)[0].0, "workspace diff");
}

#[test]
fn a_name_that_is_not_utf_8_is_uncollected() {
    use std::os::unix::ffi::OsStrExt;
    let scratch = Scratch::with_change();
    std::fs::write(scratch.root().join(std::ffi::OsStr::from_bytes(b"a\xff.rs")), "").unwrap();
    let decided = scratch.run(&exits("lint", 0));
    assert_eq!(uncollected(&decided), [("names of changed files".into(), "a name is not UTF-8".into())]);
}

#[test]
fn an_unknown_base_is_an_error() {
    let scratch = Scratch::with_change();
    let options = CollectOptions { base: Some("--output=x"), ..CollectOptions::default() };
    let error = scratch.try_run(&exits("lint", 0), &options).unwrap_err();
    assert!(matches!(error, CollectError::Base(..)), "{error}");
    assert!(!scratch.path("x").exists());
}

#[test]
fn a_link_leads_to_the_configuration_of_its_target() {
    let scratch = Scratch::new();
    scratch.write("adjudicate.yaml", "{}\n");
    scratch.commit();
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link");
    std::os::unix::fs::symlink(scratch.path("src"), &link).unwrap();
    let found = BaseDocuments::find(&link, "HEAD").unwrap().unwrap();
    assert_eq!(found.root(), scratch.root().canonicalize().unwrap());
    assert!(matches!(
        BaseDocuments::find(&elsewhere.path().join("none"), "HEAD"),
        Err(CollectError::Base(..))
    ));
}
