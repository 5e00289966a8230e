//! The receipt of a session: what it claims of the plan, of the tests and of the calls.

use alloc::{format, string::String, vec, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{
        Kind, Node, Pointer,
        object::{Field, Form, optional, read_declared, read_items, required},
        shorten,
    },
};

use super::{ReplayCode, delta::Delta, finding::Finding};
use crate::ir::ids::Ids;

/// What the receipt of a session claims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipt<'a> {
    pub(super) plan_hash: Option<&'a str>,
    /// Each delta, with the pointer to it in the call.
    pub(super) deltas: Vec<(&'static str, Delta)>,
    /// The calls that it lists, if it does.
    pub(super) calls: Option<Vec<ReceiptCall<'a>>>,
}

/// A call that a receipt lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ReceiptCall<'a> {
    id: &'a str,
    step_id: &'a str,
}

const RECEIPT: &[Field] = &[
    optional("plan_hash", Form::Text),
    optional("verification_delta", Form::Any),
    optional("verification", Form::Any),
    optional("tool_calls", Form::List),
];

const RECEIPT_CALL: &[Field] = &[required("id", Form::Text), required("step_id", Form::Text)];

impl<'a> Receipt<'a> {
    /// Reads a receipt: `{plan_hash?, verification_delta?, verification? {verification_delta?}, tool_calls? [{id, step_id}]}`.
    /// Other members are carried, as is a `verification` that is no object.
    ///
    /// # Errors
    ///
    /// The first in document order: a receipt or a call that is no object, a call without one of its members, or a member of
    /// another type. Paths begin at the receipt.
    ///
    /// ```
    /// use adjudicate_core::{ir::replay::Receipt, json::{self, Limits}};
    /// let receipt = br#"{"session_id": "s", "verification_delta": -1, "tool_calls": [{"id": "1", "step_id": "fix"}]}"#;
    /// assert!(Receipt::read(json::read(receipt, Limits::DOCUMENT)?.root()).is_ok());
    /// let receipt = json::read(br#"{"tool_calls": [{"id": "1"}]}"#, Limits::DOCUMENT)?;
    /// assert_eq!(Receipt::read(receipt.root()).unwrap_err().path(), "/tool_calls/0/step_id");
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn read(receipt: Node<'a>) -> Result<Self, Error> {
        let mut read = Self::default();
        read_declared(receipt, RECEIPT, &mut |at, member| {
            match at {
                0 => read.plan_hash = member.as_str(),
                1 => read.deltas.push(("/receipt/verification_delta", Delta::read(member)?)),
                2 if member.kind() == Kind::Object => {
                    if let Some(claim) = member.member("verification_delta") {
                        let delta = Delta::read(claim).map_err(|error| error.under("verification_delta"))?;
                        read.deltas.push(("/receipt/verification/verification_delta", delta));
                    }
                }
                2 => {}
                _ => read.calls = Some(calls(member)?),
            }
            Ok(())
        })?;
        Ok(read)
    }
}

fn calls(list: Node<'_>) -> Result<Vec<ReceiptCall<'_>>, Error> {
    let mut calls = Vec::with_capacity(list.len());
    read_items(list, &mut |item| {
        let mut call = ReceiptCall::default();
        read_declared(item, RECEIPT_CALL, &mut |at, member| {
            let place = if at == 0 { &mut call.id } else { &mut call.step_id };
            *place = member.as_str().unwrap_or_default();
            Ok(())
        })?;
        calls.push(call);
        Ok(())
    })?;
    Ok(calls)
}

/// The calls that a receipt lists, to be held against those of a log. Memory is bounded by the receipt.
#[derive(Debug)]
pub(super) struct ReceiptCalls<'a> {
    calls: Vec<ReceiptCall<'a>>,
    ids: Ids<'a>,
    /// `true` if the log has the call.
    is_logged: Vec<bool>,
}

impl<'a> ReceiptCalls<'a> {
    /// The calls that a receipt lists, none of them logged yet.
    pub(super) fn new(calls: Vec<ReceiptCall<'a>>) -> Self {
        let ids = Ids::of(calls.iter().map(|call| Some(call.id)).collect());
        Self { ids, is_logged: vec![false; calls.len()], calls }
    }

    /// Notes a call of the log; what is wrong if the receipt does not list it.
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

    /// Hands what the receipt has wrong to `find`, when the log has ended.
    pub(super) fn finish(&self, is_step: impl Fn(&str) -> bool, find: &mut dyn FnMut(Finding)) {
        for (place, (call, is_logged)) in (0..).zip(self.calls.iter().zip(&self.is_logged)) {
            let mut report = |code, member: &str, message| {
                let path = Pointer::new("/receipt/tool_calls").index(place as usize).key(member);
                find(Finding::of_call(code, &path.into_string(), message));
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
