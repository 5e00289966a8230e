//! The table of steps. The functions of their scripts are in `steps.sh`.
//!
//! The steps of the gate compile native code with one set of features, so cargo compiles each crate once. Steps that need
//! another set, a program of another project, a budget or a long time are for `--all`.

use crate::{
    step::{Step, step},
    words,
};

/// The gate: the steps of `cargo xtask test`, in the order in which they run.
pub(crate) static GATE: &[Step] = &[
    step("format", "rustfmt would change nothing").tools("rustfmt").script("cargo fmt --all --check"),
    step("words", "comments, documentation, names and commit subjects keep the rules of plain words")
        .check(words::check),
    // With all members, so that its dependencies have the features that they have for the tests.
    step("bindgen", "builds wasm-bindgen's generator, in the version of Cargo.lock")
        .script("cargo build --workspace --features xtask/bindgen --bin bindgen"),
    step("engine", "builds and optimises target/artifacts/engine.wasm")
        .tools("wasm-target node npm-package")
        .script("engine"),
    step("npm-package", "builds and packs target/artifacts/adjudicate-VERSION.tgz")
        .tools("wasm-target node npm-package")
        .after("bindgen")
        .script("npm_package"),
    // The tests of all members give their dependencies these features, so cargo compiles each once. With a test of their
    // package, cargo also builds its programs.
    step("command", "builds the `adjudicate` command, and the program that writes the corpus")
        .script("cargo_test --workspace --test cli --test memory --no-run"),
    step("corpus", "writes target/xtask/corpus.ndjson, for tests in other languages: a line for each case")
        .after("command")
        .script("$debug/corpus $ADJUDICATE_CORPUS"),
    step("baked", "bakes the policies of fixtures/policies, by the command, into target/artifacts/baked")
        .after("engine command")
        .script("baked"),
    step("hostile-modules", "writes target/artifacts/hostile, the corpus of modules that hosts must survive")
        .after("command")
        .script("rm -rf $ADJUDICATE_HOSTILE && $ADJUDICATE conformance --export $ADJUDICATE_HOSTILE"),
    step("clippy", "clippy warns of nothing in the workspace, tests included").script("lint --workspace"),
    step("tests", "tests and examples of all members, with the corpus natively and in wasmtime")
        .after("engine command baked")
        .tests(&["cargo_test --workspace"]),
    step("consumer", "installs the packed npm package in target/xtask/consumer")
        .tools("node")
        .after("npm-package")
        .script("consumer"),
    step("corpus-node", "the corpus in Node: the packed npm package, the engine module and baked policies")
        .tools("node")
        .after("engine baked consumer corpus")
        .tests(&["cd $ADJUDICATE_CONSUMER && node node.mjs"]),
    step("corpus-chromium", "the corpus in Chromium: the same")
        .tools("node npm-package chromium")
        .after("engine baked consumer corpus")
        .tests(&["node tests/corpus/chromium.mjs"]),
    step("npm", "the npm package's own tests, on the packed package")
        .tools("node npm-package chromium")
        .after("engine baked command corpus consumer hostile-modules")
        .tests(&["cd js && npm run test"]),
];

