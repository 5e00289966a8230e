//! Values in the documents of a registry, and the errors for invalid ones.

use adjudicate_core::{
    Error,
    json::{Kind, Node},
};
use adjudicate_trust::{Digest, codes, visible};

/// A value and its path. Unknown fields are allowed: the layout lets documents have more.
pub(super) struct Field<'t> {
    pub(super) node: Node<'t>,
    pub(super) path: String,
}

impl<'t> Field<'t> {
    pub(super) const fn root(node: Node<'t>) -> Self {
        Self { node, path: String::new() }
    }

    pub(super) fn field(&self, name: &str) -> Result<Self, Error> {
        let path = format!("{}/{name}", self.path);
        if self.node.kind() != Kind::Object {
            return Err(invalid("expected an object".to_owned(), &self.path));
        }
        match self.node.member(name) {
            Some(node) => Ok(Self { node, path }),
            None => Err(Error::new(codes::MISSING_FIELD, format!("missing field `{name}`")).at(path)),
        }
    }

    /// Returns the only item of a list.
    pub(super) fn only(&self, what: &str) -> Result<Self, Error> {
        let refusal = |found: &str| Err(invalid(format!("expected one {what}, found {found}"), &self.path));
        if self.node.kind() != Kind::Array {
            return refusal("no list");
        }
        match (self.node.items().next(), self.node.len()) {
            (Some(node), 1) => Ok(Self { node, path: format!("{}/0", self.path) }),
            (_, count) => refusal(&count.to_string()),
        }
    }

    fn text(&self) -> Result<&'t str, Error> {
        self.node.as_str().ok_or_else(|| invalid("expected a string".to_owned(), &self.path))
    }

    pub(super) fn expect_text(&self, expected: &str) -> Result<(), Error> {
        match self.text()? {
            found if found == expected => Ok(()),
            found => Err(invalid(format!("expected `{expected}`, found `{}`", short(found)), &self.path)),
        }
    }

    pub(super) fn number(&self) -> Result<u64, Error> {
        let number = self.node.as_number().and_then(|number| number.parse().ok());
        number.ok_or_else(|| invalid("expected a whole number".to_owned(), &self.path))
    }

    /// Returns a SHA-256 digest, which every registry supports.
    pub(super) fn digest(&self) -> Result<Digest, Error> {
        let text = self.text()?;
        text.parse().ok().filter(|digest: &Digest| digest.to_string() == text).ok_or_else(|| {
            let message =
                format!("expected `sha256:` and 64 lower-case hexadecimal digits, found `{}`", short(text));
            invalid(message, &self.path)
        })
    }
}

/// Returns the error for a value that the layout does not allow.
pub(super) fn invalid(message: String, path: &str) -> Error {
    Error::new(codes::INVALID_VALUE, message).at(path)
}

/// Returns the text of a registry in a form for messages.
pub(crate) fn short(text: &str) -> String {
    const LONGEST: usize = 200;
    let cut: String = text.chars().take(LONGEST).collect();
    let rest = if cut.len() < text.len() { "..." } else { "" };
    visible(&cut) + rest
}
