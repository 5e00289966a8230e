//! The ids of trees: of the files that a result is about.

use alloc::string::String;

use adjudicate_lang::{
    Error,
    document::{Content, Definition, Describe, Document, IntoOwned, Reader, Shape, Type},
    json::{Node, shorten},
};

use crate::codes;

/// The id of a tree, for example the object id that `git write-tree` prints. It is compared exactly, and never interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree<'a>(pub &'a str);

impl<'t: 'a, 'a> Document<'t> for Tree<'a> {
    const SHAPE: Shape = Shape::Text;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let text = <&str>::read(node, reader)?;
        let is_blank = |letter: char| letter.is_whitespace() || letter.is_control() || letter == '\u{feff}';
        if !text.is_empty() && !text.contains(is_blank) {
            return Some(Self(text));
        }
        let message =
            alloc::format!("expected the id of a tree, without white space, found `{}`", shorten(text));
        reader.note(Error::new(codes::INVALID_VALUE, message));
        None
    }
}

impl Describe for Tree<'_> {
    #[inline]
    fn describe() -> Type {
        Type::Named(&TREE)
    }
}

static TREE: Definition = Definition {
    name: "Tree",
    source: "adjudicate_core::documents::tree::Tree",
    about: "The id of a tree: of the files that a result is about, for example `git:4b825dc642cb6eb9a060e54bf8d69288fbee4904`.",
    content: Content::Type(|| Type::Text { min_length: 1, pattern: NOT_BLANK }),
    keywords: "",
};

/// No white space and no control characters.
const NOT_BLANK: &str =
    "^[^\\u0000-\\u0020\\u007f-\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]+$";

/// The id of a tree.
pub type OwnedTree = String;

impl<'t> IntoOwned<'t> for Tree<'t> {
    type Owned = OwnedTree;

    fn into_owned(self, _: Node<'t>) -> OwnedTree {
        self.0.into()
    }
}
