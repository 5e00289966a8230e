//! Each published package, crate or npm package, has all that its web page shows.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::*;

/// The fields of a manifest that a registry shows.
#[derive(Deserialize)]
pub(super) struct Page {
    manifest_path: String,
    description: Option<String>,
    license: Option<String>,
    repository: Option<String>,
    readme: Option<String>,
    keywords: Vec<String>,
    categories: Vec<String>,
    metadata: Option<Value>,
}

impl Member {
    /// The member's own folder.
    fn folder(&self) -> &Path {
        Path::new(&self.page.manifest_path).parent().expect("a manifest lies in a folder")
    }
}

fn workspace() -> Workspace {
    Workspace::locate().expect("this program lies somewhere")
}

#[test]
fn every_published_crate_has_the_fields_that_a_registry_shows() {
    let workspace = workspace();
    let members = published(&workspace).expect("cargo lists them");
    assert!(members.len() >= 5, "{} crates are published", members.len());
    let repository = repository(&workspace);
    for Member { name, page, rust_version, .. } in &members {
        assert!(page.description.as_ref().is_some_and(|text| text.len() > 20), "{name}: description");
        assert_eq!(page.license.as_deref(), Some("MIT OR Apache-2.0"), "{name}: license");
        assert_eq!(page.repository.as_ref(), Some(&repository), "{name}: repository");
        assert_eq!(page.readme.as_deref(), Some("README.md"), "{name}: readme, in its own folder");
        assert!((1..=5).contains(&page.keywords.len()), "{name}: one to five keywords");
        assert!((1..=5).contains(&page.categories.len()), "{name}: one to five categories");
        assert!(rust_version.is_some(), "{name}: rust-version");
        let targets = page.metadata.as_ref().map(|metadata| &metadata["docs"]["rs"]["targets"]);
        assert!(targets.is_some_and(Value::is_array), "{name}: [package.metadata.docs.rs] targets");
    }
}

#[test]
fn the_npm_package_has_the_links_that_a_registry_shows() {
    let workspace = workspace();
    let package = fs::read(workspace.js().join("package.json")).expect("it can be read");
    let package: Value = serde_json::from_slice(&package).expect("it is JSON");
    let repository = repository(&workspace);
    assert_eq!(package["homepage"], format!("{repository}#readme"));
    assert_eq!(package["bugs"], format!("{repository}/issues"));
    let own = json!({"type": "git", "url": format!("git+{repository}.git"), "directory": "js"});
    assert_eq!(package["repository"], own);
}

#[test]
fn every_published_crate_has_the_licences_in_its_own_folder() {
    let workspace = workspace();
    for member in published(&workspace).expect("cargo lists them") {
        for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let expected = fs::read(workspace.root().join(file)).expect("the workspace has it");
            let found = fs::read(member.folder().join(file)).unwrap_or_default();
            assert!(found == expected, "{}: `{file}` must be a link to that of the workspace", member.name);
        }
    }
}

#[test]
fn links_of_readme_files_work_on_the_pages_of_packages() {
    let workspace = workspace();
    let members = published(&workspace).expect("cargo lists them");
    let folders = members.iter().map(|member| member.folder().to_owned()).chain([workspace.js()]);
    for folder in folders {
        let readme = folder.join("README.md");
        let text =
            fs::read_to_string(&readme).unwrap_or_else(|error| panic!("{}: {error}", readme.display()));
        for target in links(&text) {
            let fault = fault(target, &repository(&workspace), workspace.root());
            assert_eq!(fault, None, "{}: `{target}`", readme.display());
        }
    }
}

#[test]
fn links_out_of_a_package_or_to_nothing_are_found() {
    let text = "[a](#calls) [b](https://example.org/x)\n[c](../wasm/ABI.md), [d][1] `x](y`\n";
    assert_eq!(links(text).collect::<Vec<_>>(), ["#calls", "https://example.org/x", "../wasm/ABI.md"]);
    let workspace = workspace();
    let of = |target| fault(target, "https://github.com/a/b", workspace.root());
    assert_eq!(of("#calls"), None);
    assert_eq!(of("https://example.org/x"), None);
    assert_eq!(of("https://github.com/a/b/blob/main/README.md#use-it"), None);
    assert_eq!(of("https://github.com/a/b/blob/main/NONE.md"), Some("there is no such file"));
    assert_eq!(of("../wasm/ABI.md"), Some("leads out of the package"));
    assert_eq!(of("src/lib.rs"), Some("leads out of the package"));
}

/// The targets of links in Markdown.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
}

/// Returns the reason why a link fails on the web page of a package.
fn fault(target: &str, repository: &str, root: &Path) -> Option<&'static str> {
    if target.starts_with('#') {
        return None;
    }
    if !target.starts_with("https://") {
        return Some("leads out of the package");
    }
    let file = target.strip_prefix(repository)?.strip_prefix("/blob/main/")?;
    let file = file.split('#').next().unwrap_or(file);
    (!root.join(file).exists()).then_some("there is no such file")
}

/// The address of the repository, from the workspace's manifest.
fn repository(workspace: &Workspace) -> String {
    let manifest = fs::read_to_string(workspace.root().join("Cargo.toml")).expect("it is there");
    let line = manifest.lines().find_map(|line| line.strip_prefix("repository = "));
    line.expect("it names the repository").trim_matches('"').to_owned()
}
