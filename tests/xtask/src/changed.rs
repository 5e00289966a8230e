//! Clippy for the members of the workspace that changed, as git reports them.

use std::collections::BTreeSet;

use crate::{failure::Failure, log::Log, workspace::Workspace};

/// Each member's folder and name. Nested folders come first, because the first match wins.
static MEMBERS: &[(&str, &str)] = &[
    ("host/sandbox/", "adjudicate-sandbox"),
    ("host/conformance/", "adjudicate-conformance"),
    ("host/cluster/", "adjudicate-cluster"),
    ("host/registry/", "adjudicate-registry"),
    ("host/serve/", "adjudicate-serve"),
    ("host/cli/", "adjudicate"),
    ("host/collect/", "adjudicate-collect"),
    ("host/", "adjudicate-host"),
    ("wasm/guest/", "adjudicate-guest"),
    ("wasm/", "adjudicate-wasm"),
    ("tests/benches/", "adjudicate-benches"),
    ("tests/xtask/", "xtask"),
    ("tests/", "adjudicate-tests"),
    ("core/derive/", "adjudicate-derive"),
    ("core/lang/", "adjudicate-lang"),
    ("core/evidence/", "adjudicate-evidence"),
    ("core/yaml/", "adjudicate-yaml"),
    ("wasm/collect/", "adjudicate-collect-wasm"),
    ("core/", "adjudicate-core"),
];

/// Runs clippy for the members that changed since the last commit, or else for those that the last commit changed.
pub(crate) fn clippy(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let since_the_last_commit = [
        workspace.git(&["diff", "--name-only", "HEAD"])?,
        workspace.git(&["ls-files", "--others", "--exclude-standard"])?,
    ];
    let mut members = members(&since_the_last_commit.concat());
    if members.is_empty() {
        members = self::members(&workspace.git(&[
            "show",
            "--first-parent",
            "-m",
            "--name-only",
            "--format=",
            "HEAD",
        ])?);
    }
    if members.is_empty() {
        log.note("no member changed");
        return Ok(());
    }
    let mut clippy = workspace.cargo(&["clippy", "--all-targets"]);
    for member in members {
        clippy.args(["--package", member]);
    }
    clippy.args(["--", "--deny", "warnings"]);
    log.run(clippy).map(drop)
}

/// Returns the members of files, one file a line.
fn members(files: &str) -> BTreeSet<&'static str> {
    let of_file =
        |file: &str| MEMBERS.iter().find(|(folder, _)| file.starts_with(folder)).map(|(_, name)| *name);
    files
        .lines()
        .filter(|file| file.ends_with(".rs") || file.ends_with("Cargo.toml"))
        .filter_map(of_file)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_the_nearest_member() {
        let files = "host/cli/src/main.rs\nhost/src/lib.rs\ncore/Cargo.toml\ncore/lang/src/lib.rs\nREADME.md\nhost/README.md\n";
        let expected = ["adjudicate", "adjudicate-core", "adjudicate-host", "adjudicate-lang"];
        assert_eq!(members(files), BTreeSet::from(expected));
    }

    #[test]
    fn every_member_is_known() {
        let manifest = include_str!("../../../Cargo.toml");
        let list = manifest
            .lines()
            .find(|line| line.starts_with("members"))
            .expect("the workspace lists its members");
        let mut folders: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
        let mut known: Vec<&str> = MEMBERS.iter().map(|(folder, _)| folder.trim_end_matches('/')).collect();
        folders.sort_unstable();
        known.sort_unstable();
        assert_eq!(known, folders);
    }
}
