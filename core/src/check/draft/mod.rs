//! Envelopes in which variables have values that a search leaves them: the inverse of the facts.
//!
//! Nothing here is proven. What is made is evaluated before anyone is told, and where it does not show what it is to
//! show, it is dropped.

mod checks;
mod diff;
mod past;

use alloc::{string::String, vec::Vec};

use super::{
    domain::Domain,
    env::{Env, Key},
    pick::{self, count, items, of_glob},
    shape::ENVELOPE,
    tree::Tree,
};
use crate::{
    logic::Types,
    policy::{Fact, Policy, Root},
    steps::Steps,
};

const EVIDENCE: &str = "evidence";

/// An envelope in which all is well under a policy.
pub(super) fn clean(policy: &Policy) -> Tree {
    let artifacts = policy.required_artifacts().iter().map(|glob| of_glob(glob.text()));
    let exits = policy.required_validators().iter().map(|id| (id.clone(), Tree::count(0)));
    let validation = Tree::object([
        ("mechanical_outcome", Tree::from("completed")),
        ("exit_codes", Tree::Object(exits.collect())),
        ("timeouts", Tree::List(Vec::new())),
    ]);
    let evidence = Tree::object([
        ("transcript_summary", Tree::from("")),
        ("workspace_diff_summary", Tree::from("")),
        ("validation", validation),
        ("artifacts", Tree::texts(artifacts)),
        ("policy_events", Tree::List(Vec::new())),
    ]);
    Tree::object([
        ("run_id", Tree::from("run-1")),
        ("workflow_id", Tree::from("workflow")),
        ("step_id", Tree::from("evaluate")),
        ("evaluate_prompt", Tree::from("evaluate.v1")),
        ("allowed_next_steps", Tree::texts(["continue", "fix", "gate", "rollback", "STOP"])),
        ("provenance_window", Tree::List(Vec::new())),
        (EVIDENCE, evidence),
    ])
}

/// An envelope for one way in which things could be; `None` if some value cannot be made.
pub(super) fn envelope(policy: &Policy, env: &Env<'_>, steps: &mut Steps) -> Option<Tree> {
    let mut draft = Draft { policy, env, tree: clean(policy), steps };
    draft.words();
    draft.diff()?;
    draft.validators()?;
    draft.harness()?;
    draft.lists()?;
    draft.review();
    draft.history()?;
    draft.parts()?;
    Some(draft.tree)
}

/// An envelope in the making.
struct Draft<'d, 'p> {
    policy: &'d Policy,
    env: &'d Env<'p>,
    tree: Tree,
    steps: &'d mut Steps,
}

impl<'d, 'p> Draft<'d, 'p> {
    /// What a fact may be, if anything is asked of it.
    fn fact(&self, fact: Fact) -> Option<&'d Domain<'p>> {
        self.env.variables.get(&Key::Fact(fact))
    }

    /// The same, where it is to be known.
    fn known(&self, fact: Fact) -> Option<&'d Domain<'p>> {
        self.fact(fact).filter(|domain| !domain.unknown)
    }

    /// The number that a fact is to be at least; 0 where nothing is asked of it.
    fn least(&self, fact: Fact) -> u64 {
        self.known(fact).map_or(0, |domain| count(&domain.range))
    }

    fn set(&mut self, names: &[&str], value: Tree) {
        self.tree.set(names, value);
    }

    #[inline(never)]
    fn texts(&mut self, fact: Fact, samples: &[&str]) -> Option<Vec<String>> {
        let Some(domain) = self.known(fact) else { return Some(Vec::new()) };
        Some(items(domain, samples, self.steps)?.into_iter().filter_map(Tree::into_text).collect())
    }

    fn truth(&self, fact: Fact) -> Option<bool> {
        self.fact(fact).and_then(Domain::truth)
    }

    fn words(&mut self) {
        for (fact, path) in [
            (Fact::Intent, &[EVIDENCE, "step_intent"][..]),
            (Fact::Outcome, &[EVIDENCE, "validation", "mechanical_outcome"]),
        ] {
            if let Some(only) = self.known(fact).and_then(|domain| domain.texts.only.as_ref())
                && let Some(first) = only.first()
            {
                self.set(path, Tree::from(*first));
            }
        }
    }

    /// Lists that the envelope has as they are.
    fn lists(&mut self) -> Option<()> {
        if self.known(Fact::Claims).is_some() {
            let claims = self.texts(Fact::Claims, &[])?;
            self.set(&[EVIDENCE, "claims"], Tree::texts(claims));
        }
        let artifacts = self.texts(Fact::ArtifactsMissing, &[])?;
        if !artifacts.is_empty() {
            self.set(&[EVIDENCE, "required_artifacts"], Tree::texts(artifacts));
        }
        let required = self.texts(Fact::ApprovalsMissing, &[])?;
        let granted = self.texts(Fact::ApprovalsGranted, &[])?;
        if !(required.is_empty() && granted.is_empty()) {
            let approvals =
                Tree::object([("required", Tree::texts(required)), ("granted", Tree::texts(granted))]);
            self.set(&[EVIDENCE, "approvals"], approvals);
        }
        let mut events = self.texts(Fact::EventsViolations, &["forbidden_operation", "network_violation"])?;
        events.extend(self.texts(Fact::EventsWarnings, &["warning", "warning:x", "warning:y"])?);
        for class in self.texts(Fact::EventsClasses, &["info", "warning", "forbidden_operation"])? {
            let is_there = |event: &String| event.split(':').next() == Some(&*class);
            if !events.iter().any(is_there) {
                events.push(class);
            }
        }
        self.set(&[EVIDENCE, "policy_events"], Tree::texts(events));
        Some(())
    }

    /// Parts of the envelope that conditions ask for as they are.
    fn parts(&mut self) -> Option<()> {
        for (key, domain) in &self.env.variables {
            let Key::Path(path) = key else { continue };
            let number = self.policy.variable_number(path);
            let variable = number.and_then(|number| self.policy.variables().get(number as usize));
            let Some(variable) = variable.filter(|variable| variable.root() == Root::Input) else { continue };
            if domain.unknown || domain.types == Types::NONE {
                continue;
            }
            let value = pick::value(domain, self.env.world, *key, self.steps)?;
            pick::put(&mut self.tree, ENVELOPE, variable.rest(), value)?;
        }
        Some(())
    }
}
