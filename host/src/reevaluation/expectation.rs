//! Forbidden changes: patterns of transitions, for CI.

use std::{fmt, str::FromStr};

use adjudicate_core::Error;

use super::{
    comparison::{Comparison, OutcomeChange},
    outcome::Label,
};
use crate::codes;

/// A forbidden change: `success->*`, `*->error`, `partial->blocked`, or `changed` for any change of a decision. `*` stands for
/// every status and `error`. A status that stays the same is not a change.
///
/// ```
/// use adjudicate_host::reevaluation::Expectation;
/// assert!("success->*".parse::<Expectation>().is_ok());
/// assert!("changed".parse::<Expectation>().is_ok());
/// let error = "sucess->*".parse::<Expectation>().unwrap_err();
/// assert_eq!(error.message(), "`sucess->*` is not a change: unknown status `sucess`");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expectation(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Every change of a decision.
    Changed,
    /// A change of the status from one label to another; `None` stands for every label.
    Transition(Option<Label>, Option<Label>),
}

impl Expectation {
    /// True if the comparison shows this forbidden change.
    pub(super) fn is_met_by(self, comparison: &Comparison) -> bool {
        match self.0 {
            Kind::Changed => comparison.change >= OutcomeChange::Decision,
            Kind::Transition(from, to) => {
                comparison.from != comparison.to
                    && from.is_none_or(|from| from == comparison.from)
                    && to.is_none_or(|to| to == comparison.to)
            }
        }
    }
}

impl FromStr for Expectation {
    type Err = Error;

    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`] for any other text.
    fn from_str(text: &str) -> Result<Self, Error> {
        let shown: String = text.chars().take(100).collect();
        let refused =
            |reason: String| Error::new(codes::WRONG_USAGE, format!("`{shown}` is not a change: {reason}"));
        if text == "changed" {
            return Ok(Self(Kind::Changed));
        }
        let (from, to) = text
            .split_once("->")
            .ok_or_else(|| refused("expected `STATUS->STATUS`, with `*` for any, or `changed`".to_owned()))?;
        let side = |name: &str| match name.trim() {
            "*" => Ok(None),
            name => {
                let label = Label::from_text(name);
                label.map(Some).ok_or_else(|| refused(format!("unknown status `{name}`")))
            }
        };
        let (from, to) = (side(from)?, side(to)?);
        if from.is_some() && from == to {
            return Err(refused("both statuses are the same".to_owned()));
        }
        Ok(Self(Kind::Transition(from, to)))
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |label: Option<Label>| label.map_or("*", Label::as_str);
        match self.0 {
            Kind::Changed => f.write_str("changed"),
            Kind::Transition(from, to) => write!(f, "{}->{}", side(from), side(to)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(from: &str, to: &str, change: OutcomeChange) -> Comparison {
        let [from, to] = [from, to].map(|text| Label::from_text(text).unwrap());
        Comparison { from, to, change, sides: None, members: Vec::new() }
    }

    #[test]
    fn patterns_match_their_changes() {
        let cases = [
            comparison("success", "success", OutcomeChange::Wording),
            comparison("success", "success", OutcomeChange::Decision),
            comparison("success", "partial", OutcomeChange::Status),
            comparison("partial", "error", OutcomeChange::Status),
        ];
        for (pattern, expected) in [
            ("success->*", [false, false, true, false]),
            ("* -> error", [false, false, false, true]),
            ("*->*", [false, false, true, true]),
            ("partial->error", [false, false, false, true]),
            ("error->partial", [false; 4]),
            ("changed", [false, true, true, true]),
        ] {
            let expectation: Expectation = pattern.parse().unwrap();
            assert_eq!(cases.each_ref().map(|case| expectation.is_met_by(case)), expected, "{pattern}");
            assert_eq!(expectation.to_string().parse(), Ok(expectation));
        }
        for bad in
            ["", "->", "success", "success>*", "success->", "Success->*", "success->success", "*->*->*"]
        {
            let error = bad.parse::<Expectation>().unwrap_err();
            assert_eq!(error.code(), codes::WRONG_USAGE, "{bad}");
        }
    }
}
