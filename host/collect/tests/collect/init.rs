//! The first configuration of a repository.

use adjudicate_collect::{CollectError, init};

use super::scratch::Scratch;

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
