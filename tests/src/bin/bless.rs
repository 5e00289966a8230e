//! `bless [NAME...]` writes the answers of the named cases, or of all, from the native engine.
//!
//! A file pins every byte of an answer except white space. The program lists the changed cases: review their differences
//! before you commit them.

use std::{env, error::Error, io};

use adjudicate_core::Operation;
use adjudicate_tests::{COMPOSITIONS, Case, CaseFile, Composition, workspace_root};

fn main() -> Result<(), Box<dyn Error>> {
    let names: Vec<String> = env::args().skip(1).collect();
    let (mut unknown, mut written) = (names.clone(), 0);
    let mut write = |folder: &str, native: &dyn Fn(&Case) -> String| -> io::Result<()> {
        for mut file in CaseFile::read_folder(&workspace_root().join("fixtures").join(folder))? {
            let is_chosen = |name: &str| {
                unknown.retain(|one| one != name);
                names.is_empty() || names.iter().any(|one| one == name)
            };
            for (name, is_new) in file.bless(is_chosen, native)? {
                println!("{:<8} {name}", if is_new { "new" } else { "changed" });
                written += 1;
            }
        }
        Ok(())
    };
    for operation in Operation::ALL {
        let native = |case: &Case| operation.call(&case.call).unwrap_or_else(|error| error.to_json());
        write(operation.name(), &native)?;
    }
    write(COMPOSITIONS, &|case| Composition::from(case.clone()).native_answer())?;
    if let Some(name) = unknown.first() {
        return Err(format!("`{name}` is not a case").into());
    }
    println!("{written} answers written");
    Ok(())
}
