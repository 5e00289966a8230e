//! Assembles the hostile modules (`hostile/*.wast`), so that the program that exports them for hosts in other languages needs no
//! assembler.

use std::{env, error::Error, fmt::Write as _, fs, path::Path};

use wast::{
    QuoteWat, Wast, WastDirective, Wat,
    parser::{self, ParseBuffer},
};

const FOLDER: &str = "hostile";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={FOLDER}");
    let out = env::var("OUT_DIR")?;
    let mut files =
        fs::read_dir(FOLDER)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "wast"));
    files.sort();
    let mut table = "&[\n".to_owned();
    for path in files {
        let file = path.file_name().and_then(|name| name.to_str()).ok_or("a name that is not UTF-8")?;
        let script = fs::read_to_string(&path)?;
        let placed = |mut error: wast::Error| {
            error.set_path(&path);
            error.set_text(&script);
            error
        };
        let buffer = ParseBuffer::new(&script).map_err(placed)?;
        for directive in parser::parse::<Wast<'_>>(&buffer).map_err(placed)?.directives {
            let WastDirective::Module(QuoteWat::Wat(Wat::Module(mut module))) = directive else {
                return Err(format!("{file} has a directive that is no module").into());
            };
            // Assembled, the name would be a part of the module.
            let name = module.id.take().ok_or_else(|| format!("{file} has a module without a name"))?.name();
            let assembled = Path::new(&out).join(name).with_extension("wasm");
            fs::write(&assembled, module.encode().map_err(placed)?)?;
            writeln!(table, "    ({file:?}, {name:?}, include_bytes!({assembled:?})),")?;
        }
    }
    table.push(']');
    fs::write(Path::new(&out).join("hostile.rs"), table)?;
    Ok(())
}
