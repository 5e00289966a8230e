//! The conditions of rules in tables, with the values of their variables.

use adjudicate_core::{
    explain::ShownState,
    json::OwnedValue,
    owned::{ConditionPart, Input},
};

use super::{
    page::{Line, Page},
    style::{BOLD, DIM, PLAIN},
};
use crate::cut::cut;

/// The number of characters of a value that are shown.
const LONGEST: usize = 100;
/// The columns of the text of a reason, and of the text after its labels.
pub(super) const REASON: (usize, usize) = (10, 21);

/// Adds the parts of a rule's condition with the values of their variables.
pub(super) fn conditions(page: &mut Page, parts: &[ConditionPart]) {
    for part in parts {
        let holds = match part.holds {
            Some(true) => "holds",
            Some(false) => "does not hold",
            None => "is unknown",
        };
        let line =
            Line::at(REASON.0).label("condition", DIM, REASON.1).text(&part.path, PLAIN).text(holds, BOLD);
        page.push(part.variables.iter().fold(line, |line, variable| {
            line.text(&variable.variable, DIM).text("is", DIM).text(&input(variable), PLAIN)
        }));
    }
}

/// Returns the value of a variable, or its state if there is no value to show.
pub(super) fn input(variable: &Input) -> String {
    match variable.state {
        ShownState::Known => shown(&variable.value),
        ShownState::Omitted => "too large to show".to_owned(),
        ShownState::Unknown => "unknown".to_owned(),
    }
}

/// Returns the beginning of a value as JSON.
pub(super) fn shown(value: &OwnedValue) -> String {
    cut(&value.to_text(), LONGEST)
}
