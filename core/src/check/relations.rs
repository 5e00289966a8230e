//! The relations between facts that hold for any evidence, as `evaluate/fact.rs` derives them.
//!
//! A table that `relate` applies from top to bottom. A relation about an unknown list or count has no effect.

use super::relate::{
    Group,
    If::{Absent, Has, Is, Known, Never, NoneOf, Only, Refuses, Required, SomeOf},
    Relation as When,
    Then::{self, Among, Apart, AtMost, SameCount, With},
};
use crate::policy::Fact::{self, *};

/// Facts that are known only for a diff with file names, and unknown if a path stands for several files.
const OF_FILES: &[Fact] = &[DiffPaths, DiffFiles, DiffForbidden, DiffProtected];
const LINES: &[Fact] = &[DiffInsertions, DiffDeletions];
/// Facts that every report has.
const OF_EACH_HARNESS: &[Fact] = &[HarnessGoldens, UxHigh, UxMedium, UxLow];
/// Facts that some reports lack.
const OF_SOME_HARNESSES: &[Fact] = &[
    HarnessPasses,
    HarnessPassed,
    HarnessFailed,
    HarnessSkipped,
    HarnessFlaky,
    HarnessFailing,
    HarnessRepeats,
    TestsKnown,
    TestsNewFailures,
    TestsLost,
    TestsSkippedNow,
];

