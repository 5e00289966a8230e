//! JSON as a tree of tokens, so that a case file pins the spelling of each number and string, and the order of fields.

/// The values of a JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tree {
    /// A string, number, `true`, `false` or `null`, as it is spelled.
    Token(String),
    List(Vec<Self>),
    /// The fields, each name with its quotes.
    Object(Vec<(String, Self)>),
}

impl Tree {
    /// Parses a text.
    ///
    /// # Errors
    ///
    /// The line and the fault.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { text, at: 0 };
        let tree = parser.value()?;
        match parser.next() {
            Some(_) => Err(parser.expected("the end of the file")),
            None => Ok(tree),
        }
    }

    /// The fields of an object; none for other values.
    pub(super) fn fields(&self) -> &[(String, Self)] {
        match self {
            Self::Object(fields) => fields,
            _ => &[],
        }
    }

    /// The value of a field.
    pub(super) fn field(&self, name: &str) -> Option<&Self> {
        self.fields().iter().find(|(field, _)| unquoted(field) == name).map(|(_, value)| value)
    }

    /// The items of a list; none for other values.
    pub(super) fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// The token; empty for a container.
    pub(super) fn token(&self) -> &str {
        match self {
            Self::Token(token) => token,
            _ => "",
        }
    }

    /// The cases of a group.
    pub(super) fn cases_mut(&mut self) -> &mut [Self] {
        let Self::Object(fields) = self else { return &mut [] };
        match fields.iter_mut().find(|(name, _)| unquoted(name) == "cases") {
            Some((_, Self::List(cases))) => cases,
            _ => &mut [],
        }
    }

    /// The text without white space.
    pub(super) fn to_text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, ",", ":");
        out
    }

    /// The text on one line, with a blank after each comma and colon.
    pub(super) fn to_line(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, ", ", ": ");
        out
    }

    fn write(&self, out: &mut String, comma: &str, colon: &str) {
        match self {
            Self::Token(token) => out.push_str(token),
            Self::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { comma });
                    item.write(out, comma, colon);
                }
                out.push(']');
            }
            Self::Object(fields) => {
                out.push('{');
                for (index, (name, value)) in fields.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { comma });
                    out.push_str(name);
                    out.push_str(colon);
                    value.write(out, comma, colon);
                }
                out.push('}');
            }
        }
    }
}

/// The content of a string as it is spelled. Names and pointers are compared in their spelling.
pub(super) fn unquoted(token: &str) -> &str {
    token.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(token)
}

/// A text, and the place in it.
struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Parser<'t> {
    fn value(&mut self) -> Result<Tree, String> {
        match self.next() {
            Some(b'{') => {
                let field = |parser: &mut Self| {
                    if parser.next() != Some(b'"') {
                        return Err(parser.expected("the name of a field"));
                    }
                    let name = parser.token()?;
                    parser.take(b':')?;
                    Ok((name, parser.value()?))
                };
                Ok(Tree::Object(self.items(b'{', b'}', field)?))
            }
            Some(b'[') => Ok(Tree::List(self.items(b'[', b']', Self::value)?)),
            _ => Ok(Tree::Token(self.token()?)),
        }
    }

    /// The items between two brackets.
    fn items<T>(
        &mut self,
        open: u8,
        close: u8,
        item: impl Fn(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        self.take(open)?;
        let mut items = Vec::new();
        if self.next() != Some(close) {
            items.push(item(self)?);
            while self.next() == Some(b',') {
                self.take(b',')?;
                items.push(item(self)?);
            }
        }
        self.take(close)?;
        Ok(items)
    }

    /// A string with its quotes, or a word.
    fn token(&mut self) -> Result<String, String> {
        let rest = self.rest();
        let length = match rest.strip_prefix('"') {
            Some(inside) => {
                let mut escaped = false;
                let is_end = |byte: u8| {
                    let ends = byte == b'"' && !escaped;
                    escaped = byte == b'\\' && !escaped;
                    ends
                };
                inside.bytes().position(is_end).map(|length| length + 2)
            }
            None => Some(rest.find([',', ']', '}', ':', '"', ' ', '\n', '\r', '\t']).unwrap_or(rest.len())),
        };
        let token = rest.get(..length.unwrap_or(0)).unwrap_or_default();
        if token.is_empty() {
            return Err(self.expected("a value"));
        }
        self.at += token.len();
        Ok(token.to_owned())
    }

    fn take(&mut self, byte: u8) -> Result<(), String> {
        if self.next() != Some(byte) {
            return Err(self.expected(&format!("`{}`", char::from(byte))));
        }
        self.at += 1;
        Ok(())
    }

    /// The next byte that is no white space.
    fn next(&mut self) -> Option<u8> {
        let rest = self.rest().trim_ascii_start();
        self.at = self.text.len() - rest.len();
        rest.bytes().next()
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn expected(&self, what: &str) -> String {
        let line = self.text.get(..self.at).unwrap_or_default().lines().count().max(1);
        format!("line {line}: expected {what}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_stays() {
        let text = r#"{"a":[1.0,1e2,-0,{}],"b":"\u00e9 \" \\","b":[[],null,true]}"#;
        assert_eq!(Tree::parse(text).unwrap().to_text(), text);
        let line = "{ \"a\" : [ 1 ,\n \"x , y\" ] }";
        assert_eq!(Tree::parse(line).unwrap().to_line(), r#"{"a": [1, "x , y"]}"#);
    }

    #[test]
    fn a_text_that_is_not_json_has_a_fault() {
        for (text, fault) in [
            ("", "line 1: expected a value"),
            ("{\n\"a\" 1}", "line 2: expected `:`"),
            ("[1 2]", "line 1: expected `]`"),
            ("[1,]", "line 1: expected a value"),
            ("{1: 2}", "line 1: expected the name of a field"),
            ("{} {}", "line 1: expected the end of the file"),
            ("[\"a]", "line 1: expected a value"),
        ] {
            assert_eq!(Tree::parse(text), Err(fault.to_owned()), "{text}");
        }
    }
}
