//! Step ids: their grammar, lookup by id, and new ids for steps without a usable one.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{Error, json, order};

use crate::{
    codes,
    documents::plan_ir::{InferenceReason, is_id},
};

/// The given ids of steps or calls, indexed for lookup.
#[derive(Debug)]
pub(super) struct Ids<'a> {
    given: Vec<Option<&'a str>>,
    /// The steps sorted by id, those without one first; equal ids keep their order.
    sorted: Vec<usize>,
}

impl<'a> Ids<'a> {
    pub(super) fn new(given: Vec<Option<&'a str>>) -> Self {
        let sorted =
            order::sorted_indices(given.len(), &mut |left, right| given.get(left).cmp(&given.get(right)));
        Self { given, sorted }
    }

    /// The given id of a step.
    pub(super) fn at(&self, step: usize) -> Option<&'a str> {
        self.given.get(step).copied().flatten()
    }

    /// The first step with this id.
    pub(super) fn find(&self, id: &str) -> Option<u32> {
        let place = self.sorted.partition_point(|step| self.at(*step) < Some(id));
        let step = self.sorted.get(place).copied().filter(|step| self.at(*step) == Some(id))?;
        u32::try_from(step).ok()
    }

    /// The first step whose id an earlier step has, and the id.
    pub(super) fn repeated(&self) -> Option<(usize, &'a str)> {
        let is_repeat =
            |step: &usize| self.at(*step).is_some_and(|id| self.find(id) != u32::try_from(*step).ok());
        let step = (0..self.given.len()).find(is_repeat)?;
        Some((step, self.at(step)?))
    }

    /// The error for an id that no step has.
    pub(super) fn unknown(&self, id: &str, what: &str) -> Error {
        /// The most ids that are compared for a suggestion. Ids longer than `LONG` are not suggested.
        const LOOKED_AT: usize = 1_000;
        const LONG: usize = 128;
        let fit = self.given.iter().flatten().copied().filter(|known| known.len() <= LONG);
        let fit: Vec<&str> = fit.take(LOOKED_AT).collect();
        Error::new(codes::INVALID_VALUE, json::unknown(what, id, &fit))
    }

    /// For each step that cannot keep its id, a new id and the reason; `None` for the others.
    ///
    /// The first step with a valid id keeps it. Each of the others becomes `step-N`, with the first free `N` from its own position
    /// on.
    pub(super) fn settle(&self) -> Vec<Option<(String, Renamed)>> {
        let mut why: Vec<Option<Renamed>> = self.given.iter().map(|id| Renamed::from_given(*id)).collect();
        for pair in self.sorted.windows(2) {
            if let [first, repeat] = *pair
                && self.at(first) == self.at(repeat)
                && let Some(why @ None) = why.get_mut(repeat)
            {
                *why = Some(Renamed::Repeated);
            }
        }
        let mut free = Free::new(self.given.len());
        for (id, why) in self.given.iter().zip(&why) {
            if let (Some(id), None) = (id, why) {
                free.note(id);
            }
        }
        let settled = (1..).zip(why).map(|(number, why)| why.map(|why| (step_id(free.take(number)), why)));
        settled.collect()
    }
}

/// The reason for a new id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Renamed {
    /// No id was given.
    Missing,
    /// The given id is invalid.
    Invalid,
    /// An earlier step has the id.
    Repeated,
}

impl Renamed {
    fn from_given(id: Option<&str>) -> Option<Self> {
        match id {
            None => Some(Self::Missing),
            Some(id) if !is_id(id) => Some(Self::Invalid),
            Some(_) => None,
        }
    }

    pub(super) const fn reason(self) -> InferenceReason {
        match self {
            Self::Missing => InferenceReason::Default,
            Self::Invalid => InferenceReason::InvalidId,
            Self::Repeated => InferenceReason::RepeatedId,
        }
    }
}

/// The free numbers for `step-N`: each taken number links to a later one, with path compression.
struct Free(Vec<usize>);

