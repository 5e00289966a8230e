//! The layers: each crate depends only on crates below it, and in some crates no module depends, over others, on itself.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

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

/// Crates whose modules have no circles. A module and its children count as one.
const WITHOUT_CIRCLES: [&str; 3] = ["host/sandbox", "host/conformance", "host/registry"];

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

#[test]
fn modules_form_no_circle() {
    for folder in WITHOUT_CIRCLES {
        let mut needs = modules(&root().join(folder).join("src"));
        assert!(needs.values().any(|needed| !needed.is_empty()), "{folder}: dependencies are found");
        // Taking away what needs nothing that is left, in turns, leaves the circles.
        while let Some(free) =
            needs.iter().find(|(_, needed)| needed.is_empty()).map(|(name, _)| name.clone())
        {
            needs.remove(&free);
            for needed in needs.values_mut() {
                needed.remove(&free);
            }
        }
        assert!(needs.is_empty(), "{folder}: {needs:#?}");
    }
}

/// Each module at the root of a crate, with the others there that it, or a child, names as `crate::OTHER`.
fn modules(source: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if name != "lib" {
            found.insert(name, names(&path));
        }
    }
    let all: BTreeSet<String> = found.keys().cloned().collect();
    for (name, needed) in &mut found {
        needed.retain(|other| other != name && all.contains(other));
    }
    found
}

/// The first names behind `crate::` in a file, or in all files of a folder.
fn names(path: &Path) -> BTreeSet<String> {
    if path.is_dir() {
        return fs::read_dir(path).unwrap().flat_map(|entry| names(&entry.unwrap().path())).collect();
    }
    let text = fs::read_to_string(path).unwrap();
    let code: Vec<_> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = code.join("\n");
    code.split("crate::").skip(1).flat_map(firsts).collect()
}

/// The first names of a path: of `a::b` it is `a`, of `{a::b, c}` they are `a` and `c`.
fn firsts(path: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let Some(list) = path.strip_prefix('{') else { return vec![name(path)] };
    let (mut depth, mut names) = (0, vec![name(list)]);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(name(&list[at + 1..])),
            _ => {}
        }
    }
    names
}
