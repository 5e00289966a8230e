//! Puts the engine module into the command, if it is built with `ADJUDICATE_EMBED_ENGINE=/path/to/engine.wasm`: `adjudicate
//! build` then needs no other file. Nothing is built here.

use std::{env, path::Path};

const VARIABLE: &str = "ADJUDICATE_EMBED_ENGINE";

fn main() {
    println!("cargo::rustc-check-cfg=cfg(embedded_engine)");
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    println!("cargo::rerun-if-changed=build.rs");
    let Some(engine) = env::var(VARIABLE).ok().filter(|engine| !engine.is_empty()) else { return };
    if !Path::new(&engine).is_absolute() {
        println!("cargo::error={VARIABLE} must be an absolute path, for cargo builds in another directory");
    }
    println!("cargo::rerun-if-changed={engine}");
    println!("cargo::rustc-env=ADJUDICATE_EMBEDDED_ENGINE={engine}");
    println!("cargo::rustc-cfg=embedded_engine");
}
