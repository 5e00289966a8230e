//! The codes of validator findings: one table of level, outcome, cause and meaning.

use core::fmt;

use crate::documents::diagnostic::{Cause, DiagnosticStatus, Level};

/// Declares the codes: text, level, outcome, cause and meaning.
macro_rules! plan_codes {
    ($($name:ident = $text:literal $level:ident $outcome:ident $cause:ident: $meaning:literal,)+) => {
        /// The finding of a validator or a guardrail, finer than the five causes; a diagnostic has it in `details.code`.
        ///
        /// The texts never change once released; new codes may come.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum PlanCode { $(#[doc = $meaning] $name,)+ }

        impl PlanCode {
            /// All codes, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The code as it is written.
            ///
            /// ```
            /// use adjudicate_core::plan::{Level, PlanCode};
            /// assert_eq!(PlanCode::IsolatedNode.as_str(), "isolated_node");
            /// assert_eq!(PlanCode::IsolatedNode.level(), Level::Soft);
            /// ```
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// The level of a diagnostic with this code. In a diagnostic about a constraint, the constraint's level counts.
            #[must_use]
            pub const fn level(self) -> Level {
                match self { $(Self::$name => Level::$level,)+ }
            }

            /// The outcome of a diagnostic with this code.
            #[must_use]
            pub const fn outcome(self) -> DiagnosticStatus {
                match self { $(Self::$name => DiagnosticStatus::$outcome,)+ }
            }

            /// The cause, for a hard constraint or without one.
            #[must_use]
            pub const fn cause(self) -> Cause {
                match self { $(Self::$name => Cause::$cause,)+ }
            }

            /// The meaning in one sentence.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning,)+ }
            }
        }
    };
}

plan_codes! {
    EmptyPlan = "empty_plan" Hard Unsatisfied SchemaIncompatible:
        "the plan has no nodes",
    DuplicateNode = "duplicate_node" Hard Unsatisfied SchemaIncompatible:
        "several nodes have the same id",
    UnknownEdgeEnd = "unknown_edge_end" Hard Unsatisfied MissingProducer:
        "an edge begins or ends at an unknown node",
    Cycle = "cycle" Hard Unsatisfied SchemaIncompatible:
        "nodes depend on each other in a cycle",
    IncompleteNode = "incomplete_node" Hard Unsatisfied SchemaIncompatible:
        "a node names no capability",
    UnknownCapability = "unknown_capability" Hard Unsatisfied MissingProducer:
        "a node names an unknown capability",
    InactiveCapability = "inactive_capability" Hard Unsatisfied MissingProducer:
        "a node names an inactive capability",
    IsolatedNode = "isolated_node" Soft Unsatisfied SchemaIncompatible:
        "a node has no edge, and it is not the only node",
    InvalidSchema = "invalid_schema" Hard Unsatisfied SchemaIncompatible:
        "a schema does not compile",
    UnknownFacet = "unknown_facet" Hard Unsatisfied MissingProducer:
        "the catalog lacks a facet that a node takes or gives",
    FacetDirection = "facet_direction" Hard Unsatisfied SchemaIncompatible:
        "a node takes an output-only facet, or gives an input-only facet",
    UnsuppliedInput = "unsupplied_input" Hard Unsatisfied MissingProducer:
        "neither the task nor an earlier node supplies an input of a node",
    UncoveredOutput = "uncovered_output" Hard Unsatisfied MissingProducer:
        "the schema of the result requires a field that no node gives",
    MissingProducer = "missing_producer" Hard Unsatisfied MissingProducer:
        "no node with all its inputs gives the fields of the constraint",
    UndecidedVariable = "undecided_variable" Hard Unknown MissingProducer:
        "the constraint computes its fields, and not every field of the result has a node that gives it and has its inputs",
    MissingEnforcer = "missing_enforcer" Hard Unsatisfied MissingEnforcer:
        "no node enforces the constraint at or after the nodes that give its fields",
    ConstraintMet = "constraint_met" Hard Satisfied MissingProducer:
        "the constraint has a producer and an enforcer",
    VariantCount = "variant_count" Hard Unsatisfied SchemaIncompatible:
        "the task asks for more or fewer variants than the schema of the result allows",
    UncheckedVariantCount = "unchecked_variant_count" Informational Unknown Advisory:
        "the task asks for a number of variants, but the list of variants is unknown",
    ImpossibleOutput = "impossible_output" Hard Unsatisfied SchemaIncompatible:
        "the schema of the result allows no value",
    UnsatisfiableConstraint = "unsatisfiable_constraint" Hard Unsatisfied SchemaIncompatible:
        "no result that the schema allows satisfies the constraint",
    ConflictingConstraints = "conflicting_constraints" Hard Unsatisfied SchemaIncompatible:
        "no result that the schema allows satisfies both the constraint and other hard constraints",
    SchemaViolation = "schema_violation" Hard Unsatisfied SchemaIncompatible:
        "the output violates the schema",
    ConstraintHolds = "constraint_holds" Hard Satisfied SchemaIncompatible:
        "the output satisfies the constraint",
    ConstraintBroken = "constraint_broken" Hard Unsatisfied SchemaIncompatible:
        "the output violates the constraint",
    UndecidedConstraint = "undecided_constraint" Hard Unknown MissingProducer:
        "the output lacks a field of the constraint, or the field has another type",
    PolicyTriggered = "policy_triggered" Informational Unknown Advisory:
        "a guardrail fired while the plan ran",
}

impl fmt::Display for PlanCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}
