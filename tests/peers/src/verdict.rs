//! The verdict of every engine: the rules that hold among the nine, and the resulting status.

use crate::Failure;

/// The rules, in the order of `rules/policy.json`, and the status that each calls for.
pub(crate) const RULES: [(&str, &str); 9] = [
    ("killed_by_policy", "unsafe"),
    ("forbidden_event", "unsafe"),
    ("report_against_exit", "unsafe"),
    ("claim_against_exit", "unsafe"),
    ("refinement_used_up", "needs_human"),
    ("slow_and_flaky", "needs_human"),
    ("report_missing", "blocked"),
    ("tests_fail", "partial"),
    ("low_pass_rate", "partial"),
];

/// The rules that hold, one bit each. The first rule is the lowest bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict(u16);

impl Verdict {
    /// Adds the rule at a position.
    pub(crate) fn add(&mut self, place: usize) {
        self.0 |= 1 << place;
    }

    /// Adds the rule of a name.
    pub(crate) fn add_named(&mut self, name: &str) -> Result<(), Failure> {
        let place = RULES.iter().position(|(rule, _)| *rule == name);
        self.add(place.ok_or_else(|| format!("there is no rule `{name}`"))?);
        Ok(())
    }

    /// The rules, in their order.
    pub(crate) fn rules(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        RULES.into_iter().enumerate().filter(move |(place, _)| self.0 & 1 << place != 0).map(|(_, rule)| rule)
    }

    /// The status of the first rule that holds, because the rules are in the order of their severity.
    pub(crate) fn status(self) -> &'static str {
        self.rules().next().map_or("success", |(_, status)| status)
    }

    /// The verdict as JSON, which is a peer's answer.
    pub(crate) fn text(self) -> String {
        let mut text = format!(r#"{{"status":"{}","rules":["#, self.status());
        for (index, (rule, _)) in self.rules().enumerate() {
            text.push_str(if index == 0 { "\"" } else { ",\"" });
            text.push_str(rule);
            text.push('"');
        }
        text.push_str("]}");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_written_with_their_most_severe_status() {
        let mut verdict = Verdict::default();
        assert_eq!(verdict.text(), r#"{"status":"success","rules":[]}"#);
        verdict.add_named("tests_fail").unwrap();
        verdict.add_named("report_missing").unwrap();
        assert_eq!(verdict.text(), r#"{"status":"blocked","rules":["report_missing","tests_fail"]}"#);
        assert!(verdict.add_named("unheard_of").is_err());
    }

    #[test]
    fn the_most_severe_rules_come_first() {
        let order = ["unsafe", "needs_human", "blocked", "partial"];
        let places: Vec<_> =
            RULES.iter().map(|(_, status)| order.iter().position(|known| known == status).unwrap()).collect();
        assert!(places.is_sorted());
    }
}
