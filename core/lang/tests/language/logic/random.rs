//! Random expressions that compile, and random data with unexpected values.

use serde_json::{Value as Json, json};

/// Choices from a sequence of bytes. After its end, it always makes the first choice, so that recursion ends.
pub(crate) struct Choices<'a>(std::slice::Iter<'a, u8>);

/// The kind of result that an expression should have.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Bool,
    Number,
    Text,
    List,
    Any,
}

/// Paths to missing values, to values of other kinds, or to containers.
const PATHS: [&str; 8] =
    ["gone", "list.1.a", "objects", "objects.1.b", "", "current", "accumulator", "current.number"];
const NUMBERS: [&str; 10] = ["0", "1", "2", "-1", "0.5", "3", "-2.5", "0.1", "10", "0.125"];
const TEXTS: [&str; 8] = ["", "a", "b", "ab", "list", "\u{e9}a\u{1f600}", "1", "objects.0.text"];

impl Kind {
    /// Returns the field of the data that usually has this kind of value.
    const fn name(self) -> &'static str {
        match self {
            Self::Bool | Self::Any => "bool",
            Self::Number => "number",
            Self::Text => "text",
            Self::List => "list",
        }
    }
}

impl<'a> Choices<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes.iter())
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0.next().map_or(0, |byte| usize::from(*byte) % limit)
    }

    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    /// Returns a document whose fields usually have the expected kind, but are sometimes missing or of another kind.
    pub(crate) fn data(&mut self) -> Json {
        let mut data = self.members();
        let objects: Vec<Json> = (0..self.below(4)).map(|_| self.members()).collect();
        data["objects"] = objects.into();
        data
    }

    fn members(&mut self) -> Json {
        let mut members = serde_json::Map::new();
        for kind in [Kind::Bool, Kind::Number, Kind::Text, Kind::List] {
            let value = match self.below(8) {
                0 => continue,
                1 => self.plain(),
                _ => self.literal(kind),
            };
            members.insert(kind.name().into(), value);
        }
        members.into()
    }

    fn plain(&mut self) -> Json {
        match self.below(8) {
            0 | 1 => self.number(),
            2 | 3 => json!(self.of(&[true, false])),
            4 | 5 => json!(self.of(&TEXTS)),
            6 => json!([self.number(), self.of(&TEXTS)]),
            _ => Json::Null,
        }
    }

    fn number(&mut self) -> Json {
        serde_json::from_str(self.of(&NUMBERS)).expect("a number")
    }

    /// Returns an expression of this kind, as far as its kind is known before evaluation.
    pub(crate) fn expression(&mut self, kind: Kind, depth: usize) -> Json {
        if kind == Kind::Any {
            let kind = self.of(&[Kind::Bool, Kind::Number, Kind::Text, Kind::List]);
            return self.expression(kind, depth);
        }
        match self.below(6) {
            0 => self.literal(kind),
            1 => self.variable(kind, depth),
            2 if depth > 0 => {
                let condition = self.expression(Kind::Bool, depth - 1);
                json!({(self.of(&["if", "?:"])): [condition, self.expression(kind, depth - 1), self.expression(kind, depth - 1)]})
            }
            _ if depth > 0 => self.operation(kind, depth - 1),
            _ => self.variable(kind, depth),
        }
    }

    fn literal(&mut self, kind: Kind) -> Json {
        match kind {
            Kind::Bool | Kind::Any => json!(self.of(&[true, false])),
            Kind::Number => self.number(),
            Kind::Text => json!(self.of(&TEXTS)),
            Kind::List => json!([self.number(), self.of(&TEXTS)]),
        }
    }

    fn variable(&mut self, kind: Kind, depth: usize) -> Json {
        let path = if self.below(6) == 0 { self.of(&PATHS) } else { kind.name() };
        match self.below(8) {
            0 => json!({"var": [path, self.literal(kind)]}),
            1 if depth > 0 => json!({"var": self.expression(Kind::Text, depth - 1)}),
            2 => json!({"log": {"var": path}}),
            _ => json!({"var": path}),
        }
    }

    fn several(&mut self, kind: Kind, depth: usize) -> Vec<Json> {
        (0..=self.below(3)).map(|_| self.expression(kind, depth)).collect()
    }

    fn operation(&mut self, kind: Kind, depth: usize) -> Json {
        match kind {
            Kind::Bool | Kind::Any => self.decision(depth),
            Kind::Number => {
                let name = self.of(&["+", "-", "*", "/", "%", "max", "min", "length"]);
                match name {
                    "length" => json!({(name): [self.expression(Kind::Text, depth)]}),
                    "-" | "/" | "%" => {
                        json!({(name): [self.expression(kind, depth), self.expression(kind, depth)]})
                    }
                    _ => json!({(name): self.several(kind, depth)}),
                }
            }
            Kind::Text => match self.below(2) {
                0 => {
                    let kind = self.of(&[Kind::Text, Kind::Number]);
                    json!({"cat": self.several(kind, depth)})
                }
                _ => {
                    json!({"substr": [self.expression(kind, depth), self.number(), self.expression(Kind::Number, depth)]})
                }
            },
            Kind::List => self.list(depth),
        }
    }

    fn list(&mut self, depth: usize) -> Json {
        let paths = [self.of(&PATHS), self.of(&["text", "gone", "objects.0.list"])];
        match self.below(7) {
            0 => json!({"missing": paths}),
            1 => json!({"missing_some": [self.expression(Kind::Number, depth), paths]}),
            2 => json!({"merge": self.several(Kind::Any, depth)}),
            3 => json!({"map": [self.expression(Kind::List, depth), self.expression(Kind::Any, depth)]}),
            4 => json!({"filter": [self.expression(Kind::List, depth), self.expression(Kind::Bool, depth)]}),
            5 => {
                let body = self.expression(Kind::List, depth);
                json!({"reduce": [self.expression(Kind::List, depth), body, self.expression(Kind::List, depth)]})
            }
            _ => json!(self.several(Kind::Any, depth)),
        }
    }

    fn decision(&mut self, depth: usize) -> Json {
        let ordered = self.of(&[Kind::Number, Kind::Text]);
        let mut pair = |kind| [self.expression(kind, depth), self.expression(kind, depth)];
        let [left, right] = pair(ordered);
        match self.below(10) {
            0 => json!({"and": self.several(Kind::Bool, depth)}),
            1 => json!({"or": self.several(Kind::Bool, depth)}),
            2 => json!({(self.of(&["!", "!!"])): self.expression(Kind::Bool, depth)}),
            3 => json!({(self.of(&["<", "<=", ">", ">="])): [left, right]}),
            4 => json!({(self.of(&["<", "<=", "between"])): [left, right, self.expression(ordered, depth)]}),
            5 => {
                let operator = self.of(&["==", "===", "!=", "!=="]);
                json!({(operator): [self.expression(Kind::Any, depth), self.expression(Kind::Any, depth)]})
            }
            6 => json!({"in": [self.expression(Kind::Any, depth), self.expression(Kind::List, depth)]}),
            7 => json!({"in": [self.expression(Kind::Text, depth), self.expression(Kind::Text, depth)]}),
            8 => {
                let operator = self.of(&["starts_with", "ends_with"]);
                json!({(operator): [self.expression(Kind::Text, depth), self.expression(Kind::Text, depth)]})
            }
            _ => {
                let operator = self.of(&["all", "some", "none"]);
                json!({(operator): [self.expression(Kind::List, depth), self.expression(Kind::Bool, depth)]})
            }
        }
    }
}
