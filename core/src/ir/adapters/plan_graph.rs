//! Plan graphs (5.9): nodes become steps, and edges what they depend on.
//!
//! Only what becomes part of a step is looked at; whether the plan can do its task is asked of `validate_plan`.

use alloc::{borrow::Cow, format, vec::Vec};

use super::{Found, FoundStep, each_member, read_steps, string};
use crate::{
    error::Error,
    ir::{
        Intent,
        ids::Ids,
        links::{circle, circle_error},
    },
    json::{
        Kind, Node,
        object::{missing, read_items, refuse},
    },
    order,
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
    let ids = Ids::of(found.steps.iter().map(|step| step.id).collect());
    let is_given_back = edges.link(&ids, &mut found.steps).map_err(|error| error.under("edges"))?;
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
            "nodeId" => step.id = Some(string(member)?),
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
        None => step.derived = others.into_iter().find_map(|(name, text)| Some((name, text?))),
    }
    step.description = label.or(step.derived.map(|(_, text)| text)).map(Cow::Borrowed);
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

    /// Tells steps what they depend on, and returns whether that gives back the edges.
    ///
    /// # Errors
    ///
    /// For an end that is no node, and for a circle, with a pointer that begins at the edges.
    fn link(&self, ids: &Ids<'a>, steps: &mut [FoundStep<'a>]) -> Result<bool, Error> {
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
        let mut lists: Vec<Vec<u32>> = steps.iter().map(|_| Vec::new()).collect();
        let order =
            order::sorted_indices(edges.len(), &mut |left, right| edges.get(left).cmp(&edges.get(right)));
        for (to, from) in order.iter().filter_map(|index| edges.get(*index)) {
            if let Some(list) = lists.get_mut(*to as usize)
                && list.last() != Some(from)
            {
                list.push(*from);
            }
        }
        check_circle(&lists, &edges, steps)?;
        let distinct: usize = lists.iter().map(Vec::len).sum();
        let is_in_order = order.iter().enumerate().all(|(place, index)| place == *index);
        for (step, list) in steps.iter_mut().zip(lists) {
            step.depends_on = Some(list);
        }
        Ok(self.is_plain && is_in_order && distinct == edges.len())
    }
}

/// Points at the first edge that makes the first step of a circle depend on the next.
fn check_circle(lists: &[Vec<u32>], edges: &[(u32, u32)], steps: &[FoundStep<'_>]) -> Result<(), Error> {
    let lists: Vec<&[u32]> = lists.iter().map(Vec::as_slice).collect();
    let circle = circle(&lists);
    let Some(first) = circle.first().copied() else { return Ok(()) };
    let link = (first, circle.get(1).copied().unwrap_or(first));
    let index = edges.iter().position(|edge| *edge == link).unwrap_or_default();
    let id = |place: &u32| steps.get(*place as usize).and_then(|step| step.id).unwrap_or_default();
    let ids: Vec<&str> = circle.iter().map(id).collect();
    Err(circle_error(&ids).under(&format!("{index}")))
}
