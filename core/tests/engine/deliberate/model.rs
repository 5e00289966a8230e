//! An independent model of the gates, written from docs/reference/planning-gates.md over plain JSON values, against the engine on
//! random ledgers. Numbers of the generator have few decimals, so the model counts in hundredths.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::deliberate::{answered, laws::ledgers, words};

/// The result of the model: gate and stop reason, reasons, triggers, duties, the rest of the phase, and the switch.
#[derive(Debug, PartialEq)]
struct Outcome {
    gate: (&'static str, &'static str),
    reasons: Vec<String>,
    triggers: Vec<&'static str>,
    duties: Vec<&'static str>,
    phase: Option<(i64, i64)>,
    switch: Option<(String, Option<String>)>,
}

struct Model<'v> {
    ledger: &'v Value,
    turns: &'v [Value],
}

fn hundredths(number: &Value) -> i64 {
    (number.as_f64().unwrap() * 100.0).round() as i64
}

fn list(value: &Value) -> Vec<&str> {
    value.as_array().map(|items| items.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
}

fn is_blank(value: &Value) -> bool {
    value.as_str().is_none_or(|text| text.trim().is_empty())
}

impl Model<'_> {
    fn count(&self, turns: &[Value], name: &str) -> i64 {
        let absent = i64::from(name == "iterations");
        turns.iter().map(|turn| turn["consumed"][name].as_i64().unwrap_or(absent)).sum()
    }

    fn answered_after(&self) -> Option<usize> {
        let answers = self.ledger["answers"].as_array()?;
        answers.iter().map(|answer| answer["after_turn"].as_u64().unwrap() as usize).max()
    }

    fn switched_after(&self) -> Option<usize> {
        self.ledger["strategy_switches"][0]["after_turn"].as_u64().map(|turn| turn as usize)
    }

    fn after(&self, turn: Option<usize>) -> &[Value] {
        self.turns.get(turn.unwrap_or(0)..).unwrap_or_default()
    }

    fn last(&self) -> &Value {
        self.turns.last().unwrap_or(&Value::Null)
    }

    fn max(&self, name: &str, default: i64) -> i64 {
        let says = |object: &str| self.ledger[object][name].as_i64();
        says("overrides").or_else(|| says("budgets")).unwrap_or(default)
    }

    /// Name in the ledger, default, counter, what a switch adds.
    const BUDGETS: [(&'static str, i64, &'static str, i64); 3] = [
        ("max_iterations", 5, "iterations", 0),
        ("max_subagent_calls", 8, "subagent_calls", 3),
        ("max_wall_time_ms", 300_000, "wall_time_ms", 120_000),
    ];

    fn exhausted(&self) -> Vec<&'static str> {
        let mut out = Vec::new();
        for ((name, default, counter, bonus), code) in Self::BUDGETS.into_iter().zip([
            "iterations_exhausted",
            "subagent_calls_exhausted",
            "wall_time_exhausted",
        ]) {
            let counted =
                if counter == "iterations" { self.after(self.answered_after()) } else { self.turns };
            let bonus = if self.switched_after().is_some() { bonus } else { 0 };
            if self.count(counted, counter) >= self.max(name, default) + bonus {
                out.push(code);
            }
        }
        out
    }

    fn has_triad(&self) -> bool {
        !is_blank(&self.ledger["goal"])
            && !list(&self.ledger["constraints"]).is_empty()
            && !list(&self.ledger["initial_evidence"]).is_empty()
    }

    fn last_with(&self, name: &str) -> Option<&Value> {
        let has = |value: &&Value| {
            value.as_array().is_some_and(|list| !list.is_empty())
                || value.as_object().is_some_and(|object| !object.is_empty())
        };
        self.turns.iter().map(|turn| &turn[name]).rfind(has)
    }

    fn over_budget(&self) -> bool {
        self.last_with("budget_allocation").is_some_and(|allocation| {
            let counts = Self::BUDGETS.iter().any(|(name, default, ..)| {
                allocation[*name].as_i64().is_some_and(|asked| asked > self.max(name, *default))
            });
            let minutes = allocation["estimated_wall_time"].as_str().and_then(|text| text.split(' ').next());
            let asked = minutes.map_or(0, |minutes| minutes.parse::<i64>().unwrap() * 60_000);
            counts || asked > self.max("max_wall_time_ms", 300_000)
        })
    }

    fn duties(&self) -> Vec<&'static str> {
        let n = self.turns.len();
        let mut open = Vec::new();
        for (name, due, is_done) in [
            ("triad", 2, self.has_triad()),
            ("exploration_plan", 2, self.last_with("exploration_plan").is_some()),
            ("budget_allocation", 2, self.last_with("budget_allocation").is_some() && !self.over_budget()),
            ("novelty_check", 3, self.last_with("novelty_check").is_some()),
        ] {
            if n >= due && !is_done {
                open.push(name);
            }
        }
        open
    }

    fn triggers(&self) -> Vec<&'static str> {
        let (mut found, phase) = (Vec::new(), self.after(self.switched_after()));
        if self.turns.len() < 3 {
            return found;
        }
        let mut failures = BTreeMap::new();
        for failure in phase.iter().filter_map(|turn| turn["failure_signature"].as_str()) {
            *failures.entry(failure).or_insert(0) += 1;
        }
        if failures.values().any(|times| *times >= 3) {
            found.push("repeated_failure");
        }
        let is_new =
            |at: usize, file: &str| !self.turns[..at].iter().any(|turn| list(&turn["files"]).contains(&file));
        let all = self.turns.len();
        let recent = || (all - 2..all).flat_map(|at| list(&self.turns[at]["files"]));
        if phase.len() >= 2 && recent().all(|file| !is_new(all - 2, file)) {
            found.push("no_new_files");
        }
        let gain = |pair: &[Value]| hundredths(&pair[1]["confidence"]) - hundredths(&pair[0]["confidence"]);
        if phase.len() >= 3 && phase[phase.len() - 3..].windows(2).all(|pair| gain(pair) < 10) {
            found.push("confidence_plateau");
        }
        let (mut asked, mut is_redundant) = (BTreeMap::new(), false);
        for query in phase.iter().flat_map(|turn| turn["queries"].as_array().into_iter().flatten()) {
            let source = query["source"].as_str();
            is_redundant |= *asked.entry(query["key"].as_str()).or_insert(source) != source;
            if query["synthesis"] == true {
                asked.clear();
            }
        }
        if is_redundant {
            found.push("redundant_queries");
        }
        found
    }

    fn distinct(turn: &Value, name: &str) -> usize {
        list(&turn[name]).into_iter().collect::<BTreeSet<_>>().len()
    }

    /// Returns whether turn `at` has an item of a list that no turn before it has.
    fn has_new(&self, at: usize, name: &str, known: &Value) -> bool {
        let before = self.turns[..at].iter().flat_map(|turn| list(&turn[name])).chain(list(known));
        let before: BTreeSet<_> = before.collect();
        list(&self.turns[at][name]).iter().any(|item| !before.contains(item))
    }

    fn settles(&self, at: usize) -> bool {
        !list(&self.turns[at]["falsified"]).is_empty()
            || Self::distinct(&self.turns[at], "conflicts_open")
                < Self::distinct(&self.turns[at - 1], "conflicts_open")
    }

    fn is_fruitless(&self) -> bool {
        let Some(at) = self.turns.len().checked_sub(1).filter(|at| *at > 0) else { return false };
        let (before, turn) = (&self.turns[at - 1], &self.turns[at]);
        !(self.has_new(at, "evidence_ids", &self.ledger["initial_evidence"])
            || self.has_new(at, "files", &Value::Null)
            || hundredths(&turn["uncertainty"]) < hundredths(&before["uncertainty"])
            || hundredths(&turn["confidence"]) > hundredths(&before["confidence"])
            || self.settles(at)
            || (before["blocker"].is_string() && turn["blocker"].is_null()))
    }

    /// Low novelty of turn `at`, counted from 0.
    fn is_low(&self, at: usize) -> bool {
        at >= 2
            && self.answered_after().is_none_or(|answered| at + 1 > answered)
            && 5 * hundredths(&self.turns[at]["uncertainty"])
                > 4 * hundredths(&self.turns[at - 1]["uncertainty"])
            && !self.settles(at)
            && !self.has_new(at, "evidence_ids", &self.ledger["initial_evidence"])
    }

    fn gathers(turn: &Value) -> bool {
        turn["consumed"]["subagent_calls"].as_u64().unwrap_or(0) > 0
            || turn["queries"].as_array().is_some_and(|queries| !queries.is_empty())
    }

    fn is_theater(&self) -> bool {
        let synthesizes = |turn: &Value| {
            turn["synthesis"] == true
                || turn["queries"].as_array().into_iter().flatten().any(|query| query["synthesis"] == true)
        };
        self.turns.len() >= 2
            && self.turns[self.turns.len() - 2..].iter().all(|turn| Self::gathers(turn) && !synthesizes(turn))
    }

    fn is_question_open(&self) -> bool {
        let is_answered = self.answered_after().is_some_and(|answered| answered >= self.turns.len());
        self.ledger["question"].is_object() && !is_answered
    }

    /// Returns whether the open question is singular and blocking; the generator's are blocking.
    fn is_asking(&self) -> bool {
        self.is_question_open() && self.ledger["question"]["text"] == "Which?"
    }

    fn phase(&self) -> Option<(i64, i64)> {
        let switched = self.switched_after()?;
        if self.answered_after().is_some_and(|answered| answered > switched) {
            return None;
        }
        let used = |name| self.count(self.after(Some(switched)), name);
        Some(((2 - used("iterations")).max(0), (3 - used("subagent_calls")).max(0)))
    }

    fn can_commit(&self) -> bool {
        self.would_commit()
            && list(&self.last()["conflicts_open"]).is_empty()
            && self.duties().is_empty()
            && !self.is_question_open()
    }

    fn would_commit(&self) -> bool {
        let (last, recommendation) = (self.last(), &self.ledger["recommendation"]);
        let has_evidence = !list(&self.ledger["initial_evidence"]).is_empty()
            || self.turns.iter().any(|turn| !list(&turn["evidence_ids"]).is_empty());
        !last.is_null()
            && hundredths(&last["confidence"]) >= 80
            && recommendation["path_clear"] == true
            && recommendation["risks_documented"] == true
            && last["blocker"].is_null()
            && has_evidence
    }

    /// The first row that holds.
    fn decide(&self) -> ((&'static str, &'static str), Vec<&'static str>) {
        let (triggers, confidence) = (self.triggers(), self.confidence());
        let has_switched = self.switched_after().is_some();
        if self.ledger["checks"]["tests_available"] == false {
            return (("stop", "human_required"), vec!["tests_unavailable"]);
        }
        if self.can_commit() {
            return (("commit", "recommendation_ready"), vec!["recommendation_ready"]);
        }
        let mut exhausted = self.exhausted();
        if !exhausted.is_empty() {
            exhausted.push("blocking_question_owed");
            exhausted.push(if confidence < 70 { "best_effort" } else { "provisional" });
            return (("stop", "budget_exhausted"), exhausted);
        }
        if !triggers.is_empty() && !has_switched {
            return (("switch", ""), triggers);
        }
        if !triggers.is_empty() {
            let mut reasons = triggers;
            if !self.is_asking() {
                reasons.push("blocking_question_owed");
            }
            return (("stop", "stagnation"), reasons);
        }
        let n = self.turns.len();
        let is_low = |back: usize| n.checked_sub(back).is_some_and(|at| self.is_low(at));
        let mut reasons = Vec::new();
        let (iterations, calls) = self.phase().unwrap_or((1, 1));
        for (holds, code) in [
            (iterations == 0, "phase_iterations_exhausted"),
            (calls == 0, "phase_calls_exhausted"),
            (is_low(1) && is_low(2), "low_novelty_repeated"),
            (self.duties().contains(&"triad"), "triad_missing"),
            (self.is_asking(), "question_open"),
            (self.is_theater() && self.is_fruitless(), "no_progress"),
            (self.is_theater() && self.is_fruitless(), "evidence_theater"),
        ] {
            if holds {
                reasons.push(code);
            }
        }
        if !reasons.is_empty() {
            return (("escalate", "blocking_question"), reasons);
        }
        if is_low(1) && !has_switched {
            return (("switch", ""), vec!["low_novelty"]);
        }
        (("continue", ""), Vec::new())
    }

    fn confidence(&self) -> i64 {
        if self.turns.is_empty() { 0 } else { hundredths(&self.last()["confidence"]) }
    }

    fn outcome(&self) -> Outcome {
        let (gate, mut reasons) = self.decide();
        let plan = self.last_with("exploration_plan");
        let has_text = plan.is_some_and(|plan| plan.as_array().unwrap().iter().any(Value::is_string));
        let decision = self.last()["continue_decision"].as_str();
        for (holds, code) in [
            (self.is_fruitless(), "no_progress"),
            (self.is_theater(), "evidence_theater"),
            (!self.has_triad() && self.turns.iter().any(Self::gathers), "investigated_before_triad"),
            (self.over_budget(), "allocation_over_budget"),
            (has_text, "untyped_plan"),
            (self.ledger["recommendation"].is_object() && self.confidence() < 70, "premature_recommendation"),
            (decision.is_some_and(|decision| decision != gate.0), "decision_disagrees"),
            (self.turns.len() == 1 && !self.has_triad(), "triad_due"),
            (self.would_commit() && !list(&self.last()["conflicts_open"]).is_empty(), "conflict_open"),
        ] {
            if holds && !reasons.contains(&code) {
                reasons.push(code);
            }
        }
        let strategies = || self.turns.iter().filter_map(|turn| turn["strategy"].as_str());
        let trigger = self.triggers().first().copied().unwrap_or("low_novelty");
        let switch =
            (gate.0 == "switch").then(|| (trigger.into(), strategies().next_back().map(str::to_owned)));
        Outcome {
            gate,
            reasons: reasons.into_iter().map(str::to_owned).collect(),
            triggers: self.triggers(),
            duties: self.duties(),
            phase: self.phase(),
            switch,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_engine_does_as_the_model(ledger in ledgers(), is_roomy in prop::bool::weighted(0.75)) {
        let mut ledger = ledger;
        if is_roomy {
            // Most budgets of the generator are spent soon, before the later rows are reached.
            ledger["budgets"] = json!({"max_iterations": 30, "max_subagent_calls": 40, "max_wall_time_ms": 2_000_000});
        }
        let turns = ledger["turns"].as_array().unwrap();
        let expected = Model { ledger: &ledger, turns }.outcome();
        let answer = answered(&ledger);
        let found = (
            json!([answer["gate"], answer["stop_report"]["stop_reason"].as_str().unwrap_or("")]),
            words(&answer["reasons"], "/code"),
            words(&answer["triggers"], ""),
            words(&answer["duties"], ""),
            &answer["budgets_left"]["phase"],
            &answer["switch"],
        );
        let phase = expected.phase.map(|(iterations, calls)| json!({"iterations": iterations, "subagent_calls": calls}));
        let switch = expected.switch.as_ref().map(|(trigger, strategy)| json!({
            "trigger": trigger, "current_strategy": strategy,
            "new_budget": {"max_iterations": 2, "max_subagent_calls": 3},
        }));
        prop_assert_eq!(&found.0, &json!([expected.gate.0, expected.gate.1]), "{}", ledger);
        prop_assert_eq!(&found.1, &expected.reasons, "{}", ledger);
        prop_assert_eq!(&found.2, &expected.triggers, "{}", ledger);
        prop_assert_eq!(&found.3, &expected.duties, "{}", ledger);
        prop_assert_eq!(found.4, &phase.unwrap_or_default(), "{}", ledger);
        prop_assert_eq!(found.5, &switch.unwrap_or_default(), "{}", ledger);
    }
}
