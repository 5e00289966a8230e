//! The sources of test files: pairs of patterns that share a name.

use alloc::boxed::Box;

use adjudicate_lang::{
    Error, Steps,
    order::SortedSet,
    paths::{PathCase, Pattern, TextPattern},
};

use crate::{codes, documents::policy::TestSource};

/// The paths of test files, and of the sources that they test.
#[derive(Clone, Debug)]
pub(crate) struct SourceOfTests {
    pub test: TextPattern,
    pub source: TextPattern,
}

impl SourceOfTests {
    /// Compiles a pair of patterns; paths of errors begin at it.
    pub(super) fn compile(pair: &TestSource<'_>, case: PathCase, steps: &mut Steps) -> Result<Self, Error> {
        let mut compile = |path: &str, pattern: Pattern<'_>| {
            let compiled = TextPattern::of_named_paths(pattern, case, steps).and_then(|named| {
                let message = "a pattern of `test_sources` needs `{name}` exactly once";
                named.ok_or_else(|| Error::new(codes::INVALID_POLICY, message))
            });
            compiled.map_err(|error| error.at(path))
        };
        Ok(Self { test: compile("/test", pair.test)?, source: compile("/source", pair.source)? })
    }

    /// The names that some files have as sources.
    pub(crate) fn names_of_sources<'p>(
        &self,
        files: impl Iterator<Item = &'p str>,
        steps: &mut Steps,
    ) -> Result<SortedSet<Box<str>>, Error> {
        let mut names = SortedSet::new();
        for file in files {
            self.source.names(file, steps)?.into_iter().for_each(|name| names.insert(name));
        }
        Ok(names)
    }
}
