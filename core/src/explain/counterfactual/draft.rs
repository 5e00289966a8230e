//! Changes to an envelope: as operations, and made.

use alloc::{format, string::String, vec::Vec};

use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap as _};

use crate::{
    json::{self, Kind, Node},
    logic::{Number, Value},
};

/// One change to an envelope: an operation of a JSON Patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct EvidenceChange {
    /// What is done at the path.
    pub op: ChangeOp,
    /// JSON Pointer into the envelope, as the changes before it have left it.
    pub path: String,
    /// What is there then; absent for what is removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", tsify(optional, type = "unknown"))]
    pub value: Option<NewValue>,
    /// What was there before; absent for what is added.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", tsify(optional, type = "unknown"))]
    pub was: Option<NewValue>,
}

/// What a change does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum ChangeOp {
    /// A member or an item comes; an item that stands there moves on.
    Add,
    /// It goes; the items after it move up.
    Remove,
    /// It is another.
    Replace,
}

/// A JSON value of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewValue {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as it is written.
    Number(String),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Self>),
    /// An object.
    Object(Vec<(String, Self)>),
}

impl NewValue {
    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn count(count: u64) -> Self {
        Self::Number(format!("{count}"))
    }

    pub(super) fn object<const N: usize>(members: [(&str, Self); N]) -> Self {
        Self::Object(members.map(|(name, value)| (name.into(), value)).into())
    }
}

impl NewValue {
    /// Takes the members of another object into this one.
    pub(super) fn merge(&mut self, other: Self) {
        match (self, other) {
            (Self::Object(members), Self::Object(others)) => {
                for (name, value) in others {
                    match members.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, known)) => known.merge(value),
                        None => members.push((name, value)),
                    }
                }
            }
            (value, other) => *value = other,
        }
    }
}

impl From<Node<'_>> for NewValue {
    fn from(node: Node<'_>) -> Self {
        match node.kind() {
            Kind::Null => Self::Null,
            Kind::Bool(value) => Self::Bool(value),
            Kind::Integer | Kind::Float => Self::Number(node.as_number().unwrap_or_default().into()),
            Kind::String => Self::text(node.as_str().unwrap_or_default()),
            Kind::Array => Self::List(node.items().map(Self::from).collect()),
            Kind::Object => {
                Self::Object(node.members().map(|(name, value)| (name.into(), value.into())).collect())
            }
        }
    }
}

impl Serialize for NewValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(text) => match (text.parse::<i64>(), text.parse::<u64>()) {
                (Ok(integer), _) => serializer.serialize_i64(integer),
                (_, Ok(integer)) => serializer.serialize_u64(integer),
                _ => Value::Number(Number::read(text)).serialize(serializer),
            },
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(members) => {
                let mut object = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    object.serialize_entry(name, value)?;
                }
                object.end()
            }
        }
    }
}

/// An envelope that is being changed: what is not changed is as it was.
#[derive(Clone, Debug)]
pub(super) enum Draft<'t> {
    Kept(Node<'t>),
    New(NewValue),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl<'t> Draft<'t> {
    /// Makes a change; one whose path leads nowhere is none.
    pub(super) fn apply(&mut self, change: &EvidenceChange) {
        let Some((parent, name)) = change.path.rsplit_once('/') else { return };
        let value = change.value.clone().map_or(Self::New(NewValue::Null), Self::New);
        let here = parent.split('/').skip(1).try_fold(self, |here, segment| here.inner(&unescaped(segment)));
        let name = unescaped(name);
        match here.map(|here| here.open()) {
            Some(Self::Object(members)) => {
                let place = members.iter().position(|(known, _)| *known == name);
                match (change.op, place) {
                    (ChangeOp::Remove, Some(place)) => drop(members.remove(place)),
                    (ChangeOp::Remove, None) => {}
                    (_, Some(place)) => {
                        members.iter_mut().skip(place).take(1).for_each(|slot| slot.1 = value.clone())
                    }
                    (_, None) => members.push((name, value)),
                }
            }
            Some(Self::List(items)) => {
                let Ok(place) = name.parse::<usize>() else { return };
                match change.op {
                    ChangeOp::Add if place <= items.len() => items.insert(place, value),
                    ChangeOp::Remove if place < items.len() => drop(items.remove(place)),
                    ChangeOp::Replace => {
                        items.iter_mut().skip(place).take(1).for_each(|slot| *slot = value.clone())
                    }
                    ChangeOp::Add | ChangeOp::Remove => {}
                }
            }
            _ => {}
        }
    }

    /// The member or item of that name.
    fn inner(&mut self, name: &str) -> Option<&mut Self> {
        match self.open() {
            Self::Object(members) => {
                members.iter_mut().find(|(known, _)| known == name).map(|(_, value)| value)
            }
            Self::List(items) => items.get_mut(name.parse::<usize>().ok()?),
            _ => None,
        }
    }

    /// Takes a container apart, so that its parts can be changed.
    fn open(&mut self) -> &mut Self {
        let opened = match self {
            Self::Kept(node) => match node.kind() {
                Kind::Array => Some(Self::List(node.items().map(Self::Kept).collect())),
                Kind::Object => Some(Self::Object(
                    node.members().map(|(name, value)| (name.into(), Self::Kept(value))).collect(),
                )),
                _ => None,
            },
            Self::New(NewValue::List(items)) => {
                Some(Self::List(items.iter().cloned().map(Self::New).collect()))
            }
            Self::New(NewValue::Object(members)) => Some(Self::Object(
                members.iter().map(|(name, value)| (name.clone(), Self::New(value.clone()))).collect(),
            )),
            _ => None,
        };
        if let Some(opened) = opened {
            *self = opened;
        }
        self
    }

    /// The text of the envelope.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Kept(node) => write_node(*node, out),
            Self::New(value) => out.push_str(&json::write(value)),
            Self::List(items) => write_list(items.iter(), out, Self::write),
            Self::Object(members) => {
                write_object(members.iter().map(|(name, value)| (&**name, value)), out, Self::write);
            }
        }
    }
}

fn write_node(node: Node<'_>, out: &mut String) {
    match node.kind() {
        Kind::Null => out.push_str("null"),
        Kind::Bool(value) => out.push_str(if value { "true" } else { "false" }),
        Kind::Integer | Kind::Float => out.push_str(node.as_number().unwrap_or_default()),
        Kind::String => out.push_str(&json::write(&node.as_str().unwrap_or_default())),
        Kind::Array => write_list(node.items(), out, |node, out| write_node(node, out)),
        Kind::Object => write_object(node.members(), out, |node, out| write_node(node, out)),
    }
}

fn write_list<T>(items: impl Iterator<Item = T>, out: &mut String, write: impl Fn(T, &mut String)) {
    out.push('[');
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(']');
}

fn write_object<'n, T>(
    members: impl Iterator<Item = (&'n str, T)>,
    out: &mut String,
    write: impl Fn(T, &mut String),
) {
    out.push('{');
    for (index, (name, value)) in members.enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&json::write(&name));
        out.push(':');
        write(value, out);
    }
    out.push('}');
}

/// A segment of a pointer as a name.
fn unescaped(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}
