//! Compares the calls of a receipt with those of the log.

use alloc::{format, string::String, vec, vec::Vec};

use adjudicate_lang::json::{Pointer, shorten};

use super::finding::ReplayFinding;
use crate::{
    documents::replay::{ReceiptCall, ReplayCode},
    ir::ids::Ids,
};

/// The calls of a receipt. Memory is bounded by the receipt.
#[derive(Debug)]
pub(super) struct ReceiptCalls<'a> {
    calls: Vec<ReceiptCall<'a>>,
    ids: Ids<'a>,
    /// `true` if the log has the call.
    is_logged: Vec<bool>,
}

impl<'a> ReceiptCalls<'a> {
    /// The calls of a receipt, none of them logged yet.
    pub(super) fn new(calls: Vec<ReceiptCall<'a>>) -> Self {
        let ids = Ids::new(calls.iter().map(|call| Some(call.id)).collect());
        Self { ids, is_logged: vec![false; calls.len()], calls }
    }

    /// Records a call of the log; returns a message if the receipt does not list it.
    pub(super) fn log(&mut self, id: &str) -> Option<String> {
        let place = self.ids.find(id).and_then(|place| self.is_logged.get_mut(place as usize));
        match place {
            Some(is_logged) => {
                *is_logged = true;
                None
            }
            None => Some(format!("the receipt does not list call `{}`", shorten(id))),
        }
    }

    /// Passes the differences to `find`, at the end of the log.
    pub(super) fn finish(&self, is_step: impl Fn(&str) -> bool, find: &mut dyn FnMut(ReplayFinding)) {
        for (place, (call, is_logged)) in (0..).zip(self.calls.iter().zip(&self.is_logged)) {
            let mut report = |code, member: &str, message| {
                let path = Pointer::new("/receipt/tool_calls").index(place as usize).key(member);
                find(ReplayFinding::for_call(code, &path.into_string(), message));
            };
            let id = shorten(call.id);
            if self.ids.find(call.id) != Some(place) {
                let message = format!("the receipt lists call `{id}` twice");
                report(ReplayCode::ReceiptCallMismatch, "id", message);
            } else if !is_logged {
                let message = format!("the log has no call `{id}`");
                report(ReplayCode::ReceiptCallMismatch, "id", message);
            }
            if !is_step(call.step_id) {
                let message = format!("the plan has no step `{}`", shorten(call.step_id));
                report(ReplayCode::ReceiptStepUnknown, "step_id", message);
            }
        }
    }
}
