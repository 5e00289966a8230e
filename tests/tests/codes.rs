//! Error codes: one crate declares each code, and the files that list the codes are current.
//!
//! The crates declare their codes in modules `codes`. `cargo xtask generate` sets `ADJUDICATE_GENERATE` for these
//! tests. Then they write the files that they otherwise compare.

mod explained;
mod generated;
mod rule_pages;

// The command and the npm package are not libraries, so this crate compiles their files of codes.
#[path = "../../host/cli/src/codes/own.rs"]
mod command;
#[path = "../../wasm/src/codes.rs"]
mod npm;
