//! `bindgen MODULE FOLDER NAME`: writes wasm-bindgen's JavaScript and TypeScript for bundlers, in the version that
//! `Cargo.lock` pins.

use std::{env, ffi::OsString, process::ExitCode};

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let [module, folder, name] = arguments.as_slice() else {
        eprintln!("usage: bindgen MODULE FOLDER NAME");
        return ExitCode::from(64);
    };
    let mut bindgen = Bindgen::new();
    let written = bindgen
        .input_path(module)
        .out_name(&name.to_string_lossy())
        .typescript(true)
        .bundler(true)
        .and_then(|bindgen| bindgen.generate(folder));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:?}");
            ExitCode::FAILURE
        }
    }
}
