//! Expressions in readable form: `qaFindings.overallScore >= 0.8`.
//!
//! An expression without an unambiguous form is written as canonical JSON. The text is for people; nothing parses it.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    json::{self, Kind, Node},
    logic::Operator,
};

/// The readable form of an expression that compiles.
pub(super) fn write(expression: Node<'_>) -> String {
    let mut text = String::new();
    let mut writer = Writer { out: &mut text, in_iteration: false };
    match writer.part(expression, Tightness::LOOSE) {
        Some(()) => text,
        None => json::canonical(expression),
    }
}

/// Operator precedence; a looser operator needs parentheses inside a tighter one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Tightness(u8);

impl Tightness {
    const LOOSE: Self = Self(0);
    const OR: Self = Self(1);
    const AND: Self = Self(2);
    const NOT: Self = Self(3);
    const COMPARISON: Self = Self(4);
    const SUM: Self = Self(5);
    const PRODUCT: Self = Self(6);
    const SIGN: Self = Self(7);
    const DOT: Self = Self(8);
}

/// The infix form and precedence of an operator, if it has one.
fn infix(operator: Operator) -> Option<(&'static str, Tightness)> {
    use Operator::{
        And, AtLeast, AtMost, Divide, Equal, Greater, In, Less, Minus, NotSameAs, Or, Plus, Remainder,
        SameAs, Times, Unequal,
    };
    Some(match operator {
        Or => (" or ", Tightness::OR),
        And => (" and ", Tightness::AND),
        // The two names mean the same in strict mode.
        Equal | SameAs => (" == ", Tightness::COMPARISON),
        Unequal | NotSameAs => (" != ", Tightness::COMPARISON),
        Less => (" < ", Tightness::COMPARISON),
        AtMost => (" <= ", Tightness::COMPARISON),
        Greater => (" > ", Tightness::COMPARISON),
        AtLeast => (" >= ", Tightness::COMPARISON),
        In => (" in ", Tightness::COMPARISON),
        Plus => (" + ", Tightness::SUM),
        Minus => (" - ", Tightness::SUM),
        Times => (" * ", Tightness::PRODUCT),
        Divide => (" / ", Tightness::PRODUCT),
        Remainder => (" % ", Tightness::PRODUCT),
        _ => return None,
    })
}

/// Writes readable forms. A method returns `None` if a part has none.
struct Writer<'o> {
    out: &'o mut String,
    in_iteration: bool,
}

