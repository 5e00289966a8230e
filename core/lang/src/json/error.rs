//! Errors as JSON, and their paths as JSON Pointers.

use alloc::string::String;

use serde::Serialize;

use super::{push_segment, write};
use crate::error::Error;

impl Error {
    /// The same error, its path under one more segment.
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn under(self, segment: &str) -> Self {
        let mut prefix = String::new();
        push_segment(&mut prefix, segment);
        self.below(&prefix)
    }

    /// The error as every face prints it, without a final newline.
    #[must_use]
    pub fn to_json(&self) -> String {
        /// The wire form.
        #[derive(Serialize)]
        struct Wire<'a> {
            error: Body<'a>,
        }
        #[derive(Serialize)]
        struct Body<'a> {
            code: &'a str,
            message: &'a str,
            path: &'a str,
        }
        let wire =
            Wire { error: Body { code: self.code().as_str(), message: self.message(), path: self.path() } };
        // Three strings always have a JSON form.
        write(&wire)
    }
}
