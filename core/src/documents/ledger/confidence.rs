//! Confidences: of a turn, and of an exploration.

use adjudicate_lang::{
    Decimal, Error,
    document::{Document, Magnitude, Reader, Shape},
    json::Node,
};

use crate::codes;

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confidence(pub Decimal);

impl Document<'_> for Confidence {
    const SHAPE: Shape = Shape::Magnitude;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        let Magnitude(number) = Magnitude::read(node, reader)?;
        if number > Decimal::ONE {
            reader.note(Error::new(codes::INVALID_VALUE, "expected a confidence from 0 to 1"));
            return None;
        }
        Some(Self(number))
    }
}
