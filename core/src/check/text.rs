//! A canonical text of a condition: equal for conditions that differ only in white space or in operator aliases.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    json,
    logic::{Expression, Form, Operator},
};

/// A piece of output that is still to be written.
enum Token<'p> {
    Part(Expression<'p>),
    Mark(&'static str),
}

/// The text of a condition, with one name for operators that mean the same.
pub(super) fn condition_text(condition: Expression<'_>) -> String {
    let mut text = String::new();
    let mut pending = Vec::from([Token::Part(condition)]);
    while let Some(token) = pending.pop() {
        let part = match token {
            Token::Mark(mark) => {
                text.push_str(mark);
                continue;
            }
            Token::Part(part) => part,
        };
        match (part.form(), part.operator()) {
            (Form::Constant(value), _) => text.push_str(&json::write(value)),
            (Form::Variable(path), _) if part.operands().len() < 2 => {
                // Length prefixes keep names apart, whatever they contain.
                text.push_str("var");
                for name in path.segments() {
                    text.push_str(&alloc::format!(" {}:{name}", name.len()));
                }
            }
            (_, operator) => {
                text.extend([operator.map_or("list", name), "("]);
                pending.push(Token::Mark(")"));
                for operand in part.operands().rev() {
                    pending.extend([Token::Mark(","), Token::Part(operand)]);
                }
            }
        }
    }
    text
}

const fn name(operator: Operator) -> &'static str {
    match operator {
        Operator::SameAs => Operator::Equal.name(),
        Operator::NotSameAs => Operator::Unequal.name(),
        Operator::Ternary => Operator::If.name(),
        other => other.name(),
    }
}
