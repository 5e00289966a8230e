//! Types of manifest fields with rules of their own.

use alloc::{borrow::ToOwned, format, vec::Vec};
use core::{fmt, ops::Deref};

use adjudicate_lang::{
    Error,
    document::{Content, Definition, Describe, Document, Reader, Shape, Type},
    json::{Node, shorten},
};
use semver::Version;

use super::ABI;
use crate::{Operation, codes};

/// The major version of the binary interface: [`ABI`], because the host reads no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abi;

impl Describe for Abi {
    fn describe() -> Type {
        Type::Integer { minimum: Some(ABI.into()), maximum: Some(ABI.into()) }
    }
}

impl Document<'_> for Abi {
    const SHAPE: Shape = Shape::Count;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        match u32::read(node, reader)? {
            ABI => Some(Self),
            other => {
                let message = format!("this host speaks version `{ABI}` only, found `{other}`");
                reader.note(Error::new(codes::INVALID_VALUE, message));
                None
            }
        }
    }
}

/// A version such as `1.2.0`, by the rules of semantic versioning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleVersion(pub Version);

impl Describe for ModuleVersion {
    fn describe() -> Type {
        Type::Text { min_length: 0, pattern: "^[0-9]+\\.[0-9]+\\.[0-9]+" }
    }
}

impl Document<'_> for ModuleVersion {
    const SHAPE: Shape = Shape::Text;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        reader.parsed(node, |text| {
            Version::parse(text).map(Self).map_err(|_| {
                let message = format!("expected a version such as `1.2.0`, found `{}`", shorten(text));
                Error::new(codes::INVALID_VALUE, message)
            })
        })
    }
}

impl Deref for ModuleVersion {
    type Target = Version;

    fn deref(&self) -> &Version {
        &self.0
    }
}

impl fmt::Display for ModuleVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The operations of a module: at least one, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationList(Vec<Operation>);

impl Describe for OperationList {
    fn describe() -> Type {
        Type::Named(&OPERATION_LIST)
    }
}

static OPERATION_LIST: Definition = Definition {
    name: "OperationList",
    source: "adjudicate_core::module::manifest::OperationList",
    about: "The operations of a module: at least one, each once.",
    content: Content::Type(Vec::<Operation>::describe),
    keywords: r#"{"minItems": 1, "uniqueItems": true}"#,
};

impl Document<'_> for OperationList {
    const SHAPE: Shape = Vec::<Operation>::SHAPE;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        let operations = Vec::read(node, reader)?;
        let message = match repeated(&operations) {
            Some(operation) => format!("`{}` is a duplicate", operation.name()),
            None if node.is_empty() => "expected at least one operation".to_owned(),
            None => return Some(Self(operations)),
        };
        reader.note(Error::new(codes::INVALID_VALUE, message));
        None
    }
}

impl Deref for OperationList {
    type Target = [Operation];

    fn deref(&self) -> &[Operation] {
        &self.0
    }
}

fn repeated(operations: &[Operation]) -> Option<Operation> {
    let mut rest = operations.iter().enumerate();
    let is_repeated =
        |(at, operation): &(usize, &Operation)| operations.iter().take(*at).any(|it| it == *operation);
    rest.find(is_repeated).map(|(_, operation)| *operation)
}