impl Writer<'_> {
    /// Writes a part, in parentheses unless it binds tighter than its context. Documents nest at most 128 levels deep.
    fn part(&mut self, part: Node<'_>, around: Tightness) -> Option<()> {
        match part.kind() {
            Kind::Array => {
                self.out.push('[');
                self.list(&part.items().collect::<Vec<_>>())?;
                self.out.push(']');
            }
            Kind::Object => {
                let (name, operand) = part.members().find(|(name, _)| !name.starts_with("x-"))?;
                let operands = match operand.kind() {
                    Kind::Array => operand.items().collect(),
                    _ => Vec::from([operand]),
                };
                self.operation(Operator::from_name(name)?, &operands, around)?;
            }
            _ => self.out.push_str(&json::canonical(part)),
        }
        Some(())
    }

    fn operation(&mut self, operator: Operator, operands: &[Node<'_>], around: Tightness) -> Option<()> {
        match (operator, operands) {
            (Operator::Var, [path]) => self.path(*path),
            // A default has no readable form.
            (Operator::Var, _) => None,
            (Operator::Truth, [only]) => self.part(*only, around),
            (Operator::Not, [only]) => self.bracketed(Tightness::NOT, around, |writer, own| {
                writer.out.push_str("not ");
                writer.part(*only, own)
            }),
            (Operator::Minus, [only]) => self.bracketed(Tightness::SIGN, around, |writer, own| {
                writer.out.push('-');
                writer.part(*only, own)
            }),
            (Operator::Between, [value, from, to]) => {
                self.bracketed(Tightness::COMPARISON, around, |writer, own| {
                    writer.part(*from, own)?;
                    writer.out.push_str(" <= ");
                    writer.part(*value, own)?;
                    writer.out.push_str(" <= ");
                    writer.part(*to, own)
                })
            }
            (Operator::Length, [only]) => {
                self.part(*only, Tightness::DOT)?;
                self.out.push_str(".length");
                Some(())
            }
            (Operator::And | Operator::Or | Operator::Plus | Operator::Times, [only]) => {
                self.part(*only, around)
            }
            _ => match (infix(operator), operands) {
                (Some((between, own)), [first, rest @ ..]) if !rest.is_empty() => {
                    self.bracketed(own, around, |writer, own| {
                        writer.part(*first, own)?;
                        rest.iter().try_for_each(|operand| {
                            writer.out.push_str(between);
                            writer.part(*operand, own)
                        })
                    })
                }
                _ => self.call(operator, operands),
            },
        }
    }

    fn bracketed(
        &mut self,
        own: Tightness,
        around: Tightness,
        inside: impl FnOnce(&mut Self, Tightness) -> Option<()>,
    ) -> Option<()> {
        let is_bracketed = own <= around;
        self.out.push_str(if is_bracketed { "(" } else { "" });
        inside(self, own)?;
        self.out.push_str(if is_bracketed { ")" } else { "" });
        Some(())
    }

    /// `name(operands)`
    fn call(&mut self, operator: Operator, operands: &[Node<'_>]) -> Option<()> {
        let name = if operator == Operator::Ternary { Operator::If.name() } else { operator.name() };
        // A symbol is no function name.
        if !name.starts_with(|character: char| character.is_ascii_lowercase()) {
            return None;
        }
        self.out.push_str(name);
        self.out.push('(');
        if operator.iterates() {
            self.iteration(operands)?;
        } else {
            self.list(operands)?;
        }
        self.out.push(')');
        Some(())
    }

    /// The list, then the expression for each item.
    fn iteration(&mut self, operands: &[Node<'_>]) -> Option<()> {
        for (place, operand) in operands.iter().enumerate() {
            self.out.push_str(if place > 0 { ", " } else { "" });
            let was = self.in_iteration;
            self.in_iteration |= place == 1;
            self.part(*operand, Tightness::LOOSE)?;
            self.in_iteration = was;
        }
        Some(())
    }

    fn list(&mut self, parts: &[Node<'_>]) -> Option<()> {
        parts.iter().enumerate().try_for_each(|(place, part)| {
            self.out.push_str(if place > 0 { ", " } else { "" });
            self.part(*part, Tightness::LOOSE)
        })
    }

    /// The path of a variable, if it is unambiguous.
    fn path(&mut self, path: Node<'_>) -> Option<()> {
        let text = path.as_str()?;
        let text = if text.is_empty() && self.in_iteration { "item" } else { text };
        let is_word = matches!(text, "and" | "or" | "not" | "in" | "true" | "false" | "null");
        let is_name =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii();
        let is_plain = |segment: &str| !segment.is_empty() && segment.bytes().all(is_name);
        let begins = text.starts_with(|character: char| !character.is_ascii_digit());
        // The operator `length` is written like that.
        let is_length = text.ends_with(".length");
        if is_word || is_length || !begins || !text.split('.').all(is_plain) {
            return None;
        }
        self.out.push_str(text);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use adjudicate_lang::{
        Steps,
        json::ReadLimits,
        logic::{Mode, Program},
    };

    use super::*;

    #[test]
    fn expressions_read_as_people_write_them() {
        for (expression, expected) in [
            (r#"{">=":[{"var":"qaFindings.overallScore"},0.8]}"#, "qaFindings.overallScore >= 0.8"),
            (r#"{"==":[{"length":[{"var":"copyVariants"}]},2]}"#, "copyVariants.length == 2"),
            (r#"{"===":[{"var":["tone"]},"warm \"x\""]}"#, r#"tone == "warm \"x\"""#),
            (r#"{"between":[{"var":"a"},0.6,8e-1]}"#, "0.6 <= a <= 0.8"),
            (r#"{"<":[0,{"var":"a"},10]}"#, "0 < a < 10"),
            (r#"{"in":[{"var":"a"},["x","y"]]}"#, r#"a in ["x", "y"]"#),
            (r#"{"!":{"var":"draft"}}"#, "not draft"),
            (r#"{"!":{"==":[{"var":"a"},1]}}"#, "not a == 1"),
            (r#"{"!!":[{"var":"a"}]}"#, "a"),
            (r#"{"and":[{"var":"a"},{"or":[{"var":"b"},{"var":"c"}]}]}"#, "a and (b or c)"),
            (r#"{"or":[{"and":[{"var":"a"},{"var":"b"}]},{"var":"c"}]}"#, "a and b or c"),
            (r#"{"and":[{"or":[{"var":"a"},{"var":"b"}]}]}"#, "a or b"),
            (r#"{">":[{"+":[{"var":"a"},{"*":[{"var":"b"},2]}]},{"-":[{"var":"c"}]}]}"#, "a + b * 2 > -c"),
            (r#"{">":[{"*":[{"-":[{"var":"a"},{"-":[1,2]}]},2]},0]}"#, "(a - (1 - 2)) * 2 > 0"),
            (r#"{"==":[{"==":[1,2]},{"!=":[3,4]}]}"#, "(1 == 2) == (3 != 4)"),
            (r#"{"all":[{"var":"items"},{">":[{"var":"score"},1]}]}"#, "all(items, score > 1)"),
            (r#"{"some":[{"var":"items"},{"==":[{"var":""},1]}]}"#, "some(items, item == 1)"),
            (r#"{"==":[{"missing":["a","b"]},[]]}"#, r#"missing("a", "b") == []"#),
            (r#"{"if":[{"var":"a"},{"var":"b"},true]}"#, "if(a, b, true)"),
            (r#"{"?:":[{"var":"a"},{"var":"b"},true]}"#, "if(a, b, true)"),
            (r#"{"starts_with":[{"var":"title"},"A"],"x-note":1}"#, r#"starts_with(title, "A")"#),
            (r#"{"==":[{"length":[{"cat":[{"var":"a"},"b"]}]},2]}"#, r#"cat(a, "b").length == 2"#),
            (r#"{"var":"größe"}"#, "größe"),
            // Expressions without a readable form.
            (r#"{"==":[{"var":["a",0]},1.0]}"#, r#"{"==":[{"var":["a",0]},1.0]}"#),
            (r#"{"==":[{"var":""},1]}"#, r#"{"==":[{"var":""},1]}"#),
            (r#"{"==":[1,{"var":"a b"}]}"#, r#"{"==":[1,{"var":"a b"}]}"#),
            (r#"{"==":[{"var":"and"},1]}"#, r#"{"==":[{"var":"and"},1]}"#),
            (r#"{"==":[{"var":3},1]}"#, r#"{"==":[{"var":3},1]}"#),
            (r#"{"==":[{"var":"a.length"},2]}"#, r#"{"==":[{"var":"a.length"},2]}"#),
            (r#"{"==":[{"var":"length"},2]}"#, "length == 2"),
            (r#"{"==":[{"var":{"var":"a"}},1]}"#, r#"{"==":[{"var":{"var":"a"}},1]}"#),
        ] {
            let tape = json::read(expression.as_bytes(), ReadLimits::DOCUMENT).unwrap();
            Program::compile(tape.root(), Mode::Strict, &mut Steps::for_patterns()).unwrap();
            assert_eq!(write(tape.root()), expected, "{expression}");
        }
    }

    #[test]
    fn every_operator_has_a_form() {
        for operator in Operator::ALL {
            let row = operator.signature();
            let operands = "{\"var\":\"a\"},".repeat(row.least.max(1));
            let expression = format!(r#"{{"{}":[{}]}}"#, row.name, operands.trim_end_matches(','));
            let tape = json::read(expression.as_bytes(), ReadLimits::DOCUMENT).unwrap();
            let text = write(tape.root());
            assert_eq!(text.starts_with('{'), *operator == Operator::Var, "{text}");
        }
    }
}
