//! Where variables come from.

use alloc::boxed::Box;

use super::{
    number::Number,
    path::{self, Path},
    value::Value,
};
use crate::{
    error::Error,
    json::{Kind, Node},
    steps::Steps,
};

/// What the variables of an expression are looked up in.
///
/// A document is one ([`Node`]), and so is a [`Value`], for instance the item that the body of `filter` sees.
///
/// ```
/// use adjudicate_lang::{Error, Steps, logic::{Path, Scope, Value}};
/// /// One variable, `attempts`, and no others.
/// struct Attempts(u64);
///
/// impl<'v> Scope<'v> for Attempts {
///     fn resolve(&self, path: &Path, out: &mut Value<'v>, _: &mut Steps) -> Result<(), Error> {
///         let is_known = matches!(path.segments(), [name] if **name == *"attempts");
///         *out = is_known.then(|| Value::Number(self.0.into())).into();
///         Ok(())
///     }
/// }
/// ```
pub trait Scope<'v> {
    /// Leaves the value at the path in `out`, or [`Value::Unknown`] where there is none: what is absent and what
    /// cannot be known are one, and the default of `var` stands in for both. (Values are looked up more often than
    /// anything else is done, and to return one costs as much as to find it.)
    ///
    /// # Errors
    ///
    /// Running out of the budget.
    fn resolve(&self, path: &Path, out: &mut Value<'v>, steps: &mut Steps) -> Result<(), Error>;

    /// The value of the variable with that number ([`Program::number_variables`](super::Program::number_variables)),
    /// unknown included; `None` from a scope that does not keep values by number, which is then asked to resolve the
    /// path.
    ///
    /// # Errors
    ///
    /// Running out of the budget.
    fn numbered(&self, _number: u32, _steps: &mut Steps) -> Result<Option<&Value<'v>>, Error> {
        Ok(None)
    }
}

impl<'v> Scope<'v> for Node<'v> {
    fn resolve(&self, path: &Path, out: &mut Value<'v>, steps: &mut Steps) -> Result<(), Error> {
        descend_node(*self, path.segments(), out, steps)
    }
}

impl<'v> Scope<'v> for Value<'v> {
    fn resolve(&self, path: &Path, out: &mut Value<'v>, steps: &mut Steps) -> Result<(), Error> {
        self.descend(path.segments(), out, steps)
    }
}

impl<'v> Value<'v> {
    /// Leaves in `out` what some segments lead to from here, as [`Scope::resolve`] does: for scopes of several roots.
    ///
    /// # Errors
    ///
    /// Running out of the budget.
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
        // Members are looked through one by one, and long names compared byte by byte.
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
        // Put there as they are: a value that is made elsewhere first has to be moved.
        Kind::String => *out = Value::Text(node.as_str().unwrap_or_default()),
        Kind::Array | Kind::Object => *out = Value::Data(node),
        // A number is read when it is asked for; a long one counts.
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
