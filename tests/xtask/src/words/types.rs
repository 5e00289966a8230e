//! One type of each name in a crate, so that a search for a type finds that type.

use std::collections::BTreeMap;

use super::{File, Rule, Violation};

/// Adds each name that a crate or package declares for more than one type, outside of tests.
pub(super) fn judge(files: &[File], violations: &mut Vec<Violation>) {
    let mut declared: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for file in files.iter().filter(|file| is_production(&file.path)) {
        let Some((folder, _)) = file.path.split_once("/src/") else { continue };
        for (number, line) in file.text.lines().enumerate() {
            if let Some(name) = declaration(line) {
                declared.entry((folder, name)).or_default().push(format!("{}:{}", file.path, number + 1));
            }
        }
    }
    for ((folder, name), locations) in declared {
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

/// Returns whether a file is code that users run. `no_nats` and its like stand in for a part that features or the platform leave out, under the
/// same names.
fn is_production(path: &str) -> bool {
    (path.ends_with(".rs") || path.ends_with(".ts") && !path.ends_with(".d.ts"))
        && !["/tests/", "/tests.rs", "_tests.rs", "/no_modules", "/no_nats", "/no_progress", "/wasi/"]
            .iter()
            .any(|part| path.contains(part))
}

/// Returns the name that a line at the margin declares: declarations inside of functions and test modules are indented.
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
    fn declarations() {
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
}
