//! The constants with which variables are compared.

use alloc::vec::Vec;

use adjudicate_lang::logic::{Number, Value};

#[derive(Clone, Debug)]
pub(super) struct Constant<'p> {
    pub value: Value<'p>,
    /// The value, if it is a text.
    pub text: Option<&'p str>,
    /// The items, if it is a list of texts.
    pub texts: Option<Vec<&'p str>>,
}

impl<'p> Constant<'p> {
    /// All texts of the constant, if it consists of texts only.
    pub(super) fn all_texts(self) -> Vec<&'p str> {
        let mut texts = self.texts.unwrap_or_default();
        texts.extend(self.text);
        texts
    }
}

impl<'p> From<&'p Value<'p>> for Constant<'p> {
    fn from(value: &'p Value<'p>) -> Self {
        let texts = match value {
            Value::List(items) => items.iter().map(Value::as_text).collect(),
            Value::BuiltList(list) => list.parts().iter().map(Value::as_text).collect(),
            _ => None,
        };
        Self { value: value.clone(), text: value.as_text(), texts }
    }
}

impl<'p> From<&'p str> for Constant<'p> {
    fn from(text: &'p str) -> Self {
        Self { value: Value::Text(text), text: Some(text), texts: None }
    }
}

impl From<u64> for Constant<'_> {
    fn from(count: u64) -> Self {
        Self { value: Value::Number(Number::from(count)), text: None, texts: None }
    }
}
