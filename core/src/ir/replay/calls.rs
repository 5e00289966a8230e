//! The set of call ids of a replay: exact for any number of calls, in little memory.
//!
//! To detect a repeated id, every id must be known, and no set of arbitrary ids has a constant size. Most ids count up (`tc_1`,
//! `tc_2`, ...), so an id becomes a number whose lower part is its trailing number. Adjacent numbers merge into one span. A replay
//! with counted ids takes one span for each open call and one for all finished calls, however long it is. Any other id takes a span
//! of its own, up to [`MAX_SPANS`] in all.

use alloc::{boxed::Box, format, vec::Vec};

use adjudicate_lang::Error;

use super::stem::Stem;
use crate::codes;

/// The most spans: about 40 MB, and about 100 bytes more for each open call.
pub(super) const MAX_SPANS: usize = 1 << 19;

/// A call without a result, or a result without a call.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    /// True if the call was seen, false if the result was.
    pub is_call: bool,
    /// The index of the event, from 0.
    pub event: u64,
    pub line: u64,
    /// The id for messages, shortened.
    pub id: Box<str>,
}

/// The state of an id.
#[derive(Debug)]
pub(super) enum IdState<'i> {
    /// The id is new.
    Nothing,
    /// Either the call or the result was seen.
    Pending(&'i Pending),
    /// Both were seen.
    Done,
}

/// A range of adjacent ids: one that is pending, or any number of finished ones.
#[derive(Debug)]
struct Span {
    first: u128,
    last: u128,
    pending: Option<Box<Pending>>,
}

/// The calls and results of a replay, by the numbers of their ids.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Sorted and disjoint, in non-empty chunks of at most [`CHUNK`], so that an insertion moves little.
    chunks: Vec<Vec<Span>>,
    len: usize,
    stem: Stem,
}

const CHUNK: usize = 256;

/// The position of a span: its chunk, and the index in it.
type SpanPosition = (usize, usize);

impl Calls {
    /// The number for an id.
    pub(super) fn key(&mut self, id: &str) -> u128 {
        self.stem.key(id)
    }

