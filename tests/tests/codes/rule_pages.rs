//! The pages of the built-in rules, `docs/reference/rules`, and the lists that name each rule. The example in a page is a case of
//! `fixtures/evaluate` in which the rule fires, and the change after which it does not.

use adjudicate_core::{
    Operation, RuleCode,
    json::{OwnedValue, push_segment},
};
use adjudicate_tests::{Corpus, Fixture, generated::assert_current, layout_value, workspace_root};

const END: &str = "<!-- end -->\n";

/// A call that makes a rule fire, and the nearest one that does not.
struct Example<'c> {
    firing: &'c Fixture,
    quiet: &'c Fixture,
    change: Change,
}

/// The changes from one document to another, as cases of `adjudicate test` have them.
#[derive(Default)]
struct Change {
    remove: Vec<OwnedValue>,
    set: Vec<(String, OwnedValue)>,
}

impl Change {
    fn between(from: &OwnedValue, to: &OwnedValue) -> Self {
        let mut change = Self::default();
        change.add("", from, to);
        change
    }

    fn add(&mut self, pointer: &str, from: &OwnedValue, to: &OwnedValue) {
        let (OwnedValue::Object(before), OwnedValue::Object(after)) = (from, to) else {
            if from != to {
                self.set.push((pointer.to_owned(), to.clone()));
            }
            return;
        };
        let below = |name: &str| {
            let mut below = pointer.to_owned();
            push_segment(&mut below, name);
            below
        };
        let gone = before.iter().filter(|(name, _)| to.lookup(name).is_none());
        self.remove.extend(gone.map(|(name, _)| OwnedValue::text(&below(name))));
        for (name, value) in after {
            match from.lookup(name) {
                Some(old) => self.add(&below(name), old, value),
                None => self.set.push((below(name), value.clone())),
            }
        }
    }

    fn document(&self) -> OwnedValue {
        let remove = (!self.remove.is_empty()).then(|| ("remove", OwnedValue::List(self.remove.clone())));
        let set = (!self.set.is_empty()).then(|| ("set", OwnedValue::Object(self.set.clone())));
        let fields = remove.into_iter().chain(set).map(|(name, value)| (name.to_owned(), value));
        OwnedValue::Object(fields.collect())
    }
}

fn json(text: &[u8]) -> OwnedValue {
    OwnedValue::from_json(str::from_utf8(text).expect("it is UTF-8"))
}

impl<'c> Example<'c> {
    /// The pair of cases of a rule whose calls differ least.
    fn find(rule: &str, corpus: &'c [Fixture]) -> Self {
        let of = |what: &str| {
            let name = format!("rule-{}-{what}-", rule.replace('_', "-"));
            corpus.iter().filter(move |fixture| fixture.name.starts_with(&name))
        };
        let pairs = of("fires").flat_map(|firing| of("quiet").map(move |quiet| (firing, quiet)));
        let examples = pairs.map(|(firing, quiet)| {
            let change = Change::between(&json(&firing.call), &json(&quiet.call));
            Self { firing, quiet, change }
        });
        examples
            .min_by_key(|example| (example.change.document().to_text().len(), example.firing.call.len()))
            .unwrap_or_else(|| panic!("no cases of `{rule}`"))
    }

    fn text(&self, rule: &str) -> String {
        let answer = |fixture: &Fixture| json(fixture.answer.as_deref().expect("an answer").as_bytes());
        let fires = answer(self.firing);
        let Some(OwnedValue::List(findings)) = fires.lookup("findings") else { panic!("no findings") };
        let is_own =
            |finding: &&OwnedValue| finding.lookup("rule").and_then(OwnedValue::as_str) == Some(rule);
        let finding = findings.iter().find(is_own).expect("the rule fires");
        let block = |value: &OwnedValue| {
            format!("```json\n{}\n```\n", layout_value(&value.to_text()).expect("it is JSON"))
        };
        format!(
            "\n## It fires\n\nIn the case `{}`:\n\n{}\nThe decision is {}. This is the finding:\n\n{}\n\
             ## It does not fire\n\nAfter this change, as in the case `{}`, the decision is {}:\n\n{}",
            self.firing.name,
            block(&json(&self.firing.call)),
            decision(&fires),
            block(finding),
            self.quiet.name,
            decision(&answer(self.quiet)),
            block(&self.change.document()),
        )
    }
}

/// The status and the next step of an answer, in words.
fn decision(answer: &OwnedValue) -> String {
    let field = |name| answer.lookup("decision").and_then(|decision| decision.lookup(name)?.as_str());
    let status = field("status").expect("a status");
    field("next_step").map_or_else(
        || format!("`{status}` without a next step"),
        |step| format!("`{status}` with the next step `{step}`"),
    )
}

#[test]
fn the_page_of_each_rule_has_current_examples() {
    let corpus = Corpus::read_of(Operation::Evaluate).expect("the corpus");
    for rule in RuleCode::ALL.iter().map(|rule| rule.row().name) {
        let path = format!("docs/reference/rules/{rule}.md");
        let page = std::fs::read_to_string(workspace_root().join(&path)).expect("a page");
        let marker = format!("<!-- example {rule} -->\n");
        let (text, example) = page.split_once(&marker).unwrap_or_else(|| panic!("{path}: no `{marker}`"));
        assert!(example.ends_with(END), "{path}");
        let example = Example::find(rule, &corpus).text(rule);
        assert_current(&path, &format!("{text}{marker}{example}{END}"));
    }
}

#[test]
fn the_summary_of_the_book_lists_the_pages_of_the_rules() {
    const PATH: &str = "docs/SUMMARY.md";
    const ABOVE: &str = "  - [Built-in rules](reference/rules.md)\n";
    let summary = std::fs::read_to_string(workspace_root().join(PATH)).expect("the summary");
    let (before, rest) = summary.split_once(ABOVE).expect("the page of the rules");
    let after: String = rest.split_inclusive('\n').skip_while(|line| line.starts_with("    - ")).collect();
    let names = RuleCode::ALL.iter().map(|rule| rule.row().name);
    let pages: String = names.map(|rule| format!("    - [{rule}](reference/rules/{rule}.md)\n")).collect();
    assert_current(PATH, &format!("{before}{ABOVE}{pages}{after}"));
}

#[test]
fn the_page_of_policies_has_the_changes_for_each_rule() {
    let page = std::fs::read_to_string(workspace_root().join("docs/reference/policies.md")).expect("a page");
    let (_, list) = page.split_once("\nThe changes, by finding:\n").expect("the list");
    let (list, _) = list.split_once("\n`no_counterfactual.reason`").expect("its end");
    for rule in RuleCode::ALL.iter().map(|rule| rule.row()).filter(|rule| !rule.escalation) {
        assert!(list.contains(&format!("`{}`", rule.name)), "no changes for `{}`", rule.name);
    }
}
