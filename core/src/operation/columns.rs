//! The columns of the table of operations: a method for each.

/// Declares the operations: the only list of them. Each column is a method of its own, so that an interface links only the
/// columns that it uses.
macro_rules! operations {
    ($(
        $(#[$about:meta])*
        $name:ident = $number:literal $spelled:literal {
            summary: $summary:literal,
            input: $input:expr,
            output: $output:expr,
            documents: $documents:expr,
            is_bare: $is_bare:literal,
            names_step: $names_step:literal,
            status: $status:expr,
            example: $example:expr,
            answer: $answer:expr,
            check: $check:expr,
        }
    )+) => {
        /// An operation of the engine.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
        pub enum Operation { $($(#[$about])* #[serde(rename = $spelled)] $name,)+ }

        impl Operation {
            /// The name in every interface; the command line spells it with dashes.
            #[must_use]
            pub const fn name(self) -> &'static str {
                self.as_str()
            }

            /// The number in the module interface.
            #[must_use]
            pub const fn number(self) -> i32 {
                match self { $(Self::$name => $number,)+ }
            }

            /// One line for lists of operations.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$name => $summary,)+ }
            }

            /// The name of the input, for example `evaluate-call`.
            #[must_use]
            pub const fn input(self) -> &'static str {
                match self { $(Self::$name => const { $input.name },)+ }
            }

            /// The name of the answer, for example `evaluation`.
            #[must_use]
            pub const fn output(self) -> &'static str {
                match self { $(Self::$name => const { $output.name },)+ }
            }

            /// The rows of the input and of the answer.
            #[must_use]
            pub const fn documents_of_call(self) -> [&'static DocumentRow; 2] {
                match self { $(Self::$name => [const { &$input }, const { &$output }],)+ }
            }

            /// The fields of the input that are documents of their own: paths of errors begin inside them.
            ///
            /// ```
            /// use adjudicate_core::Operation;
            /// assert_eq!(Operation::Evaluate.documents(), ["envelope", "policy"]);
            /// ```
            #[must_use]
            pub const fn documents(self) -> &'static [&'static str] {
                match self { $(Self::$name => $documents,)+ }
            }

            /// True if the first of [`Operation::documents`] may come without a call around it.
            #[must_use]
            pub const fn is_bare(self) -> bool {
                match self { $(Self::$name => $is_bare,)+ }
            }

            /// True if an answer names a next step.
            #[must_use]
            pub const fn names_step(self) -> bool {
                match self { $(Self::$name => $names_step,)+ }
            }

            /// The pointer to the word or boolean in an answer by which answers are grouped, for example the status of a decision;
            /// `None` if answers have none.
            #[must_use]
            pub const fn status(self) -> Option<&'static str> {
                match self { $(Self::$name => $status,)+ }
            }

            /// An input that gets an answer.
            ///
            /// ```
            /// use adjudicate_core::Operation;
            /// for operation in Operation::ALL {
            ///     assert!(operation.call(operation.example().as_bytes()).is_ok(), "{operation:?}");
            /// }
            /// ```
            #[must_use]
            pub const fn example(self) -> &'static str {
                match self { $(Self::$name => $example,)+ }
            }

            /// Checks a foreign answer against the operation's output contract: its shape, its closed lists of words, and that
            /// its steps are allowed by the input.
            ///
            /// # Errors
            ///
            /// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) and
            /// [`module_illegal_next_step`](crate::codes::MODULE_ILLEGAL_NEXT_STEP), with a path in the answer.
            pub fn check_answer(self, input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
                match self { $(Self::$name => $check(input, answer),)+ }
            }

            /// Answers one call with a configured policy, for operations that use a policy.
            ///
            /// # Errors
            ///
            /// Those of [`Operation::call`], and [`invalid_value`](crate::codes::INVALID_VALUE) at `/policy` if the call has a
            /// policy of its own. A call cannot replace the configured policy.
            pub fn call_with(self, input: &[u8], configured: Option<&Policy>) -> Result<String, Error> {
                self.function()(input, configured)
            }

            /// The function behind [`Operation::call_with`]. A program that knows its operations when it is compiled links only
            /// the code of these.
            ///
            /// ```
            /// use adjudicate_core::{Operation, OperationFunction};
            /// const EVALUATE: OperationFunction = Operation::Evaluate.function();
            /// let input = Operation::Evaluate.example().as_bytes();
            /// assert_eq!(EVALUATE(input, None), Operation::Evaluate.call(input));
            /// ```
            #[must_use]
            pub const fn function(self) -> OperationFunction {
                match self { $(Self::$name => $answer,)+ }
            }
        }
    };
}
pub(super) use operations;
