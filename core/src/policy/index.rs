//! An index of rules by the text that their conditions first compare a variable with.
//!
//! A condition that is `{"==": [variable, text]}`, or an `and` that begins with one, does not hold if the variable is known
//! and has another value; the rest of the condition is not evaluated then. So the index looks up these rules by the text,
//! however many there are, and the answer is the same as if all of them were evaluated.

use alloc::{boxed::Box, vec::Vec};

use adjudicate_lang::{
    logic::{Expression, Form, Operator, Value, VariablePath},
    order,
};

use super::{conditions::number, rule::Rule, variable::Variable};

/// The rules of a policy, by the first comparison of their conditions. A rule is given by its index in the policy.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// Rules whose conditions do not begin with such a comparison. Every evaluation checks them.
    scanned: Vec<u32>,
    groups: Vec<ComparisonGroup>,
}

/// The rules whose conditions begin by comparing one variable with texts.
#[derive(Clone, Debug)]
pub(crate) struct ComparisonGroup {
    variable: u32,
    /// The indices of the rules, in the order of the texts. Each text is in the condition of its rule.
    rules: Box<[u32]>,
}

impl Index {
    /// The index of a policy without rules.
    pub(super) const EMPTY: Self = Self { scanned: Vec::new(), groups: Vec::new() };

    pub(super) fn new(rules: &[Rule], variables: &[Variable]) -> Self {
        let mut comparisons = Vec::new();
        let mut scanned = Vec::new();
        for (place, rule) in (0..).zip(rules) {
            let begins = first_comparison(rule);
            match begins.and_then(|(path, text)| Some((number(variables, path)?, text))) {
                Some((variable, text)) => comparisons.push((variable, text, place)),
                None => scanned.push(place),
            }
        }
        order::sort_by(&mut comparisons, Ord::cmp);
        let groups =
            comparisons.chunk_by(|(left, ..), (right, ..)| left == right).filter_map(|comparisons| {
                let (variable, ..) = comparisons.first()?;
                Some(ComparisonGroup {
                    variable: *variable,
                    rules: comparisons.iter().map(|(.., place)| *place).collect(),
                })
            });
        Self { scanned, groups: groups.collect() }
    }

    /// The rules that are always evaluated.
    pub(crate) fn scanned(&self) -> &[u32] {
        &self.scanned
    }

    /// The other rules, by the variable that they first compare.
    pub(crate) fn groups(&self) -> &[ComparisonGroup] {
        &self.groups
    }
}

impl ComparisonGroup {
    /// The number of the variable.
    pub(crate) const fn variable(&self) -> u32 {
        self.variable
    }

    /// Returns the rules whose conditions may hold or be unknown if the variable has this value. `all`: the policy's rules.
    pub(crate) fn rules(&self, all: &[Rule], value: &Value<'_>) -> &[u32] {
        if value.is_unknown() {
            return &self.rules;
        }
        let Some(text) = value.as_text() else { return &[] };
        let begins = |place: &u32| Some(first_comparison(all.get(*place as usize)?)?.1);
        let from = self.rules.partition_point(|place| begins(place) < Some(text));
        let rest = self.rules.get(from..).unwrap_or_default();
        rest.get(..rest.partition_point(|place| begins(place) == Some(text))).unwrap_or_default()
    }
}

/// The variable and the text that a rule's condition compares first.
fn first_comparison(rule: &Rule) -> Option<(&VariablePath, &str)> {
    let mut first = rule.condition().root();
    while first.operator() == Some(Operator::And) {
        first = first.operands().next()?;
    }
    if !matches!(first.operator(), Some(Operator::Equal | Operator::SameAs)) {
        return None;
    }
    let mut operands = first.operands();
    let (left, right) = (operands.next()?, operands.next()?);
    compared(left, right).or_else(|| compared(right, left))
}

fn compared<'p>(left: Expression<'p>, right: Expression<'p>) -> Option<(&'p VariablePath, &'p str)> {
    let Form::Variable(path) = left.form() else { return None };
    // If the variable is unknown, its default may equal the text.
    let is_plain = left.operands().len() < 2;
    Some((path, right.constant()?.as_text()?)).filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use adjudicate_lang::{json, json::ReadLimits, logic::Value};

    use crate::policy::Policy;
    use alloc::{format, string::String, vec::Vec};

    const TAPE: &str = r#"["release", "nightly", 3]"#;

    fn policy(conditions: &[&str]) -> Policy {
        let then = r#"{"status":"partial","summary":"s"}"#;
        let rules = conditions.iter().enumerate();
        let rules: Vec<String> = rules
            .map(|(index, when)| format!(r#"{{"id":"r{index}","when":{when},"then":{then}}}"#))
            .collect();
        let text = format!(r#"{{"policy":"p","version":"1.0.0","rules":[{}]}}"#, rules.join(","));
        Policy::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn only_what_decides_first_is_found_by_its_text() {
        for (when, is_found) in [
            (r#"{"==":[{"var":"input.run_id"},"a"]}"#, true),
            (r#"{"===":["a",{"var":"input.run_id"}]}"#, true),
            (r#"{"and":[{"and":[{"==":[{"var":"facts.intent"},"fix"]}]},true]}"#, true),
            (r#"{"and":[true,{"==":[{"var":"facts.intent"},"fix"]}]}"#, false),
            (r#"{"or":[{"==":[{"var":"facts.intent"},"fix"]}]}"#, false),
            (r#"{"!=":[{"var":"facts.intent"},"fix"]}"#, false),
            (r#"{"==":[{"var":["facts.intent","fix"]},"fix"]}"#, false),
            (r#"{"==":[{"var":"facts.failures"},3]}"#, false),
            (r#"{"==":["a","a"]}"#, false),
            ("true", false),
        ] {
            let policy = policy(&[when]);
            assert_eq!(policy.index().scanned().is_empty(), is_found, "{when}");
            assert_eq!(policy.index().groups().len(), usize::from(is_found), "{when}");
        }
    }

    #[test]
    fn a_value_leads_to_its_rules() {
        let rule = |text| format!(r#"{{"==":[{{"var":"input.workflow_id"}},"{text}"]}}"#);
        let [release, nightly] = [rule("release"), rule("nightly")];
        let policy = policy(&[&nightly, &release, "true", &release]);
        let group = &policy.index().groups()[0];
        let tape = json::read(TAPE.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let values: Vec<Value<'_>> = tape.root().items().map(Value::from).chain([Value::Unknown]).collect();
        let found: Vec<Vec<u32>> =
            values.iter().map(|value| group.rules(policy.rules(), value).into()).collect();
        assert_eq!(found, [&[1, 3][..], &[0], &[], &[0, 1, 3]]);
        assert_eq!(policy.index().scanned(), [2]);
    }
}
