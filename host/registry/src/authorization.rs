//! What a registry wants to see before it answers: a password, or a token that a password buys.

use adjudicate_core::{Error, json};
use adjudicate_sandbox::codes;
use http_auth::{ChallengeRef, parser::ChallengeParser};
use reqwest::{
    Method, Response, StatusCode, Url,
    header::{HeaderValue, WWW_AUTHENTICATE},
};

use crate::{
    credentials::Credentials,
    transport::{Aim, Request, Transport},
};

/// How large the answer with a token may be.
const TOKEN_BYTES: usize = 256 << 10;

/// What a registry asks for.
#[derive(Debug, PartialEq, Eq)]
enum Challenge {
    Basic,
    Bearer { realm: String, service: Option<String> },
}

/// What to send with the requests that a registry refused so, for this repository and no other.
///
/// # Errors
///
/// [`codes::UNAUTHORIZED`] where there is nothing to say to what the registry asks for, or what is said is refused.
pub(crate) async fn authorize(
    transport: &Transport,
    refused: &Response,
    repository: &str,
    credentials: &Credentials,
) -> Result<HeaderValue, Error> {
    let value = match (challenge(refused), credentials) {
        (Some(Challenge::Basic), Credentials::Password { user, password }) => basic(user, password),
        (Some(Challenge::Basic), _) => {
            return Err(unauthorized("the registry asks for a name and a password"));
        }
        (Some(Challenge::Bearer { realm, service }), _) => {
            let actions = if transport.aim == Aim::Push { "pull,push" } else { "pull" };
            let scope = format!("repository:{repository}:{actions}");
            let token = token(transport, &realm, service.as_deref(), &scope, credentials).await?;
            format!("Bearer {token}")
        }
        (None, _) => return Err(unauthorized("the registry does not say in which way it wants to be asked")),
    };
    secret(&value)
}

fn unauthorized(message: &'static str) -> Error {
    Error::new(codes::UNAUTHORIZED, message)
}

/// A member of a head that is not shown where heads are.
fn secret(value: &str) -> Result<HeaderValue, Error> {
    let mut value = HeaderValue::from_str(value)
        .map_err(|_| unauthorized("the token or password has characters that cannot be sent"))?;
    value.set_sensitive(true);
    Ok(value)
}

fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", crate::base64(format!("{user}:{password}").as_bytes()))
}

/// What a refusal asks for: a token if it takes one.
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

/// A token, from where the registry says that there are some. What it is good for is said here, not by the registry.
async fn token(
    transport: &Transport,
    realm: &str,
    service: Option<&str>,
    scope: &str,
    credentials: &Credentials,
) -> Result<String, Error> {
    let mut url = Url::parse(realm)
        .map_err(|_| transport.aim.fault("the registry sends for a token to what is no address"))?;
    transport.admit(&url)?;
    let mut asked: Vec<(&str, &str)> = service.map(|service| ("service", service)).into_iter().collect();
    asked.push(("scope", scope));
    let (request, authorization) = match credentials {
        Credentials::Identity(identity) => {
            asked.extend([
                ("grant_type", "refresh_token"),
                ("client_id", "adjudicate"),
                ("refresh_token", identity),
            ]);
            // A query is written as a form is, and this address has nothing else.
            let mut form = url.clone();
            form.query_pairs_mut().clear().extend_pairs(&asked);
            let body = form.query().unwrap_or_default().as_bytes().to_vec();
            let request = Request::new(Method::POST, url.clone());
            (request.with("content-type", "application/x-www-form-urlencoded").carrying(body), None)
        }
        Credentials::Password { user, password } => {
            url.query_pairs_mut().extend_pairs(&asked);
            (Request::new(Method::GET, url.clone()), Some(secret(&basic(user, password))?))
        }
        Credentials::Anonymous => {
            url.query_pairs_mut().extend_pairs(&asked);
            (Request::new(Method::GET, url.clone()), None)
        }
    };
    // It is answered where it is asked or nowhere: nobody is pointed elsewhere with a password.
    let response = transport.send_once(&request, url, authorization.as_ref()).await?;
    let status = response.status();
    if status == StatusCode::UNAUTHORIZED || status == StatusCode::FORBIDDEN {
        return Err(unauthorized(match credentials {
            Credentials::Anonymous => "there is no token without a name and a password",
            _ => "the name and password, or what stands for them, are refused",
        }));
    }
    if status != StatusCode::OK {
        let message = format!("a token was asked for, and the answer is {}", status.as_u16());
        return Err(transport.aim.fault(message));
    }
    let body = transport.read(response, TOKEN_BYTES).await?;
    let body = body.ok_or_else(|| transport.aim.fault("the answer with the token has no end"))?;
    // What is wrong with the answer is not told: it may be the token.
    let tape = json::read(&body, json::Limits::DOCUMENT).ok();
    // Under either of its names.
    let token = tape.as_ref().and_then(|tape| {
        let root = tape.root();
        ["token", "access_token"].into_iter().find_map(|name| root.member(name)?.as_str())
    });
    token
        .filter(|token| !token.is_empty())
        .map(str::to_owned)
        .ok_or_else(|| transport.aim.fault("there is no token in the answer that was to have one"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> Vec<Challenge> {
        ChallengeParser::new(text).map_while(Result::ok).filter_map(|one| read(&one)).collect()
    }

    #[test]
    fn what_is_asked_for_is_read() {
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
