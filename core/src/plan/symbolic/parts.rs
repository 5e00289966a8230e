//! Why constraints clash: the parts of them, and the keywords of the schema, without which they would not.

use alloc::{
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_lang::{
    json::{self, Kind, Node, unescape_segment},
    logic::{Expression, Operator, Path},
    schema::Keyword,
};

use super::{Analysis, Clash, STEPS_OF_SEARCH};
use crate::{
    check::outputs::{Ground, Verdict, places},
    plan::{Constraint, advice::FEW, readable},
};

/// How many parts and keywords are tried one by one.
const MOST_TRIED: usize = 48;

/// What a clash is made of.
pub(super) struct Reason {
    /// For each member of the clash, the parts of it that clash, as people read them.
    pub parts: Vec<Vec<String>>,
    /// Where the keywords stand that clash with them, as pointers into the schema.
    pub schema: Vec<String>,
    /// What to write in place of what, where a single constraint asks for a member `length` of a text or a list.
    pub lengths: Vec<Replacement>,
}

/// An expression to write in place of another one, both as JSON.
pub(super) struct Replacement {
    pub given: String,
    pub meant: String,
}

impl Replacement {
    /// The operator in place of the last name of a path.
    fn of_length(path: &Path) -> Self {
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
    /// Why there is a clash. Where the budget is short, more is named than would have to be.
    pub(super) fn reason(&mut self, clash: &Clash) -> Reason {
        if clash.members.is_empty() {
            let keywords = self.keywords_of_nothing();
            return Reason { parts: Vec::new(), schema: self.places(&keywords), lengths: Vec::new() };
        }
        let constraints = self.constraints;
        let mut parts: Vec<(usize, Expression<'c>)> = Vec::new();
        for at in &clash.members {
            let Some(constraint) = constraints.get(*at) else { continue };
            parts.extend(conjuncts(constraint.program.root()).into_iter().map(|part| (*at, part)));
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
        Reason { parts: texts, schema: self.places(&keywords), lengths }
    }

    fn lengths(&mut self, at: usize) -> Vec<Replacement> {
        let conditions = self.conditions(&[at]);
        let replaced = |ground: &Ground<'_>| {
            let paths = conditions.iter().flat_map(|condition| ground.lengths(*condition));
            paths.take(FEW).map(Replacement::of_length).collect()
        };
        self.lend(STEPS_OF_SEARCH, &[], |ground, _| replaced(ground))
    }

    /// A part of a constraint, as people read it, if the budget is for a text like that.
    fn text(&mut self, at: usize, part: Expression<'_>) -> Option<String> {
        let constraint: &Constraint<'_> = self.constraints.get(at)?;
        let text = readable::write(at_pointer(constraint.expression, &part.pointer())?);
        self.search.spend(4 * text.len()).ok().map(|()| text)
    }

    fn fewest_parts(&mut self, mut parts: Vec<(usize, Expression<'c>)>) -> Vec<(usize, Expression<'c>)> {
        let mut place = 0;
        while place < parts.len() && parts.len() > 1 {
            let others = parts.iter().enumerate().filter(|(at, _)| *at != place);
            let conditions: Vec<_> = others.map(|(_, (_, part))| *part).collect();
            if self.judge(&conditions, &[]) == Verdict::Never {
                parts.remove(place);
            } else {
                place += 1;
            }
        }
        parts
    }

    fn fewest_keywords(&mut self, conditions: &[Expression<'c>]) -> Vec<Keyword> {
        let seen = self.keywords(conditions);
        self.uncut(seen, &mut |analysis, cuts| analysis.judge(conditions, cuts) == Verdict::Never)
    }

    fn keywords_of_nothing(&mut self) -> Vec<Keyword> {
        let seen = self.allows_nothing(&[]).1;
        self.uncut(seen, &mut |analysis, cuts| analysis.allows_nothing(cuts).0)
    }

    fn places(&mut self, keywords: &[Keyword]) -> Vec<String> {
        places(self.schema, keywords, &mut self.search)
    }

    /// The keywords that cannot be cut without what is asked ceasing to be so.
    fn uncut(
        &mut self,
        seen: Vec<Keyword>,
        is_so: &mut dyn FnMut(&mut Self, &[Keyword]) -> bool,
    ) -> Vec<Keyword> {
        // Often it takes none of them.
        if is_so(self, &seen) {
            return Vec::new();
        }
        let mut cuts: Vec<Keyword> = Vec::new();
        for keyword in seen.iter().take(MOST_TRIED) {
            cuts.push(*keyword);
            if !is_so(self, &cuts) {
                cuts.pop();
            }
        }
        seen.into_iter().filter(|keyword| !cuts.contains(keyword)).collect()
    }
}

/// The parts of a condition that all have to hold.
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

/// What a pointer leads to.
fn at_pointer<'t>(root: Node<'t>, pointer: &str) -> Option<Node<'t>> {
    pointer.split('/').skip(1).try_fold(root, |node, segment| match node.kind() {
        Kind::Array => node.items().nth(segment.parse().ok()?),
        _ => node.member(&unescape_segment(segment)),
    })
}
