//! Stagnation: the agent switches its strategy once. After that it owes the question whose answer would let it continue.

use super::super::{facts::LedgerFacts, reason::ReasonReporter};
use crate::documents::deliberation::{ReasonCode, StagnationTrigger};

pub(super) fn before_switch(facts: &LedgerFacts<'_, '_>, report: &mut ReasonReporter<'_>) {
    if facts.ledger.switch().is_none() {
        check(facts, report);
    }
}

pub(super) fn after_switch(facts: &LedgerFacts<'_, '_>, report: &mut ReasonReporter<'_>) {
    if facts.ledger.switch().is_some() {
        check(facts, report);
        if !report.is_empty() && facts.ledger.blocking_question().is_none() {
            report.at("/question", ReasonCode::BlockingQuestionOwed);
        }
    }
}

fn check(facts: &LedgerFacts<'_, '_>, report: &mut ReasonReporter<'_>) {
    for sign in &facts.signs {
        let code = match sign.trigger {
            StagnationTrigger::RepeatedFailure => ReasonCode::RepeatedFailure,
            StagnationTrigger::NoNewFiles => ReasonCode::NoNewFiles,
            StagnationTrigger::ConfidencePlateau => ReasonCode::ConfidencePlateau,
            StagnationTrigger::RedundantQueries => ReasonCode::RedundantQueries,
        };
        report.at(sign.path.clone(), code);
    }
}
