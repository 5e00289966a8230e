//! Messages: a text, or the id of a text of the rule, with arguments.

use alloc::string::String;

use adjudicate_core::json::Node;

use crate::{json, limits::MAX_MESSAGE_CHARACTERS, text::first_line};

/// Returns the first line of a message object.
pub(super) fn text(message: Node<'_>, rule: Option<Node<'_>>) -> Option<String> {
    let of_rule = || {
        let id = json::text(message, "id")?;
        json::text(rule?.member("messageStrings")?.member(id)?, "text")
    };
    let template =
        json::text(message, "text").or_else(of_rule).or_else(|| json::text(message, "markdown"))?;
    if json::items(message, "arguments").next().is_none() {
        return first_line(template);
    }
    first_line(&fill(template, message))
}

/// Replaces `{0}`, `{1}` and so on by the arguments, up to the length of a message. `{{` and `}}` are braces.
fn fill(template: &str, message: Node<'_>) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']).filter(|_| out.len() <= 4 * MAX_MESSAGE_CHARACTERS) {
        let (before, behind) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let argument = behind.strip_prefix('{').and_then(|inside| inside.split_once('}'));
        let argument = argument.and_then(|(number, rest)| {
            let number: usize = number.parse().ok().filter(|number| *number < 100)?;
            Some((json::items(message, "arguments").nth(number)?.as_str()?, rest))
        });
        let brace = || {
            behind
                .strip_prefix("{{")
                .map(|rest| ("{", rest))
                .or_else(|| Some(("}", behind.strip_prefix("}}")?)))
        };
        let (text, left) =
            argument.or_else(brace).unwrap_or_else(|| behind.split_at_checked(1).unwrap_or((behind, "")));
        out.push_str(text);
        rest = left;
    }
    out.push_str(rest);
    out
}
