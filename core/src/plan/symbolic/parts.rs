//! Reasons of conflicts: minimal parts of the constraints, and minimal keywords of the schema.

use alloc::{
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_lang::{
    json::{self, Kind, Node, unescape_segment},
    logic::{Expression, Operator, VariablePath},
    schema::KeywordLocation,
};

use super::{Analysis, Clash, STEPS_OF_SEARCH};
use crate::{
    check::outputs::{Ground, places},
    documents::Constraint,
    plan::{
        advice::{FEW, name},
        readable,
    },
};

/// The most parts, and the most keywords, that are tried one by one.
const MOST_TRIED: usize = 48;

/// The reason of a conflict.
pub(super) struct ClashReason {
    /// For each constraint of the conflict, its conflicting parts in readable form.
    pub parts: Vec<Vec<String>>,
    /// Pointers into the schema, to the conflicting keywords.
    pub schema: Vec<String>,
    /// Replacements for a field `length` of a string or array that a single constraint reads by mistake.
    pub lengths: Vec<Replacement>,
}

/// An expression and its replacement, both as JSON.
pub(super) struct Replacement {
    pub given: String,
    pub meant: String,
}

impl Replacement {
    /// Replaces the last name of a path by the operator `length`.
    fn from_length_path(path: &VariablePath) -> Self {
        let path = json::write(&path.to_string());
        let parent = path.strip_suffix("length\"").unwrap_or_default();
        let parent = parent.strip_suffix('.').unwrap_or(parent);
        Self {
            given: format!("{{\"var\": {path}}}"),
            meant: format!("{{\"length\": [{{\"var\": {parent}\"}}]}}"),
        }
    }
}

impl<'c> Analysis<'c> {
    /// Returns the reason of a conflict. On a short budget it is not minimal.
    pub(super) fn reason(&mut self, clash: &Clash) -> ClashReason {
        if clash.members.is_empty() {
            let keywords = self.keywords_of_nothing();
            return ClashReason { parts: Vec::new(), schema: self.places(&keywords), lengths: Vec::new() };
        }
        let constraints = self.constraints;
        let mut parts: Vec<(usize, Expression<'c>)> = Vec::new();
        for at in &clash.members {
            let Some(constraint) = constraints.get(*at) else { continue };
            parts.extend(conjuncts(constraint.program().root()).into_iter().map(|part| (*at, part)));
        }
        if parts.len() <= MOST_TRIED {
            parts = self.fewest_parts(parts);
        }
        let conditions: Vec<Expression<'c>> = parts.iter().map(|(_, part)| *part).collect();
        let keywords = self.fewest_keywords(&conditions);
        let mut texts = Vec::new();
        for member in &clash.members {
            let own = parts.iter().filter(|(at, _)| at == member);
            texts.push(own.filter_map(|(at, part)| self.text(*at, *part)).collect());
        }
        let lengths = if let [at] = *clash.members { self.lengths(at) } else { Vec::new() };
        ClashReason { parts: texts, schema: self.places(&keywords), lengths }
    }

    fn lengths(&mut self, at: usize) -> Vec<Replacement> {
        let conditions = self.conditions(&[at]);
        let replaced = |ground: &Ground<'_>| {
            let paths = conditions.iter().flat_map(|condition| ground.lengths(*condition));
            paths.take(FEW).map(Replacement::from_length_path).collect()
        };
        self.with_budget(STEPS_OF_SEARCH, &[], |ground, _| replaced(ground))
    }

    /// A part of a constraint in readable form, if the budget allows.
    fn text(&mut self, at: usize, part: Expression<'_>) -> Option<String> {
        let constraint: &Constraint<'_> = self.constraints.get(at)?;
        let text = readable::write(at_pointer(constraint.source(), &part.pointer())?);
        self.search.spend(4 * text.len()).ok().map(|()| text)
    }

    fn fewest_parts(&mut self, mut parts: Vec<(usize, Expression<'c>)>) -> Vec<(usize, Expression<'c>)> {
        let mut place = 0;
        while place < parts.len() && parts.len() > 1 {
            let others = parts.iter().enumerate().filter(|(at, _)| *at != place);
            let conditions: Vec<_> = others.map(|(_, (_, part))| *part).collect();
            if self.judge(&conditions, &[]).is_never() {
                parts.remove(place);
            } else {
                place += 1;
            }
        }
        parts
    }

    fn fewest_keywords(&mut self, conditions: &[Expression<'c>]) -> Vec<KeywordLocation> {
        let seen = self.keywords(conditions);
        self.uncut(seen, &mut |analysis, cuts| analysis.judge(conditions, cuts).is_never())
    }

    fn keywords_of_nothing(&mut self) -> Vec<KeywordLocation> {
        let seen = self.allows_nothing(&[]).1;
        self.uncut(seen, &mut |analysis, cuts| analysis.allows_nothing(cuts).0)
    }

    fn places(&mut self, keywords: &[KeywordLocation]) -> Vec<String> {
        places(self.schema, keywords, &mut self.search)
    }

    /// The keywords without which `is_so` no longer holds: a minimal set, on a sufficient budget.
    fn uncut(
        &mut self,
        seen: Vec<KeywordLocation>,
        is_so: &mut dyn FnMut(&mut Self, &[KeywordLocation]) -> bool,
    ) -> Vec<KeywordLocation> {
        // Often no keyword is needed.
        if is_so(self, &seen) {
            return Vec::new();
        }
        let mut cuts: Vec<KeywordLocation> = Vec::new();
        for keyword in seen.iter().take(MOST_TRIED) {
            cuts.push(*keyword);
            if !is_so(self, &cuts) {
                cuts.pop();
            }
        }
        seen.into_iter().filter(|keyword| !cuts.contains(keyword)).collect()
    }
}

/// The operands of nested `and`: all of them must hold.
fn conjuncts(condition: Expression<'_>) -> Vec<Expression<'_>> {
    let mut parts = Vec::new();
    let mut pending = Vec::from([condition]);
    while let Some(part) = pending.pop() {
        match part.operator() {
            Some(Operator::And | Operator::Truth) => pending.extend(part.operands().rev()),
            _ => parts.push(part),
        }
    }
    parts
}

/// The node at a JSON Pointer.
fn at_pointer<'t>(root: Node<'t>, pointer: &str) -> Option<Node<'t>> {
    pointer.split('/').skip(1).try_fold(root, |node, segment| match node.kind() {
        Kind::Array => node.items().nth(segment.parse().ok()?),
        _ => node.member(&unescape_segment(segment)),
    })
}

/// Joins pointers with commas, for a sentence.
pub(super) fn listed(places: &[String]) -> String {
    places.iter().map(|place| name(place)).collect::<Vec<_>>().join(", ")
}