pub(super) static GROUPS: &[Group] = &[
    Group {
        about: &[&[DiffEmpty, DiffOpaque, DiffCount, Contradictions], OF_FILES, LINES],
        relations: &[
            When(&[], With(DiffOpaque, false, &[], OF_FILES)),
            // These are known together: either every file is named, or none.
            When(&[Known(DiffFiles)], Then::Known(&[DiffPaths])),
            When(&[Known(DiffPaths)], Then::Known(&[DiffFiles, DiffCount])),
            When(&[Known(DiffInsertions)], Then::Known(&[DiffCount])),
            When(&[Known(DiffDeletions)], Then::Known(&[DiffCount])),
            When(&[Is(DiffOpaque, false), Known(DiffCount)], Then::Known(&[DiffPaths])),
            When(&[Absent(DiffCount)], Then::Absent(DiffPaths)),
            When(&[Absent(DiffCount)], Then::Is(DiffEmpty, false)),
            When(&[], With(DiffOpaque, false, &[], LINES)),
            When(&[Is(DiffOpaque, true)], Then::Is(DiffEmpty, false)),
            // Totals alone count files without names.
            When(&[Is(DiffOpaque, true)], Then::SomeOf(DiffCount)),
            When(&[NoneOf(DiffCount)], Then::Is(DiffEmpty, true)),
            When(&[SomeOf(DiffInsertions)], Then::Is(DiffEmpty, false)),
            When(&[SomeOf(DiffDeletions)], Then::Is(DiffEmpty, false)),
            When(&[Is(DiffEmpty, true)], Then::Is(DiffOpaque, false)),
            When(&[Is(DiffEmpty, true)], Then::Known(&[DiffCount, DiffForbidden, DiffProtected])),
            When(&[Is(DiffEmpty, true)], Then::NoneOf(OF_FILES)),
            When(&[Is(DiffEmpty, true)], Then::NoneOf(&[DiffCount, DiffInsertions, DiffDeletions])),
            // From here on, the changed files are known.
            When(&[Is(DiffOpaque, false), Is(DiffEmpty, false)], Then::SomeOf(DiffCount)),
            When(&[Is(DiffOpaque, false), Is(DiffEmpty, false)], Then::SomeOf(DiffFiles)),
            When(&[Is(DiffOpaque, false)], SameCount(DiffPaths, DiffCount)),
            // A path with two changes is two files.
            When(&[Is(DiffOpaque, false)], AtMost(DiffCount, DiffFiles)),
            When(&[Is(DiffOpaque, false)], AtMost(DiffForbidden, DiffCount)),
            When(&[Is(DiffOpaque, false)], Among(DiffForbidden, DiffPaths)),
            When(&[Is(DiffOpaque, false)], AtMost(DiffProtected, DiffCount)),
            When(&[Is(DiffOpaque, false)], Among(DiffProtected, DiffPaths)),
            When(&[Is(DiffOpaque, false), SomeOf(DiffFiles)], Then::Is(DiffEmpty, false)),
            When(&[SomeOf(DiffCount)], Then::Is(DiffEmpty, false)),
            When(&[Is(DiffOpaque, false), NoneOf(DiffFiles)], Then::Is(DiffEmpty, true)),
        ],
    },
    Group {
        about: &[
            &[Failures, ValidatorsPassing, ValidatorsFailing, ValidatorsTimedOut, ValidatorsCount],
            &[HarnessFailed, HarnessPasses],
        ],
        relations: &[
            When(&[], AtMost(ValidatorsTimedOut, ValidatorsFailing)),
            When(&[], Among(ValidatorsTimedOut, ValidatorsFailing)),
            // Excused validators and known cases are no failing checks.
            When(&[Refuses], AtMost(ValidatorsFailing, Failures)),
            When(&[], AtMost(ValidatorsFailing, ValidatorsCount)),
            When(&[], AtMost(ValidatorsPassing, ValidatorsCount)),
            // A validator either passed or failed.
            When(&[], Apart(ValidatorsPassing, ValidatorsFailing)),
            When(&[], Apart(ValidatorsFailing, ValidatorsPassing)),
            When(&[Refuses, Known(HarnessFailed)], AtMost(HarnessFailed, Failures)),
        ],
    },
    Group {
        about: &[&[HarnessPresent], OF_EACH_HARNESS, OF_SOME_HARNESSES],
        relations: &[
            When(&[], With(HarnessPresent, true, OF_EACH_HARNESS, OF_SOME_HARNESSES)),
            // These are known together: both sides list cases.
            When(&[Known(TestsKnown)], Then::Known(&[TestsLost])),
            When(&[Known(TestsNewFailures)], Then::Known(&[TestsLost])),
            When(&[Known(TestsSkippedNow)], Then::Known(&[TestsLost])),
            When(&[Known(TestsLost)], Then::Known(&[TestsKnown, TestsNewFailures, TestsSkippedNow])),
            When(&[Known(TestsLost)], Then::Known(&[HarnessFailed, HarnessSkipped])),
            When(&[Known(TestsLost)], AtMost(TestsKnown, HarnessFailed)),
            When(&[Known(TestsLost)], AtMost(TestsNewFailures, HarnessFailed)),
            When(&[Known(TestsLost)], AtMost(TestsSkippedNow, TestsLost)),
            When(&[Known(TestsLost)], AtMost(TestsSkippedNow, HarnessSkipped)),
            When(&[Is(HarnessPresent, true)], AtMost(HarnessFailing, HarnessFailed)),
            When(&[Is(HarnessPresent, true), NoneOf(HarnessFailed)], Then::NoneOf(&[HarnessRepeats])),
            When(&[Is(HarnessPresent, true), SomeOf(HarnessRepeats)], Then::SomeOf(HarnessFailed)),
            When(&[Is(HarnessPresent, true), Is(HarnessPasses, true)], Then::SomeOf(HarnessPassed)),
            When(&[Is(HarnessPresent, true), Is(HarnessPasses, true)], Then::NoneOf(&[HarnessFailed])),
            When(
                &[Is(HarnessPresent, true), Is(HarnessPasses, false), SomeOf(HarnessPassed)],
                Then::SomeOf(HarnessFailed),
            ),
            When(
                &[Is(HarnessPresent, true), Is(HarnessPasses, false), NoneOf(HarnessFailed)],
                Then::NoneOf(&[HarnessPassed]),
            ),
            When(&[Is(HarnessPresent, true), SomeOf(HarnessFailed)], Then::Is(HarnessPasses, false)),
            When(&[Is(HarnessPresent, true), NoneOf(HarnessPassed)], Then::Is(HarnessPasses, false)),
        ],
    },
    Group {
        about: &[&[ReviewPresent, ReviewHigh, ReviewMedium, ReviewLow]],
        relations: &[When(&[], With(ReviewPresent, true, &[ReviewHigh, ReviewMedium, ReviewLow], &[]))],
    },
    Group {
        about: &[&[HistoryCount, HistoryLast, HistoryPartials, DiffImproved]],
        relations: &[
            When(&[NoneOf(HistoryCount)], Then::Absent(HistoryLast)),
            When(&[NoneOf(HistoryCount)], Then::Absent(DiffImproved)),
            When(&[SomeOf(HistoryCount)], Then::Known(&[HistoryLast])),
            When(&[SomeOf(HistoryCount)], Then::Known(&[DiffImproved])),
            When(&[Known(HistoryLast)], Then::SomeOf(HistoryCount)),
            When(&[Absent(HistoryLast)], Then::NoneOf(&[HistoryCount])),
            When(&[Known(DiffImproved)], Then::SomeOf(HistoryCount)),
            When(&[Absent(DiffImproved)], Then::NoneOf(&[HistoryCount])),
            When(&[], AtMost(HistoryPartials, HistoryCount)),
            When(&[SomeOf(HistoryPartials)], Then::Only(HistoryLast, "partial")),
            When(&[NoneOf(HistoryPartials)], Then::Never(HistoryLast, "partial")),
            When(&[Known(HistoryLast), Only(HistoryLast, "partial")], Then::SomeOf(HistoryPartials)),
            When(&[Known(HistoryLast), Never(HistoryLast, "partial")], Then::NoneOf(&[HistoryPartials])),
        ],
    },
    Group {
        about: &[&[EventsClasses]],
        relations: &[
            When(&[Required(EventsViolations)], Then::Items(EventsViolations, EventsClasses)),
            When(&[Required(EventsWarnings)], Then::Items(EventsWarnings, EventsClasses)),
        ],
    },
    Group {
        about: &[&[Contradictions]],
        relations: &[
            When(
                &[Has(Contradictions, "transcript_mismatch"), Is(DiffOpaque, false)],
                Then::Is(DiffEmpty, true),
            ),
            // Git reports no change in the part that it examined.
            When(
                &[Has(Contradictions, "transcript_mismatch"), Is(DiffEmpty, false)],
                Then::Is(DiffOpaque, true),
            ),
            When(
                &[Has(Contradictions, "transcript_mismatch"), Is(DiffOpaque, true)],
                Then::Absent(DiffCount),
            ),
            When(&[Has(Contradictions, "transcript_mismatch")], Then::Known(&[Claims])),
            When(&[Has(Contradictions, "error_but_changed")], Then::Is(DiffEmpty, false)),
            When(&[Has(Contradictions, "error_but_changed")], Then::Known(&[Claims])),
            When(&[Has(Contradictions, "error_but_changed")], Then::Has(Claims, "error_reported")),
            When(&[Has(Contradictions, "unsupported_claim")], Then::Known(&[Claims])),
            When(&[Has(Contradictions, "unsupported_claim")], Then::Has(Claims, "tests_passed")),
            When(&[Has(Contradictions, "unsupported_claim")], Then::NoneOf(&[ValidatorsCount])),
            When(&[Has(Contradictions, "missing_artifact")], Then::SomeOf(ArtifactsMissing)),
        ],
    },
];
