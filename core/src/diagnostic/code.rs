//! The codes of what validators find: one table of level, outcome, cause and meaning.

use super::{Cause, Level, Outcome};

/// Declares the codes with their text, what a diagnostic of each says, and their meaning.
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

            /// How much hangs on it; of what is said about a constraint, the constraint's own level decides.
            #[must_use]
            pub const fn level(self) -> Level {
                match self { $(Self::$name => Level::$level,)+ }
            }

            /// What was found.
            #[must_use]
            pub const fn outcome(self) -> Outcome {
                match self { $(Self::$name => Outcome::$outcome,)+ }
            }

            /// Which of the five causes it is, for a hard constraint and for everything else.
            #[must_use]
            pub const fn cause(self) -> Cause {
                match self { $(Self::$name => Cause::$cause,)+ }
            }

            /// One sentence on what the code says.
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
        "an edge begins or ends at a node that there is not",
    Cycle = "cycle" Hard Unsatisfied SchemaIncompatible:
        "nodes come before themselves",
    IncompleteNode = "incomplete_node" Hard Unsatisfied SchemaIncompatible:
        "a node does not say which capability does it",
    UnknownCapability = "unknown_capability" Hard Unsatisfied MissingProducer:
        "a node names a capability that there is not",
    InactiveCapability = "inactive_capability" Hard Unsatisfied MissingProducer:
        "a node names a capability that cannot be used",
    IsolatedNode = "isolated_node" Soft Unsatisfied SchemaIncompatible:
        "a node has no edge, and it is not the only node",
    InvalidSchema = "invalid_schema" Hard Unsatisfied SchemaIncompatible:
        "a schema does not compile",
    UnknownFacet = "unknown_facet" Hard Unsatisfied MissingProducer:
        "a node takes or gives a facet that the catalog does not have",
    FacetDirection = "facet_direction" Hard Unsatisfied SchemaIncompatible:
        "a node takes a facet that is only given, or gives one that is only taken",
    UnsuppliedInput = "unsupplied_input" Hard Unsatisfied MissingProducer:
        "a node takes what no node before it gives, and the task does not either",
    UncoveredOutput = "uncovered_output" Hard Unsatisfied MissingProducer:
        "the schema of the result requires a member that no node gives",
    MissingProducer = "missing_producer" Hard Unsatisfied MissingProducer:
        "no node that has its inputs gives what the constraint is about",
    UndecidedVariable = "undecided_variable" Hard Unknown MissingProducer:
        "what the constraint is about is computed, and not every member of the result is given by a node that has its inputs",
    MissingEnforcer = "missing_enforcer" Hard Unsatisfied MissingEnforcer:
        "no node sees to it that the constraint holds, at or after those that give what it is about",
    ConstraintMet = "constraint_met" Hard Satisfied MissingProducer:
        "the constraint has a producer and an enforcer",
    VariantCount = "variant_count" Hard Unsatisfied SchemaIncompatible:
        "the planner is asked for more or fewer variants than the schema of the result allows",
    UncheckedVariantCount = "unchecked_variant_count" Informational Unknown Advisory:
        "the planner is asked for a number of variants, and it cannot be told which list they are",
    ImpossibleOutput = "impossible_output" Hard Unsatisfied SchemaIncompatible:
        "the schema of the result allows nothing at all",
    UnsatisfiableConstraint = "unsatisfiable_constraint" Hard Unsatisfied SchemaIncompatible:
        "no result that the schema allows satisfies the constraint",
    ConflictingConstraints = "conflicting_constraints" Hard Unsatisfied SchemaIncompatible:
        "no result that the schema allows satisfies the constraint and some other hard ones at once",
    SchemaViolation = "schema_violation" Hard Unsatisfied SchemaIncompatible:
        "the output is not what the schema allows",
    ConstraintHolds = "constraint_holds" Hard Satisfied SchemaIncompatible:
        "the constraint holds of the output",
    ConstraintBroken = "constraint_broken" Hard Unsatisfied SchemaIncompatible:
        "the constraint does not hold of the output",
    UndecidedConstraint = "undecided_constraint" Hard Unknown MissingProducer:
        "the output lacks what the constraint is about, or has it in another type",
    PolicyTriggered = "policy_triggered" Informational Unknown Advisory:
        "a guardrail fired while the plan ran",
}
