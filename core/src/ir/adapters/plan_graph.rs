//! Plan graphs (docs/reference/plans.md): nodes become steps, and edges their dependencies.
//!
//! The adapter reads only the fields of steps; `validate_plan` decides if the plan fits its task.

use alloc::{borrow::Cow, format, string::String, vec, vec::Vec};

use adjudicate_lang::{
    Error,
    document::{self, Document},
    json::{
        Node,
        object::{ObjectWriter, write_list},
    },
    order,
};

use super::{ParsedSource, ParsedStep};
use crate::{
    documents::plan_ir::{StepIntent, Steps},
    ir::{
        PlanIr, PlanStep,
        cycle::{cycle, cycle_error},
        ids::Ids,
        origins::{Back, Origins, kept, kept_in_plan, write_steps},
        slot::Slot,
    },
};

/// The kind of verifying nodes.
pub(in crate::ir) const VALIDATION: &str = "validation";

/// A graph of steps. Other fields are kept.
#[derive(Document)]
#[document(expecting = "an object", carried)]
pub(super) struct GraphOfSteps<'a> {
    /// The steps.
    nodes: Steps<GraphStep<'a>>,
    /// The order of the steps.
    edges: Vec<GraphEdge<'a>>,
}

/// A step of a graph. Other fields are kept.
#[derive(Document)]
#[serde(rename_all = "camelCase")]
#[document(expecting = "an object", carried)]
struct GraphStep<'a> {
    /// The id of the step.
    node_id: Option<&'a str>,
    /// The capability that does the step.
    capability_id: Option<&'a str>,
    /// The kind of the step. A step of the kind `validation` verifies.
    kind: Option<&'a str>,
    /// The name of the step.
    label: Option<&'a str>,
    /// The reason for the step.
    rationale: Option<&'a str>,
    #[document(source)]
    object: Node<'a>,
}

/// An edge of a graph, from a step to one that comes after it. Other fields are kept.
#[derive(Document)]
#[document(expecting = "an object", carried)]
struct GraphEdge<'a> {
    /// The id of the earlier step.
    from: &'a str,
    /// The id of the later step.
    to: &'a str,
    #[document(source)]
    object: Node<'a>,
}

pub(super) fn read(source: Node<'_>) -> Result<ParsedSource<'_>, Error> {
    let GraphOfSteps { nodes, edges } = document::read(source)?;
    let mut found = ParsedSource::new(source, "/nodes", "nodeId");
    found.steps = nodes.0.into_iter().map(GraphStep::found).collect();
    let ids = Ids::new(found.steps.iter().map(|step| step.id.as_deref()).collect());
    let (lists, is_given_back) =
        link(&edges, &ids, found.steps.len()).map_err(|error| error.under("edges"))?;
    for (step, list) in found.steps.iter_mut().zip(lists) {
        step.depends_on = Some(list);
    }
    found.use_up("nodes", true);
    found.use_up("edges", is_given_back);
    Ok(found)
}

impl<'a> GraphStep<'a> {
    fn found(self) -> ParsedStep<'a> {
        // These are kept as well, because the description uses only one of them.
        let others = [("rationale", self.rationale), ("capabilityId", self.capability_id)];
        let mut others = others.into_iter().filter(|_| self.label.is_none());
        let derived = others.find_map(|(name, text)| Some((name, Cow::Borrowed(text?))));
        let description = self.label.map(Cow::Borrowed);
        let is_validation = self.kind == Some(VALIDATION);
        let mut step = ParsedStep {
            source: Some(self.object),
            id: self.node_id.map(Cow::Borrowed),
            description: description.or_else(|| derived.as_ref().map(|(_, text)| text.clone())),
            derived,
            intent: is_validation.then_some(StepIntent::Verify),
            ..ParsedStep::default()
        };
        step.use_up("kind", is_validation);
        step.use_up("label", self.label.is_some());
        step
    }
}

