//! The codes of errors: each has one owner, and the files that list them are current.
//!
//! The crates declare their codes in modules `codes`. `cargo xtask generate` runs these tests with `ADJUDICATE_GENERATE` set;
//! they then write the files that they otherwise compare.

#[cfg(feature = "host")]
mod generated;
#[cfg(feature = "host")]
mod page;
#[cfg(feature = "host")]
mod typescript;

// The command and the npm package are no libraries, so their codes are compiled in as they stand. The reader of YAML
// (`policies/suite.rs`) needs them, too.
#[path = "../../host/cli/src/codes/own.rs"]
mod command;
#[cfg(feature = "host")]
#[path = "../../wasm/src/codes.rs"]
mod npm;

pub(crate) use adjudicate_core::codes::*;
pub(crate) use command::MALFORMED_YAML;
