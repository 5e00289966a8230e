//! A goal: sentences of a fixed grammar that become a configuration and a policy.
//!
//! The active goal is in the folder of the run. Its documents stand over those of the repository until it is done or cleared, and the run
//! that it begins has its own base, history and counters.
//!
//! ```
//! use adjudicate_collect::goal::{Given, draft};
//! let root = tempfile::tempdir()?;
//! std::fs::write(root.path().join("Cargo.toml"), "")?;
//! let goal = draft("cargo-test exits 0; only change src/**; within 3 rounds", root.path(), &Given::default())?;
//! assert_eq!(goal.configuration.validators[0].id, "cargo-test");
//! assert!(goal.policy.contains(r#""allowed_paths":["src/**"]"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod documents;
mod sentences;
mod stored;

pub use documents::{Given, GoalDocuments, draft};
pub use stored::{GoalStatus, active, clear, find, set, status};
