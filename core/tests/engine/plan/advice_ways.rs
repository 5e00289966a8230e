//! The sentences of suggestions, read back, and what becomes of a call when a planner does what they say.

use serde_json::{Value, json};

/// The ways that a line names, without what they are for.
pub(crate) fn ways(line: &str) -> Vec<String> {
    let line = line.strip_suffix('.').unwrap_or(line);
    let line =
        line.strip_prefix("For ").and_then(|rest| rest.split_once(": ")).map_or(line, |(_, ways)| ways);
    line.split(", or ")
        .map(|way| {
            let (initial, rest) = way.split_at(1);
            format!("{}{rest}", initial.to_ascii_lowercase())
        })
        .collect()
}

/// The ids of a list whose last one comes after a word.
fn ids<'s>(list: &'s str, word: &str) -> Vec<&'s str> {
    list.split(", ").flat_map(|part| part.split(word)).collect()
}

/// A sentence with `{}` in place of what it names.
pub(crate) fn read<'s>(pattern: &str, mut text: &'s str) -> Option<Vec<&'s str>> {
    let mut parts = pattern.split("{}");
    text = text.strip_prefix(parts.next()?)?;
    let mut named = Vec::new();
    for part in parts {
        let end = if part.is_empty() { text.len() } else { text.find(part)? };
        named.push(text.get(..end)?);
        text = text.get(end + part.len()..)?;
    }
    text.is_empty().then_some(named)
}

pub(crate) fn edge(from: &str, to: &str) -> Value {
    json!({"from": from, "to": to})
}

#[expect(clippy::unwrap_used, reason = "a call has these members")]
pub(crate) fn list<'c>(call: &'c mut Value, pointer: &str) -> &'c mut Vec<Value> {
    call.pointer_mut(pointer).unwrap().as_array_mut().unwrap()
}

#[expect(clippy::unwrap_used, reason = "suggestions name nodes of the plan")]
fn node<'c>(call: &'c mut Value, id: &str) -> &'c mut Value {
    list(call, "/plan/nodes").iter_mut().find(|node| node["nodeId"] == id).unwrap()
}

/// A list of a node's own, which begins as its capability's.
#[expect(clippy::unwrap_used, reason = "such nodes have capabilities")]
fn own<'c>(call: &'c mut Value, id: &str, member: &str) -> &'c mut Vec<Value> {
    let capability = node(call, id)["capabilityId"].clone();
    let known = call["capabilities"].as_array().unwrap().iter().find(|one| one["capabilityId"] == capability);
    let inherited = known.unwrap()[member].clone();
    let node = node(call, id);
    if node.get(member).is_none() {
        node[member] = inherited;
    }
    node[member].as_array_mut().unwrap()
}

pub(crate) fn with(call: &Value, change: impl FnOnce(&mut Value)) -> Value {
    let mut call = call.clone();
    change(&mut call);
    call
}

/// The plan with a new node; edges that led to the node behind it lead to the new one.
fn inserted(call: &Value, capability: &str, after: &[&str], before: Option<&str>) -> Value {
    with(call, |call| {
        let edges = list(call, "/plan/edges");
        if let Some(before) = before {
            for edge in edges.iter_mut().filter(|edge| edge["to"] == before) {
                edge["to"] = json!("inserted");
            }
            edges.push(edge("inserted", before));
        }
        edges.extend(after.iter().map(|from| edge(from, "inserted")));
        list(call, "/plan/nodes").push(json!({"nodeId": "inserted", "capabilityId": capability}));
    })
}

