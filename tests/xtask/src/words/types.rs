//! One type of each name in a crate, so that a search for a type finds that type.

use std::collections::BTreeMap;

use super::{File, Rule, Violation};

/// The places that declare each name: of a folder of a crate or package, then of a type.
type Declarations<'a> = BTreeMap<(&'a str, &'a str), Vec<String>>;

/// Adds each name that a crate or package declares for more than one type, outside of tests.
pub(super) fn judge(files: &[File], violations: &mut Vec<Violation>) {
    for ((folder, name), locations) in declarations(files) {
        if let [first, _, ..] = locations.as_slice() {
            violations.push(Violation {
                rule: Rule::SharedType,
                location: first.clone(),
                text: format!(
                    "{folder} declares `{name}` {} times: {}",
                    locations.len(),
                    locations.join(", ")
                ),
            });
        }
    }
}

/// Returns the types that crates and packages declare outside of tests.
pub(super) fn declarations(files: &[File]) -> Declarations<'_> {
    let mut declared = Declarations::new();
    for file in files.iter().filter(|file| is_production(&file.path)) {
        let Some((folder, _)) = file.path.split_once("/src/") else { continue };
        let mut is_macro = false;
        for (number, line) in file.text.lines().enumerate() {
            if !line.starts_with(' ') && !line.is_empty() {
                is_macro = line.ends_with(" {") && line.contains("! ");
            }
            // An associated type is no declaration.
            let inner = Some(line.trim_start()).filter(|inner| is_macro && !inner.starts_with("type "));
            if let Some(name) = declaration(inner.unwrap_or(line)) {
                declared.entry((folder, name)).or_default().push(format!("{}:{}", file.path, number + 1));
            }
        }
    }
    declared
}

/// Returns whether a file is code that users run. `no_nats` and its like stand in for a part that features or the platform leave out, under the
/// same names.
fn is_production(path: &str) -> bool {
    (path.ends_with(".rs") || path.ends_with(".ts") && !path.ends_with(".d.ts"))
        && !["/tests/", "/tests.rs", "_tests.rs", "/no_modules", "/no_nats", "/no_progress", "/wasi/"]
            .iter()
            .any(|part| path.contains(part))
}

/// Returns the name that a line at the margin declares: declarations inside of functions and test modules are indented. Those of a macro
/// are, too, so its lines come without their indentation.
fn declaration(line: &str) -> Option<&str> {
    let words = ["struct", "enum", "trait", "union", "type", "interface", "class", "abstract class"];
    let line = match line.strip_prefix("pub") {
        Some(rest) => {
            rest.strip_prefix('(').map_or(rest, |scope| scope.split_once(')').map_or(rest, |(_, rest)| rest))
        }
        None => line.strip_prefix("export").unwrap_or(line),
    };
    let line = line.strip_prefix(' ').unwrap_or(line);
    let rest = words.iter().find_map(|word| line.strip_prefix(word)?.strip_prefix(' '))?;
    // `export type { Name } from` and `type Name from` declare nothing.
    rest.split(|sign: char| !sign.is_alphanumeric() && sign != '_').next().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_declarations() {
        for (line, name) in [
            ("pub(crate) struct Place<'a> {", Some("Place")),
            ("pub enum Word {", Some("Word")),
            ("struct Unit;", Some("Unit")),
            ("    struct Inner;", None),
            ("impl Place {", None),
            ("pub(super) type Members<'a> = Vec<Member<'a>>;", Some("Members")),
            ("export interface Decision {", Some("Decision")),
            ("export type { Decision } from \"./decision.js\";", None),
            ("abstract class Host {", Some("Host")),
            ("export function type(text: string) {", None),
        ] {
            assert_eq!(declaration(line), name, "{line}");
        }
    }

    #[test]
    fn types_in_macros_are_declared() {
        let text = "macro_rules! m {\n    () => {\n        pub enum Word { $name }\n        struct $name;\n\n        struct Unit;\n    };\n}\nfn f() {\n    struct Inner;\n}\n";
        let file = File { path: "core/src/a.rs".to_owned(), text: text.to_owned() };
        let files = [file];
        let names: Vec<_> = declarations(&files).into_keys().map(|(_, name)| name).collect();
        assert_eq!(names, ["Unit", "Word"]);
    }
}
