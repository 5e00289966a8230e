//! Who could see to it that a constraint holds, wherever it stands (SPEC section 7.2): a node that says so, a `validation` node
//! that touches everything the constraint is about, and a node whose contracts or post-conditions imply it.

use alloc::vec::Vec;

use adjudicate_lang::{Error, Steps, json, order};

use super::{Constraint, Contract, Level, facts::Facts, implication, lists::Lists, schema};

/// What it costs to note a candidate.
const CANDIDATE: usize = 32;

/// Who could enforce what, by constraint.
pub(super) struct Candidates {
    pub nodes: Lists,
    pub capabilities: Lists,
}

impl Candidates {
    pub(super) fn of(facts: &Facts<'_>, roots: &Lists, steps: &mut Steps) -> Result<Self, Error> {
        let mut search = Search::new(facts, roots, steps);
        for (at, capability) in (0..).zip(&facts.capabilities) {
            search.implied(at, capability.output_contract.as_ref(), &capability.post_conditions)?;
        }
        let mut of_capability = core::mem::take(&mut search.found);
        let by_capability = Lists::of(
            facts.capabilities.len(),
            &of_capability.iter().map(|(demand, capability)| (*capability, *demand)).collect::<Vec<_>>(),
        );
        for (at, step) in (0..).zip(&facts.nodes) {
            search.declared(at, step.node.enforces.as_deref().unwrap_or_default())?;
            search.implied(at, step.node.contract.as_deref(), &[])?;
            let capability = step.capability.and_then(|used| facts.capability(used.id));
            for demand in capability.map_or(&[][..], |capability| by_capability.at(capability)) {
                search.add(*demand, at)?;
            }
        }
        let is_validation = |node: u32| facts.step(node).is_some_and(|step| step.is_validation());
        search.touching(&facts.takes, &facts.gives, &is_validation)?;
        // Those that cannot be used are of no help.
        let used = |at: u32| facts.capabilities.get(at as usize).filter(|one| one.inactive.is_none());
        of_capability.retain(|(_, capability)| used(*capability).is_some());
        let nodes = core::mem::replace(&mut search.found, of_capability);
        let is_validation = |at: u32| used(at).is_some_and(|one| one.kind == Some("validation"));
        search.touching(&facts.capability_takes, &facts.capability_gives, &is_validation)?;
        let demands = facts.demands.len();
        Ok(Self {
            nodes: Lists::sets(demands, facts.nodes.len(), &nodes),
            capabilities: Lists::sets(demands, facts.capabilities.len(), &search.found),
        })
    }
}

struct Search<'f, 's> {
    facts: &'f Facts<'f>,
    roots: &'f Lists,
    /// Constraints in the order of their ids, and of their digests.
    by_id: Vec<(&'f str, u32)>,
    by_digest: Vec<(&'f str, u32)>,
    /// Constraints by the first member that they are about.
    by_root: Lists,
    /// Constraint and who could enforce it.
    found: Vec<(u32, u32)>,
    steps: &'s mut Steps,
}

impl<'f, 's> Search<'f, 's> {
    fn new(facts: &'f Facts<'_>, roots: &'f Lists, steps: &'s mut Steps) -> Self {
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
            by_root: Lists::of(facts.key_count(), &numbered().filter_map(first).collect::<Vec<_>>()),
            found: Vec::new(),
            steps,
        }
    }

    fn add(&mut self, demand: u32, who: u32) -> Result<(), Error> {
        self.steps.spend(CANDIDATE)?;
        self.found.push((demand, who));
        Ok(())
    }

    /// A node that says it enforces constraints of these ids.
    fn declared(&mut self, node: u32, ids: &[&str]) -> Result<(), Error> {
        for id in ids {
            self.steps.spend(CANDIDATE)?;
            for (_, demand) in named(&self.by_id, id) {
                self.steps.spend(CANDIDATE)?;
                self.found.push((*demand, node));
            }
        }
        Ok(())
    }

    /// Whatever a contract and post-conditions imply: the same expression, or one that the schema leaves no way around. Only what
    /// is hard is certain.
    fn implied(
        &mut self,
        who: u32,
        contract: Option<&Contract<'_>>,
        post_conditions: &[Constraint<'_>],
    ) -> Result<(), Error> {
        if self.facts.demands.is_empty() {
            return Ok(());
        }
        let promised =
            contract.map_or(&[][..], |contract| &contract.constraints).iter().chain(post_conditions);
        for promise in promised.filter(|promise| promise.level == Level::Hard) {
            let digest = json::digest(promise.expression);
            self.steps.spend(promise.expression.extent() * CANDIDATE)?;
            for (_, demand) in named(&self.by_digest, &digest) {
                self.steps.spend(CANDIDATE)?;
                self.found.push((*demand, who));
            }
        }
        let Some(contract) = contract else { return Ok(()) };
        for name in schema::properties(contract.schema) {
            self.steps.spend(CANDIDATE)?;
            let Some(key) = self.facts.key_of(name) else { continue };
            for at in self.by_root.at(key) {
                let Some(demand) = self.facts.demands.get(*at as usize) else { continue };
                let program = &demand.constraint.program;
                if !demand.is_computed && implication::holds(program, contract.schema, self.steps)? {
                    self.found.push((*at, who));
                }
            }
        }
        Ok(())
    }

    /// Whoever is there to validate and takes or gives all that a constraint is about.
    fn touching(
        &mut self,
        takes: &Lists,
        gives: &Lists,
        is_validation: &dyn Fn(u32) -> bool,
    ) -> Result<(), Error> {
        let of_validation = |(who, _): &(u32, u32)| is_validation(*who);
        let links: Vec<(u32, u32)> = takes.pairs().chain(gives.pairs()).filter(of_validation).collect();
        let touches = Lists::sets(takes.len(), self.facts.key_count(), &links);
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

/// Those of a name among named ones in order.
fn named<'n, 'f>(all: &'n [(&'f str, u32)], name: &str) -> &'n [(&'f str, u32)] {
    let from = all.partition_point(|(other, _)| *other < name);
    let rest = all.get(from..).unwrap_or_default();
    rest.get(..rest.iter().take_while(|(other, _)| *other == name).count()).unwrap_or_default()
}
