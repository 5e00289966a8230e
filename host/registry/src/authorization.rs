//! Authorization at a registry: by a password, or by a token that the registry issues for the password.

use adjudicate_core::{Error, json};
use adjudicate_trust::codes;
use http_auth::{ChallengeRef, parser::ChallengeParser};
use reqwest::{
    Method, Response, StatusCode, Url,
    header::{HeaderValue, WWW_AUTHENTICATE},
};

use crate::{
    credentials::Credentials,
    transport::{Direction, Request, Transport},
};

/// The limit for the answer with a token.
const TOKEN_BYTES: usize = 256 << 10;

/// The authorization that a registry asks for.
#[derive(Debug, PartialEq, Eq)]
enum Challenge {
    Basic,
    Bearer { realm: String, service: Option<String> },
}

/// Returns the header that a registry asks for in a refusal, for requests to this repository alone.
///
/// # Errors
///
/// [`codes::UNAUTHORIZED`] if there are no credentials of the kind that the registry asks for, or if the registry rejects them.
pub(crate) async fn authorize(
    transport: &Transport,
    refused: &Response,
    repository: &str,
    credentials: &Credentials,
) -> Result<HeaderValue, Error> {
    let value = match (challenge(refused), credentials) {
        (Some(Challenge::Basic), Credentials::Password { user, password }) => basic(user, password),
        (Some(Challenge::Basic), _) => {
            return Err(unauthorized(
                "the registry needs a name and a password: pass `--username` and `--password-file`",
            ));
        }
        (Some(Challenge::Bearer { realm, service }), _) => {
            let actions = if transport.direction == Direction::Push { "pull,push" } else { "pull" };
            let scope = format!("repository:{repository}:{actions}");
            let token = token(transport, &realm, service.as_deref(), &scope, credentials).await?;
            format!("Bearer {token}")
        }
        (None, _) => return Err(unauthorized("the registry asks for no known kind of authorization")),
    };
    secret(&value)
}

fn unauthorized(message: &'static str) -> Error {
    Error::new(codes::UNAUTHORIZED, message)
}

/// Returns the value of a header that debug output hides.
fn secret(value: &str) -> Result<HeaderValue, Error> {
    let mut value = HeaderValue::from_str(value)
        .map_err(|_| unauthorized("the token or password has characters that a header cannot contain"))?;
    value.set_sensitive(true);
    Ok(value)
}

fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", crate::base64(format!("{user}:{password}").as_bytes()))
}

/// Returns the authorization that a refusal asks for. Prefers a token.
fn challenge(refused: &Response) -> Option<Challenge> {
    let texts = refused.headers().get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok());
    let all: Vec<Challenge> = texts
        .flat_map(|text| ChallengeParser::new(text).map_while(Result::ok).filter_map(|one| read(&one)))
        .collect();
    let bearer = all.iter().position(|one| *one != Challenge::Basic);
    all.into_iter().nth(bearer.unwrap_or_default())
}

fn read(challenge: &ChallengeRef<'_>) -> Option<Challenge> {
    let of = |name: &str| {
        let mut all = challenge.params.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
        all.next().map(|(_, value)| value.to_unescaped())
    };
    if challenge.scheme.eq_ignore_ascii_case("Basic") {
        return Some(Challenge::Basic);
    }
    let is_bearer = challenge.scheme.eq_ignore_ascii_case("Bearer");
    is_bearer.then(|| Some(Challenge::Bearer { realm: of("realm")?, service: of("service") })).flatten()
}

/// Fetches a token from the address that the registry names. This function sets the scope of the token, not the registry.
async fn token(
    transport: &Transport,
    realm: &str,
    service: Option<&str>,
    scope: &str,
    credentials: &Credentials,
) -> Result<String, Error> {
    let mut url = Url::parse(realm)
        .map_err(|_| transport.direction.fault("the registry names an invalid address for tokens"))?;
    transport.check_url(&url)?;
    let mut parameters: Vec<(&str, &str)> = service.map(|service| ("service", service)).into_iter().collect();
    parameters.push(("scope", scope));
    let (request, authorization) = match credentials {
        Credentials::Identity(identity) => {
            parameters.extend([
                ("grant_type", "refresh_token"),
                ("client_id", "adjudicate"),
                ("refresh_token", identity),
            ]);
            // A form has the syntax of a query, so a URL with only this query encodes the form.
            let mut form = url.clone();
            form.query_pairs_mut().clear().extend_pairs(&parameters);
            let body = form.query().unwrap_or_default().as_bytes().to_vec();
            let request = Request::new(Method::POST, url.clone());
            (request.with_header("content-type", "application/x-www-form-urlencoded").with_body(body), None)
        }
        Credentials::Password { user, password } => {
            url.query_pairs_mut().extend_pairs(&parameters);
            (Request::new(Method::GET, url.clone()), Some(secret(&basic(user, password))?))
        }
        Credentials::Anonymous => {
            url.query_pairs_mut().extend_pairs(&parameters);
            (Request::new(Method::GET, url.clone()), None)
        }
    };
    // No redirects here: they would receive the password.
    let response = transport.send_once(&request, url, authorization.as_ref()).await?;
    let status = response.status();
    if status == StatusCode::UNAUTHORIZED || status == StatusCode::FORBIDDEN {
        return Err(unauthorized(match credentials {
            Credentials::Anonymous => "the registry issues no token without a name and a password",
            _ => "the registry rejects the name and password",
        }));
    }
    if status != StatusCode::OK {
        let message = format!("the registry answers the request for a token with {}", status.as_u16());
        return Err(transport.direction.fault(message));
    }
    let body = transport.read(response, TOKEN_BYTES).await?;
    let body = body.ok_or_else(|| transport.direction.fault("the answer with the token is too large"))?;
    // The error does not quote the answer, which may contain the token.
    let tape = json::read(&body, json::ReadLimits::DOCUMENT).ok();
    // The token has one of two names.
    let token = tape.as_ref().and_then(|tape| {
        let root = tape.root();
        ["token", "access_token"].into_iter().find_map(|name| root.member(name)?.as_str())
    });
    token
        .filter(|token| !token.is_empty())
        .map(str::to_owned)
        .ok_or_else(|| transport.direction.fault("the answer of the registry has no token"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> Vec<Challenge> {
        ChallengeParser::new(text).map_while(Result::ok).filter_map(|one| read(&one)).collect()
    }

    #[test]
    fn challenges_are_read() {
        let bearer = |realm: &str, service: Option<&str>| Challenge::Bearer {
            realm: realm.to_owned(),
            service: service.map(str::to_owned),
        };
        assert_eq!(read_all(r#"Basic realm="x""#), [Challenge::Basic]);
        assert_eq!(
            read_all(r#"bearer Realm="https://a.b/t",service="a\"b",scope="repository:other:push""#),
            [bearer("https://a.b/t", Some("a\"b"))]
        );
        assert_eq!(
            read_all(r#"Basic realm="x", Bearer realm="https://a.b/t""#),
            [Challenge::Basic, bearer("https://a.b/t", None)]
        );
        for text in ["", "Bearer", r#"Bearer service="s""#, r#"Digest realm="x""#, "\u{7f}\", ,=,"] {
            assert_eq!(read_all(text), [], "{text}");
        }
    }
}
