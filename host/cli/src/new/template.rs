//! The projects that `new` creates: the examples in `templates`, under another name.
//!
//! CI creates each project with this command, and builds and tests it. A project in Rust contains the source of the guest SDK, so that
//! it builds without a registry.

use clap::ValueEnum;

/// The language of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// With the guest SDK: a function from a typed envelope to findings
    Rust,
    /// TypeScript's syntax, compiled by asc from npm
    #[value(name = "assemblyscript")]
    AssemblyScript,
    /// Zig, for instance from PyPI
    Zig,
    /// WebAssembly's own text, which needs no compiler but this command
    Wat,
    /// A policy document: rules in YAML, with cases that test them
    Yaml,
}

/// A file of a project.
#[derive(Clone, Copy, Debug)]
pub(super) struct File {
    /// The path in the project, with `/` between folders.
    pub(super) path: &'static str,
    pub(super) text: &'static str,
}

/// An example project.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProjectTemplate {
    /// The name of the example, which is replaced by that of the project.
    pub(super) name: &'static str,
    pub(super) files: &'static [File],
    /// True if the project contains the guest SDK.
    pub(super) has_sdk: bool,
}

/// Files of a template.
macro_rules! files {
    ($folder:literal: $($path:literal),+ $(,)?) => {
        &[$(File { path: $path, text: include_str!(concat!("../../templates/", $folder, $path)) }),+]
    };
}

/// The folder of the SDK in a project in Rust.
pub(super) const SDK: &str = "adjudicate-guest/";

/// The manifest has another name here, because cargo packages no folder with a `Cargo.toml`.
const RUST: ProjectTemplate = ProjectTemplate {
    name: "change-freeze",
    files: files!("rust/":
        ".gitignore", "Cargo.lock", "manifest.toml", "README.md", "build.rs", "envelope.json", "src/lib.rs", "src/tests.rs", "tests.json",
    ),
    has_sdk: true,
};

/// The manifest of the SDK, without references to the workspace of this repository.
pub(super) const SDK_MANIFEST: &str = concat!(
    r#"[package]
name = "adjudicate-guest"
description = "Write adjudicate policy modules in Rust: a function from a typed envelope to findings or a decision"
version = ""#,
    env!("CARGO_PKG_VERSION"),
    r#""
edition = "2024"
rust-version = ""#,
    env!("CARGO_PKG_RUST_VERSION"),
    r#""
license = ""#,
    env!("CARGO_PKG_LICENSE"),
    r#""
publish = false

[features]
# For policies that use the standard library in wasm: it brings its own panic handler.
std = []
# The source of the crate, for programs that hand it out.
source = []
"#
);

const ASSEMBLYSCRIPT: ProjectTemplate = ProjectTemplate {
    name: "cost-cap",
    files: files!("assemblyscript/":
        ".gitignore", "README.md", "assembly/index.ts", "assembly/json.ts", "envelope.json", "manifest.json",
        "package-lock.json", "package.json", "tests.json",
    ),
    has_sdk: false,
};

const ZIG: ProjectTemplate = ProjectTemplate {
    name: "secret-files",
    files: files!("zig/":
        ".gitignore", "README.md", "envelope.json", "manifest.json", "src/policy.zig", "tests.json",
    ),
    has_sdk: false,
};

const WAT: ProjectTemplate = ProjectTemplate {
    name: "incident-brake",
    files: files!("wat/": ".gitignore", "README.md", "envelope.json", "manifest.json", "policy.wat", "tests.json"),
    has_sdk: false,
};

const YAML: ProjectTemplate = ProjectTemplate {
    name: "review-gate",
    files: files!("yaml/": ".gitignore", "README.md", "cases.yaml", "envelope.json", "policy.yaml"),
    has_sdk: false,
};

impl Language {
    pub(super) const fn template(self) -> ProjectTemplate {
        match self {
            Self::Rust => RUST,
            Self::AssemblyScript => ASSEMBLYSCRIPT,
            Self::Zig => ZIG,
            Self::Wat => WAT,
            Self::Yaml => YAML,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::*;

    /// Returns the files below a folder, except those in its `.gitignore`.
    fn files_below(folder: &Path) -> BTreeSet<String> {
        let ignored = fs::read_to_string(folder.join(".gitignore")).unwrap_or_default();
        let mut found = BTreeSet::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(next) = folders.pop() {
            for entry in fs::read_dir(next).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                if ignored.lines().any(|line| line.strip_prefix('/') == Some(name.as_str())) {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.insert(name);
                }
            }
        }
        found
    }

    #[test]
    fn every_file_of_a_template_is_in_a_project() {
        let templates = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
        for (folder, files) in [
            ("rust", RUST.files),
            ("assemblyscript", ASSEMBLYSCRIPT.files),
            ("zig", ZIG.files),
            ("wat", WAT.files),
            ("yaml", YAML.files),
        ] {
            let embedded: BTreeSet<String> = files.iter().map(|file| file.path.to_owned()).collect();
            assert_eq!(embedded, files_below(&templates.join(folder)), "{folder}");
        }
    }

    #[test]
    fn the_document_shows_the_commands_that_are_tested() {
        // Read at run time, so that the tests of the packed crate compile.
        let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/guests.md");
        let document = fs::read_to_string(document).unwrap();
        for template in [RUST, ASSEMBLYSCRIPT, ZIG, WAT] {
            let readme = template.files.iter().find(|file| file.path == "README.md").unwrap().text;
            let (_, commands) = readme.split_once("```sh\n").unwrap();
            let (commands, _) = commands.split_once("```").unwrap();
            assert!(document.contains(&format!("```sh\n{commands}```")), "{}", template.name);
        }
    }
}
