//! The call of `merge_diagnostics`.

use alloc::{string::String, vec::Vec};

use super::{Bundle, Diagnostic, Weight, Weights};
use crate::{
    error::Error,
    json::{
        self, Limits,
        object::{Field, Form, optional, read_items, read_object, required},
    },
};

const CALL: &[Field] = &[required("diagnostics", Form::List), optional("weights", Form::Object)];

const WEIGHTS: &[Field] = &[optional("hard", Form::Magnitude), optional("soft", Form::Magnitude)];

/// Merges the diagnostics of `{"diagnostics": [...], "weights": {"hard", "soft"}}` into a bundle (SPEC section 7.3).
///
/// # Errors
///
/// What is wrong with the text, then the first of its members in document order, with a pointer to it.
///
/// ```
/// let call = br#"{"diagnostics":[{"severity":"soft","status":"unsatisfied","constraintId":"two","cause":"unsatisfied_soft"}]}"#;
/// assert_eq!(
///     adjudicate_core::plan::merge_text(call)?,
///     concat!(
///         r#"{"status":"accepted_with_findings","satisfactionScore":0.0,"failures":[],"#,
///         r#""warnings":[{"severity":"soft","status":"unsatisfied","constraintId":"two","cause":"unsatisfied_soft"}],"#,
///         r#""infos":[]}"#,
///     ),
/// );
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn merge_text(input: &[u8]) -> Result<String, Error> {
    let tape = json::read(input, Limits::DOCUMENT)?;
    let mut diagnostics = Vec::new();
    let mut weights = Weights::default();
    read_object(tape.root(), CALL, &mut |at, member| match at {
        0 => read_items(member, &mut |item| {
            diagnostics.push(Diagnostic::read(item)?);
            Ok(())
        }),
        _ => read_object(member, WEIGHTS, &mut |at, weight| {
            let place = if at == 0 { &mut weights.hard } else { &mut weights.soft };
            *place = Weight::read(weight);
            Ok(())
        }),
    })?;
    Ok(Bundle::of(diagnostics, weights).to_json())
}
