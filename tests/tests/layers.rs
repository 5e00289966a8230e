//! Layers: which crate may depend on which, and that the files of a crate do not depend on each other in circles.
//!
//! A new crate is one line of [`CRATES`], below the crates that it needs.

mod circles;
mod imports;

use std::{collections::BTreeSet, path::Path, process::Command};

use adjudicate_tests::workspace_root;
use serde_json::Value;

use self::circles::circles;

/// The members of the workspace. A crate depends only on those above it, and in its tests on [`TEST_KIT`], too.
const CRATES: &[&str] = &[
    "adjudicate-derive",
    "adjudicate-lang",
    "adjudicate-core",
    "adjudicate-evidence",
    "adjudicate-yaml",
    "adjudicate-collect",
    "adjudicate-collect-wasm",
    "adjudicate-guest",
    "adjudicate-trust",
    "adjudicate-registry",
    "adjudicate-sandbox",
    "adjudicate-conformance",
    "adjudicate-host",
    "adjudicate-cluster",
    "adjudicate-serve",
    "adjudicate",
    "adjudicate-command",
    "adjudicate-wasm",
    "adjudicate-tests",
    "adjudicate-benches",
    "xtask",
];

/// The crate of the corpus.
const TEST_KIT: &str = "adjudicate-tests";

/// The crates that depend on little, and everything that they depend on.
const DEPENDENCIES: &[(&str, &[&str])] = &[
    ("adjudicate-derive", &["proc-macro2", "quote", "syn"]),
    ("adjudicate-lang", &["adjudicate-derive", "serde", "sha2"]),
    ("adjudicate-core", &["adjudicate-lang", "semver", "serde", "sha2", "tsify", "wasm-bindgen"]),
    ("adjudicate-evidence", &["adjudicate-core", "adjudicate-lang", "roxmltree", "serde"]),
    ("adjudicate-guest", &[]),
    (
        "adjudicate-trust",
        &[
            "adjudicate-core",
            "adjudicate-lang",
            "base64",
            "ed25519-dalek",
            "getrandom",
            "hmac",
            "jiff",
            "rustix",
            "semver",
            "serde",
            "sha2",
            "thiserror",
            "wasmparser",
            "zeroize",
        ],
    ),
];

/// A dependency of a crate.
struct Dependency {
    name: String,
    is_for_tests: bool,
}

fn packages() -> Vec<Value> {
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(workspace_root())
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&metadata.stdout).expect("cargo writes JSON");
    metadata["packages"].as_array().expect("it lists packages").clone()
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().expect(name)
}

fn dependencies(package: &Value) -> Vec<Dependency> {
    let list = package["dependencies"].as_array().expect("a package lists its dependencies");
    let read =
        |one: &Value| Dependency { name: text(one, "name").into(), is_for_tests: one["kind"] == "dev" };
    list.iter().map(read).collect()
}

/// The members of the workspace that a crate must not depend on, and does.
fn upwards<'d>(name: &str, dependencies: &'d [Dependency]) -> Vec<&'d str> {
    let layer = |name: &str| CRATES.iter().position(|known| *known == name);
    let is_upwards =
        |one: &&Dependency| layer(&one.name) >= layer(name) && !(one.is_for_tests && one.name == TEST_KIT);
    let members = dependencies.iter().filter(|one| layer(&one.name).is_some());
    members.filter(is_upwards).map(|one| one.name.as_str()).collect()
}

#[test]
fn every_member_has_its_layer() {
    let packages = packages();
    let members: BTreeSet<&str> = packages.iter().map(|package| text(package, "name")).collect();
    assert_eq!(members, CRATES.iter().copied().collect());
}

#[test]
fn no_crate_depends_upwards() {
    for package in packages() {
        let (name, dependencies) = (text(&package, "name"), dependencies(&package));
        assert_eq!(upwards(name, &dependencies), [""; 0], "{name} depends on crates of its layer or above");
    }
}

