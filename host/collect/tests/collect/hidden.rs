//! Settings by which git would hide a change.

use std::{fs, os::unix::fs::symlink};

use adjudicate_collect::CollectOptions;
use adjudicate_core::{codes::Status, evaluate::Change};

use crate::{
    git::changes,
    scratch::{Scratch, exits, status, uncollected},
};

const UNCOMPARED: &str = "files that git does not compare";

/// The files of a decision that git converts.
fn converted(scratch: &Scratch) -> Option<String> {
    let decided = scratch.run(&exits("lint", 0));
    let (what, reason) = uncollected(&decided).pop()?;
    assert_eq!((what.as_str(), status(&decided)), (UNCOMPARED, Status::NeedsHuman));
    let (names, rest) = reason.split_once(", 1 in all, ").unwrap();
    assert_eq!(
        rest,
        "are converted by a filter, `ident` or `working-tree-encoding` before git compares them"
    );
    Some(names.to_owned())
}

#[test]
fn a_file_that_git_converts_is_uncollected() {
    for (attribute, setting) in [
        ("filter=own", Some(("filter.own.clean", "echo 1"))),
        ("filter=set", Some(("filter.set.clean", "echo 1"))),
        ("filter=lfs", Some(("filter.lfs.clean", "echo 1"))),
        ("filter=lfs", Some(("filter.lfs.clean", "git-lfs clean -- %f; echo 1"))),
        ("filter=unspecified", Some(("filter.unspecified.clean", "echo 1"))),
        ("ident", None),
        ("working-tree-encoding=UTF-7", None),
    ] {
        let scratch = Scratch::new();
        if let Some((name, value)) = setting {
            scratch.git(&["config", name, value]);
        }
        scratch.write(".git/info/attributes", &format!("src/* {attribute}\n"));
        assert_eq!(converted(&scratch).as_deref(), Some("`src/cart.js`"), "{attribute} {setting:?}");
        // A new file has an attribute, too.
        scratch.write(".git/info/attributes", &format!("new.js {attribute}\n"));
        scratch.write("new.js", "");
        assert_eq!(converted(&scratch).as_deref(), Some("`new.js`"), "{attribute} {setting:?}");
    }
}

#[test]
fn an_attribute_that_converts_nothing_hides_nothing() {
    for (attribute, setting) in [
        ("filter=own", ("filter.other.clean", "echo 1")),
        ("filter=own", ("filter.own.smudge", "echo 1")),
        ("filter=lfs", ("filter.lfs.clean", "git-lfs clean -- %f")),
        ("-filter", ("filter.own.clean", "echo 1")),
        ("-ident", ("filter.own.clean", "echo 1")),
        ("-working-tree-encoding", ("filter.own.clean", "echo 1")),
    ] {
        let scratch = Scratch::new();
        scratch.git(&["config", setting.0, setting.1]);
        scratch.write(".git/info/attributes", &format!("src/* {attribute}\n"));
        assert_eq!(converted(&scratch), None, "{attribute} {setting:?}");
    }
}

#[test]
fn the_attributes_of_the_user_hide_nothing() {
    let scratch = Scratch::with_change();
    scratch.git(&["config", "filter.own.clean", "echo 1"]);
    scratch.write(".git/attributes", "src/* filter=own\n");
    scratch.git(&["config", "core.attributesFile", scratch.path(".git/attributes").to_str().unwrap()]);
    assert_eq!(changes(&scratch, &CollectOptions::default()), [(Change::Modified, "src/cart.js".into())]);
}

#[test]
fn a_file_of_a_submodule_that_git_converts_is_uncollected() {
    let inner = Scratch::new();
    let scratch = Scratch::new();
    let url = inner.root().to_str().unwrap();
    scratch.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "part"]);
    scratch.commit();
    assert_eq!(converted(&scratch), None);
    fs::create_dir_all(scratch.path(".git/modules/part/info")).unwrap();
    scratch.write(".git/modules/part/info/attributes", "* ident\n");
    scratch.git(&["-C", "part", "rm", "--quiet", "--cached", ".gitignore"]);
    assert_eq!(converted(&scratch).as_deref(), Some("`part/src/cart.js`"));
}

