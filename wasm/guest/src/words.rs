//! The closed lists of words: statuses, severities, roles and the like.

/// An enum whose variants are words on the wire.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        ///
        /// ```
        #[doc = concat!("use adjudicate_guest::", stringify!($name), ";")]
        $(#[doc = concat!("assert_eq!(", stringify!($name), "::from_word(", stringify!($word), "), Some(", stringify!($name), "::", stringify!($variant), "));")])+
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$of])* $variant,)+
        }

        impl $name {
            /// The word as it is written.
            ///
            /// ```
            #[doc = concat!("use adjudicate_guest::", stringify!($name), ";")]
            $(#[doc = concat!("assert_eq!(", stringify!($name), "::", stringify!($variant), ".as_str(), ", stringify!($word), ");")])+
            /// ```
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// What a word stands for; `None` for one that is not of the list.
            ///
            /// ```
            #[doc = concat!("use adjudicate_guest::", stringify!($name), ";")]
            $(#[doc = concat!("assert_eq!(", stringify!($name), "::from_word(", stringify!($word), "), Some(", stringify!($name), "::", stringify!($variant), "));")])+
            #[doc = concat!("assert_eq!(", stringify!($name), "::from_word(\"no such word\"), None);")]
            /// ```
            #[inline(never)]
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                const ALL: &[$name] = &[$($name::$variant,)+];
                ALL.iter().copied().find(|known| known.as_str() == word)
            }
        }
    };
}

words! {
    /// What the evidence comes to, mildest first. Of several findings the gravest status wins.
    Status {
        /// Nothing stands in the way.
        Success = "success",
        /// A fix step can mend it.
        Partial = "partial",
        /// It cannot go on, and there is nothing to fix by itself.
        Blocked = "blocked",
        /// A person must look.
        NeedsHuman = "needs_human",
        /// It must not go on, and what was done may have to be undone.
        Unsafe = "unsafe",
    }
}

words! {
    /// How grave something is.
    Severity {
        /// Worth knowing.
        Low = "low",
        /// Stands in the way.
        Medium = "medium",
        /// Must not pass.
        High = "high",
    }
}

words! {
    /// What sort of act would make a finding go away.
    Resolution {
        /// A fix, and another evaluation.
        AfterFix = "after_fix",
        /// An approval.
        NeedsApproval = "needs_approval",
        /// Another try.
        Retry = "retry",
        /// Evidence that is missing or unreadable.
        ProvideEvidence = "provide_evidence",
        /// Nothing.
        Terminal = "terminal",
    }
}

words! {
    /// What role a step plays.
    Role {
        /// Goes on with the work.
        Forward = "forward",
        /// Mends what was found.
        Fix = "fix",
        /// Asks a person.
        Gate = "gate",
        /// Undoes the work.
        Rollback = "rollback",
        /// Ends the run.
        Stop = "stop",
    }
}

words! {
    /// Where the role of a step comes from.
    ClassifiedBy {
        /// The envelope's `steps`.
        Declared = "declared",
        /// The step is `STOP`.
        Reserved = "reserved",
        /// The words of its id.
        Named = "named",
        /// Nothing: it is taken for a forward step where it is the only such step.
        Unclassified = "unclassified",
    }
}

words! {
    /// The opcode of a workflow step.
    Opcode {
        /// An agent works.
        RunAgent = "RUN_AGENT",
        /// Validators run.
        RunValidation = "RUN_VALIDATION",
        /// The evaluator decides.
        Evaluate = "EVALUATE",
        /// A person decides.
        Gate = "GATE",
        /// The workspace goes back to an earlier state.
        Rollback = "ROLLBACK",
        /// The run ends.
        Stop = "STOP",
    }
}

words! {
    /// How a step ended, mechanically.
    Outcome {
        /// It ran to its end.
        Completed = "completed",
        /// It failed.
        Error = "error",
        /// It was killed at its time limit.
        KilledTimeout = "killed_timeout",
        /// It was killed for doing nothing.
        KilledIdle = "killed_idle",
        /// It was killed for breaking a policy.
        KilledPolicy = "killed_policy",
    }
}

words! {
    /// What a step was for.
    Intent {
        /// To write something new.
        Implement = "implement",
        /// To mend something.
        Fix = "fix",
        /// To judge.
        Review = "review",
        /// To find out.
        Investigate = "investigate",
        /// To write documentation.
        Document = "document",
        /// Anything else.
        Other = "other",
    }
}

words! {
    /// What an agent says of its own work.
    Claim {
        /// Something new is there.
        Implemented = "implemented",
        /// Something is mended.
        Fixed = "fixed",
        /// The tests passed.
        TestsPassed = "tests_passed",
        /// It could not do its work.
        ErrorReported = "error_reported",
        /// There was nothing to change.
        NoChangeNeeded = "no_change_needed",
    }
}

words! {
    /// What happened to a file.
    Change {
        /// It is new.
        Added = "added",
        /// It has other content.
        Modified = "modified",
        /// It is gone.
        Deleted = "deleted",
        /// It has another path.
        Renamed = "renamed",
    }
}

words! {
    /// How a case of a test harness ended.
    CaseStatus {
        /// As it should.
        Passed = "passed",
        /// Not as it should.
        Failed = "failed",
        /// It did not run.
        Skipped = "skipped",
        /// Now so, now so.
        Flaky = "flaky",
    }
}

impl Status {
    /// How grave a finding of this status is, unless it says otherwise.
    ///
    /// ```
    /// use adjudicate_guest::{Severity, Status};
    /// assert_eq!(Status::Unsafe.severity(), Severity::High);
    /// ```
    #[must_use]
    pub const fn severity(self) -> Severity {
        match self {
            Self::Success | Self::Partial => Severity::Low,
            Self::Blocked | Self::NeedsHuman => Severity::Medium,
            Self::Unsafe => Severity::High,
        }
    }
}
