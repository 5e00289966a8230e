//! The words that the npm package compares at run time: `js/src/words.ts`.

use std::collections::BTreeSet;

use adjudicate_core::{
    Operation,
    document::{Content, Definition},
};

use super::{methods, types::Types};

/// The lists of words: the name of the constant, and the type whose words it has.
const LISTS: [(&str, &str); 4] =
    [("ACTION_TYPES", "Action"), ("OUTSIDE", "Outside"), ("PATH_CASES", "PathCase"), ("STATUSES", "Status")];

/// Returns the text of the file.
pub(super) fn file(types: &Types) -> String {
    let bare =
        Operation::ALL.iter().filter(|operation| operation.is_bare()).map(|operation| operation.name());
    let about = "The operations that take an envelope without a call around it.";
    let mut constants = constant(about, "BARE_OPERATIONS", "OperationName", bare.collect());
    for (name, of) in LISTS {
        let (definition, _) = types.all().find(|(definition, _)| definition.name == of).expect("a type");
        let (kind, words) = words(definition);
        constants.push_str(&constant(&format!("The words of `{kind}`."), name, &kind, words));
    }
    let imports: BTreeSet<_> = LISTS.iter().map(|(_, of)| *of).chain(["OperationName"]).collect();
    let imports = imports.into_iter().collect::<Vec<_>>().join(", ");
    constants.push_str(&methods::constants());
    format!(
        "/** Words of the engine that the package compares at run time. `cargo xtask generate` writes this file. */\n\
         import type {{ {imports} }} from \"./generated/types.js\";\n{constants}"
    )
}

/// Returns the words of a type, and their type in TypeScript.
fn words(definition: &Definition) -> (String, Vec<&'static str>) {
    match definition.content {
        Content::Words(words) => (definition.name.to_owned(), words.iter().map(|word| word.name).collect()),
        Content::Tagged { tag, variants, .. } => {
            (format!("{}[\"{tag}\"]", definition.name), variants.iter().map(|variant| variant.name).collect())
        }
        _ => panic!("`{}` is not a closed list of words", definition.name),
    }
}

fn constant(about: &str, name: &str, kind: &str, words: Vec<&str>) -> String {
    let words = words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ");
    format!("\n/** {about} */\nexport const {name}: readonly {kind}[] = [{words}];\n")
}
