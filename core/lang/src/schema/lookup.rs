//! Lookup of properties by name, which compares a few integers and rarely the names.

use super::equality_key::FACTOR;
use super::lists::{Names, Property};
use super::range::{ListRange, NONE, Text, range_since};
use super::tree::Schema;
use crate::json::{Ends, Node, ends};

/// The number of slots to try before binary search is better.
const MOST_TRIES: usize = 8;

impl Names {
    /// Returns the set of all properties from index `first` on, which must be sorted by name.
    pub(super) fn since(schema: &mut Schema, first: usize) -> Self {
        let properties = range_since(&schema.properties, first);
        Self { properties, slots: slots(schema, properties) }
    }
}

impl Property {
    /// Returns a property that has only a name.
    pub(super) fn named(name: &str, kept: Text) -> Self {
        Self { ends: ends(name.as_bytes()), name: kept, schema: NONE, required: false, next: NONE }
    }
}

/// Builds a hash table. If too many names compete for the same slots, by chance or by intent, the result is empty, and binary
/// search is used.
fn slots(schema: &mut Schema, properties: ListRange) -> ListRange {
    let first = schema.slots.len();
    let needed = properties.entries(&schema.properties).len() * 2;
    schema.slots.resize(first + needed.next_power_of_two(), 0);
    let run = range_since(&schema.slots, first);
    for number in properties.first..properties.first + properties.count {
        let Some(property) = schema.properties.get(number as usize) else { continue };
        let wanted = slot(schema.bytes(property.name), property.ends);
        let mut places = places(wanted, run);
        let free = places.find(|place| schema.slots.get(*place) == Some(&0));
        match free.and_then(|place| schema.slots.get_mut(place)) {
            Some(slot) => *slot = number + 1,
            None => {
                schema.slots.truncate(first);
                return ListRange::default();
            }
        }
    }
    run
}

/// Returns the hash of a name: 32 bits, not yet reduced to the number of slots.
#[inline]
fn slot(name: &[u8], (prefix, suffix): Ends) -> usize {
    let mixed = prefix ^ suffix.rotate_left(21) ^ name.len() as u64;
    // Only the highest bits depend on every bit of the input.
    (mixed.wrapping_mul(FACTOR) >> 32) as usize
}

/// Returns the slots that can hold a name with this hash.
#[inline]
fn places(wanted: usize, slots: ListRange) -> impl Iterator<Item = usize> {
    let mask = (slots.count as usize).wrapping_sub(1);
    let wanted = ((wanted as u64 * u64::from(slots.count)) >> 32) as usize;
    (wanted..wanted + MOST_TRIES).map(move |at| slots.first as usize + (at & mask))
}

impl Property {
    /// Returns whether the name equals a short field name or string. `false` also means: compare in full.
    #[inline]
    pub(super) fn is_quickly(&self, name: Node<'_>) -> bool {
        name.is_short(self.name.end - self.name.start, self.ends)
    }

    /// Returns whether this is the name. `ends` are its first and last bytes.
    #[inline]
    fn is(&self, schema: &Schema, name: &[u8], ends: Ends) -> bool {
        self.ends == ends
            && (self.name.end - self.name.start) as usize == name.len()
            && (name.len() <= 16 || schema.bytes(self.name) == name)
    }
}

impl Names {
    /// Finds a property by its name. `ends` are the first and last bytes of the name.
    #[inline(never)]
    pub(super) fn find<'s>(&self, schema: &'s Schema, name: &[u8], ends: Ends) -> Option<&'s Property> {
        if self.slots.count == 0 {
            return self.search(schema, name, ends.0);
        }
        for place in places(slot(name, ends), self.slots) {
            let number = schema.slots.get(place)?.checked_sub(1)?;
            let property = schema.properties.get(number as usize)?;
            if property.is(schema, name, ends) {
                return Some(property);
            }
        }
        None
    }

    #[inline(never)]
    fn search<'s>(&self, schema: &'s Schema, name: &[u8], prefix: u64) -> Option<&'s Property> {
        let properties = self.properties.entries(&schema.properties);
        let at = properties.binary_search_by(|property| {
            property.ends.0.cmp(&prefix).then_with(|| schema.bytes(property.name).cmp(name))
        });
        properties.get(at.ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{format, string::String, vec::Vec};

    fn kept(names: &[String]) -> (Schema, Names) {
        let mut schema = Schema::default();
        for name in names {
            let kept = schema.keep(name);
            schema.properties.push(Property::named(name, kept));
        }
        let names = Names::since(&mut schema, 0);
        (schema, names)
    }

    #[test]
    fn hash_table_and_binary_search_find_the_same_names() {
        let mut many: Vec<String> = (0..1_000).map(|number| format!("name {number:04}")).collect();
        many.extend([String::new(), "a".into(), "naming".into()]);
        many.sort();
        // All of them begin and end alike, so they have the same hash.
        let alike: Vec<String> = (0..100).map(|number| format!("beginning {number:03} the end")).collect();
        for (texts, has_slots) in [(&many, true), (&alike, false), (&Vec::new(), true)] {
            let (schema, names) = kept(texts);
            assert_eq!(names.slots.count > 0, has_slots);
            for name in texts {
                let (text, ends) = (name.as_bytes(), super::ends(name.as_bytes()));
                let found = names.find(&schema, text, ends);
                assert_eq!(found.map(|property| schema.text(property.name)), Some(name.as_str()));
                let other = format!("{name}!");
                assert!(names.find(&schema, other.as_bytes(), super::ends(other.as_bytes())).is_none());
            }
        }
    }
}
