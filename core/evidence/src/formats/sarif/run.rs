//! A run of a tool: its rules, files and messages, which results refer to by index or id.

use alloc::{
    collections::BTreeMap,
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_core::json::Node;

use crate::{Location, json, limits::MAX_MESSAGE_CHARACTERS, reading::IncompleteReasons, text::first_line};

/// A run with its tables.
pub(super) struct SarifRun<'t> {
    node: Node<'t>,
    /// The rules of the tool and of each of its extensions.
    rules: Vec<Vec<Node<'t>>>,
    by_id: BTreeMap<&'t str, Node<'t>>,
    artifacts: Vec<Node<'t>>,
}

impl<'t> SarifRun<'t> {
    pub(super) fn new(node: Node<'t>) -> Self {
        let tool = node.member("tool");
        let extensions = tool.into_iter().flat_map(|tool| json::items(tool, "extensions"));
        let components = tool.and_then(|tool| tool.member("driver")).into_iter().chain(extensions);
        let rules: Vec<Vec<_>> =
            components.map(|component| json::items(component, "rules").collect()).collect();
        let named = rules.iter().flatten().filter_map(|rule| Some((json::text(*rule, "id")?, *rule)));
        let by_id = named.collect();
        Self { node, rules, by_id, artifacts: json::items(node, "artifacts").collect() }
    }

    fn name(&self) -> &'t str {
        let driver = self.node.member("tool").and_then(|tool| tool.member("driver"));
        driver.and_then(|driver| json::text(driver, "name")).unwrap_or("unnamed")
    }

    /// Adds the reasons why the run cannot be complete.
    pub(super) fn problems(&self, incomplete: &mut IncompleteReasons) {
        let name = adjudicate_core::json::shorten(self.name());
        for invocation in json::items(self.node, "invocations") {
            let success = invocation.member("executionSuccessful");
            if success.is_some() && !json::is_true(invocation, "executionSuccessful") {
                let reason = problem_of(invocation).map(|reason| format!(": {reason}"));
                incomplete.add(format!("the tool `{name}` failed{}", reason.unwrap_or_default()));
            }
        }
        let external = self.node.member("externalPropertyFileReferences");
        if external.is_some_and(|files| files.member("results").is_some()) {
            incomplete.add(format!("the results of the tool `{name}` are in other files"));
        } else if !self.node.member("results").is_some_and(json::is_array) {
            incomplete.add(format!("the run of the tool `{name}` has no results"));
        }
    }

    /// Returns the level of a result: its own, or the default of its rule.
    pub(super) fn level(&self, result: Node<'t>) -> &'t str {
        if let Some(level) = json::text(result, "level") {
            return level;
        }
        // Only results of the kind `fail`, which is the default, have a level.
        if json::text(result, "kind").is_some_and(|kind| kind != "fail") {
            return "none";
        }
        let default = self.rule(result).and_then(|rule| rule.member("defaultConfiguration"));
        default.and_then(|default| json::text(default, "level")).unwrap_or("warning")
    }

    /// Returns the id of the rule of a result.
    pub(super) fn rule_id(&self, result: Node<'t>) -> Option<&'t str> {
        let reference = result.member("rule");
        let own = json::text(result, "ruleId").or_else(|| json::text(reference?, "id"));
        own.or_else(|| json::text(self.rule(result)?, "id"))
    }

    /// Returns the rule of a result.
    fn rule(&self, result: Node<'t>) -> Option<Node<'t>> {
        let reference = result.member("rule");
        let position = index(result, "ruleIndex").or_else(|| index(reference?, "index"));
        // The tool itself comes before its extensions.
        let component = reference
            .and_then(|rule| index(rule.member("toolComponent")?, "index"))
            .map_or(0, |index| index + 1);
        let by_index = position.and_then(|index| self.rules.get(component)?.get(index).copied());
        by_index.or_else(|| {
            let id = json::text(result, "ruleId").or_else(|| json::text(reference?, "id"))?;
            // `CA1000/1` is a part of the rule `CA1000`.
            let whole = || self.by_id.get(id.rsplit_once('/')?.0);
            self.by_id.get(id).or_else(whole).copied()
        })
    }

    /// Returns the message of a result.
    pub(super) fn message(&self, result: Node<'t>) -> Option<String> {
        message_text(result.member("message")?, self.rule(result))
    }

    /// Returns the place of a location object.
    pub(super) fn location(&self, location: Node<'t>) -> Option<Location> {
        let physical = location.member("physicalLocation")?;
        let line = physical.member("region").and_then(|region| json::line_number(region, "startLine"));
        Location::new(Some(&self.path(physical)?), line)
    }

    /// Returns the path in the `artifactLocation` of an object.
    pub(super) fn path(&self, object: Node<'t>) -> Option<String> {
        let own = object.member("artifactLocation")?;
        let listed = || self.artifacts.get(index(own, "index")?)?.member("location");
        let uri = json::text(own, "uri").or_else(|| json::text(listed()?, "uri"))?;
        Some(path_of(uri))
    }
}

/// Returns a field that is an index. `-1` is the same as none.
fn index(object: Node<'_>, name: &str) -> Option<usize> {
    object.member(name)?.as_number()?.parse().ok()
}

/// Returns the first error that a run reported about itself.
fn problem_of(invocation: Node<'_>) -> Option<String> {
    let lists = ["toolExecutionNotifications", "toolConfigurationNotifications"];
    let mut notifications = lists.into_iter().flat_map(|name| json::items(invocation, name));
    let is_error = |one: &Node<'_>| json::text(*one, "level") == Some("error");
    let text = notifications.find(is_error).and_then(|one| json::text(one.member("message")?, "text"));
    text.or_else(|| json::text(invocation, "exitCodeDescription")).and_then(first_line)
}

/// Returns the first line of a message object: a text, or the id of a text of the rule, with arguments.
pub(super) fn message_text(message: Node<'_>, rule: Option<Node<'_>>) -> Option<String> {
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

/// Returns the path of a relative URI or of a `file` URI. Other URIs stay.
fn path_of(uri: &str) -> String {
    let rest = match uri.strip_prefix("file:") {
        None => uri,
        // `file://HOST/path` and `file:/path`
        Some(rest) => rest
            .strip_prefix("//")
            .and_then(|host| host.find('/').and_then(|at| host.get(at..)))
            .unwrap_or(rest),
    };
    let path = decode(rest).unwrap_or_else(|| rest.to_string());
    let is_drive = matches!(path.as_bytes(), [b'/', letter, b':', ..] if letter.is_ascii_alphabetic());
    if is_drive { path.get(1..).unwrap_or_default().to_string() } else { path }
}

/// Decodes `%XX`. Returns `None` if the result is not UTF-8.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, behind)) = rest.split_first() {
        let digits =
            behind.get(..2).filter(|digits| *byte == b'%' && digits.iter().all(u8::is_ascii_hexdigit));
        let code = digits.and_then(|digits| u8::from_str_radix(core::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(code.unwrap_or(*byte));
        rest = if code.is_some() { behind.get(2..).unwrap_or_default() } else { behind };
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_become_paths() {
        for (uri, expected) in [
            ("src/a%20b.js", "src/a b.js"),
            ("file:///work/app/a.js", "/work/app/a.js"),
            ("file:///C:/app/a.js", "C:/app/a.js"),
            ("file://host/share/a.js", "/share/a.js"),
            ("file:/a.js", "/a.js"),
            ("https://example.com/a.js", "https://example.com/a.js"),
            ("100%", "100%"),
            ("a%ff", "a%ff"),
        ] {
            assert_eq!(path_of(uri), expected);
        }
    }
}
