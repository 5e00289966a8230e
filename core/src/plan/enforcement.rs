//! Enforcement candidates, regardless of their position (docs/reference/plans.md). A node qualifies if it declares the
//! constraint, if it is a `validation` node that touches all its fields, or if its contracts or post-conditions imply it.

use alloc::vec::Vec;

use adjudicate_lang::{Error, Steps, document::Id, json, order};

use super::{facts::PlanFacts, implication, lists::Lists, schema};
use crate::documents::{Contract, PostCondition, diagnostic::Level};

/// The cost of one candidate, in steps.
const CANDIDATE: usize = 32;

/// The candidates of each constraint.
pub(super) struct Candidates {
    pub nodes: Lists,
    pub capabilities: Lists,
}

impl Candidates {
    pub(super) fn new(facts: &PlanFacts<'_>, roots: &Lists, steps: &mut Steps) -> Result<Self, Error> {
        let mut search = CandidateSearch::new(facts, roots, steps);
        for (at, capability) in (0..).zip(&facts.capabilities) {
            search.implied(at, capability.output_contract.as_ref(), &capability.post_conditions)?;
        }
        let mut with_capability = core::mem::take(&mut search.found);
        let by_capability = Lists::from_pairs(
            facts.capabilities.len(),
            &with_capability.iter().map(|(demand, capability)| (*capability, *demand)).collect::<Vec<_>>(),
        );
        for (at, step) in (0..).zip(&facts.nodes) {
            search.declared(at, step.node.enforces.as_deref().unwrap_or_default())?;
            search.implied(at, step.node.contract.as_deref(), &[])?;
            let capability = step.capability.and_then(|used| facts.capability(used.capability_id.0));
            for demand in capability.map_or(&[][..], |capability| by_capability.at(capability)) {
                search.add(*demand, at)?;
            }
        }
        let is_validation = |node: u32| facts.step(node).is_some_and(|step| step.is_validation());
        search.touching(&facts.takes, &facts.gives, &is_validation)?;
        // Nodes cannot use an inactive capability.
        let used = |at: u32| facts.capabilities.get(at as usize).filter(|one| one.inactive().is_none());
        with_capability.retain(|(_, capability)| used(*capability).is_some());
        let nodes = core::mem::replace(&mut search.found, with_capability);
        let is_validation = |at: u32| used(at).is_some_and(|one| one.kind == Some("validation"));
        search.touching(&facts.capability_takes, &facts.capability_gives, &is_validation)?;
        let demands = facts.demands.len();
        Ok(Self {
            nodes: Lists::from_set_pairs(demands, facts.nodes.len(), &nodes),
            capabilities: Lists::from_set_pairs(demands, facts.capabilities.len(), &search.found),
        })
    }
}

