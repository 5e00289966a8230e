//! The first configuration of a repository.

use adjudicate_collect::{CollectError, init};

use super::scratch::Scratch;

#[test]
fn each_tool_has_its_validator() {
    for (files, expected) in [
        (&["Cargo.toml"][..], &["id: cargo-test"][..]),
        (&["package.json"], &["id: npm-test"]),
        (&["package.json", "pnpm-lock.yaml"], &["id: pnpm-test"]),
        (&["pyproject.toml", "pytest.ini"], &["id: pytest"]),
        (&["go.mod", "Makefile"], &["output: go-test"]),
        (&["pom.xml"], &["id: maven"]),
        (&["build.gradle.kts"], &["id: gradle"]),
        (&["Makefile"], &["id: make-test"]),
        (&["Cargo.toml", "package-lock.json"], &["id: cargo-test", "id: npm-test"]),
        (&[], &["validators: []"]),
    ] {
        let scratch = Scratch::new();
        files.iter().for_each(|file| scratch.write(file, ""));
        assert_eq!(init(scratch.root()).unwrap().len(), 2);
        let text = scratch.read("adjudicate.yaml");
        let count = text.matches("\n  - id: ").count();
        assert!(expected.iter().all(|line| text.contains(line)), "{files:?}: {text}");
        assert_eq!(
            count,
            expected.iter().filter(|line| **line != "validators: []").count(),
            "{files:?}: {text}"
        );
        assert!(scratch.read("adjudicate.policy.yaml").contains("profile: oa06.1\nreview: optional\n"));
    }
}

#[test]
fn nothing_is_overwritten() {
    for name in ["adjudicate.yaml", "adjudicate.yml", "adjudicate.json", "adjudicate.policy.yaml"] {
        let scratch = Scratch::new();
        scratch.write(name, "mine\n");
        let error = init(scratch.root()).unwrap_err();
        assert!(matches!(&error, CollectError::Exists(path) if path.ends_with(name)), "{error}");
        assert_eq!(scratch.read(name), "mine\n");
        assert_eq!(scratch.git(&["status", "--porcelain"]), format!("?? {name}"));
    }
}