/// The sentence of a suggestion with `{}` for names, and the calls after following it: one for each capability that it names.
type Way = (&'static str, fn(&Value, &[&str]) -> Vec<Value>);

/// The ways that are a planner's; of those that a sentence could be, the first one is meant.
#[expect(clippy::indexing_slicing, reason = "as many are named as the sentence has places")]
const WAYS: &[Way] = &[
    ("insert {} before {}", |call, named| {
        ids(named[0], " or ").iter().map(|id| inserted(call, id, &[], Some(named[1]))).collect()
    }),
    ("insert {} after {}", |call, named| {
        let after = ids(named[1], " and ");
        ids(named[0], " or ").iter().map(|id| inserted(call, id, &after, None)).collect()
    }),
    ("add a node of {}", |call, named| {
        ids(named[0], " or ").iter().map(|id| inserted(call, id, &[], None)).collect()
    }),
    ("add a node {}", |call, named| {
        let capability = call["capabilities"][0]["capabilityId"].clone();
        let node = json!({"nodeId": named[0], "capabilityId": capability});
        vec![with(call, |call| list(call, "/plan/nodes").push(node))]
    }),
    ("add an edge from {} to {}", |call, named| {
        vec![with(call, |call| list(call, "/plan/edges").push(edge(named[0], named[1])))]
    }),
    ("use {} in place of {} in the edge from {} to {}", |call, named| {
        let renamed = |end: &str| if end == named[1] { named[0].to_owned() } else { end.to_owned() };
        vec![with(call, |call| {
            let edges = list(call, "/plan/edges").iter_mut().filter(|one| **one == edge(named[2], named[3]));
            edges.for_each(|one| *one = edge(&renamed(named[2]), &renamed(named[3])));
        })]
    }),
    ("use {} in place of {} in {} of {}", |call, named| {
        replaced(call, [named[3], named[2]], named[1], named[0])
    }),
    ("give {} {} of its own with {} in place of {}", |call, named| {
        replaced(call, [named[0], named[1]], named[3], named[2])
    }),
    ("use {} in {}", |call, named| {
        let used = |id: &&str| with(call, |call| node(call, named[1])["capabilityId"] = json!(id));
        ids(named[0], " or ").iter().map(used).collect()
    }),
    ("give {} {} of its own without {}", |call, named| without(call, [named[0], named[1]], named[2])),
    ("remove the edge from {} to {}", |call, named| {
        vec![with(call, |call| list(call, "/plan/edges").retain(|one| *one != edge(named[0], named[1])))]
    }),
    ("remove {} from {} of {}", |call, named| without(call, [named[2], named[1]], named[0])),
    ("remove {}", |call, named| {
        vec![with(call, |call| list(call, "/plan/nodes").retain(|node| node["nodeId"] != named[0]))]
    }),
    ("rename all but one of the nodes {}", |call, named| {
        vec![with(call, |call| {
            let nodes = list(call, "/plan/nodes").iter_mut().filter(|node| node["nodeId"] == named[0]);
            nodes
                .skip(1)
                .zip(0..)
                .for_each(|(node, at)| node["nodeId"] = json!(format!("{}-{at}", named[0])));
        })]
    }),
];

/// The openings of sentences that a planner cannot follow: they only claim something, or need knowledge that no sentence has.
const OTHERS: &[&str] = &[
    "have the ",
    "allow ",
    "name ",
    "declare ",
    "give a node ",
    "correct ",
    "supply the inputs of ",
    "add an edge that leads ",
    "another one of the cycle",
    "use a capability of the registry in ",
    "use another capability than ",
];

/// A list of a node's with something else in place of one thing.
fn replaced(call: &Value, [id, member]: [&str; 2], old: &str, new: &str) -> Vec<Value> {
    vec![with(call, |call| {
        own(call, id, member).iter_mut().filter(|one| **one == old).for_each(|one| *one = json!(new));
    })]
}

/// A list of a node's without one thing.
fn without(call: &Value, [id, member]: [&str; 2], old: &str) -> Vec<Value> {
    vec![with(call, |call| own(call, id, member).retain(|one| one != old))]
}

/// The calls that come of heeding a way; none where that is not for a planner.
#[expect(clippy::panic, reason = "a way that is none of these is one that this test has to learn")]
pub(crate) fn heeded(call: &Value, way: &str) -> Vec<Value> {
    // Names in backticks are escaped, and no case that needs to be followed has any.
    if way.contains('`') || OTHERS.iter().any(|words| way.starts_with(words)) {
        return Vec::new();
    }
    let known = WAYS.iter().find_map(|(pattern, heed)| Some(heed(call, &read(pattern, way)?)));
    known.unwrap_or_else(|| panic!("{way}"))
}
