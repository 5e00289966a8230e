//! Nine rules over one envelope in every engine: compiled rules with prepared data, and compiled rules from text to text.
//!
//! The measurement starts after all engines have given the same verdict for every input.

use crate::{
    Failure, Values,
    contest::{Contest, Effort, timed},
    engines::{ENGINES, Engine},
    inputs::{self, Input},
};

/// The rules, in the order of `rules/policy.json`, and the status that each calls for. The most severe come first.
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
    /// Reads whether each rule holds, in the order of the rules.
    pub(crate) fn of(rules: impl Iterator<Item = Result<bool, Failure>>) -> Result<Self, Failure> {
        let mut verdict = Self::default();
        for (place, holds) in rules.enumerate() {
            verdict.0 |= u16::from(holds.map_err(|failure| format!("rule {place}: {failure}"))?) << place;
        }
        Ok(verdict)
    }

    /// Reads the names of the rules that hold.
    pub(crate) fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, Failure> {
        let mut verdict = Self::default();
        for name in names {
            let place = RULES.iter().position(|(rule, _)| *rule == name);
            verdict.0 |= 1 << place.ok_or_else(|| format!("there is no rule `{name}`"))?;
        }
        Ok(verdict)
    }

    fn rules(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        RULES.into_iter().enumerate().filter(move |(place, _)| self.0 & 1 << place != 0).map(|(_, rule)| rule)
    }

    /// The status of the first rule that holds.
    pub(crate) fn status(self) -> &'static str {
        self.rules().next().map_or("success", |(_, status)| status)
    }

    /// The verdict as JSON, which is a peer's answer.
    pub(crate) fn text(self) -> String {
        let rules: Vec<_> = self.rules().map(|(rule, _)| format!("\"{rule}\"")).collect();
        format!(r#"{{"status":"{}","rules":[{}]}}"#, self.status(), rules.join(","))
    }
}

/// Microseconds of every engine, and the ratio to the whole evaluator.
pub(crate) fn measure(effort: Effort) -> Result<Values, Failure> {
    let mut inputs = inputs::all()?.into_iter();
    let timed_input = inputs.next().ok_or("there is no input")?;
    let engines = prepare(&timed_input)?;
    inputs.try_for_each(|input| prepare(&input).map(drop))?;
    let (mut prepared, mut text) = (Contest::new(effort), Contest::new(effort));
    for (name, Engine { mut decide, mut answer }) in engines {
        prepared.enter(name, timed(move || Ok(decide()?.rules().count())))?;
        text.enter(name, timed(move || Ok(answer()?.len())))?;
    }
    let mut values = Values::new();
    for (level, contest) in [("prepared", prepared), ("text", text)] {
        let results = contest.hold()?;
        for (name, _) in ENGINES {
            values.insert(format!("peer_{name}_{level}_us"), results.micros(name));
            values.insert(format!("peer_{name}_{level}_ratio"), results.ratio(name, "adjudicate"));
        }
    }
    Ok(values)
}

/// Prepares all engines for an input. A wrong verdict is an error, so none is timed.
fn prepare(input: &Input) -> Result<Vec<(&'static str, Engine)>, Failure> {
    let expected = Verdict::named(input.rules.iter().copied())?;
    let mut engines = Vec::new();
    for (name, prepare) in ENGINES {
        let mut engine =
            prepare(input.text.clone().leak()).map_err(|failure| format!("{name}: {failure}"))?;
        let verdict = (engine.decide)().map_err(|failure| format!("{name}: {failure}"))?;
        let answer = (engine.answer)().map_err(|failure| format!("{name}: {failure}"))?;
        // The evaluator's answer has the status, and much more.
        let status = format!(r#""status":"{}""#, expected.status());
        let is_right = answer == expected.text() || name == "adjudicate" && answer.contains(&status);
        if verdict != expected || !is_right {
            return Err(format!("{name}: {} and {answer}, not {}", verdict.text(), expected.text()).into());
        }
        engines.push((name, engine));
    }
    Ok(engines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_engines_give_the_same_verdict_for_every_input() {
        for input in inputs::all().unwrap() {
            prepare(&input).unwrap();
        }
    }

    #[test]
    fn verdicts_are_written_with_their_most_severe_status() {
        assert_eq!(Verdict::default().text(), r#"{"status":"success","rules":[]}"#);
        let verdict = Verdict::named(["tests_fail", "report_missing"]).unwrap();
        assert_eq!(verdict.text(), r#"{"status":"blocked","rules":["report_missing","tests_fail"]}"#);
        assert!(Verdict::named(["unheard_of"]).is_err());
    }
}
