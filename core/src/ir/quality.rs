//! Counts about a plan, for comparing or training planners (docs/reference/planir.md). They are no judgment.

use alloc::{string::String, vec, vec::Vec};

use adjudicate_lang::{
    json::{self, object::ObjectWriter},
    order::names,
};

use super::{PlanIr, cycle::order};
use crate::documents::plan_ir::StepIntent;

/// Counts about the structure and verification of a plan (docs/reference/planir.md).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    steps: usize,
    verified_steps: usize,
    orphan_steps: usize,
    longest_path: usize,
    files: usize,
    has_verification: bool,
    confidence: f64,
}

impl PlanIr<'_> {
    /// Counts about the plan.
    ///
    /// ```
    /// use adjudicate_core::{ir::normalize, json::{self, ReadLimits}};
    /// let plan = br#"{"nodes": [{"nodeId": "write"}, {"nodeId": "test", "kind": "validation"}, {"nodeId": "tidy"}],
    ///   "edges": [{"from": "write", "to": "test"}]}"#;
    /// let tape = json::read(plan, ReadLimits::DOCUMENT)?;
    /// let quality = normalize(tape.root(), None)?.plan().quality();
    /// assert_eq!((quality.steps(), quality.verified_steps(), quality.orphan_steps()), (3, 1, 1));
    /// assert_eq!((quality.longest_path(), quality.files(), quality.has_verification()), (2, 0, true));
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn quality(&self) -> Quality {
        let lists: Vec<&[u32]> = self.steps.iter().map(|step| &*step.depends_on).collect();
        let order = order(&lists);
        let verifies =
            |place: usize| self.steps.get(place).is_some_and(|step| step.intent == StepIntent::Verify);
        let dependencies = |place: usize| lists.get(place).copied().unwrap_or_default().iter();
        let mut lengths = vec![1; lists.len()];
        for place in order.iter().copied() {
            let before = dependencies(place).filter_map(|on| lengths.get(*on as usize)).max();
            let length = 1 + before.copied().unwrap_or_default();
            if let Some(of_step) = lengths.get_mut(place) {
                *of_step = length;
            }
        }
        // In reverse order, so that each step knows its dependents before it updates its dependencies.
        let (mut is_verified, mut has_dependent) = (vec![false; lists.len()], vec![false; lists.len()]);
        for place in order.iter().rev().copied() {
            let is_on_the_way = verifies(place) || is_verified.get(place) == Some(&true);
            for on in dependencies(place) {
                if let Some(of_step) = has_dependent.get_mut(*on as usize) {
                    *of_step = true;
                }
                if let Some(of_step) = is_verified.get_mut(*on as usize) {
                    *of_step |= is_on_the_way;
                }
            }
        }
        let orphans =
            lists.iter().zip(&has_dependent).filter(|(list, has)| list.is_empty() && !**has).count();
        let files = names(self.steps.iter().flat_map(|step| &step.target_files).map(|file| &**file));
        let has_command = !self.verification.commands.is_empty();
        Quality {
            steps: lists.len(),
            verified_steps: is_verified.iter().filter(|is_verified| **is_verified).count(),
            orphan_steps: if lists.len() < 2 { 0 } else { orphans },
            longest_path: lengths.iter().copied().max().unwrap_or_default(),
            files: files.len(),
            has_verification: has_command || (0..lists.len()).any(verifies),
            confidence: self.confidence,
        }
    }
}

impl Quality {
    /// The number of steps.
    #[must_use]
    pub const fn steps(&self) -> usize {
        self.steps
    }

    /// The number of steps that a step with the intent `verify` depends on, directly or through others.
    #[must_use]
    pub const fn verified_steps(&self) -> usize {
        self.verified_steps
    }

    /// The number of steps that depend on no step and that no step depends on. The only step of a plan is no orphan.
    #[must_use]
    pub const fn orphan_steps(&self) -> usize {
        self.orphan_steps
    }

    /// The number of steps in the longest chain in which each step depends on the one before.
    #[must_use]
    pub const fn longest_path(&self) -> usize {
        self.longest_path
    }

    /// The number of different texts in the `target_files` of all steps.
    #[must_use]
    pub const fn files(&self) -> usize {
        self.files
    }

    /// Returns true if a step has the intent `verify`, or the verification strategy has a command.
    #[must_use]
    pub const fn has_verification(&self) -> bool {
        self.has_verification
    }

    /// The plan's confidence, from 0 to 1.
    #[must_use]
    pub const fn confidence(&self) -> f64 {
        self.confidence
    }

    /// `{steps, verified_steps, orphan_steps, longest_path, files, has_verification, confidence}`
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        let mut members = ObjectWriter::open(&mut out);
        members.count("steps", self.steps as u64);
        members.count("verified_steps", self.verified_steps as u64);
        members.count("orphan_steps", self.orphan_steps as u64);
        members.count("longest_path", self.longest_path as u64);
        members.count("files", self.files as u64);
        members.flag("has_verification", self.has_verification);
        members.json("confidence", Some(&json::write(&self.confidence)));
        members.close();
        out
    }
}
