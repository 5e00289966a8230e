//! Which rules are worth evaluating: those whose conditions begin with another constant than the evidence has are not.
//!
//! A condition that is `{"==": [variable, text]}`, or an `and` that begins with one, does not hold when the variable is
//! known and something else; nothing behind it is looked at then. So such rules are found by the text, however many
//! there are, and the answer is the one that evaluating all of them would give.

use alloc::{boxed::Box, vec::Vec};

use super::{conditions::number, rule::Rule, variable::Variable};
use crate::{
    logic::{Expression, Form, Operator, Value},
    order,
};

/// The rules of a policy, by what their conditions begin with. Rules are named by their places.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// Rules that begin with anything else.
    scanned: Vec<u32>,
    guards: Vec<Guard>,
}

/// The rules whose conditions begin by comparing one variable with texts.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    variable: u32,
    /// The places of the rules by their texts, in the order of the texts.
    by_text: Vec<(Box<str>, Vec<u32>)>,
}

impl Index {
    /// What a policy without rules has.
    pub(super) const EMPTY: Self = Self { scanned: Vec::new(), guards: Vec::new() };

    pub(super) fn new(rules: &[Rule], variables: &[Variable]) -> Self {
        let mut guarded = Vec::new();
        let mut scanned = Vec::new();
        for (place, rule) in (0..).zip(rules) {
            match guard(rule.condition().root(), variables) {
                Some((variable, text)) => guarded.push((variable, text, place)),
                None => scanned.push(place),
            }
        }
        order::sort_by(&mut guarded, Ord::cmp);
        let mut guards: Vec<Guard> = Vec::new();
        for (variable, text, place) in guarded {
            if guards.last().is_none_or(|guard| guard.variable != variable) {
                guards.push(Guard { variable, by_text: Vec::new() });
            }
            if let Some(guard) = guards.last_mut() {
                guard.add(text, place);
            }
        }
        Self { scanned, guards }
    }

    /// The rules that are evaluated whatever the evidence is.
    pub(crate) fn scanned(&self) -> &[u32] {
        &self.scanned
    }

    /// The others, by the variables that they begin with.
    pub(crate) fn guards(&self) -> &[Guard] {
        &self.guards
    }
}

impl Guard {
    /// Adds a rule whose text is not before those that are there.
    fn add(&mut self, text: &str, place: u32) {
        match self.by_text.last_mut() {
            Some((last, places)) if **last == *text => places.push(place),
            _ => self.by_text.push((text.into(), Vec::from([place]))),
        }
    }

    /// The number of the variable.
    pub(crate) const fn variable(&self) -> u32 {
        self.variable
    }

    /// The rules that may hold, or be unknown, where the variable has that value.
    pub(crate) fn rules(&self, value: &Value<'_>) -> impl Iterator<Item = u32> {
        let found = |text: &str| self.by_text.binary_search_by(|(other, _)| (**other).cmp(text)).ok();
        let all = value.is_unknown().then_some(&*self.by_text);
        let matching = value.as_text().and_then(found).and_then(|at| self.by_text.get(at..=at));
        all.or(matching).unwrap_or_default().iter().flat_map(|(_, places)| places).copied()
    }
}

/// The variable and the text that a condition begins by comparing.
fn guard<'p>(condition: Expression<'p>, variables: &[Variable]) -> Option<(u32, &'p str)> {
    let mut first = condition;
    while first.operator() == Some(Operator::And) {
        first = first.operands().next()?;
    }
    if !matches!(first.operator(), Some(Operator::Equal | Operator::SameAs)) {
        return None;
    }
    let mut operands = first.operands();
    let (left, right) = (operands.next()?, operands.next()?);
    compared(left, right, variables).or_else(|| compared(right, left, variables))
}

fn compared<'p>(
    left: Expression<'p>,
    right: Expression<'p>,
    variables: &[Variable],
) -> Option<(u32, &'p str)> {
    let Form::Variable(path) = left.form() else { return None };
    // A default may be equal where the variable is unknown.
    let is_plain = left.operands().len() < 2;
    Some((number(variables, path)?, right.constant()?.as_text()?)).filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use crate::{json, json::Limits, logic::Value, policy::Policy};
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
            assert_eq!(policy.index().guards().len(), usize::from(is_found), "{when}");
        }
    }

    #[test]
    fn a_value_leads_to_its_rules() {
        let rule = |text| format!(r#"{{"==":[{{"var":"input.workflow_id"}},"{text}"]}}"#);
        let [release, nightly] = [rule("release"), rule("nightly")];
        let policy = policy(&[&nightly, &release, "true", &release]);
        let guard = &policy.index().guards()[0];
        let tape = json::read(TAPE.as_bytes(), Limits::DOCUMENT).unwrap();
        let values: Vec<Value<'_>> = tape.root().items().map(Value::from).chain([Value::Unknown]).collect();
        let found: Vec<Vec<u32>> = values.iter().map(|value| guard.rules(value).collect()).collect();
        assert_eq!(found, [&[1, 3][..], &[0], &[], &[0, 1, 3]]);
        assert_eq!(policy.index().scanned(), [2]);
    }
}
