//! `push` and `pull` with a registry that others wrote: the program in `ADJUDICATE_REGISTRY`, which is Debian's
//! `docker-registry`.

mod access;
mod layout;
mod modules;
mod registry;

use adjudicate_sandbox::manifest;

/// A module of this version that has so many bytes that mean nothing.
fn module(version: &str, padding: usize) -> Vec<u8> {
    let padding = "p".repeat(padding);
    let text = format!(
        r#"(module (memory (export "memory") 1 16)
            (func (export "adjudicate_abi_1") (result i32) (i32.const 0))
            (func (export "adjudicate_alloc") (param i32) (result i32) (i32.const 1024))
            (func (export "adjudicate_call") (param i32 i32 i32) (result i32) unreachable)
            (@custom "padding" "{padding}"))"#
    );
    let about = format!(
        r#"{{"abi":1,"name":"gate","version":"{version}","description":"says \"no\"","license":"MIT OR Apache-2.0","operations":["evaluate"]}}"#
    );
    manifest::append(&wat::parse_str(text).unwrap(), &about).unwrap()
}
