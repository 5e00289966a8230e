//! Stagnation: another strategy is tried once. After it the agent owes the question that would let it go on.

use super::super::{
    facts::Facts,
    reason::{ReasonCode, Reporter},
    stagnation::Trigger,
};

pub(super) fn before_switch(facts: &Facts<'_, '_>, report: &mut Reporter<'_>) {
    if facts.ledger.switch.is_none() {
        check(facts, report);
    }
}

pub(super) fn after_switch(facts: &Facts<'_, '_>, report: &mut Reporter<'_>) {
    if facts.ledger.switch.is_some() {
        check(facts, report);
        if !report.is_empty() && facts.ledger.blocking_question().is_none() {
            report.at("/question", ReasonCode::BlockingQuestionOwed);
        }
    }
}

fn check(facts: &Facts<'_, '_>, report: &mut Reporter<'_>) {
    for sign in &facts.signs {
        let code = match sign.trigger {
            Trigger::RepeatedFailure => ReasonCode::RepeatedFailure,
            Trigger::NoNewFiles => ReasonCode::NoNewFiles,
            Trigger::ConfidencePlateau => ReasonCode::ConfidencePlateau,
            Trigger::RedundantQueries => ReasonCode::RedundantQueries,
        };
        report.at(&*sign.path, code);
    }
}