/// The additional steps of `cargo xtask test --all`. They compile with other features or compilers, fetch much, need a
/// server of another project, hold budgets, or take long.
pub(crate) static FURTHER: &[Step] = &[
    step("guests", "modules in four languages, by the commands that `adjudicate new` prints")
        .tools("wasm-target node python zig")
        .after("command")
        .script("guests"),
    step("clippy-further", "clippy warns of nothing in the tests that only `--all` runs")
        .script("lint --workspace --test cluster --test guests --test memory --test servers"),
    step("features", "clippy warns of nothing in the command without each of its features, nor without any")
        .tools("clippy")
        .script("features"),
    step("clippy-wasm", "clippy warns of nothing in the wasm crate and the guest SDK")
        .tools("clippy wasm-target")
        .script("clippy_wasm"),
    step("fuzz-targets", "the fuzz targets except `module` compile").script("check_fuzz"),
    // Their workspace has other features of wasmtime, so this target compiles it again.
    step("fuzz-module", "the fuzz target `module` compiles, and wasmtime for it")
        .script("check_fuzz --features host"),
    // Without Miri, a program notices less: it fails if an answer is wrong, or if memory ends.
    step("miri-programs", "the programs of step `miri` run without Miri").script("without_miri"),
    step("rustdoc", "rustdoc warns of nothing")
        .script("RUSTDOCFLAGS='--deny warnings' cargo doc --workspace --no-deps --document-private-items"),
    step("tests-further", "tests that kill processes, depend on the order of threads, or take long")
        .after("engine command baked consumer")
        .tests(&["cargo_test --workspace --tests -- --ignored"]),
    step("tests-guests", "the modules of step `guests` in the wasmtime sandbox")
        .after("guests")
        .tests(&["cargo_test --workspace --test guests"]),
    step("memory", "the memory of each operation is bounded by its input")
        .tests(&["cargo_test --workspace --test memory"]),
    step("servers", "the server as a process: attacks, TLS, tokens, shutdown, memory, a soak")
        .after("engine")
        .tests(&["cargo_test --workspace --test servers -- serve::"]),
    step("oci", "modules pushed to and pulled from a registry, Debian's docker-registry")
        .tools("registry")
        .tests(&["with_registry cargo_test --workspace --test servers -- oci::"]),
    step("cluster", "hosts share slots and records through a nats-server that is killed and meddled with")
        .tools("python nats")
        .after("engine")
        .tests(&[
            "with_nats cargo_test --workspace --test cluster",
            "with_nats cargo_test --workspace --test servers -- cluster::",
        ]),
    step("python-host", "the corpus of hostile modules through the host in Python")
        .tools("python python-host")
        .after("engine hostile-modules")
        .tests(&["python_host"]),
    step("schemas", "the fixtures are valid by docs/schemas, with Python's jsonschema")
        .tools("python schemas")
        .after("corpus")
        .tests(&["cd tests/schemas && $scratch/schemas/bin/python check.py"]),
    step("mcp-client", "the official client in Python calls the tools of `adjudicate mcp` and `serve --mcp`")
        .tools("python mcp")
        .after("command corpus")
        .tests(&["cd tests/mcp && $scratch/mcp/bin/python client.py $ADJUDICATE"]),
    step("workflows", "linters find no fault in workflows, action.yml, scripts, .gitlab and hooks")
        .tools("python linters")
        .script("workflows"),
    step("archives", "the published crates compile from their archives").script("archives"),
    step("bindgen-tests", "builds wasm-bindgen's test runner, in the version of Cargo.lock")
        .script("cargo build --package xtask --features bindgen-tests --bin bindgen-tests"),
    step("wasm-bindgen-node", "wasm-bindgen-test in Node")
        .tools("wasm-target node")
        .after("bindgen-tests")
        .tests(&["wasm_tests cargo"]),
    // The runner serves a page, and the script opens the page in a browser. So no WebDriver is needed.
    step("wasm-bindgen-chromium", "wasm-bindgen-test in headless Chromium")
        .tools("wasm-target node npm-package chromium")
        .after("bindgen-tests")
        .tests(&["wasm_tests node js/scripts/wasm-tests.mjs cargo"]),
    step("npm-further", "the npm package's memory over many calls, the time limit of its program, and slow clients of its service")
        .tools("node npm-package")
        .after("corpus consumer")
        .tests(&["cd js && npm run test:further"]),
    // The command runs the cases that the page exports.
    step("playground", "checks, tests and builds the playground, with the packed package")
        .tools("node npm-playground")
        .after("engine npm-package command corpus")
        .script("playground")
        .tests(&["cd js/playground && npm test"]),
    step("playground-browser", "journeys, axe, hostile modules, no network; pictures of all views")
        .tools("node npm-package npm-playground chromium firefox")
        .after("command corpus baked guests hostile-modules playground")
        .tests(&["cd js/playground && npm run test:browser", "cd js/playground && npm run test:firefox"]),
    step("consumers", "the packed package in Node, Vite and esbuild; its sizes; publint and attw")
        .tools("node npm-package npm-first chromium")
        .after("engine guests corpus npm-package")
        .tests(&["matrix first bundles.test.mjs package.test.mjs sizes.test.mjs"]),
    step("matrix-runtimes", "the packed package in Bun, Deno and workerd")
        .tools("node npm-package npm-rest")
        .after("guests corpus npm-package")
        .tests(&["matrix rest runtimes.test.mjs"]),
    step("matrix-bundlers", "the packed package in pages of webpack, Rollup and Parcel")
        .tools("node npm-package npm-rest chromium")
        .after("guests corpus npm-package")
        .tests(&["matrix rest bundlers.test.mjs"]),
    step("matrix-next", "the packed package in Next.js: a page, a route in Node, a route on the edge")
        .tools("node npm-package npm-rest chromium")
        .after("guests corpus npm-package")
        .tests(&["matrix rest next.test.mjs"]),
];

