//! Braces in patterns: `{a,b}` stands for either.

use alloc::{format, string::String, vec::Vec};

use crate::{error::Error, steps::Steps};

/// The texts that a pattern stands for: its braces resolved, leftmost and outermost first.
///
/// ```
/// use adjudicate_lang::{Steps, paths::alternatives};
/// assert_eq!(alternatives("{a,b}/c", &mut Steps::default())?, ["a/c", "b/c"]);
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
///
/// # Errors
///
/// [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) when these are more than the budget allows.
pub fn expand(text: &str, steps: &mut Steps) -> Result<Vec<String>, Error> {
    let mut out = Vec::new();
    // Depth first over what is left to resolve, in order; a stack of our own, for patterns may nest deeply.
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
        // What is made anew; the pattern itself is only as long as the document that it is in.
        steps.spend(choices.len().saturating_mul(before.len() + after.len() + 1) + inner.len())?;
        pending.extend(choices.iter().rev().map(|choice| format!("{before}{choice}{after}")));
    }
    Ok(out)
}

/// Where the first `{` and its `}` are.
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

/// Splits at the commas that are not inside further braces.
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
