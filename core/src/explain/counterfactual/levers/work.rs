//! Levers of the work: the diff, claims and intent, artifacts, review issues, and extension fields.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    json::{Kind, OwnedValue},
    order,
};

use super::{Choice, FEW, LeverSearch, SOME_ARTIFACT, Severity, Sort, checks::with_severity};
use crate::{
    documents::evidence::{Claim, Diff, Intent},
    evaluate::ResultSource,
    explain::counterfactual::{
        act::{Act, DiffAct, FILES},
        diff::SOME_FILE,
        instance::{ANY_FILE, fresh_names, instances},
        trees::renew,
    },
    policy::Variable,
};

impl LeverSearch<'_, '_, '_, '_> {
    pub(super) fn intent(&mut self) {
        if self.finder.facts.intent().is_none() {
            Intent::ALL.iter().for_each(|intent| self.add(Act::Intent(*intent)));
        }
    }

    /// Adds choices in which the claims that the condition names are made, or any if it names none; never the claim of an error.
    pub(super) fn claims(&mut self, any: bool) {
        let (made, constants) = (self.finder.facts.claims(), self.constants);
        if made.is_none() {
            self.add(Act::SayClaims);
        }
        let names = |claim: &Claim| constants.has_text(claim.as_str());
        let any = any && !Claim::ALL.iter().any(names);
        for claim in Claim::ALL.iter().copied() {
            if made.is_some_and(|made| made.contains(&claim)) {
                self.add(Act::Withdraw(claim));
            } else if names(&claim) || any && claim != Claim::ErrorReported {
                self.add(Act::Claim(claim));
            }
        }
    }

    pub(super) fn diff(&mut self) {
        let facts = self.finder.facts;
        if !facts.names_each_file() || facts.evidence().diff.as_ref().is_none_or(lacks_counts) {
            self.add(Act::Diff(DiffAct::Name));
        }
        if facts.changed().is_opaque() {
            return;
        }
        // Adding missing work is better than undoing existing work.
        for path in self.paths() {
            self.add(Act::Diff(DiffAct::Add(path)));
        }
        let files = facts.changed().files();
        if files.len() <= FEW {
            files.iter().for_each(|file| self.add(Act::Diff(DiffAct::Undo((*file.path).into()))));
        }
        for pattern in self.constants.patterns() {
            self.add(Act::Diff(DiffAct::UndoUnder(pattern)));
        }
        for count in self.constants.counts().into_iter().filter_map(|count| usize::try_from(count).ok()) {
            if count < files.len() {
                self.add(Act::Diff(DiffAct::Keep(count)));
            }
        }
        if !files.is_empty() {
            self.add(Act::Diff(DiffAct::UndoAll));
        }
        let taken = order::names(files.iter().map(|file| &*file.path));
        self.add_new(Sort::File, taken.len(), &|count| {
            let paths = fresh_names(SOME_FILE, count, &|path| taken.contains(path));
            paths.into_iter().map(|path| Act::Diff(DiffAct::Add(path))).collect()
        });
    }

    /// Adds choices in which fewer lines are added or removed, in the files with the most of them.
    pub(super) fn lines(&mut self) {
        let Some(diff) = &self.finder.facts.evidence().diff else { return };
        let insertions: Vec<u64> = diff.files.iter().map(|file| file.insertions.unwrap_or(0)).collect();
        let deletions: Vec<u64> = diff.files.iter().map(|file| file.deletions.unwrap_or(0)).collect();
        let all = sum(&insertions).saturating_add(sum(&deletions));
        for (name, lines) in [("insertions", insertions), ("deletions", deletions)] {
            let largest =
                order::sorted_indices(lines.len(), &mut |left, right| lines.get(right).cmp(&lines.get(left)));
            for total in [sum(&lines), all] {
                for count in self.numbers(Sort::Line).counts() {
                    let excess = total.saturating_sub(count);
                    if (1..=sum(&lines)).contains(&excess) && !self.is_full() {
                        self.choose(without(excess, name, &lines, &largest));
                    }
                }
            }
        }
    }

    /// Adds choices in which issues of one severity, or of any, are absent. Only a human can provide a review.
    pub(super) fn issues(&mut self, severity: Option<Severity>) {
        let facts = self.finder.facts;
        if facts.results().review().is_none() {
            match facts.evidence().review {
                Some(_) => self.add(renew(facts, ResultSource::Review)),
                None => self.levers.asks_for_person = true,
            }
            return;
        }
        let issues = with_severity(&self.finder.issues, severity);
        self.some_of(Sort::Issue, &issues);
    }

    pub(super) fn missing_artifacts(&mut self) {
        for missing in self.finder.facts.missing_artifacts() {
            if self.is_full() {
                return;
            }
            self.finder.ranges.artifacts(missing.wanted).iter().for_each(|act| self.add(act.clone()));
        }
    }

    pub(super) fn artifacts(&mut self) {
        for path in self.paths() {
            self.add(Act::Artifact(path));
        }
        let present = order::names(self.finder.facts.evidence().artifacts.iter().copied());
        self.add_new(Sort::Artifact, present.len(), &|count| {
            fresh_names(SOME_ARTIFACT, count, &|path| present.contains(path))
                .into_iter()
                .map(Act::Artifact)
                .collect()
        });
    }

    /// Returns the paths that the condition may be about.
    fn paths(&self) -> Vec<String> {
        let patterns = self.constants.patterns().into_iter();
        let instances = patterns.flat_map(|pattern| instances(&pattern, ANY_FILE));
        self.constants.texts().map(String::from).chain(instances).collect()
    }

    pub(super) fn set(&mut self, variable: &Variable) {
        let pointer = String::from(variable.pointer().unwrap_or_default());
        let (ranges, own) = (self.finder.ranges, self.values);
        let values = || ranges.values(variable.path()).iter().chain(own);
        let here = self.finder.envelope.node(&pointer);
        if let Some(list) = here.filter(|node| node.kind() == Kind::Array) {
            for value in values() {
                if let OwnedValue::Text(text) = value
                    && !list.items().any(|item| item.as_str() == Some(text))
                {
                    self.add(Act::Set(format!("{pointer}/{}", list.len()), value.clone()));
                }
            }
        }
        for value in values() {
            self.add(Act::Set(pointer.clone(), value.clone()));
        }
    }
}

fn sum(lines: &[u64]) -> u64 {
    lines.iter().fold(0, |sum, count| sum.saturating_add(*count))
}

/// Removes this many lines, from the largest files first.
fn without(mut excess: u64, name: &str, lines: &[u64], largest: &[usize]) -> Choice {
    let mut choice = Choice::new();
    for place in largest {
        let own = lines.get(*place).copied().unwrap_or_default();
        let fewer = own.min(excess);
        if fewer == 0 {
            break;
        }
        excess -= fewer;
        choice.push(Act::Set(format!("{FILES}{place}/{name}"), OwnedValue::count(own - fewer)));
    }
    choice
}

/// Returns true if a typed diff lacks line counts.
fn lacks_counts(diff: &Diff<'_>) -> bool {
    diff.files.iter().any(|file| file.insertions.is_none() || file.deletions.is_none())
}
