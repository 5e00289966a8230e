//! The policies of `fixtures/policies/` pass their tests, and their tests leave out nothing: a policy with one part removed or changed fails.
//!
//! The result of a condition is found without looking into the engine. Under `on_unknown: fire` a rule fires if its
//! condition holds or is unknown, under `ignore` only if the condition holds.

mod composed;
pub(crate) mod suite;

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
};

use adjudicate_core::{
    Policy,
    check::{CheckCode, CheckFinding, check_policy},
};

use self::suite::{Case, Suite, answer};
use crate::{cli::adjudicate, json::Json};

/// The results of a rule's condition.
const VERDICTS: [&str; 3] = ["fired", "quiet", "unknown"];
/// The words of `on_unknown`.
const WORDS: [&str; 3] = ["escalate", "fire", "ignore"];

#[test]
fn every_case_gets_its_expected_answer() {
    for suite in Suite::all() {
        for case in &suite.cases {
            let fault = suite::difference(&case.expect, &answer(&case.input, &suite.policy));
            assert_eq!(fault, None, "{}: {}", suite.name, case.name);
        }
    }
}

#[test]
fn shared_cases_hold_under_each_policy() {
    let (cases, _) = suite::shared();
    for suite in Suite::all() {
        for case in &cases {
            let fault = suite::difference(&case.expect, &answer(&case.input, &suite.policy));
            assert_eq!(fault, None, "{}: {}", suite.name, case.name);
        }
    }
}

