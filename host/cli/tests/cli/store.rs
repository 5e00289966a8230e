//! The place of the store. If it cannot be written, commands that only read it work, and commands that change it report the reason.

use std::{
    fs,
    os::unix::{
        fs::{MetadataExt, PermissionsExt, chown},
        process::CommandExt,
    },
    path::Path,
    process::Command,
};

use adjudicate_host::Store;

use crate::{
    command::{ENVELOPE, Run, TestFolder, error_code},
    modules::good,
};

/// The user for runs by root, because permissions do not stop root.
const NOBODY: u32 = 65534;

/// A copy of the command in the place: that user may have no permission for the folder that cargo builds in.
const COMMAND: &str = "adjudicate";

/// A place with a store that has the slots `release`, and `kept`, which keeps records and has one.
fn place() -> TestFolder {
    let place = TestFolder::new();
    fs::copy(place.command(&[]).get_program(), place.path(COMMAND)).unwrap();
    place.file("envelope.json", ENVELOPE);
    place.file("module.wasm", good());
    place.file("settings.json", r#"{"records":{}}"#);
    for args in [
        &["install", "module.wasm", "--allow-unsigned"][..],
        &["activate", "release", "constant", "--create", "--allow-unsigned"],
        &["slot", "kept", "--settings", "settings.json"],
        &["activate", "kept", "constant", "--allow-unsigned"],
        &["evaluate", "envelope.json", "--slot", "kept"],
        // The last one also leaves no changes in SQLite's log, as threads that end with their process may.
        &["token", "create", "--role", "evaluate", "--name", "ci"],
    ] {
        let run = place.process(&[args, &["--store", "store"]].concat());
        assert_eq!(run.status, Some(0), "{args:?} {run:?}");
    }
    place
}

/// Makes a folder and all files below it read-only for every user. Files can be run: one of them is the command.
fn lock(folder: &Path) {
    let is_root = fs::metadata(folder).unwrap().uid() == 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => lock(&path),
            false => restrict(&path, 0o500, is_root),
        }
    }
    restrict(folder, 0o500, is_root);
}

fn restrict(path: &Path, mode: u32, is_root: bool) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    if is_root {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
}

/// Runs a command on the store as a user without write permission in the folder.
fn run(place: &TestFolder, args: &[&str]) -> Run {
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let mut unprivileged_command = Command::new(place.path(COMMAND));
    unprivileged_command.args(args).args(["--store", "store"]).current_dir(place.path(".")).env_clear();
    if is_root {
        unprivileged_command.uid(NOBODY).gid(NOBODY);
    }
    unprivileged_command.output().unwrap().into()
}

/// The commands that only read.
const READING: [&[&str]; 10] = [
    &["gc", "--dry-run", "--keep", "1"],
    &["list"],
    &["slot", "release"],
    &["history", "release"],
    &["shadow", "release", "--differences", "5"],
    &["records", "head", "--slot", "kept"],
    &["records", "verify", "--slot", "kept"],
    &["records", "export", "--slot", "kept"],
    &["token", "list"],
    &["evaluate", "envelope.json", "--slot", "release"],
];

#[test]
fn a_store_that_cannot_be_written_is_read_and_not_changed() {
    let place = place();
    let before: Vec<Run> =
        READING.iter().map(|args| place.process(&[args, &["--store", "store"][..]].concat())).collect();
    lock(&place.path("."));
    let files = || {
        let mut names: Vec<_> =
            fs::read_dir(place.path("store")).unwrap().map(|file| file.unwrap().file_name()).collect();
        names.sort();
        (names, fs::read(place.path("store/adjudicate.db")).unwrap())
    };
    let there = files();
    for (args, before) in READING.iter().zip(before) {
        assert_eq!(before.status, Some(0), "{args:?} {before:?}");
        assert_eq!(run(&place, args), before, "{args:?}");
    }
    let trust = run(&place, &["trust"]);
    assert_eq!(trust.status, Some(0), "{trust:?}");
    for args in [
        &["install", "module.wasm", "--allow-unsigned"][..],
        &["activate", "release", "constant", "--allow-unsigned"],
        &["slot", "other", "--create"],
        &["rollback", "kept"],
        &["token", "revoke", "ci"],
        &["uninstall", "constant"],
        &["slot", "kept", "--delete"],
        &["gc", "--keep", "1"],
        // Its answer would have to be on record.
        &["evaluate", "envelope.json", "--slot", "kept"],
    ] {
        let run = run(&place, args);
        assert_ne!(run.status, Some(0), "{args:?} {run:?}");
        let is_refused_before = args[0] == "rollback";
        assert!(is_refused_before || error_code(&run.stderr) == "store_fault", "{args:?} {run:?}");
        assert!(is_refused_before || run.stderr.contains("can only be read"), "{args:?} {run:?}");
    }
    assert_eq!(files(), there);
    fs::set_permissions(place.path("."), fs::Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(place.path("store"), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_read_only_process_sees_changes_of_another_process() {
    let place = place();
    // A process that has the store open keeps the lock files of SQLite there.
    let store = Store::open(&place.path("store")).unwrap();
    store.create_token("first", adjudicate_host::TokenRole::Evaluate, None, 1).unwrap();
    lock(&place.path("."));
    let seen = run(&place, &["token", "list"]);
    assert!(seen.status == Some(0) && seen.stdout.contains("first"), "{seen:?}");
    store.create_token("second", adjudicate_host::TokenRole::Evaluate, None, 1).unwrap();
    let seen = run(&place, &["token", "list"]);
    assert!(seen.stdout.contains("second"), "{seen:?}");
    drop(store);
    fs::set_permissions(place.path("."), fs::Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(place.path("store"), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_store_is_found_where_the_environment_says_and_refused_where_others_may_read_it() {
    let place = TestFolder::new();
    let run = place.run(&["list"]);
    assert_eq!((run.status, error_code(&run.stderr).as_str()), (Some(64), "wrong_usage"));
    let of = |name: &str, value: &Path| -> Run { place.run_where(&[(name, value.into())], &["list"], b"") };
    for (name, directory, made) in [
        ("ADJUDICATE_STORE", "a", "a/adjudicate.db"),
        ("XDG_DATA_HOME", "b", "b/adjudicate/adjudicate.db"),
        ("HOME", "c", "c/.local/share/adjudicate/adjudicate.db"),
    ] {
        let run = of(name, &place.path(directory));
        assert_eq!((run.status, run.stdout.as_str()), (Some(0), "{\"modules\":[],\"slots\":[]}\n"), "{name}");
        assert!(place.path(made).is_file(), "{made}");
        let mode = fs::metadata(place.path(made)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
    }
    fs::set_permissions(place.path("a"), fs::Permissions::from_mode(0o755)).unwrap();
    let run = of("ADJUDICATE_STORE", &place.path("a"));
    assert_eq!((run.status, error_code(&run.stderr).as_str()), (Some(3), "store_fault"));
}
