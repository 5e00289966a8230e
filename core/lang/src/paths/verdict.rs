//! What a pattern knows of a changed path of which the contents may be unknown (SPEC section 18.1).

use alloc::vec;

use super::{Path, glob::Part};
use crate::{error::Error, steps::Steps};

/// What a pattern says of a changed path. Of several patterns the greatest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathVerdict {
    /// It matches nothing that changed.
    Clean,
    /// It could match something that changed: the contents of the path are not known.
    Unknown,
    /// It matches something that changed.
    Matched,
}

/// What a pattern that is matched from the root says of what is below a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Below {
    /// It matches the directory or everything in it.
    All,
    /// It could match something in it.
    Maybe,
    /// It matches nothing in it.
    Nothing,
}

/// Looks below a directory. `contents_only`: the pattern ends in `/`, so it matches no file by its last part.
///
/// All places of the pattern that the names of the directory can lead to are kept at once: what is open at the end is what
/// something below could go on with.
pub(super) fn below(
    parts: &[Part],
    contents_only: bool,
    directory: &Path<'_>,
    steps: &mut Steps,
) -> Result<Below, Error> {
    let mut open = vec![false; parts.len()];
    enter(&mut open, 0, parts);
    for name in directory.segments() {
        steps.spend(parts.len() + 1)?;
        let mut next = vec![false; parts.len()];
        for (at, part) in parts.iter().enumerate().filter(|(at, _)| open.get(*at) == Some(&true)) {
            match part {
                Part::Any => enter(&mut next, at, parts),
                Part::One(segment) if segment.matches(name, steps)? => {
                    if at + 1 == parts.len() {
                        return Ok(Below::All);
                    }
                    enter(&mut next, at + 1, parts);
                }
                Part::One(_) => {}
            }
        }
        open = next;
    }
    let is_last_open = open.last() == Some(&true);
    let is_universal = matches!(parts.last(), Some(Part::One(segment)) if segment.is_universal());
    Ok(match open.contains(&true) {
        true if is_last_open && is_universal && !contents_only => Below::All,
        true => Below::Maybe,
        false => Below::Nothing,
    })
}

/// Opens a place, and those behind a `**`, which may stand for nothing.
fn enter(open: &mut [bool], at: usize, parts: &[Part]) {
    for (place, part) in open.iter_mut().zip(parts).skip(at) {
        *place = true;
        if !matches!(part, Part::Any) {
            break;
        }
    }
}
