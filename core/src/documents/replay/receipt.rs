//! The receipt of a session: its claims about the plan, the tests and the calls.

use alloc::vec::Vec;

use adjudicate_lang::{
    Error,
    document::{self, Document, IfObject},
    json::{Node, Nullable},
};

use super::delta::Delta;

/// The claims of a session's receipt. Other fields are carried.
#[derive(Clone, Debug, Default, PartialEq, Eq, Document)]
#[document(expecting = "an object", carried)]
pub struct Receipt<'a> {
    /// The hash of the plan.
    pub plan_hash: Option<&'a str>,
    /// The delta, an integer: how many fewer tests fail.
    pub verification_delta: Option<Delta>,
    /// The verification: any value. An object may claim a `verification_delta`.
    #[serde(default)]
    pub verification: Nullable<IfObject<VerificationClaim>>,
    /// The calls of the log, in any order, once each.
    pub tool_calls: Option<Vec<ReceiptCall<'a>>>,
}

/// A call that a receipt lists. Other fields are carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document)]
#[document(expecting = "an object", carried)]
pub struct ReceiptCall<'a> {
    /// The id of the call.
    pub id: &'a str,
    /// The step that the call was made for.
    pub step_id: &'a str,
}

/// The verification of a session. Other fields are carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document)]
#[document(expecting = "an object", carried)]
pub struct VerificationClaim {
    /// The delta, an integer: how many fewer tests fail.
    pub verification_delta: Option<Delta>,
}

impl<'a> Receipt<'a> {
    /// Reads a receipt.
    ///
    /// # Errors
    ///
    /// The first error in document order, with up to nine others: a receipt or call that is no object, a missing field, or a wrong
    /// type. Paths begin at the receipt.
    ///
    /// ```
    /// use adjudicate_core::{ir::replay::Receipt, json::{self, ReadLimits}};
    /// let receipt = br#"{"session_id": "s", "verification_delta": -1, "tool_calls": [{"id": "1", "step_id": "fix"}]}"#;
    /// assert!(Receipt::read(json::read(receipt, ReadLimits::DOCUMENT)?.root()).is_ok());
    /// let receipt = json::read(br#"{"tool_calls": [{"id": "1"}]}"#, ReadLimits::DOCUMENT)?;
    /// assert_eq!(Receipt::read(receipt.root()).unwrap_err().path(), "/tool_calls/0/step_id");
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn read(receipt: Node<'a>) -> Result<Self, Error> {
        document::read(receipt)
    }

    /// Returns the claimed deltas, each with the pointer to it in the call.
    pub(crate) fn deltas(&self) -> impl Iterator<Item = (&'static str, Delta)> {
        let own = self.verification_delta.map(|delta| ("/receipt/verification_delta", delta));
        let inside = self.verification.0.and_then(|verification| verification.0?.verification_delta);
        let inside = inside.map(|delta| ("/receipt/verification/verification_delta", delta));
        own.into_iter().chain(inside)
    }
}
