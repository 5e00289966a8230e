//! Plan graphs (5.9): nodes become steps, and edges what they depend on.
//!
//! Only what becomes part of a step is looked at; whether the plan can do its task is asked of `validate_plan`.

use alloc::{borrow::Cow, format, string::String, vec, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{
        Kind, Node,
        object::{Members, missing, read_items, refuse, write_list},
    },
    order,
};

use super::{Found, FoundStep, each_member, read_steps, string};
use crate::ir::{
    Intent, PlanIr, PlanStep,
    cycle::{cycle, cycle_error},
    ids::Ids,
    slot::Slot,
    source::{Back, Origins, kept, kept_in_plan, write_steps},
};

/// The kind of nodes that verify.
pub(in crate::ir) const VALIDATION: &str = "validation";

pub(super) fn read(source: Node<'_>) -> Result<Found<'_>, Error> {
    let mut found = Found::new(source, "/nodes", "nodeId");
    let mut edges = Edges { given: Vec::new(), is_plain: true };
    each_member(source, &mut |name, member| match name {
        "nodes" => read_steps(member, &mut |item| {
            found.steps.push(read_node(item)?);
            Ok(())
        }),
        "edges" => edges.read(member),
        _ => Ok(()),
    })?;
    if let Some(name) = ["nodes", "edges"].into_iter().find(|name| source.member(name).is_none()) {
        return Err(missing(name));
    }
    let ids = Ids::of(found.steps.iter().map(|step| step.id.as_deref()).collect());
    let links = edges.link(&ids, found.steps.len()).map_err(|error| error.under("edges"))?;
    let (lists, is_given_back) = links;
    for (step, list) in found.steps.iter_mut().zip(lists) {
        step.depends_on = Some(list);
    }
    found.used.push("nodes");
    if is_given_back {
        found.used.push("edges");
    }
    Ok(found)
}

fn read_node(item: Node<'_>) -> Result<FoundStep<'_>, Error> {
    let mut step = FoundStep { source: Some(item), ..FoundStep::default() };
    let (mut label, mut rationale, mut capability) = (None, None, None);
    each_member(item, &mut |name, member| {
        match name {
            "nodeId" => step.id = Some(Cow::Borrowed(string(member)?)),
            "label" => label = Some(string(member)?),
            "rationale" => rationale = Some(string(member)?),
            "capabilityId" => capability = Some(string(member)?),
            "kind" if string(member)? == VALIDATION => {
                step.intent = Some(Intent::Verify);
                step.used.push("kind");
            }
            _ => {}
        }
        Ok(())
    })?;
    let others = [("rationale", rationale), ("capabilityId", capability)];
    match label {
        Some(_) => step.used.push("label"),
        // These are not of the description alone, so that they are kept besides.
        None => step.derived = others.into_iter().find_map(|(name, text)| Some((name, Cow::Borrowed(text?)))),
    }
    let derived = step.derived.as_ref().map(|(_, text)| text.clone());
    step.description = label.map(Cow::Borrowed).or(derived);
    Ok(step)
}

/// The edges of a graph.
struct Edges<'a> {
    given: Vec<[&'a str; 2]>,
    /// Whether they say nothing but where they lead.
    is_plain: bool,
}

const ENDS: [&str; 2] = ["from", "to"];

impl<'a> Edges<'a> {
    fn read(&mut self, list: Node<'a>) -> Result<(), Error> {
        if list.kind() != Kind::Array {
            return Err(refuse(list, "a list"));
        }
        read_items(list, &mut |item| {
            let mut ends = [None; 2];
            each_member(item, &mut |name, member| {
                match ENDS.iter().zip(&mut ends).find(|(end, _)| **end == name) {
                    Some((_, end)) => *end = Some(string(member)?),
                    None => self.is_plain = false,
                }
                Ok(())
            })?;
            match ends {
                [Some(from), Some(to)] => self.given.push([from, to]),
                [None, _] => return Err(missing("from")),
                _ => return Err(missing("to")),
            }
            Ok(())
        })
    }

    /// The places of the steps that each of `count` steps depends on, and whether these give back the edges.
    ///
    /// # Errors
    ///
    /// For an end that is no node, and for a cycle, with a pointer that begins at the edges.
    fn link(&self, ids: &Ids<'_>, count: usize) -> Result<(Vec<Vec<u32>>, bool), Error> {
        let mut edges: Vec<(u32, u32)> = Vec::with_capacity(self.given.len());
        for (index, given) in self.given.iter().enumerate() {
            let mut places = [0; 2];
            for ((end, id), place) in ENDS.iter().zip(given).zip(&mut places) {
                let found = ids.find(id).ok_or_else(|| ids.unknown(id, "node"));
                *place = found.map_err(|error| error.under(end).under(&format!("{index}")))?;
            }
            let [from, to] = places;
            edges.push((to, from));
        }
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); count];
        let order =
            order::sorted_indices(edges.len(), &mut |left, right| edges.get(left).cmp(&edges.get(right)));
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
        Ok((lists, self.is_plain && is_in_order && distinct == edges.len()))
    }
}

/// Points at the first edge that makes the first step of a cycle depend on the next.
fn check_cycle(lists: &[Vec<u32>], edges: &[(u32, u32)], ids: &Ids<'_>) -> Result<(), Error> {
    let lists: Vec<&[u32]> = lists.iter().map(Vec::as_slice).collect();
    let cycle = cycle(&lists);
    let Some(first) = cycle.first().copied() else { return Ok(()) };
    let link = (first, cycle.get(1).copied().unwrap_or(first));
    let index = edges.iter().position(|edge| *edge == link).unwrap_or_default();
    let ids: Vec<&str> = cycle.iter().filter_map(|place| ids.at(*place as usize)).collect();
    Err(cycle_error(&ids).under(&format!("{index}")))
}

/// The way back.
pub(super) fn write(plan: &PlanIr<'_>, origins: &Origins<'_>) -> Result<String, Error> {
    let nodes = write_steps(plan, |place, step, item| {
        item.text("nodeId", origins.has(place, Slot::Id).then_some(step.id()));
        item.text("kind", (step.intent == Intent::Verify).then_some(VALIDATION));
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

/// What a step's node was called: an id that was replaced is kept.
fn given_id<'s>(step: &'s PlanStep<'_>) -> &'s str {
    // What is kept was read for the nodes.
    let kept = kept(&step.extra).unwrap_or_default();
    kept.and_then(|kept| kept.member("nodeId")?.as_str()).unwrap_or(step.id())
}

/// Edges as a graph has them, each from one node to another.
pub(in crate::ir) fn write_edges(edges: Vec<(&str, &str)>) -> String {
    let mut list = String::new();
    write_list(edges, &mut list, |(from, to), out| {
        let mut members = Members::open(out);
        members.text("from", Some(from));
        members.text("to", Some(to));
        members.close();
    });
    list
}
