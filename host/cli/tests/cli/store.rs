//! The place of the store.

use crate::command::{Run, TestFolder, error_code};

#[test]
fn a_store_is_found_where_the_environment_says_and_refused_where_others_may_read_it() {
    use std::os::unix::fs::PermissionsExt;

    let place = TestFolder::new();
    let run = place.run(&["list"]);
    assert_eq!((run.status, error_code(&run.stderr).as_str()), (Some(64), "wrong_usage"));
    let of = |name: &'static str, value: &std::path::Path| -> Run {
        place.run_where(&[(name, value.into())], &["list"], b"")
    };
    for (name, directory, made) in [
        ("ADJUDICATE_STORE", "a", "a/adjudicate.db"),
        ("XDG_DATA_HOME", "b", "b/adjudicate/adjudicate.db"),
        ("HOME", "c", "c/.local/share/adjudicate/adjudicate.db"),
    ] {
        let run = of(name, &place.path(directory));
        assert_eq!((run.status, run.stdout.as_str()), (Some(0), "{\"modules\":[],\"slots\":[]}\n"), "{name}");
        assert!(place.path(made).is_file(), "{made}");
        let mode = std::fs::metadata(place.path(made)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
    }
    std::fs::set_permissions(place.path("a"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let run = of("ADJUDICATE_STORE", &place.path("a"));
    assert_eq!((run.status, error_code(&run.stderr).as_str()), (Some(3), "store_fault"));
}
