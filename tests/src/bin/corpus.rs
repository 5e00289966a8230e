//! `corpus FILE` writes all cases to one file, one on each line, for tests in other languages. `corpus --calls FOLDER`
//! writes each call to a file, for the fuzz targets.

use std::{env, error::Error, fs, path::Path};

use adjudicate_core::Operation;
use adjudicate_tests::{COMPOSITIONS, Case, corpus};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let folders = Operation::ALL.iter().map(|operation| operation.name()).chain([COMPOSITIONS]);
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--calls", folder] => {
            for name in folders {
                let folder = Path::new(folder).join(name);
                fs::create_dir_all(&folder)?;
                for Case { name, call, .. } in corpus::read_cases(name)? {
                    fs::write(folder.join(name), call)?;
                }
            }
        }
        [file] => {
            let mut lines = String::new();
            for name in folders {
                for case in corpus::read_cases(name)? {
                    lines.push_str(&corpus::line(name, &case)?);
                }
            }
            fs::create_dir_all(Path::new(file).parent().ok_or("expected a path in a folder")?)?;
            fs::write(file, lines)?;
        }
        _ => return Err("expected `corpus FILE` or `corpus --calls FOLDER`".into()),
    }
    Ok(())
}