/// The dependencies of each of `count` steps, by index. The flag is true if they reproduce the edges.
///
/// # Errors
///
/// For an end that is no node, and for a cycle, with a pointer that begins at the edges.
fn link(given: &[GraphEdge<'_>], ids: &Ids<'_>, count: usize) -> Result<(Vec<Vec<u32>>, bool), Error> {
    let mut edges: Vec<(u32, u32)> = Vec::with_capacity(given.len());
    for (index, edge) in given.iter().enumerate() {
        let find = |name: &str, id: &str| {
            let found = ids.find(id).ok_or_else(|| ids.unknown(id, "node"));
            found.map_err(|error| error.under(name).under(&format!("{index}")))
        };
        let from = find("from", edge.from)?;
        edges.push((find("to", edge.to)?, from));
    }
    let mut lists: Vec<Vec<u32>> = vec![Vec::new(); count];
    let order = order::sorted_indices(edges.len(), &mut |left, right| edges.get(left).cmp(&edges.get(right)));
    for (to, from) in order.iter().filter_map(|index| edges.get(*index)) {
        if let Some(list) = lists.get_mut(*to as usize)
            && list.last() != Some(from)
        {
            list.push(*from);
        }
    }
    check_cycle(&lists, &edges, ids)?;
    let distinct: usize = lists.iter().map(Vec::len).sum();
    let is_in_order = order.iter().enumerate().all(|(place, index)| place == *index);
    // Other fields of an edge would be lost.
    let is_plain = given.iter().all(|edge| edge.object.len() == 2);
    Ok((lists, is_plain && is_in_order && distinct == edges.len()))
}

/// The error for a cycle, at the first edge from its first step to the next.
fn check_cycle(lists: &[Vec<u32>], edges: &[(u32, u32)], ids: &Ids<'_>) -> Result<(), Error> {
    let lists: Vec<&[u32]> = lists.iter().map(Vec::as_slice).collect();
    let cycle = cycle(&lists);
    let Some(first) = cycle.first().copied() else { return Ok(()) };
    let link = (first, cycle.get(1).copied().unwrap_or(first));
    let index = edges.iter().position(|edge| *edge == link).unwrap_or_default();
    let ids: Vec<&str> = cycle.iter().filter_map(|place| ids.at(*place as usize)).collect();
    Err(cycle_error(&ids).under(&format!("{index}")))
}

/// Writes the source.
pub(super) fn write(plan: &PlanIr<'_>, origins: &Origins<'_>) -> Result<String, Error> {
    let nodes = write_steps(plan, |place, step, item| {
        item.text("nodeId", origins.has(place, Slot::Id).then_some(step.id()));
        item.text("kind", (step.intent == StepIntent::Verify).then_some(VALIDATION));
        item.text("label", origins.has(place, Slot::Description).then_some(step.description()));
    })?;
    let mut edges = Vec::new();
    for to in &plan.steps {
        let from = to.depends_on.iter().filter_map(|on| plan.steps.get(*on as usize));
        edges.extend(from.map(|from| (given_id(from), given_id(to))));
    }
    let edges = write_edges(edges);
    let mut out = String::new();
    let mut source = Back::open(kept_in_plan(plan)?, &mut out);
    source.json("nodes", Some(&nodes));
    source.json("edges", Some(&edges));
    source.close();
    Ok(out)
}

/// The original id of a step's node; a replaced id is kept.
fn given_id<'s>(step: &'s PlanStep<'_>) -> &'s str {
    // Kept fields were already read for the nodes.
    let kept = kept(&step.extra).unwrap_or_default();
    kept.and_then(|kept| kept.member("nodeId")?.as_str()).unwrap_or(step.id())
}

/// Writes edges as a graph has them.
pub(in crate::ir) fn write_edges(edges: Vec<(&str, &str)>) -> String {
    let mut list = String::new();
    write_list(edges, &mut list, |(from, to), out| {
        let mut members = ObjectWriter::open(out);
        members.text("from", Some(from));
        members.text("to", Some(to));
        members.close();
    });
    list
}
