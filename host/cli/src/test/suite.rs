//! What is to be run: policies, each with its own tests and the cases that are for it.

use adjudicate_core::{Error, Policy, policy};

use super::{
    Test,
    case::{self, Case},
    document,
};
use crate::{
    codes,
    input::{InputFormat, Source},
};

/// All policies with their tests.
pub(super) struct Suite {
    pub(super) subjects: Vec<Subject>,
}

/// A policy, and the tests to run under it.
pub(super) struct Subject {
    pub(super) file: String,
    pub(super) policy: Policy,
    pub(super) tests: Vec<Case>,
}

impl Suite {
    /// Reads the policies and the cases.
    ///
    /// # Errors
    ///
    /// What is wrong with the first file that cannot be used, and a case for a policy that is not given.
    pub(super) fn load(args: &Test) -> Result<Self, Error> {
        let subjects = args.policies.iter().map(|source| Subject::load(source, args.input_format));
        let mut subjects = subjects.collect::<Result<Vec<_>, _>>()?;
        for source in &args.cases {
            let file = source.name();
            let text = source.part(&file, args.input_format)?;
            for case in case::read(&text, &file).map_err(|error| error.within(&file))? {
                hand_out(case, &mut subjects).map_err(|error| error.within(&file))?;
            }
        }
        let wanted = args.filter.as_deref().unwrap_or_default();
        for subject in &mut subjects {
            subject.tests.retain(|test| test.name.contains(wanted));
        }
        Ok(Self { subjects })
    }
}

impl Subject {
    fn load(source: &Source, said: Option<InputFormat>) -> Result<Self, Error> {
        let file = source.name();
        let policy = source.policy(said)?;
        // A policy in force may have such a test, for it runs none. Who runs them is told that it tests nothing.
        if let Some(place) = policy.tests().iter().position(policy::Test::expects_nothing) {
            return Err(document::expects_nothing(format!("/tests/{place}/expect")).within(&file));
        }
        let own = policy.tests().iter().map(|test| Case {
            name: test.name().to_owned(),
            file: file.clone(),
            policy: None,
            input: test.input().to_owned(),
            expect: test.expect().to_owned(),
        });
        Ok(Self { tests: own.collect(), file, policy })
    }
}

/// Gives a case to the policy that it names, or to all.
fn hand_out(case: Case, subjects: &mut [Subject]) -> Result<(), Error> {
    let Some((name, pointer)) = &case.policy else {
        subjects.iter_mut().for_each(|subject| subject.tests.push(case.clone()));
        return Ok(());
    };
    let mut named = subjects.iter_mut().filter(|subject| subject.policy.name() == name).peekable();
    if named.peek().is_none() {
        let message = format!("no policy that is tested has the name `{name}`");
        return Err(Error::new(codes::INVALID_VALUE, message).at(pointer.clone()));
    }
    named.for_each(|subject| subject.tests.push(case.clone()));
    Ok(())
}
