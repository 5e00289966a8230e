//! Each published package, crate or npm package, has all that its web page shows.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};

use crate::workspace::Workspace;

fn workspace() -> Workspace {
    Workspace::locate().unwrap()
}

/// Returns the members that a release publishes, as `cargo metadata` lists them.
fn crates() -> Vec<Value> {
    let arguments = ["metadata", "--no-deps", "--format-version", "1"];
    let output = Command::new("cargo").args(arguments).current_dir(workspace().path("")).output().unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut crates = metadata["packages"].as_array().unwrap().clone();
    crates.retain(|member| member["publish"].is_null());
    assert!(crates.len() >= 5, "{} crates are published", crates.len());
    crates
}

fn folder(member: &Value) -> &Path {
    Path::new(member["manifest_path"].as_str().unwrap()).parent().unwrap()
}

/// The address of the repository, from the workspace's manifest.
fn repository() -> String {
    let manifest = workspace().read("Cargo.toml").unwrap();
    let line = manifest.lines().find_map(|line| line.strip_prefix("repository = "));
    line.unwrap().trim_matches('"').to_owned()
}

#[test]
fn every_published_crate_has_its_licences_and_the_fields_that_a_registry_shows() {
    for member in crates() {
        let name = &member["name"];
        assert!(member["description"].as_str().is_some_and(|text| text.len() > 20), "{name}: description");
        assert_eq!(member["license"], "MIT OR Apache-2.0", "{name}: license");
        assert_eq!(member["repository"], repository(), "{name}: repository");
        assert_eq!(member["readme"], "README.md", "{name}: readme, in its own folder");
        assert!(member["rust_version"].is_string(), "{name}: rust-version");
        assert!(
            member["metadata"]["docs"]["rs"]["targets"].is_array(),
            "{name}: [package.metadata.docs.rs] targets"
        );
        for words in ["keywords", "categories"] {
            let count = member[words].as_array().unwrap().len();
            assert!((1..=5).contains(&count), "{name}: one to five {words}");
        }
        for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let found = fs::read(folder(&member).join(file)).unwrap_or_default();
            let is_own = found == fs::read(workspace().path(file)).unwrap();
            assert!(is_own, "{name}: `{file}` must be a link to that of the workspace");
        }
    }
}

#[test]
fn the_npm_package_has_the_links_that_a_registry_shows() {
    let package: Value = serde_json::from_str(&workspace().read("js/package.json").unwrap()).unwrap();
    let repository = repository();
    assert_eq!(package["homepage"], format!("{repository}#readme"));
    assert_eq!(package["bugs"], format!("{repository}/issues"));
    let own = json!({"type": "git", "url": format!("git+{repository}.git"), "directory": "js"});
    assert_eq!(package["repository"], own);
}

#[test]
fn links_of_readme_files_work_on_the_pages_of_packages() {
    let crates = crates();
    for folder in crates.iter().map(folder).chain([workspace().path("js").as_path()]) {
        let readme = folder.join("README.md");
        for target in links(&fs::read_to_string(&readme).unwrap()) {
            assert_eq!(fault(target, &repository()), None, "{}: `{target}`", readme.display());
        }
    }
}

#[test]
fn links_out_of_a_package_or_to_nothing_are_found() {
    let text = "[a](#calls) [b](https://example.org/x)\n[c](../wasm/ABI.md), [d][1] `x](y`\n";
    assert_eq!(links(text).collect::<Vec<_>>(), ["#calls", "https://example.org/x", "../wasm/ABI.md"]);
    let own = "https://github.com/a/b";
    for target in ["#calls", "https://example.org/x", "https://github.com/a/b/blob/main/README.md#use-it"] {
        assert_eq!(fault(target, own), None);
    }
    assert_eq!(fault("https://github.com/a/b/blob/main/NONE.md", own), Some("there is no such file"));
    assert_eq!(fault("../wasm/ABI.md", own), Some("leads out of the package"));
    assert_eq!(fault("src/lib.rs", own), Some("leads out of the package"));
}

/// The targets of links in Markdown.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
}

/// Returns the reason why a link fails on the web page of a package.
fn fault(target: &str, repository: &str) -> Option<&'static str> {
    if target.starts_with('#') {
        return None;
    }
    if !target.starts_with("https://") {
        return Some("leads out of the package");
    }
    let file = target.strip_prefix(repository)?.strip_prefix("/blob/main/")?;
    let file = file.split('#').next().unwrap_or(file);
    (!workspace().path(file).exists()).then_some("there is no such file")
}
