//! Times of a ledger.

use adjudicate_lang::{
    document::{Document, Magnitude, Reader, Shape},
    json::Node,
};

/// Milliseconds: a number of 0 or more, of which whole ones count. The time that was used is rounded up; a limit and a share
/// of it are rounded down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Milliseconds<const UP: bool>(pub u64);

impl<const UP: bool> Document<'_> for Milliseconds<UP> {
    const SHAPE: Shape = Shape::Magnitude;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        Magnitude::read(node, reader).map(|Magnitude(number)| Self(number.rounded(UP)))
    }
}