impl Free {
    /// Twice the number of steps always suffices.
    fn new(steps: usize) -> Self {
        Self((0..2 * steps + 2).collect())
    }

    fn note(&mut self, id: &str) {
        let number = id.strip_prefix("step-").and_then(|digits| digits.parse().ok());
        if let Some(number) = number
            && *id == *step_id(number)
        {
            self.remove(number);
        }
    }

    fn remove(&mut self, number: usize) {
        if let Some(next) = self.0.get_mut(number) {
            *next = number + 1;
        }
    }

    /// Takes the first free number from `from` on.
    fn take(&mut self, from: usize) -> usize {
        let mut number = from;
        while let Some(next) = self.0.get(number).copied().filter(|next| *next != number) {
            let after = self.0.get(next).copied().unwrap_or(next);
            if let Some(place) = self.0.get_mut(number) {
                *place = after;
            }
            number = next;
        }
        self.remove(number);
        number
    }
}

fn step_id(number: usize) -> String {
    format!("step-{number}")
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn the_grammar_of_ids() {
        for id in ["a", "0", "step-1", "a.b_c-D", "9--", "Z..."] {
            assert!(is_id(id), "{id}");
        }
        for text in ["", "-a", ".a", "_a", "a b", "a/b", "ä", "aä", "a\n", " a", "a:b"] {
            assert!(!is_id(text), "{text:?}");
        }
    }

    #[test]
    fn valid_first_holders_keep_their_ids_and_others_move_on_while_taken() {
        let some = |ids: &[&'static str]| ids.iter().map(|id| Some(*id).filter(|id| *id != "?")).collect();
        for (given, expected) in [
            (&[][..], &[][..]),
            (&["?", "?"], &["step-1", "step-2"]),
            (&["a", "a", "a"], &["a", "step-2", "step-3"]),
            (&["?", "step-1"], &["step-2", "step-1"]),
            (&["?", "step-1", "?", "step-2"], &["step-3", "step-1", "step-4", "step-2"]),
            (&["b c", "step-3", "step-3", "?"], &["step-1", "step-3", "step-4", "step-5"]),
            // Ids are compared as texts.
            (&["?", "step-01", "Step-1", "step-+1"], &["step-1", "step-01", "Step-1", "step-4"]),
            (&["b c", "b c"], &["step-1", "step-2"]),
            (&["step-2", "step-2", "step-99"], &["step-2", "step-3", "step-99"]),
        ] {
            let settled = Ids::new(some(given)).settle();
            let ids = settled.iter().zip(given).map(|(new, given)| new.as_ref().map_or(*given, |(id, _)| id));
            assert_eq!(ids.collect::<Vec<_>>(), expected, "{given:?}");
        }
    }

    #[test]
    fn an_id_means_its_first_holder() {
        let ids = Ids::new(vec![None, Some("b"), Some("a"), Some("b"), Some("")]);
        for (id, expected) in [("a", Some(2)), ("b", Some(1)), ("", Some(4)), ("c", None)] {
            assert_eq!(ids.find(id), expected, "{id}");
        }
        assert_eq!(ids.unknown("", "step").message(), "unknown step ``");
    }

    #[test]
    fn taken_numbers_are_passed_over_at_once() {
        // Half of the steps hold the numbers that the other half would take first.
        let half = 20_000_usize;
        let names: Vec<String> = (0..half).map(|at| step_id(half + 1 + at)).collect();
        let mut given: Vec<Option<&str>> = names.iter().map(|name| Some(&**name)).collect();
        given.extend(vec![None; half]);
        let settled = Ids::new(given).settle();
        let id = |step: usize| settled.get(step)?.as_ref().map(|(id, _)| &**id);
        assert_eq!(id(2 * half - 1), Some("step-60000"));
        assert_eq!((id(half), id(half - 1)), (Some("step-40001"), None));
    }
}
