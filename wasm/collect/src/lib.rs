//! Collections and readers of reports as a WebAssembly module for Node: the part of `adjudicate/collect` without I/O.
//!
//! The module imports nothing. Node writes a message into a buffer of the module, calls a function, and reads the next message from the buffer:
//!
//! ```text
//! collect, run    options -> request          read_report    report -> reading, or error
//! resume          answer  -> request, or the end
//! ```
//!
//! A message is a list of fields, each with its length in four bytes before it (little endian). One instance has one collection.
//!
//! `collection` goes from a folder to an envelope or a decision, as a future.

mod collection;
pub mod exports;
mod report;
