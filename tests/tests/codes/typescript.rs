//! The union of codes in the declarations of the npm package.
//!
//! The package has two sources of errors. The engine raises the codes of the core and of the crates below it. The package's own
//! TypeScript raises codes of any crate. It names them by literals, and the compiler refuses a literal that the union lacks.

use std::{fs, path::Path};

use adjudicate_core::codes::{ErrorCodeTable, TABLE as ENGINE};
use adjudicate_tests::workspace_root;

/// Writes the union.
pub(super) fn union(tables: &[&ErrorCodeTable]) -> String {
    let mut sources = String::new();
    read(&workspace_root().join("js/src"), &mut sources);
    let names = tables.iter().flat_map(|table| table.rows).map(|row| row.code.as_str());
    let is_raised = |name: &&str| ENGINE.find(name).is_some() || sources.contains(&format!("\"{name}\""));
    let members: Vec<_> = names.filter(is_raised).map(|name| format!("\n    | \"{name}\"")).collect();
    format!(
        "/** The codes of errors of the engine and of this package. */\nexport type ErrorCode ={};\n",
        members.concat()
    )
}

/// Reads the TypeScript of a folder, except what is generated there.
fn read(folder: &Path, sources: &mut String) {
    for entry in fs::read_dir(folder).expect("the package has sources") {
        let path = entry.expect("they can be listed").path();
        if path.is_dir() && !path.ends_with("generated") {
            read(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "ts") {
            sources.push_str(&fs::read_to_string(path).expect("they can be read"));
        }
    }
}
