//! Braces in patterns: `{a,b}` matches either.

use alloc::{format, string::String, vec::Vec};

use crate::{error::Error, steps::Steps};

/// Expands the braces of a pattern, leftmost and outermost first.
///
/// ```
/// use adjudicate_lang::{Steps, paths::alternatives};
/// assert_eq!(alternatives("{a,b}/c", &mut Steps::default())?, ["a/c", "b/c"]);
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
///
/// # Errors
///
/// [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) when there are more texts than the budget allows.
pub fn expand(text: &str, steps: &mut Steps) -> Result<Vec<String>, Error> {
    let mut out = Vec::new();
    // Depth first and in order. An explicit stack, because patterns can nest deeply.
    let mut pending = Vec::from([String::from(text)]);
    while let Some(text) = pending.pop() {
        let Some((start, end)) = outermost_braces(&text) else {
            out.push(text);
            continue;
        };
        let (before, rest) = text.split_at(start);
        let (inner, after) = rest.split_at(end - start);
        let choices = split_choices(inner.get(1..).unwrap_or_default());
        let after = after.get(1..).unwrap_or_default();
        // Only new texts cost steps, because the size of the document bounds the pattern.
        steps.spend(choices.len().saturating_mul(before.len() + after.len() + 1) + inner.len())?;
        pending.extend(choices.iter().rev().map(|choice| format!("{before}{choice}{after}")));
    }
    Ok(out)
}

/// Returns the indices of the first `{` and its `}`.
fn outermost_braces(text: &str) -> Option<(usize, usize)> {
    let start = text.find('{')?;
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().skip(start) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some((start, at)),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Splits at the commas that are not in nested braces.
fn split_choices(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    text.split(|character| {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0
    })
    .collect()
}
