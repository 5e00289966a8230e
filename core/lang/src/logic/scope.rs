//! Scopes: the sources of variables.

use alloc::boxed::Box;

use super::{
    number::Number,
    path::{self, VariablePath},
    value::Value,
};
use crate::{
    error::Error,
    json::{Kind, Node},
    steps::Steps,
};

/// A source of variables for an expression.
///
/// A document ([`Node`]) is a scope. A [`Value`] is one too, for example the item in the body of `filter`.
///
/// ```
/// use adjudicate_lang::{Error, Steps, logic::{VariablePath, Scope, Value}};
/// /// One variable, `attempts`, and no others.
/// struct Attempts(u64);
///
/// impl<'v> Scope<'v> for Attempts {
///     fn resolve(&self, path: &VariablePath, out: &mut Value<'v>, _: &mut Steps) -> Result<(), Error> {
///         let is_known = matches!(path.segments(), [name] if **name == *"attempts");
///         *out = is_known.then(|| Value::Number(self.0.into())).into();
///         Ok(())
///     }
/// }
/// ```
pub trait Scope<'v> {
    /// Writes the value at a path to `out`, or [`Value::Unknown`] if there is none. Missing and unknown are the same: the default
    /// of `var` replaces both. An output parameter, because lookups are the most frequent operation, and returning a value costs as
    /// much as finding it.
    ///
    /// # Errors
    ///
    /// [`LIMIT_EXCEEDED`](crate::codes::LIMIT_EXCEEDED) when the budget runs out.
    fn resolve(&self, path: &VariablePath, out: &mut Value<'v>, steps: &mut Steps) -> Result<(), Error>;

    /// Returns the value of the variable with this number ([`Program::number_variables`](super::Program::number_variables)),
    /// including unknown. A scope without numbered values returns `None`; the evaluator then resolves the path.
    ///
    /// # Errors
    ///
    /// [`LIMIT_EXCEEDED`](crate::codes::LIMIT_EXCEEDED) when the budget runs out.
    fn numbered(&self, _number: u32, _steps: &mut Steps) -> Result<Option<&Value<'v>>, Error> {
        Ok(None)
    }
}

impl<'v> Scope<'v> for Node<'v> {
    fn resolve(&self, path: &VariablePath, out: &mut Value<'v>, steps: &mut Steps) -> Result<(), Error> {
        descend_node(*self, path.segments(), out, steps)
    }
}

impl<'v> Scope<'v> for Value<'v> {
    fn resolve(&self, path: &VariablePath, out: &mut Value<'v>, steps: &mut Steps) -> Result<(), Error> {
        self.descend(path.segments(), out, steps)
    }
}

impl<'v> Value<'v> {
    /// Writes the value at a path below this value to `out`, as [`Scope::resolve`] does. For scopes of several roots.
    ///
    /// # Errors
    ///
    /// [`LIMIT_EXCEEDED`](crate::codes::LIMIT_EXCEEDED) when the budget runs out.
    pub fn descend(&self, segments: &[Box<str>], out: &mut Self, steps: &mut Steps) -> Result<(), Error> {
        let mut here = self;
        let mut rest = segments;
        loop {
            if let Self::Data(node) = here {
                return descend_node(*node, rest, out, steps);
            }
            let Some((first, others)) = rest.split_first() else {
                out.clone_from(here);
                return Ok(());
            };
            steps.spend(1)?;
            let inner = match here {
                Self::List(items) => path::index(first).and_then(|index| items.get(index)),
                Self::BuiltList(list) => path::index(first).and_then(|index| list.parts().get(index)),
                Self::Object(object) => {
                    steps.spend(object.parts().len())?;
                    object.parts().iter().find(|(name, _)| name == first).map(|(_, value)| value)
                }
                _ => None,
            };
            match inner {
                Some(inner) => (here, rest) = (inner, others),
                None => {
                    *out = Self::Unknown;
                    return Ok(());
                }
            }
        }
    }
}

fn descend_node<'v>(
    mut node: Node<'v>,
    segments: &[Box<str>],
    out: &mut Value<'v>,
    steps: &mut Steps,
) -> Result<(), Error> {
    for segment in segments {
        // A linear search; long names are compared byte by byte.
        steps.spend(1 + node.len().saturating_mul(1 + segment.len() / 16))?;
        let inner = match node.kind() {
            Kind::Object => node.member(segment),
            Kind::Array => path::index(segment).and_then(|index| node.items().nth(index)),
            _ => None,
        };
        match inner {
            Some(inner) => node = inner,
            None => {
                *out = Value::Unknown;
                return Ok(());
            }
        }
    }
    if let Some(integer) = node.short_integer() {
        *out = Value::Number(integer.into());
        return Ok(());
    }
    match node.kind() {
        // Written in place, because a value made elsewhere must be moved.
        Kind::String => *out = Value::Text(node.as_str().unwrap_or_default()),
        Kind::Array | Kind::Object => *out = Value::Data(node),
        // Numbers are parsed here, and long ones cost steps.
        Kind::Integer | Kind::Float => {
            let text = node.as_number().unwrap_or_default();
            let number = Number::read(text);
            steps.spend(text.len() / 4 + number.reading())?;
            *out = Value::Number(number);
        }
        Kind::Null | Kind::Bool(_) => *out = Value::from(node),
    }
    Ok(())
}
