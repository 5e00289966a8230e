//! What comes out: the report, and what goes into it besides the events.

use alloc::{format, string::String, vec::Vec};

use super::Finding;
use crate::{
    error::Error,
    ir::HashMode,
    json::{
        Node,
        object::{Field, Form, Members, count, optional, read_declared, read_document, required, write_list},
    },
};

/// What the receipt of a session says about its plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Receipt<'a> {
    pub(super) plan_hash: Option<&'a str>,
}

/// How many tests failed before the plan was carried out, and how many after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tests {
    failing_before: u64,
    failing_after: u64,
}

/// Whether a replay is that of its plan (SPEC section 9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub(super) findings: Vec<Finding>,
    pub(super) plan_hash: String,
    pub(super) hash_mode: Option<HashMode>,
    pub(super) tests: Option<Tests>,
}

const RECEIPT: &[Field] = &[optional("plan_hash", Form::Text)];

const TESTS: &[Field] = &[required("failing_before", Form::Count), required("failing_after", Form::Count)];

impl<'a> Receipt<'a> {
    /// Reads a receipt; what it says of other things is passed over.
    ///
    /// # Errors
    ///
    /// If it is no object, or its `plan_hash` no string; paths begin at the receipt.
    pub fn read(receipt: Node<'a>) -> Result<Self, Error> {
        let mut plan_hash = None;
        read_declared(receipt, RECEIPT, &mut |_, member| {
            plan_hash = member.as_str();
            Ok(())
        })?;
        Ok(Self { plan_hash })
    }
}

impl Tests {
    /// That many failed before, and that many after.
    #[must_use]
    pub const fn new(failing_before: u64, failing_after: u64) -> Self {
        Self { failing_before, failing_after }
    }

    /// Reads `{failing_before, failing_after}`.
    ///
    /// # Errors
    ///
    /// The first in document order; paths begin at the tests.
    pub fn read(tests: Node<'_>) -> Result<Self, Error> {
        let mut read = Self::default();
        read_document(tests, TESTS, &mut |at, member| {
            let place = if at == 0 { &mut read.failing_before } else { &mut read.failing_after };
            *place = count(member).unwrap_or_default();
            Ok(())
        })?;
        Ok(read)
    }

    /// How many fewer fail: `failing_before` - `failing_after`, below zero if more do.
    ///
    /// ```
    /// use adjudicate_core::ir::replay::Tests;
    /// assert_eq!(Tests::new(3, 0).delta(), 3);
    /// assert_eq!(Tests::new(0, u64::MAX).delta(), -18_446_744_073_709_551_615);
    /// ```
    #[must_use]
    pub fn delta(self) -> i128 {
        i128::from(self.failing_before) - i128::from(self.failing_after)
    }
}

impl Report {
    /// Whether the replay is that of its plan: there are no findings.
    #[must_use]
    pub fn is_linked(&self) -> bool {
        self.findings.is_empty()
    }

    /// What was found, in the order of the paths, segment by segment, and of one path in the order of the codes. Of more than
    /// 1,000 the first are listed, and how many there are besides is the first finding.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The plan's hash in the mode of the first claim that is right, else the canonical one.
    #[must_use]
    pub fn plan_hash(&self) -> &str {
        &self.plan_hash
    }

    /// The mode of the first claim that is right; `None` if no hash is claimed or none is right.
    #[must_use]
    pub const fn hash_mode(&self) -> Option<HashMode> {
        self.hash_mode
    }

    /// How many tests fewer fail than before, if it is known.
    #[must_use]
    pub fn verification_delta(&self) -> Option<i128> {
        self.tests.map(Tests::delta)
    }

    /// `{linked, findings, plan_hash, hash_mode, verification_delta}`
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut findings = String::new();
        write_list(&self.findings, &mut findings, Finding::write);
        let mode = self.hash_mode.map_or_else(|| "null".into(), |mode| format!("\"{}\"", mode.as_str()));
        let mut out = String::new();
        let mut members = Members::open(&mut out);
        members.flag("linked", self.is_linked());
        members.json("findings", Some(&findings));
        members.text("plan_hash", Some(&self.plan_hash));
        members.json("hash_mode", Some(&mode));
        members.json("verification_delta", Some(&self.delta_json()));
        members.close();
        out
    }

    /// The delta as it is written: a sign and a number of 64 bits, for wider ones take much code to print.
    pub(super) fn delta_json(&self) -> String {
        let Some(Tests { failing_before: before, failing_after: after }) = self.tests else {
            return "null".into();
        };
        format!("{}{}", if before < after { "-" } else { "" }, before.abs_diff(after))
    }
}