#[test]
fn every_rule_fires_stays_quiet_and_with_on_unknown_is_unknown() {
    let mut missing = Vec::new();
    for suite in Suite::all() {
        for (rule, counts) in conditions(&suite, &suite.cases) {
            // A rule needs no `on_unknown` if its condition is always known.
            let wanted = if says_on_unknown(&suite, &rule) { 3 } else { 2 };
            let never = VERDICTS.iter().zip(counts).take(wanted).filter(|(_, count)| *count == 0);
            missing.extend(never.map(|(verdict, _)| format!("{}: `{rule}` is never {verdict}", suite.name)));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn every_reachable_status_is_reached() {
    for suite in Suite::all() {
        let never = check_policy(&suite.policy);
        let never: Vec<_> = never.iter().filter(|found| found.code == CheckCode::UnreachableStatus).collect();
        let reached: BTreeSet<String> =
            suite.cases.iter().filter_map(|case| status(&answer(&case.input, &suite.policy))).collect();
        for status in ["success", "partial", "blocked", "needs_human", "unsafe"] {
            let is_out_of_reach = never.iter().any(|found| found.message.contains(&format!("`{status}`")));
            assert!(reached.contains(status) || is_out_of_reach, "{} never reaches {status}", suite.name);
        }
    }
}

/// A test that passes with any policy proves nothing. So each part of a policy is removed or changed, and some case
/// must fail.
#[test]
fn every_part_of_a_policy_matters_to_some_case() {
    let mut idle = Vec::new();
    for suite in Suite::all() {
        for (part, document) in mutants(&suite.document) {
            if !suite.notices(&compiled(&document)) {
                idle.push(format!("{}: no case fails with {part}", suite.name));
            }
        }
    }
    assert!(idle.is_empty(), "{}", idle.join("\n"));
}

#[test]
fn the_check_of_each_policy_finds_nothing() {
    for suite in Suite::all() {
        let found: Vec<String> = check_policy(&suite.policy).iter().map(described).collect();
        assert!(found.is_empty(), "{}: {}", suite.name, found.join("\n"));
    }
}

#[test]
fn the_policies_use_the_language() {
    let suites = Suite::all();
    let all_rules = || suites.iter().flat_map(|suite| rules(&suite.document));
    let of_rules = |names: &[&str]| -> BTreeSet<String> {
        all_rules().filter_map(|rule| Some(rule.at(names)?.as_text()?.to_owned())).collect()
    };
    let all = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(of_rules(&["on_unknown"]), all(&WORDS));
    assert_eq!(of_rules(&["then", "status"]), all(&["blocked", "needs_human", "partial", "unsafe"]));
    assert_eq!(
        of_rules(&["then", "resolution", "kind"]),
        all(&["after_fix", "needs_approval", "provide_evidence", "retry", "terminal"])
    );
    for suite in &suites {
        let own: Vec<&Json> = rules(&suite.document).collect();
        assert!((5..=12).contains(&own.len()), "{} has {} rules", suite.name, own.len());
        let monitored = own.iter().filter(|rule| rule.member("mode").is_some()).count();
        assert!(monitored > 0, "{} monitors something", suite.name);
    }
    let in_json = suites.iter().filter(|suite| suite.files[0].extension().is_some_and(|it| it == "json"));
    assert!(in_json.count() >= 2);
}

fn described(finding: &CheckFinding) -> String {
    format!("{} at {}: {}", finding.code.as_str(), finding.path, finding.message)
}

/// The number of times that the condition of each rule has each result, in the order of [`VERDICTS`].
fn conditions(suite: &Suite, cases: &[Case]) -> BTreeMap<String, [i64; 3]> {
    let [fires, ignores] = ["fire", "ignore"].map(|word| {
        let all = rules(&suite.document).map(|rule| rule.with("on_unknown", text(word)).without("mode"));
        compiled(&suite.document.with("rules", Json::List(all.collect())))
    });
    let mut counts: BTreeMap<String, [i64; 3]> = BTreeMap::new();
    for case in cases {
        let answers = [&fires, &ignores].map(|policy| answer(&case.input, policy));
        // Without an answer, no condition has a result.
        if answers.iter().any(|answer| answer.member("error").is_some()) {
            continue;
        }
        let [may_hold, holds] = answers.each_ref().map(speaking);
        for rule in suite.policy.rules().iter().map(|rule| rule.id()) {
            let verdict = match (may_hold.contains(rule), holds.contains(rule)) {
                (true, true) => 0,
                (false, _) => 1,
                (true, false) => 2,
            };
            counts.entry(rule.to_owned()).or_default()[verdict] += 1;
        }
    }
    counts
}

fn compiled(document: &Json) -> Policy {
    Policy::parse(document.to_text().as_bytes()).expect("a part less is a policy still")
}

fn rules(document: &Json) -> impl Iterator<Item = &Json> {
    document.member("rules").expect("a policy has rules").items().iter()
}

fn says_on_unknown(suite: &Suite, id: &str) -> bool {
    let is_it = |rule: &&Json| rule.member("id").and_then(Json::as_text) == Some(id);
    rules(&suite.document).find(is_it).is_some_and(|rule| rule.member("on_unknown").is_some())
}

/// The rules that an answer has findings of.
fn speaking(answer: &Json) -> BTreeSet<String> {
    let findings = answer.member("findings").map(Json::items).unwrap_or_default();
    findings.iter().filter_map(|finding| Some(finding.member("rule")?.as_text()?.to_owned())).collect()
}

/// The risk flags of an answer.
fn flags(answer: &Json) -> BTreeSet<&str> {
    let flags = answer.at(&["decision", "risk_flags"]).map(Json::items).unwrap_or_default();
    flags.iter().filter_map(Json::as_text).collect()
}

fn status(answer: &Json) -> Option<String> {
    Some(answer.at(&["decision", "status"])?.as_text()?.to_owned())
}

fn text(text: &str) -> Json {
    Json::Text(text.to_owned())
}

/// The command `test` runs the same cases, passes all of them, and counts the same.
#[test]
fn the_command_test_gives_the_same_results() {
    let (shared, shared_file) = suite::shared();
    for suite in Suite::all() {
        let [document, cases] = suite.files.each_ref().map(|file| file.as_os_str());
        let [test, case, min, all, format, json] =
            ["test", "--case", "--min-coverage", "100", "--format", "json"].map(OsStr::new);
        let arguments = [test, document, case, cases, case, shared_file.as_os_str(), min, all, format, json];
        let run = adjudicate(arguments, b"");
        assert_eq!((run.status, &*run.stderr), (Some(0), ""), "{}: {}", suite.name, run.stdout);
        let report = Json::parse(run.stdout.as_bytes()).expect("a report is JSON");
        let [observed] = report.member("policies").expect("of each policy").items() else { panic!("of one") };
        let all: Vec<_> = suite.cases.iter().chain(&shared).cloned().collect();
        let names = observed.member("tests").expect("which tests").items().iter();
        let names = names.filter_map(|test| test.member("name")?.as_text()?.split(" / ").last());
        assert!(names.eq(all.iter().map(|case| &*case.name)), "{}: {}", suite.name, run.stdout);
        let ours = conditions(&suite, &all);
        for rule in observed.at(&["coverage", "rules"]).expect("what they cover").items() {
            let id = rule.member("id").and_then(Json::as_text).expect("which rule");
            let counts = VERDICTS.map(|verdict| rule.member(verdict).cloned());
            assert_eq!(counts, ours[id].map(|count| Some(Json::Integer(count))), "{}: {id}", suite.name);
        }
    }
}

/// The lists of a document in which every item must make a difference.
const LISTS: [&str; 4] = ["forbidden_paths", "protected_paths", "required_artifacts", "required_validators"];

/// The policies with one part removed or changed, each with a description.
fn mutants(document: &Json) -> Vec<(String, Json)> {
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
