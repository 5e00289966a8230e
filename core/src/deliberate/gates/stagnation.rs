//! Stagnation: another strategy is tried once.

use super::super::{
    facts::Facts,
    reason::{ReasonCode, Reporter},
    stagnation::Trigger,
};

pub(super) fn before_switch(facts: &Facts<'_, '_>, report: &mut Reporter<'_>) {
    if facts.ledger.switched.is_none() {
        check(facts, report);
    }
}

pub(super) fn after_switch(facts: &Facts<'_, '_>, report: &mut Reporter<'_>) {
    if facts.ledger.switched.is_some() {
        check(facts, report);
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
