//! Modules for the tests.

use crate::{hosts::envelope, looping::looping};

/// A module that answers the same to every envelope, after so many turns of a loop.
pub(crate) fn module(name: &str, turns: u32) -> Vec<u8> {
    looping(name, turns, &envelope("r", "src/lib.rs"))
}
