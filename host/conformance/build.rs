//! Assembles the hostile modules (`hostile/*.wat`), so that the program that exports them for hosts in other languages needs no
//! assembler.

use std::{env, error::Error, fmt::Write as _, fs, path::Path};

const FOLDER: &str = "hostile";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={FOLDER}");
    let out = env::var("OUT_DIR")?;
    let mut files =
        fs::read_dir(FOLDER)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "wat"));
    files.sort();
    let mut table = "&[\n".to_owned();
    for file in files {
        let name = file.file_name().and_then(|name| name.to_str()).ok_or("a name that is not UTF-8")?;
        let assembled = Path::new(&out).join(name).with_extension("wasm");
        fs::write(&assembled, wat::parse_file(&file)?)?;
        writeln!(table, "    ({name:?}, include_bytes!({assembled:?})),")?;
    }
    table.push(']');
    fs::write(Path::new(&out).join("hostile.rs"), table)?;
    Ok(())
}