    pub(super) fn known(&self, key: u128) -> IdState<'_> {
        match self.span(self.place(key)).filter(|span| span.first <= key) {
            None => IdState::Nothing,
            Some(Span { pending: Some(pending), .. }) => IdState::Pending(pending),
            Some(_) => IdState::Done,
        }
    }

    /// Adds a new id.
    ///
    /// # Errors
    ///
    /// [`codes::LIMIT_EXCEEDED`] if there are too many spans.
    pub(super) fn add(&mut self, key: u128, pending: Pending) -> Result<(), Error> {
        if self.len >= MAX_SPANS {
            let message =
                format!("more than {MAX_SPANS} ids of calls that are not counted up or not answered");
            return Err(Error::new(codes::LIMIT_EXCEEDED, message));
        }
        self.insert(Span { first: key, last: key, pending: Some(Box::new(pending)) });
        Ok(())
    }

    /// Marks a pending id as finished.
    pub(super) fn complete(&mut self, key: u128) {
        self.remove(self.place(key));
        let mut span = Span { first: key, last: key, pending: None };
        let next = self.place(key);
        if let Some(found) = self.span(next)
            && found.pending.is_none()
            && key.checked_add(1) == Some(found.first)
        {
            span.last = found.last;
            self.remove(next);
        }
        let next = self.place(key);
        let before = match next {
            (0, 0) => None,
            (chunk, 0) => self.chunks.get(chunk - 1).map(|before| (chunk - 1, before.len() - 1)),
            (chunk, at) => Some((chunk, at - 1)),
        };
        if let Some(before) = before
            && let Some(found) = self.span(before)
            && found.pending.is_none()
            && found.last.checked_add(1) == Some(key)
        {
            span.first = found.first;
            self.remove(before);
        }
        self.insert(span);
    }

    /// The pending calls and results, in no particular order.
    pub(super) fn pending(&self) -> impl Iterator<Item = &Pending> {
        self.chunks.iter().flatten().filter_map(|span| span.pending.as_deref())
    }

    /// The number of spans.
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// The position of the first span that does not end before `key`.
    fn place(&self, key: u128) -> SpanPosition {
        let chunk = self.chunks.partition_point(|chunk| chunk.last().is_some_and(|span| span.last < key));
        let at = self.chunks.get(chunk).map_or(0, |spans| spans.partition_point(|span| span.last < key));
        (chunk, at)
    }

    fn span(&self, (chunk, at): SpanPosition) -> Option<&Span> {
        self.chunks.get(chunk)?.get(at)
    }

    fn insert(&mut self, span: Span) {
        self.len += 1;
        let (mut chunk, mut at) = self.place(span.first);
        if chunk == self.chunks.len() {
            // After all others.
            match self.chunks.len().checked_sub(1) {
                Some(last) => (chunk, at) = (last, self.chunks.get(last).map_or(0, Vec::len)),
                None => self.chunks.push(Vec::new()),
            }
        }
        let Some(spans) = self.chunks.get_mut(chunk) else { return };
        spans.insert(at, span);
        if spans.len() > CHUNK {
            let upper = spans.split_off(CHUNK / 2);
            self.chunks.insert(chunk + 1, upper);
        }
    }

    fn remove(&mut self, (chunk, at): SpanPosition) {
        let Some(spans) = self.chunks.get_mut(chunk).filter(|spans| at < spans.len()) else { return };
        spans.remove(at);
        self.len -= 1;
        if spans.is_empty() {
            self.chunks.remove(chunk);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{collections::BTreeMap, string::ToString as _};

    fn pending() -> Pending {
        Pending { is_call: true, event: 0, line: 1, id: "id".into() }
    }

    fn knows(calls: &mut Calls, id: &str) -> u8 {
        let key = calls.key(id);
        match calls.known(key) {
            IdState::Nothing => 0,
            IdState::Pending(_) => 1,
            IdState::Done => 2,
        }
    }

    #[test]
    fn counted_ids_are_one_span_however_many() {
        let mut calls = Calls::default();
        for number in 0..20_000 {
            let key = calls.key(&format!("call-{number}"));
            calls.add(key, pending()).unwrap();
            calls.complete(key);
            assert!(calls.len() <= 1, "{number}");
        }
        for (id, expected) in
            [("call-0", 2), ("call-19999", 2), ("call-20000", 0), ("call-00", 0), ("call-", 0), ("call", 0)]
        {
            assert_eq!(knows(&mut calls, id), expected, "{id}");
        }
    }

    #[test]
    fn different_ids_are_different_calls() {
        let all = [
            "",
            "0",
            "00",
            "000",
            "1",
            "01",
            "001",
            "a",
            "a0",
            "a00",
            "a1",
            "a01",
            "1a",
            "a1b",
            "a1b2",
            "9999999990",
            "999999999",
            "0999999999",
            "00999999999",
            "x123456789012",
            "x12345678901",
            "x23456789012",
            "\u{e9}1",
            "e1",
            "\u{661}",
            "4294967295",
            "4294967296",
            "-1",
            "+1",
            "1.0",
        ];
        let mut calls = Calls::default();
        for (count, id) in all.iter().enumerate() {
            assert_eq!(knows(&mut calls, id), 0, "{id}");
            let key = calls.key(id);
            calls.add(key, pending()).unwrap();
            if count % 2 == 0 {
                calls.complete(key);
            }
            let known: Vec<_> = all.iter().map(|id| knows(&mut calls, id)).collect();
            let expected = (0..all.len()).map(|at| if at > count { 0 } else { 2 - at as u8 % 2 });
            assert_eq!(known, expected.collect::<Vec<_>>(), "{id}");
        }
    }

    #[test]
    fn it_is_a_map() {
        let mut state = 7_u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        let (mut calls, mut model) = (Calls::default(), BTreeMap::new());
        for _ in 0..60_000 {
            let number = random(9_000);
            // Counted ids, every second one, and ids without a trailing number.
            let id = match random(3) {
                0 => number.to_string(),
                1 => format!("s{}", number * 2),
                _ => format!("{number}x"),
            };
            let key = calls.key(&id);
            let known = knows(&mut calls, &id);
            assert_eq!(known, model.get(&id).copied().unwrap_or_default(), "{id}");
            match known {
                0 => calls.add(key, pending()).unwrap(),
                1 => calls.complete(key),
                _ => continue,
            }
            model.insert(id, known + 1);
        }
        assert_eq!(calls.pending().count(), model.values().filter(|known| **known == 1).count());
        assert_eq!(calls.chunks.iter().map(Vec::len).sum::<usize>(), calls.len());
        assert!(calls.chunks.iter().all(|chunk| (1..=CHUNK).contains(&chunk.len())));
        let spans: Vec<_> = calls.chunks.iter().flatten().collect();
        assert!(spans.windows(2).all(|pair| pair[0].last < pair[1].first));
    }

    #[test]
    fn their_number_is_bounded() {
        let mut calls = Calls { len: MAX_SPANS, ..Calls::default() };
        assert_eq!(calls.add(1, pending()).unwrap_err().code(), codes::LIMIT_EXCEEDED);
    }
}