#[test]
fn only_the_base_ignores_files() {
    for is_of_user in [false, true] {
        let scratch = Scratch::new();
        scratch.write(".git/info/exclude", "*.sql\n");
        if is_of_user {
            fs::rename(scratch.path(".git/info/exclude"), scratch.path(".git/ignored")).unwrap();
            scratch.git(&["config", "core.excludesFile", scratch.path(".git/ignored").to_str().unwrap()]);
        }
        scratch.write("db/1.sql", "");
        scratch.write("reports/a.sql", "");
        assert_eq!(changes(&scratch, &CollectOptions::default()), [(Change::Added, "db/1.sql".into())]);
    }
}

#[test]
fn a_name_in_other_letters_is_a_file_of_its_own() {
    let scratch = Scratch::new();
    scratch.git(&["config", "core.ignoreCase", "true"]);
    scratch.write("SRC/cart.js", "2\n");
    assert_eq!(changes(&scratch, &CollectOptions::default()), [(Change::Added, "SRC/cart.js".into())]);
}

#[test]
fn a_file_in_place_of_a_link_is_a_change() {
    let scratch = Scratch::new();
    symlink("src/cart.js", scratch.path("link")).unwrap();
    scratch.commit();
    scratch.git(&["config", "core.symlinks", "false"]);
    fs::remove_file(scratch.path("link")).unwrap();
    scratch.write("link", "src/cart.js");
    assert_eq!(changes(&scratch, &CollectOptions::default()), [(Change::Modified, "link".into())]);
}

#[test]
fn a_deleted_file_that_is_marked_is_deleted() {
    let scratch = Scratch::new();
    scratch.git(&["update-index", "--skip-worktree", "src/cart.js"]);
    fs::remove_file(scratch.path("src/cart.js")).unwrap();
    assert_eq!(changes(&scratch, &CollectOptions::default()), [(Change::Deleted, "src/cart.js".into())]);
}

#[test]
fn a_graft_changes_no_base() {
    let scratch = Scratch::new();
    let first = scratch.git(&["rev-parse", "HEAD"]);
    for text in ["2\n", "1\n"] {
        scratch.write("src/cart.js", text);
        scratch.commit();
    }
    let head = scratch.git(&["rev-parse", "HEAD"]);
    scratch.write(".git/info/grafts", &format!("{head} {first}\n"));
    let options = CollectOptions { base: Some("HEAD~1"), ..CollectOptions::default() };
    assert_eq!(changes(&scratch, &options), [(Change::Modified, "src/cart.js".into())]);
}

#[test]
fn no_hook_of_git_runs() {
    let scratch = Scratch::with_change();
    scratch.write(".git/hooks/post-index-change", "#!/bin/sh\ntouch .git/seen\n");
    std::process::Command::new("chmod")
        .args(["+x", ".git/hooks/post-index-change"])
        .current_dir(scratch.root())
        .status()
        .unwrap();
    assert_eq!(changes(&scratch, &CollectOptions::default()).len(), 1);
    assert!(!scratch.path(".git/seen").exists());
}

#[test]
fn an_untracked_file_has_its_number_of_lines() {
    let scratch = Scratch::new();
    scratch.write("new/a.js", "1\n2\n3\n");
    scratch.write("data", "a\0");
    scratch.git(&["rm", "--quiet", "--cached", "src/cart.js"]);
    let decided = scratch.run(&exits("lint", 0));
    let files = decided.collected.envelope.evidence.diff.unwrap().files;
    let mut lines: Vec<_> =
        files.iter().map(|file| (file.path.as_str(), file.insertions, file.deletions)).collect();
    lines.sort();
    assert_eq!(
        lines,
        [
            ("data", None, None),
            ("new/a.js", Some(3), Some(0)),
            ("src/cart.js", None, None),
            ("src/cart.js", Some(0), Some(1))
        ]
    );
}
