//! The layers of the crates: each depends only on crates below it.

use std::{collections::BTreeMap, fs, path::Path};

/// The crates that are published, with the folder of each, from the lowest layer to the highest. A crate may depend on those in the
/// lines above its own.
const LAYERS: &[&[(&str, &str)]] = &[
    &[("adjudicate-core", "core"), ("adjudicate-guest", "wasm/guest")],
    &[("adjudicate-sandbox", "host/sandbox")],
    &[
        ("adjudicate-conformance", "host/conformance"),
        ("adjudicate-host", "host"),
        ("adjudicate-registry", "host/registry"),
    ],
    &[("adjudicate-cluster", "host/cluster"), ("adjudicate-serve", "host/serve")],
    &[("adjudicate", "host/cli")],
];

/// What no program compiles that only wants to run a module: databases, runtimes for I/O, and code in other languages.
const NOT_IN_THE_SANDBOX: [&str; 5] = ["rusqlite", "libsqlite3-sys", "tokio", "ring", "cmake"];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The crates of this workspace that a crate needs to be built; those of its tests are not among them.
fn needs(folder: &str) -> Vec<String> {
    let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
    let mut section = "";
    let mut needs = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        } else if section.ends_with("dependencies]")
            && !section.contains("dev-")
            && line.starts_with("adjudicate")
        {
            needs.push(line.split(['.', ' ', '=']).next().unwrap_or_default().to_owned());
        }
    }
    needs
}

#[test]
fn crates_depend_on_crates_below_them() {
    let mut below = BTreeMap::new();
    for (layer, crates) in LAYERS.iter().enumerate() {
        for (name, folder) in *crates {
            for needed in needs(folder) {
                let at = below.get(needed.as_str()).copied();
                assert!(at.is_some_and(|at| at < layer), "{name} depends on {needed}, which is not below it");
            }
        }
        below.extend(crates.iter().map(|(name, _)| (*name, layer)));
    }
    assert_eq!(needs("host"), ["adjudicate-core", "adjudicate-sandbox"], "dependencies are found");
}

#[test]
fn the_sandbox_needs_no_database_and_no_runtime_and_of_c_only_what_wasmtime_has() {
    let tree = tree(&["--edges", "normal,build"]);
    assert!(tree.lines().any(|line| line.starts_with("wasmtime v")), "{tree}");
    for line in tree.lines() {
        let name = line.split(' ').next().unwrap_or_default();
        assert!(!NOT_IN_THE_SANDBOX.contains(&name), "{line}");
    }
    let who_compiles_c = self::tree(&["--edges", "normal,build", "--invert", "cc", "--depth", "1"]);
    let names: Vec<_> = who_compiles_c.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, ["cc", "wasmtime"]);
}

/// What cargo says of the crates that `adjudicate-sandbox` needs.
fn tree(arguments: &[&str]) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let tree = std::process::Command::new(cargo)
        .args(["tree", "--locked", "--package", "adjudicate-sandbox", "--prefix", "none"])
        .args(arguments)
        .current_dir(root())
        .output()
        .unwrap();
    String::from_utf8(tree.stdout).unwrap()
}
