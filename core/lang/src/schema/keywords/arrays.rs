//! `items` and its forms, `contains`, `minItems`, `maxItems`, `uniqueItems`.

use alloc::{format, vec, vec::Vec};

use super::unevaluated::says_what_is_left;
use crate::{
    error::Error,
    json::{Kind, Node},
    order,
    schema::{
        compile::{Compiler, Site},
        dialect::Draft,
        key::{Identity, fingerprint},
        marks::Marks,
        run::{Run, Segment, is_some},
        tree::{Check, Id, NONE, Run as Range, narrow},
        word::Word,
    },
};

pub(super) fn compile<'d>(compiler: &mut Compiler<'d, '_>, site: &Site<'d>) -> Result<(), Error> {
    if let Some(least) = compiler.amount(site, Word::MinItems)? {
        compiler.rule(Word::MinItems, Check::MinItems(least));
    }
    if let Some(most) = compiler.amount(site, Word::MaxItems)? {
        compiler.rule(Word::MaxItems, Check::MaxItems(most));
    }
    let (first, rest) = items(compiler, site)?;
    if first.count > 0 || is_some(rest) {
        compiler.rule(Word::Items, Check::Items(first, rest));
    }
    match site.value(Word::UniqueItems).map(Node::kind) {
        None | Some(Kind::Bool(false)) => {}
        Some(Kind::Bool(true)) => compiler.rule(Word::UniqueItems, Check::UniqueItems),
        Some(_) => return Err(compiler.wrong(site, Word::UniqueItems, "a boolean")),
    }
    contains(compiler, site)?;
    super::unevaluated::compile_items(compiler, site)
}

/// The schemas of the first items, and of all others.
fn items<'d>(compiler: &mut Compiler<'d, '_>, site: &Site<'d>) -> Result<(Range, Id), Error> {
    if compiler.dialect(site).draft == Draft::Draft2020 {
        let first = compiler.subschemas(site, Word::PrefixItems)?.unwrap_or_default();
        let rest = match says_what_is_left(site, Word::Items, Word::UnevaluatedItems) {
            true => Word::UnevaluatedItems,
            false => Word::Items,
        };
        return Ok((first, compiler.subschema(site, rest)));
    }
    match site.value(Word::Items) {
        Some(items) if items.kind() == Kind::Array && items.is_empty() => {
            Ok((Range::default(), compiler.subschema(site, Word::AdditionalItems)))
        }
        Some(items) if items.kind() == Kind::Array => {
            let first = compiler.subschemas(site, Word::Items)?.unwrap_or_default();
            Ok((first, compiler.subschema(site, Word::AdditionalItems)))
        }
        Some(items) if !matches!(items.kind(), Kind::Object | Kind::Bool(_)) => {
            Err(compiler.wrong(site, Word::Items, "a schema or a list of schemas"))
        }
        Some(_) => Ok((Range::default(), compiler.subschema(site, Word::Items))),
        None => Ok((Range::default(), NONE)),
    }
}

fn contains<'d>(compiler: &mut Compiler<'d, '_>, site: &Site<'d>) -> Result<(), Error> {
    let least = compiler.amount(site, Word::MinContains)?.unwrap_or(1);
    let most = compiler.amount(site, Word::MaxContains)?.unwrap_or(u32::MAX);
    let schema = compiler.subschema(site, Word::Contains);
    if is_some(schema) {
        compiler.rule(Word::Contains, Check::Contains(schema, least, most));
    }
    Ok(())
}

impl<'i> Run<'_, 'i, '_> {
    #[inline(never)]
    pub(in crate::schema) fn items(
        &mut self,
        first: Range,
        rest: Id,
        value: Node<'i>,
        seen: Option<&mut Marks>,
    ) -> bool {
        let schema = self.schema;
        let first = first.of(&schema.ids);
        if let Some(seen) = seen {
            match is_some(rest) {
                true => seen.mark_all(),
                false => (0..first.len().min(value.len())).for_each(|index| seen.mark(index)),
            }
        }
        let mut holds = true;
        self.spend(value.len());
        for (index, item) in value.items().enumerate() {
            let id = if index < first.len() { first.get(index).copied().unwrap_or(rest) } else { rest };
            if !is_some(id) {
                break;
            }
            if !self.child(id, Segment::Item(index), item) {
                holds = false;
                if !self.goes_on() {
                    break;
                }
            }
        }
        holds
    }

