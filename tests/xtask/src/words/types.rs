//! One type of each name in a crate, and one public type of each name in all crates, so that a search for a type finds that type.

use std::collections::BTreeMap;

use super::{File, Rule, Violation};

/// The declarations of each name: of a folder of a crate or package, then of a type.
type Declarations<'a> = BTreeMap<(&'a str, &'a str), Vec<Declaration>>;

/// A declaration of a type.
pub(super) struct Declaration {
    location: String,
    is_public: bool,
}

/// The crates whose public names may be those of other crates, with the reasons.
const FREE_CRATES: [(&str, &str); 3] = [
    ("core/derive", "a crate of macros exports no type"),
    ("host/cli", "the crate is a program"),
    ("wasm/guest", "the SDK has no dependencies, and gives its types the names of the documents"),
];

/// The public names that several crates may declare, with the reasons.
const SHARED_NAMES: [(&str, &str); 3] = [
    ("ComposedCall", "the class of `wasm` holds the type of `core`, and has its name in JavaScript"),
    ("OpenEnvelope", "the class of `wasm` holds the type of `core`, and has its name in JavaScript"),
    ("Policy", "the class of `wasm` holds the type of `core`, and has its name in JavaScript"),
];

/// Adds each name that a crate or package declares for more than one type, outside of tests, and each public name of several crates.
pub(super) fn judge(files: &[File], violations: &mut Vec<Violation>) {
    let mut public = BTreeMap::<&str, Vec<&str>>::new();
    let declared = declarations(files);
    for (&(folder, name), declarations) in &declared {
        if let [first, _, ..] = declarations.as_slice() {
            let locations: Vec<_> = declarations.iter().map(|one| &*one.location).collect();
            let text =
                format!("{folder} declares `{name}` {} times: {}", locations.len(), locations.join(", "));
            violations.push(Violation { rule: Rule::SharedType, location: first.location.clone(), text });
        }
        if FREE_CRATES.iter().all(|(free, _)| *free != folder) {
            let locations = declarations.iter().filter(|one| one.is_public).map(|one| &*one.location);
            public.entry(name).or_default().extend(locations.take(1));
        }
    }
    for (name, locations) in public {
        let is_allowed = SHARED_NAMES.iter().any(|(shared, _)| *shared == name);
        let (location, text) = match *locations.as_slice() {
            [first, _, ..] if !is_allowed => {
                (first, format!("several crates declare a public `{name}`: {}", locations.join(", ")))
            }
            [only] if is_allowed => {
                (only, format!("`{name}` is the name of one public type: remove it from `SHARED_NAMES`"))
            }
            _ => continue,
        };
        violations.push(Violation { rule: Rule::SharedType, location: location.to_owned(), text });
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
            let line = inner.unwrap_or(line);
            if let Some(name) = declaration(line) {
                let location = format!("{}:{}", file.path, number + 1);
                let is_public = is_of_crate(&file.path) && line.starts_with("pub ");
                declared.entry((folder, name)).or_default().push(Declaration { location, is_public });
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

/// Returns whether a file is part of a crate that the project publishes.
fn is_of_crate(path: &str) -> bool {
    path.ends_with(".rs") && !path.starts_with("tests/")
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

    #[test]
    fn public_names_of_several_crates() {
        let violations = |sources: &[(&str, &str)]| {
            let file = |&(path, text): &(&str, &str)| File { path: path.to_owned(), text: text.to_owned() };
            let files: Vec<_> = sources.iter().map(file).collect();
            let mut violations = Vec::new();
            judge(&files, &mut violations);
            violations
                .into_iter()
                .map(|Violation { location, text, .. }| (location, text))
                .collect::<Vec<_>>()
        };
        let [core, host] =
            [("core/src/a.rs", "pub struct Place;\n"), ("host/src/b.rs", "pub enum Place {\n")];
        let text = "several crates declare a public `Place`: core/src/a.rs:1, host/src/b.rs:1";
        assert_eq!(violations(&[core, host]), [("core/src/a.rs:1".to_owned(), text.to_owned())]);
        for other in [
            ("host/src/b.rs", "pub(crate) enum Place {\n"),
            ("wasm/guest/src/b.rs", "pub enum Place {\n"),
            ("tests/src/b.rs", "pub enum Place {\n"),
            ("js/src/b.ts", "export interface Place {\n"),
        ] {
            assert!(violations(&[core, other]).is_empty(), "{}", other.0);
        }
        let policies = [("core/src/a.rs", "pub struct Policy;\n"), ("wasm/src/b.rs", "pub struct Policy;\n")];
        assert!(violations(&policies).is_empty());
        assert_eq!(violations(&policies[..1]).len(), 1);
    }
}