struct CandidateSearch<'f, 's> {
    facts: &'f PlanFacts<'f>,
    roots: &'f Lists,
    /// Constraints sorted by id, and by digest.
    by_id: Vec<(&'f str, u32)>,
    by_digest: Vec<(&'f str, u32)>,
    /// Constraints by the first field that they are about.
    by_root: Lists,
    /// Pairs of constraint and candidate.
    found: Vec<(u32, u32)>,
    steps: &'s mut Steps,
}

impl<'f, 's> CandidateSearch<'f, 's> {
    fn new(facts: &'f PlanFacts<'_>, roots: &'f Lists, steps: &'s mut Steps) -> Self {
        let sorted = |mut named: Vec<(&'f str, u32)>| {
            order::sort_by(&mut named, Ord::cmp);
            named
        };
        let numbered = || (0..).zip(facts.demands);
        let first = |(at, _)| Some((*roots.at(at).first()?, at));
        Self {
            facts,
            roots,
            by_id: sorted(numbered().map(|(at, demand)| (&*demand.id, at)).collect()),
            by_digest: sorted(numbered().map(|(at, demand)| (&*demand.digest, at)).collect()),
            by_root: Lists::from_pairs(facts.key_count(), &numbered().filter_map(first).collect::<Vec<_>>()),
            found: Vec::new(),
            steps,
        }
    }

    fn add(&mut self, demand: u32, who: u32) -> Result<(), Error> {
        self.steps.spend(CANDIDATE)?;
        self.found.push((demand, who));
        Ok(())
    }

    /// Adds a node that declares constraints by id.
    fn declared(&mut self, node: u32, ids: &[Id<'_>]) -> Result<(), Error> {
        for Id(id) in ids {
            self.steps.spend(CANDIDATE)?;
            for (_, demand) in named(&self.by_id, id) {
                self.steps.spend(CANDIDATE)?;
                self.found.push((*demand, node));
            }
        }
        Ok(())
    }

    /// Adds a candidate whose contract or post-conditions imply a constraint: by the same expression, or by the schema. Soft
    /// promises do not count.
    fn implied(
        &mut self,
        who: u32,
        contract: Option<&Contract<'_>>,
        post_conditions: &[PostCondition<'_>],
    ) -> Result<(), Error> {
        if self.facts.demands.is_empty() {
            return Ok(());
        }
        let promised = contract
            .map_or(&[][..], |contract| &contract.constraints)
            .iter()
            .chain(post_conditions.iter().map(|PostCondition(one)| one));
        for promise in promised.filter(|promise| promise.level == Level::Hard) {
            let digest = json::digest(promise.source());
            self.steps.spend(promise.source().extent() * CANDIDATE)?;
            for (_, demand) in named(&self.by_digest, &digest) {
                self.steps.spend(CANDIDATE)?;
                self.found.push((*demand, who));
            }
        }
        let Some(contract) = contract else { return Ok(()) };
        for name in schema::properties(contract.schema.0) {
            self.steps.spend(CANDIDATE)?;
            let Some(key) = self.facts.key_of(name) else { continue };
            for at in self.by_root.at(key) {
                let Some(demand) = self.facts.demands.get(*at as usize) else { continue };
                let program = demand.constraint.program();
                if !demand.is_computed && implication::holds(program, contract.schema.0, self.steps)? {
                    self.found.push((*at, who));
                }
            }
        }
        Ok(())
    }

    /// Adds every validation candidate that takes or gives all fields of a constraint.
    fn touching(
        &mut self,
        takes: &Lists,
        gives: &Lists,
        is_validation: &dyn Fn(u32) -> bool,
    ) -> Result<(), Error> {
        let of_validation = |(who, _): &(u32, u32)| is_validation(*who);
        let links: Vec<(u32, u32)> = takes.pairs().chain(gives.pairs()).filter(of_validation).collect();
        let touches = Lists::from_set_pairs(takes.len(), self.facts.key_count(), &links);
        let touched_by = touches.transposed(self.facts.key_count());
        let everyone: Vec<u32> =
            (0..u32::try_from(takes.len()).unwrap_or(u32::MAX)).filter(|who| is_validation(*who)).collect();
        for demand in 0..u32::try_from(self.roots.len()).unwrap_or(u32::MAX) {
            let roots = self.roots.at(demand);
            let fewest = roots.iter().map(|root| touched_by.at(*root)).min_by_key(|who| who.len());
            for who in fewest.unwrap_or(&everyone) {
                self.steps.spend(roots.len() * 4)?;
                if roots.iter().all(|root| touches.at(*who).binary_search(root).is_ok()) {
                    self.add(demand, *who)?;
                }
            }
        }
        Ok(())
    }
}

/// The entries of a sorted list with this name.
fn named<'n, 'f>(all: &'n [(&'f str, u32)], name: &str) -> &'n [(&'f str, u32)] {
    let from = all.partition_point(|(other, _)| *other < name);
    let rest = all.get(from..).unwrap_or_default();
    rest.get(..rest.iter().take_while(|(other, _)| *other == name).count()).unwrap_or_default()
}