/// Steps that run only by name, in an area, or for another task. Most are parts of other steps, for work on one crate,
/// because they compile fewer dependencies.
pub(crate) static NAMED: &[Step] = &[
    // Not part of a run, because not every machine can fetch other compilers.
    step("rust-versions", "each crate compiles with the oldest compiler that it promises")
        .tools("cargo-hack")
        .script("cargo hack check --workspace --no-private --rust-version --locked --all-features"),
    step("clippy-changed", "clippy warns of nothing in the members that git finds changed")
        .tools("clippy")
        .script("changed_clippy"),
    step("units-core", "the unit tests of adjudicate-core and adjudicate-lang")
        .tests(&["cargo_test --package adjudicate-core --package adjudicate-lang --lib"]),
    step("tests-core", "tests and examples of the crates in core/, with their own features only")
        .tests(&["cargo_test_members core lang derive evidence yaml"]),
    step("corpus-native", "the corpus, natively")
        .tests(&["cargo_test --package adjudicate-core --test engine -- corpus::"]),
    step("doctests", "the examples in the documentation").tests(&["cargo_test --workspace --doc"]),
    step("tests-host", "tests of the crates trust, sandbox, conformance, host and cluster")
        .after("engine")
        .tests(&["cargo_test_members trust sandbox conformance host cluster"]),
    step("tests-cli", "tests of the command, and of adjudicate-registry and adjudicate-serve")
        .after("engine")
        .tests(&["cargo_test --package adjudicate --package adjudicate-registry --package adjudicate-serve"]),
    step("tests-wasm", "tests of adjudicate-wasm and of adjudicate-guest, compiled for this machine")
        .tests(&["cargo_test --package adjudicate-wasm --package adjudicate-guest"]),
    step("miri", "the unsafe code of the modules under Miri; needs a nightly compiler with Miri")
        .script("with_miri"),
    step("soak", "ADJUDICATE_SOAK_SECONDS (600) of load on a server, then PROPTEST_CASES (100,000) calls")
        .after("engine")
        .tests(&[
            "soak cargo_test --release --workspace --test servers -- soak:: --nocapture",
            "soak cargo_test --workspace --test all -- agreement:: --nocapture",
        ]),
    // With `--verbose`, it prints a row for each page.
    step("first-hour", "the pages of docs/start and docs/tutorial, as printed: their steps and seconds")
        .tools("node npm-package python")
        .after("engine consumer")
        .tests(&["cargo_test --package adjudicate --test cli -- --ignored --nocapture reference::"]),
    // Tests write the files, because tests see all crates. Without ADJUDICATE_GENERATE they fail if a file is not current.
    step("generate", "writes the files that are made from tables in the code").tools("clippy").tests(&[
        "generate adjudicate-tests all codes:: vocabulary:: schemas::operations:: typescript::",
        "generate adjudicate-guest guest generated::",
        "generate adjudicate cli schemas:: commands::the_page",
        // It reads the schemas.
        "generate adjudicate-tests all reference::",
    ]),
    // Without the dependencies of the tests, for tasks that run no tests.
    step("corpus-alone", "the file of step `corpus`, by a program with other features")
        .script("cargo run --quiet --package adjudicate-tests --bin corpus -- $ADJUDICATE_CORPUS"),
    step("page", "builds target/playground")
        .tools("node npm-playground")
        .after("npm-package corpus-alone")
        .script("playground"),
    step("bench", "the ratios and sizes of docs/benchmarks.md")
        .tools("node")
        .after("engine consumer")
        .script("bench"),
    step("bench-peers", "other engines on the same rules and schemas").script("bench_peers"),
    step("bench-js-peers", "other engines for JavaScript on the same rules")
        .tools("node")
        .after("consumer corpus-alone")
        .script("bench_js_peers"),
    step("bench-extism", "the engine as an Extism plugin")
        .tools("wasm-target node npm-package")
        .after("engine")
        .script("bench_extism"),
];

/// The names that stand for several steps.
pub(crate) static AREAS: [(&str, &str); 8] = [
    ("quick", "format words clippy-changed units-core corpus-native"),
    ("core", "format tests-core corpus-native"),
    ("wasm", "engine clippy-wasm tests-wasm wasm-bindgen-node"),
    ("host", "format tests-host"),
    ("cli", "format tests-cli"),
    ("js", "corpus-node corpus-chromium npm"),
    ("docs", "format rustdoc doctests"),
    ("matrix", "consumers matrix-runtimes matrix-bundlers matrix-next"),
];

/// All steps, of every list.
pub(crate) fn all() -> Vec<&'static Step> {
    GATE.iter().chain(FURTHER).chain(NAMED).collect()
}

/// Returns the names of the steps of an area, or the one name.
pub(crate) fn of_area(name: &str) -> Vec<&str> {
    let area = AREAS.iter().find(|(area, _)| *area == name);
    area.map_or_else(|| vec![name], |(_, steps)| steps.split_whitespace().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::choose;

    #[test]
    fn every_step_has_a_unique_name_and_stands_after_the_steps_that_it_needs() {
        let steps = all();
        for (index, step) in steps.iter().enumerate() {
            let before: Vec<&str> = steps[..index].iter().map(|step| step.name).collect();
            assert!(!before.contains(&step.name), "there are two steps `{}`", step.name);
            for needed in step.needs() {
                assert!(before.contains(&needed), "`{}` needs `{needed}` before it", step.name);
            }
            assert!(step.required_tools().is_ok(), "`{}` needs a tool that is not there", step.name);
        }
    }

    #[test]
    fn areas_consist_of_steps_and_no_step_has_the_name_of_an_area() {
        for (area, _) in AREAS {
            assert!(choose(&all(), &of_area(area)).is_ok(), "{area}");
            assert!(choose(&all(), &[area]).is_err(), "`{area}` is a step");
        }
    }
}
