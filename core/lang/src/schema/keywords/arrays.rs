//! `items` and its forms, `contains`, `minItems`, `maxItems`, `uniqueItems`.

use alloc::{format, vec, vec::Vec};

use super::unevaluated::says_what_is_left;
use crate::{
    error::Error,
    json::{Kind, Node},
    order,
    schema::{
        annotations::Annotations,
        compiler::{Compiler, KeywordValues},
        dialect::Draft,
        equality_key::{EqualityKey, fingerprint},
        keyword::Keyword,
        range::{ListRange, NONE, SchemaId, is_some, narrow},
        tree::Check,
        validate::{PathSegment, Validator},
    },
};

pub(super) fn compile<'d>(
    compiler: &mut Compiler<'d, '_>,
    keywords: &KeywordValues<'d>,
) -> Result<(), Error> {
    if let Some(least) = compiler.amount(keywords, Keyword::MinItems)? {
        compiler.rule(Keyword::MinItems, Check::MinItems(least));
    }
    if let Some(most) = compiler.amount(keywords, Keyword::MaxItems)? {
        compiler.rule(Keyword::MaxItems, Check::MaxItems(most));
    }
    let (first, rest) = items(compiler, keywords)?;
    if first.count > 0 || is_some(rest) {
        compiler.rule(Keyword::Items, Check::Items(first, rest));
    }
    match keywords.value(Keyword::UniqueItems).map(Node::kind) {
        None | Some(Kind::Bool(false)) => {}
        Some(Kind::Bool(true)) => compiler.rule(Keyword::UniqueItems, Check::UniqueItems),
        Some(_) => return Err(compiler.value_error(keywords, Keyword::UniqueItems, "a boolean")),
    }
    contains(compiler, keywords)?;
    super::unevaluated::compile_items(compiler, keywords)
}

/// Returns the schemas of the first items, and the schema of all further items.
fn items<'d>(
    compiler: &mut Compiler<'d, '_>,
    keywords: &KeywordValues<'d>,
) -> Result<(ListRange, SchemaId), Error> {
    if compiler.dialect(keywords).draft == Draft::Draft2020 {
        let first = compiler.subschemas(keywords, Keyword::PrefixItems)?.unwrap_or_default();
        let rest = match says_what_is_left(keywords, Keyword::Items, Keyword::UnevaluatedItems) {
            true => Keyword::UnevaluatedItems,
            false => Keyword::Items,
        };
        return Ok((first, compiler.subschema(keywords, rest)));
    }
    match keywords.value(Keyword::Items) {
        Some(items) if items.kind() == Kind::Array && items.is_empty() => {
            Ok((ListRange::default(), compiler.subschema(keywords, Keyword::AdditionalItems)))
        }
        Some(items) if items.kind() == Kind::Array => {
            let first = compiler.subschemas(keywords, Keyword::Items)?.unwrap_or_default();
            Ok((first, compiler.subschema(keywords, Keyword::AdditionalItems)))
        }
        Some(items) if !matches!(items.kind(), Kind::Object | Kind::Bool(_)) => {
            Err(compiler.value_error(keywords, Keyword::Items, "a schema or a list of schemas"))
        }
        Some(_) => Ok((ListRange::default(), compiler.subschema(keywords, Keyword::Items))),
        None => Ok((ListRange::default(), NONE)),
    }
}

fn contains<'d>(compiler: &mut Compiler<'d, '_>, keywords: &KeywordValues<'d>) -> Result<(), Error> {
    let least = compiler.amount(keywords, Keyword::MinContains)?.unwrap_or(1);
    let most = compiler.amount(keywords, Keyword::MaxContains)?.unwrap_or(u32::MAX);
    let schema = compiler.subschema(keywords, Keyword::Contains);
    if is_some(schema) {
        compiler.rule(Keyword::Contains, Check::Contains(schema, least, most));
    }
    Ok(())
}

impl<'i> Validator<'_, 'i, '_> {
    #[inline(never)]
    pub(in crate::schema) fn items(
        &mut self,
        first: ListRange,
        rest: SchemaId,
        value: Node<'i>,
        evaluated: Option<&mut Annotations>,
    ) -> bool {
        let schema = self.schema;
        let first = first.entries(&schema.ids);
        if let Some(evaluated) = evaluated {
            match is_some(rest) {
                true => evaluated.add_all(),
                false => (0..first.len().min(value.len())).for_each(|index| evaluated.add(index)),
            }
        }
        let mut holds = true;
        self.spend(value.len());
        for (index, item) in value.items().enumerate() {
            let id = if index < first.len() { first.get(index).copied().unwrap_or(rest) } else { rest };
            if !is_some(id) {
                break;
            }
            if !self.child(id, PathSegment::Item(index), item) {
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
        id: SchemaId,
        schema: SchemaId,
        [least, most]: [u32; 2],
        value: Node<'i>,
        mut evaluated: Option<&mut Annotations>,
    ) -> bool {
        let mut count = 0;
        self.spend(value.len());
        for (index, item) in value.items().enumerate() {
            // The result is final, and the caller needs no annotations.
            if evaluated.is_none() && count >= least && most == u32::MAX {
                break;
            }
            if self.quietly(schema, item, None) {
                count += 1;
                if let Some(evaluated) = &mut evaluated {
                    evaluated.add(index);
                }
            }
        }
        if count < least {
            let keyword = if least > 1 { Keyword::MinContains } else { Keyword::Contains };
            return self.violation(id, keyword, |_| {
                format!("{least} or more items that the schema of `contains` holds for")
            });
        }
        if count > most {
            return self.violation(id, Keyword::MaxContains, |_| {
                format!("{most} or fewer items that the schema of `contains` holds for")
            });
        }
        true
    }

    /// Returns whether all items are different.
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

/// Returns whether all items are different, by a hash table. Returns `None` after too many collisions, which only a malicious input
/// has.
fn are_unique(list: Node<'_>) -> Option<bool> {
    // Positions of items with parts of their hashes. Zero is free, because no item is at position 0. At most half of the table is
    // used.
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
                    if EqualityKey::new(item.at_position(other as usize)) == EqualityKey::new(item) {
                        return Some(false);
                    }
                    // A comparison takes longer than a probe.
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
    let mut items: Vec<EqualityKey<'_>> = list.items().map(EqualityKey::new).collect();
    order::sort_by(&mut items, Ord::cmp);
    items.windows(2).all(|pair| !matches!(pair, [left, right] if left == right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{self, ReadLimits};

    #[test]
    fn both_algorithms_agree_on_uniqueness() {
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
            let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap();
            assert_eq!(are_unique(tape.root()), Some(expected), "{text}");
            assert_eq!(are_unique_sorted(tape.root()), expected, "{text}");
        }
    }
}
