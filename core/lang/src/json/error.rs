//! Errors as JSON, and their paths as JSON Pointers.

use alloc::{string::String, vec::Vec};

use super::{
    object::{ObjectWriter, write_list},
    push_segment,
};
use crate::error::Error;

impl Error {
    /// Puts a segment before the paths.
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn under(self, segment: &str) -> Self {
        let mut prefix = String::new();
        push_segment(&mut prefix, segment);
        self.below(&prefix)
    }

    /// Returns the error as every interface prints it, without a final newline.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::from(r#"{"error":"#);
        let mut members = self.write(&mut out);
        let others: Vec<&Self> = self.all().skip(1).collect();
        if !others.is_empty() {
            members.part("others", |out| write_list(others, out, |other, out| other.write(out).close()));
        }
        members.close();
        out.push('}');
        out
    }

    fn write<'o>(&self, out: &'o mut String) -> ObjectWriter<'o> {
        let mut members = ObjectWriter::open(out);
        members.text("code", Some(self.code().as_str()));
        members.text("message", Some(self.message()));
        members.text("path", Some(self.path()));
        members
    }
}
