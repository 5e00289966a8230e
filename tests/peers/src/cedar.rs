//! Cedar: a `forbid` policy per rule over the request's context. The rules that hold are the determining policies.

use cedar_policy::{Authorizer, Context, Entities, EntityUid, Policy, PolicyId, PolicySet, Request};

use crate::{Failure, verdict::Verdict};

const RULES: &str = include_str!("../rules/rules.cedar");

pub(crate) struct CedarRules {
    authorizer: Authorizer,
    policies: PolicySet,
    entities: Entities,
    /// Principal, action and resource. No rule reads them.
    roles: [EntityUid; 3],
}

impl CedarRules {
    pub(crate) fn new() -> Result<Self, Failure> {
        let parsed: PolicySet = RULES.parse()?;
        let named = parsed.policies().map(|policy| {
            let id = policy.annotation("id").ok_or("a policy has no id")?;
            Ok::<Policy, Failure>(policy.new_id(PolicyId::new(id)))
        });
        let policies = PolicySet::from_policies(named.collect::<Result<Vec<_>, _>>()?)?;
        let roles = [r#"Kernel::"k""#.parse()?, r#"Action::"judge""#.parse()?, r#"Step::"s""#.parse()?];
        Ok(Self { authorizer: Authorizer::new(), policies, entities: Entities::empty(), roles })
    }

    pub(crate) fn prepare(&self, envelope: &str) -> Result<Request, Failure> {
        let [principal, action, resource] = self.roles.clone();
        let context = Context::from_json_str(envelope, None)?;
        Ok(Request::new(principal, action, resource, context, None)?)
    }

    pub(crate) fn decide(&self, request: &Request) -> Result<Verdict, Failure> {
        let response = self.authorizer.is_authorized(request, &self.policies, &self.entities);
        if let Some(error) = response.diagnostics().errors().next() {
            return Err(error.to_string().into());
        }
        let mut verdict = Verdict::default();
        for policy in response.diagnostics().reason() {
            verdict.add_named(policy.as_ref())?;
        }
        Ok(verdict)
    }

    pub(crate) fn answer(&self, envelope: &str) -> Result<String, Failure> {
        Ok(self.decide(&self.prepare(envelope)?)?.text())
    }
}
