//! The tests of a run: policies, each with its own tests and the cases for it.

use adjudicate_core::{Error, Policy, policy};

use super::{
    Test,
    case::{self, Case},
    document,
};
use crate::{
    codes,
    environment::Environment,
    input::{InputFormat, Source},
};

/// All policies with their tests.
pub(super) struct Suite {
    pub(super) policies: Vec<PolicyTests>,
}

/// A policy, and the tests to run under it.
pub(super) struct PolicyTests {
    pub(super) file: String,
    pub(super) policy: Policy,
    pub(super) tests: Vec<Case>,
}

impl Suite {
    /// Reads the policies and the cases.
    ///
    /// # Errors
    ///
    /// The error of the first invalid file, or a case for a policy that is not given.
    pub(super) fn load(args: &Test, env: &Environment) -> Result<Self, Error> {
        let policies = args.policies.iter().map(|source| PolicyTests::load(source, args.input_format, env));
        let mut policies = policies.collect::<Result<Vec<_>, _>>()?;
        for source in &args.cases {
            let file = source.name();
            let text = source.part(&file, args.input_format, env)?;
            for case in case::read(&text, &file).map_err(|error| error.within(&file))? {
                assign(case, &mut policies).map_err(|error| error.within(&file))?;
            }
        }
        let wanted = args.filter.as_deref().unwrap_or_default();
        for policy_tests in &mut policies {
            policy_tests.tests.retain(|test| test.name.contains(wanted));
        }
        Ok(Self { policies })
    }
}

impl PolicyTests {
    fn load(source: &Source, given: Option<InputFormat>, env: &Environment) -> Result<Self, Error> {
        let file = source.name();
        let policy = source.policy(given, env)?;
        // Such a test cannot fail. An active policy may contain it, because evaluating runs no tests; running it is an
        // error.
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

/// Adds a case to the policies with its name, or to all policies.
fn assign(case: Case, policies: &mut [PolicyTests]) -> Result<(), Error> {
    let Some((name, pointer)) = &case.policy else {
        policies.iter_mut().for_each(|policy_tests| policy_tests.tests.push(case.clone()));
        return Ok(());
    };
    let mut named = policies.iter_mut().filter(|policy_tests| policy_tests.policy.name() == name).peekable();
    if named.peek().is_none() {
        let message = format!("no policy that is tested has the name `{name}`");
        return Err(Error::new(codes::INVALID_VALUE, message).at(pointer.clone()));
    }
    named.for_each(|policy_tests| policy_tests.tests.push(case.clone()));
    Ok(())
}
