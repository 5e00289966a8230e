//! The pages of the book have each name of the tables in the code, and the recipes name files and tests that exist.

pub(crate) mod links;

use std::{fs, path::Path};

use adjudicate_core::{
    Operation, RuleCode,
    documents::{ActionReason, EventKind},
    ir::PlanFormat,
    logic::Operator,
    plan::PlanCode,
};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The most files that a recipe may ask for, outside of fixtures, generated files, proofs and pages.
const MOST_FILES: usize = 5;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_pages_have_each_name_of_the_tables() {
    let of_operations = || Operation::ALL.iter().map(|operation| operation.name()).collect();
    let tables: [(&str, Vec<&str>); 7] = [
        ("rules.md", RuleCode::ALL.iter().map(|code| code.row().name).collect()),
        ("logic.md", Operator::ALL.iter().map(|operator| operator.name()).collect()),
        // Guardrails have one of the codes.
        ("plans.md guardrails.md", PlanCode::ALL.iter().map(|code| code.as_str()).collect()),
        ("guardrails.md", EventKind::WORDS.to_vec()),
        ("guardrails.md", ActionReason::WORDS.to_vec()),
        ("planir.md", PlanFormat::WORDS.to_vec()),
        ("abi.md", of_operations()),
    ];
    for (page, names) in tables {
        let text: String = page.split(' ').map(|page| read(&format!("docs/reference/{page}"))).collect();
        assert!(!names.is_empty());
        for name in names {
            assert!(text.contains(&format!("`{name}`")), "{page} does not have `{name}`");
        }
    }
}

/// The files that a recipe lists: the first code of each item of its section "Files".
fn files(recipe: &str) -> Vec<&str> {
    let section =
        recipe.split("\n## ").find_map(|section| section.strip_prefix("Files\n")).unwrap_or_default();
    let is_item =
        |line: &str| line.split_once(". `").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    let items = section.lines().filter(|line| is_item(line));
    items.filter_map(|line| line.split('`').nth(1)).collect()
}

/// The paths that a recipe names. Names in capitals stand for others.
fn paths(recipe: &str) -> impl Iterator<Item = &str> {
    let is_path = |code: &&str| {
        let folders = code.rsplit_once('/').map_or("", |(folders, _)| folders);
        let is_named = !code
            .split(['/', '.'])
            .any(|part| part.len() > 1 && part.bytes().all(|byte| byte.is_ascii_uppercase()));
        !folders.is_empty() && is_named && code.rsplit('/').next().is_some_and(|file| file.contains('.'))
    };
    recipe.split('`').skip(1).step_by(2).filter(is_path)
}

/// The tests that a recipe names, as `module::test`.
fn tests(recipe: &str) -> impl Iterator<Item = &str> {
    let codes = recipe.split('`').skip(1).step_by(2);
    let is_path =
        |code: &str| code.bytes().all(|byte| matches!(byte, b':' | b'_' | b'a'..=b'z' | b'0'..=b'9'));
    codes.filter(move |code| code.contains("::") && !code.ends_with("::") && is_path(code))
}

/// The text of all sources of the workspace.
fn sources(folder: &Path, out: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && !matches!(name, "target" | "node_modules" | ".git") {
            sources(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push_str(&fs::read_to_string(&path).expect("a source"));
        }
    }
}

#[test]
fn recipes_name_files_and_tests_that_exist() {
    let mut code = String::new();
    sources(Path::new(ROOT), &mut code);
    let index = read("docs/contribute/README.md");
    let mut recipes = 0;
    for entry in fs::read_dir(Path::new(ROOT).join("docs/contribute")).expect("a folder") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        assert!(
            name == "README.md" || index.contains(&format!("({name})")),
            "README.md does not have {name}"
        );
        if matches!(&*name, "README.md" | "releasing.md" | "experiments.md") {
            continue;
        }
        recipes += 1;
        let recipe = read(&format!("docs/contribute/{name}"));
        let files = files(&recipe);
        assert!(!files.is_empty() && files.len() <= MOST_FILES, "{name}: {files:?}");
        for file in paths(&recipe) {
            assert!(Path::new(ROOT).join(file).exists(), "{name}: {file}");
        }
        let mut named = 0;
        for test in tests(&recipe) {
            let function = test.rsplit("::").next().unwrap_or_default();
            assert!(code.contains(&format!("fn {function}(")), "{name}: {test}");
            named += 1;
        }
        assert!(named > 0, "{name} names no test");
    }
    assert_eq!(recipes, 10);
}
