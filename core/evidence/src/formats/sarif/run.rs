//! A run of a tool: its rules and files, which results refer to by index or id.

use alloc::{collections::BTreeMap, format, string::String, vec::Vec};

use adjudicate_core::json::Node;

use super::{message, place};
use crate::{Location, incomplete::IncompleteReasons, json, text::first_line};

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
        message::text(result.member("message")?, self.rule(result))
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
        Some(place::path(uri))
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
