//! Verdicts of patterns on changed paths whose contents may be unknown (docs/reference/text-formats.md).

use alloc::vec;

use super::{Path, PathCase, segment::PatternPart};
use crate::{error::Error, steps::Steps};

/// The verdict of a pattern on a changed path. Of several patterns, the greatest verdict counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathVerdict {
    /// The pattern matches no change.
    Clean,
    /// The pattern can match a change, because the contents of the path are unknown.
    Unknown,
    /// The pattern matches a change.
    Matched,
}

/// The result of an anchored pattern for the contents of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Below {
    /// The pattern matches the directory or everything in it.
    All,
    /// The pattern can match something in it.
    Maybe,
    /// The pattern matches nothing in it.
    Nothing,
}

/// Matches the contents of a directory. With `contents_only`, the pattern ends in `/`, so its last part matches no file.
///
/// This simulates all positions of the pattern that the names of the directory can reach. Positions that are open at the end can
/// match something below.
pub(super) fn below(
    parts: &[PatternPart],
    case: PathCase,
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
                PatternPart::Any => enter(&mut next, at, parts),
                PatternPart::One(segment) if segment.matches(name, case, steps)? => {
                    if at + 1 == parts.len() {
                        return Ok(Below::All);
                    }
                    enter(&mut next, at + 1, parts);
                }
                PatternPart::One(_) => {}
            }
        }
        open = next;
    }
    let is_last_open = open.last() == Some(&true);
    let is_universal = matches!(parts.last(), Some(PatternPart::One(segment)) if segment.is_universal());
    Ok(match open.contains(&true) {
        true if is_last_open && is_universal && !contents_only => Below::All,
        true => Below::Maybe,
        false => Below::Nothing,
    })
}

/// Opens a position, and those after each `**`, which can match nothing.
fn enter(open: &mut [bool], at: usize, parts: &[PatternPart]) {
    for (place, part) in open.iter_mut().zip(parts).skip(at) {
        *place = true;
        if !matches!(part, PatternPart::Any) {
            break;
        }
    }
}
