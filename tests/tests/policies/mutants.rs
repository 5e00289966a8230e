//! Policies with one part removed or changed, which a thorough test must notice.

use super::{WORDS, rules, text};
use crate::json::Json;

/// The lists of a document in which every item must make a difference.
const LISTS: [&str; 4] = ["forbidden_paths", "protected_paths", "required_artifacts", "required_validators"];

/// The policies with one part removed or changed, each with a description.
pub(super) fn mutants(document: &Json) -> Vec<(String, Json)> {
    let mut mutants = Vec::new();
    let own: Vec<&Json> = rules(document).collect();
    for (index, rule) in own.iter().enumerate() {
        let id = rule.member("id").and_then(Json::as_text).expect("a rule has a name");
        let mut instead = |what: String, rule: Option<Json>| {
            let mut all: Vec<Json> = own.iter().map(|rule| (*rule).clone()).collect();
            all.splice(index..=index, rule);
            mutants.push((what, document.with("rules", Json::List(all))));
        };
        instead(format!("no `{id}`"), None);
        let mode = if rule.member("mode").is_some() { "enforce" } else { "monitor" };
        instead(format!("`{id}` in mode {mode}"), Some(rule.with("mode", text(mode))));
        let reported = rule.member("on_unknown");
        for word in
            WORDS.into_iter().filter(|word| reported.is_some_and(|reported| reported.as_text() != Some(word)))
        {
            instead(format!("`{id}` on_unknown {word}"), Some(rule.with("on_unknown", text(word))));
        }
    }
    for list in LISTS {
        let shorter = shorter(document.member(list));
        mutants
            .extend(shorter.map(|(what, items)| (format!("{what} in {list}"), document.with(list, items))));
    }
    let Some(Json::Object(routes)) = document.member("routes") else { panic!("a policy has routes") };
    for (role, patterns) in routes {
        let routes = Json::Object(routes.clone());
        let shorter = shorter(Some(patterns)).map(|(what, patterns)| (what, routes.with(role, patterns)));
        mutants.extend(
            shorter.map(|(what, routes)| (format!("{what} for {role}"), document.with("routes", routes))),
        );
    }
    let Some(Json::Object(parameters)) = document.member("parameters") else { panic!("it has parameters") };
    for (name, value) in parameters {
        let Json::Integer(value) = value else { panic!("`{name}` is a number") };
        let more = Json::Object(parameters.clone()).with(name, Json::Integer(value + 1));
        mutants.push((format!("one more for {name}"), document.with("parameters", more)));
    }
    let profile = match document.member("profile").and_then(Json::as_text) {
        Some("oa06.1") => "oa06",
        _ => "oa06.1",
    };
    mutants.push((format!("profile {profile}"), document.with("profile", text(profile))));
    mutants
}

/// A list without each of its items in turn.
fn shorter(list: Option<&Json>) -> impl Iterator<Item = (String, Json)> {
    let items = list.map(Json::items).unwrap_or_default();
    items.iter().enumerate().map(|(index, item)| {
        let mut fewer = items.to_vec();
        fewer.remove(index);
        (format!("no {}", item.to_text()), Json::List(fewer))
    })
}
