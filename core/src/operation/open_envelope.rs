//! An envelope that is kept and changed, for previews.

use adjudicate_lang::{
    Error,
    json::{EditableText, MAX_DOCUMENT_BYTES, ReadLimits},
};
use alloc::string::String;

use super::call;
use crate::{Operation, policy::Policy};

/// An envelope that stays in memory and takes changes. An evaluation after a change reads only what has changed from text.
///
/// Its answers and errors are those of [`Operation::call_with`] for the changed text.
///
/// ```
/// use adjudicate_core::{OpenEnvelope, Operation};
/// let mut open = OpenEnvelope::read(Operation::Evaluate.example().as_bytes())?;
/// open.set("/evidence/validation/exit_codes/test", b"1")?;
/// let answer = open.evaluate(None)?;
/// assert!(answer.starts_with(r#"{"decision":{"status":"blocked""#));
/// assert_eq!(Operation::Evaluate.call(open.text().as_bytes())?, answer);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Debug)]
pub struct OpenEnvelope(EditableText);

impl OpenEnvelope {
    /// Opens the input of `evaluate`: an envelope, or a call.
    ///
    /// # Errors
    ///
    /// Those of [`Operation::read`]. The fields are read by [`evaluate`](Self::evaluate).
    pub fn read(input: &[u8]) -> Result<Self, Error> {
        let limits = ReadLimits { documents: Operation::Evaluate.documents(), bytes: MAX_DOCUMENT_BYTES };
        EditableText::read(input, limits).map(Self)
    }

    /// Sets the value at a JSON Pointer, as [`EditableText::set`] does.
    ///
    /// The value may have a type that the envelope does not allow. Then [`evaluate`](Self::evaluate) returns the error until another
    /// change corrects the value.
    ///
    /// # Errors
    ///
    /// Those of [`EditableText::set`]. The envelope is then as before.
    pub fn set(&mut self, pointer: &str, value: &[u8]) -> Result<(), Error> {
        self.0.set(pointer, value)
    }

    /// Removes the field or the item at a JSON Pointer, as [`EditableText::remove`] does.
    ///
    /// # Errors
    ///
    /// Those of [`EditableText::remove`]. The envelope is then as before.
    pub fn remove(&mut self, pointer: &str) -> Result<(), Error> {
        self.0.remove(pointer)
    }

    /// Returns the text with all changes.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.as_str()
    }

    /// Evaluates the envelope.
    ///
    /// # Errors
    ///
    /// Those of [`Operation::call_with`].
    pub fn evaluate(&mut self, configured: Option<&Policy>) -> Result<String, Error> {
        self.0.with_tape(|tape| call::evaluate_read(tape.root(), configured))
    }
}