#[test]
fn a_dependency_upwards_is_found() {
    let on = |name: &str, is_for_tests| [Dependency { name: name.into(), is_for_tests }];
    for (name, dependency, is_for_tests) in [
        ("adjudicate-lang", "adjudicate-core", false),
        ("adjudicate-core", "adjudicate-host", true),
        ("adjudicate-host", "adjudicate-cluster", false),
        ("adjudicate", TEST_KIT, false),
    ] {
        assert_eq!(upwards(name, &on(dependency, is_for_tests)), [dependency], "{name}");
    }
    for (name, dependency, is_for_tests) in [
        ("adjudicate-core", "adjudicate-lang", false),
        ("adjudicate-core", TEST_KIT, true),
        ("adjudicate-lang", "serde", false),
    ] {
        assert_eq!(upwards(name, &on(dependency, is_for_tests)), [""; 0], "{name}");
    }
}

#[test]
fn the_lower_crates_depend_on_nothing_else() {
    let packages = packages();
    for (name, expected) in DEPENDENCIES {
        let package = packages.iter().find(|package| text(package, "name") == *name).expect(name);
        let dependencies = dependencies(package);
        let found: BTreeSet<&str> =
            dependencies.iter().filter(|one| !one.is_for_tests).map(|one| one.name.as_str()).collect();
        assert_eq!(found, expected.iter().copied().collect(), "{name}");
    }
}

/// The library and the programs of a package: the files that they begin with.
fn roots(package: &Value) -> impl Iterator<Item = &Path> {
    let targets = package["targets"].as_array().expect("a package lists its targets").iter();
    let is_shipped = |target: &&Value| {
        let kinds = target["kind"].as_array().expect("a target has kinds");
        kinds.iter().any(|kind| ["lib", "rlib", "cdylib", "bin"].iter().any(|shipped| kind == shipped))
    };
    targets.filter(is_shipped).map(|target| Path::new(text(target, "src_path")))
}

/// The circles of files that are left, with the crate of each. To empty the list, break them. Add none.
const KNOWN_CIRCLES: &[(&str, &[&str])] = &[(
    "adjudicate-core",
    &[
        "check::abstract_state",
        "check::aliases",
        "check::candidates",
        "check::compare",
        "check::inputs",
        "check::missing",
        "check::model_values",
        "check::narrow",
        "check::outputs",
        "check::relate",
        "check::relations",
        "check::scope",
        "check::search",
    ],
)];

#[test]
fn the_files_of_a_crate_make_no_circle() {
    let mut found = BTreeSet::new();
    for package in packages() {
        for root in roots(&package) {
            let crate_name = text(&package, "name").to_owned();
            found.extend(circles(root).into_iter().map(|modules| (crate_name.clone(), modules)));
        }
    }
    let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    let known: BTreeSet<(String, BTreeSet<String>)> = KNOWN_CIRCLES
        .iter()
        .map(|(crate_name, modules)| ((*crate_name).to_owned(), owned(modules)))
        .collect();
    let new: Vec<_> = found.difference(&known).collect();
    assert!(new.is_empty(), "circles of files: {new:#?}");
    let broken: Vec<_> = known.difference(&found).collect();
    assert!(broken.is_empty(), "these circles are broken, so remove them from the list: {broken:#?}");
}

/// Crates that a program which only runs modules does not compile: databases, runtimes for I/O, and code in other languages.
const NOT_IN_THE_SANDBOX: [&str; 5] = ["rusqlite", "libsqlite3-sys", "tokio", "ring", "cmake"];

#[test]
fn the_sandbox_needs_no_database_no_runtime_and_only_wasmtimes_c() {
    let all = tree(&["--edges", "normal,build"]);
    assert!(all.lines().any(|line| line.starts_with("wasmtime v")), "{all}");
    for line in all.lines() {
        let name = line.split(' ').next().unwrap_or_default();
        assert!(!NOT_IN_THE_SANDBOX.contains(&name), "{line}");
    }
    let compiles_c = tree(&["--edges", "normal,build", "--invert", "cc", "--depth", "1"]);
    let names: Vec<_> = compiles_c.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, ["cc", "wasmtime"]);
}

/// The crates that `adjudicate-sandbox` needs, as cargo lists them.
fn tree(arguments: &[&str]) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let tree = Command::new(cargo)
        .args(["tree", "--locked", "--package", "adjudicate-sandbox", "--prefix", "none"])
        .args(arguments)
        .current_dir(workspace_root())
        .output()
        .expect("cargo runs");
    String::from_utf8(tree.stdout).expect("cargo writes UTF-8")
}