    #[inline(never)]
    pub(in crate::schema) fn contains(
        &mut self,
        id: Id,
        schema: Id,
        [least, most]: [u32; 2],
        value: Node<'i>,
        mut seen: Option<&mut Marks>,
    ) -> bool {
        let mut count = 0;
        self.spend(value.len());
        for (index, item) in value.items().enumerate() {
            // Nothing more can change, and nobody asks which items they are.
            if seen.is_none() && count >= least && most == u32::MAX {
                break;
            }
            if self.quietly(schema, item, None) {
                count += 1;
                if let Some(seen) = &mut seen {
                    seen.mark(index);
                }
            }
        }
        if count < least {
            let word = if least > 1 { Word::MinContains } else { Word::Contains };
            return self.wrong(id, word, |_| {
                format!("{least} or more items that the schema of `contains` holds for")
            });
        }
        if count > most {
            return self.wrong(id, Word::MaxContains, |_| {
                format!("{most} or fewer items that the schema of `contains` holds for")
            });
        }
        true
    }

    /// Whether no two items are equal.
    #[inline(never)]
    pub(in crate::schema) fn is_unique(&mut self, list: Node<'i>) -> bool {
        const FEW: usize = 8;
        let is_string = |item: Node<'i>| item.kind() == Kind::String;
        if list.len() < 2 {
            return true;
        }
        if !self.spend(list.extent() + list.text_extent()) {
            return false;
        }
        if list.len() <= FEW && list.items().all(is_string) {
            let mut rest = list.items();
            while let Some(item) = rest.next() {
                if rest.clone().any(|other| other.bytes() == item.bytes()) {
                    return false;
                }
            }
            return true;
        }
        are_unique(list).unwrap_or_else(|| are_unique_sorted(list))
    }
}

/// Whether no two are equal, found by looking each up; `None` if their fingerprints are so alike that this takes too
/// long, which only happens to those who want it.
fn are_unique(list: Node<'_>) -> Option<bool> {
    // Positions of items, none of which is the first, with twice the room that is needed, and their fingerprints.
    let mut table = vec![(0_u32, 0_u32); (list.len() * 2).next_power_of_two()];
    let mut tries = list.len() * 16;
    for item in list.items() {
        let print = fingerprint(item);
        let mut at = print as usize & (table.len() - 1);
        let rest = (print >> 32) as u32;
        loop {
            let slot = table.get_mut(at)?;
            match *slot {
                (0, _) => {
                    *slot = (narrow(item.position()), rest);
                    break;
                }
                (other, print) if print == rest => {
                    if Identity::of(item.at_position(other as usize)) == Identity::of(item) {
                        return Some(false);
                    }
                    // To compare takes longer than to look.
                    tries = tries.checked_sub(16)?;
                }
                _ => {}
            }
            tries = tries.checked_sub(1)?;
            at = (at + 1) & (table.len() - 1);
        }
    }
    Some(true)
}

fn are_unique_sorted(list: Node<'_>) -> bool {
    let mut items: Vec<Identity<'_>> = list.items().map(Identity::of).collect();
    order::sort_by(&mut items, Ord::cmp);
    items.windows(2).all(|pair| !matches!(pair, [left, right] if left == right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{self, Limits};

    #[test]
    fn both_ways_agree_on_what_is_unique() {
        for (text, expected) in [
            ("[1, 2, 3]", true),
            ("[1, 2, 1.0]", false),
            (r#"["1", 1, true, null, [1], {"a": 1}]"#, true),
            (r#"[{"a": 1, "b": 2}, {"b": 2.0, "a": 1e0}]"#, false),
            ("[0, -0.0]", false),
            ("[1, -1]", true),
            ("[[], {}, 0, false, \"\"]", true),
            ("[100, 1e2]", false),
            ("[0.5, 5e-1]", false),
            ("[12.5, 1250e-2]", false),
            ("[1e20, 100000000000000000000]", false),
            ("[1e15, 1000000000000000]", false),
            ("[0.1, 0.10000000000000000]", false),
            ("[0.000000000000001, 1e-15, 3]", false),
            ("[1e-16, 0.0000000000000001]", false),
            ("[1.5, -1.5, 15, 0.15, 1.05, 10.5]", true),
            (r#"["aaaaaaaabbbbbbbbcccccccc", "aaaaaaaabbbbbbbccccccccc", "aaaaaaaacccccccc"]"#, true),
        ] {
            let tape = json::read(text.as_bytes(), Limits::DOCUMENT).unwrap();
            assert_eq!(are_unique(tape.root()), Some(expected), "{text}");
            assert_eq!(are_unique_sorted(tape.root()), expected, "{text}");
        }
    }
}
