//! Parses the addresses of the servers and separates the secrets from them.

use adjudicate_core::Error;
use adjudicate_host::codes;
use async_nats::ServerAddr;
use percent_encoding::percent_decode_str;

/// The addresses of the servers, without secrets.
#[derive(Debug)]
pub(crate) struct Addresses {
    pub(crate) servers: Vec<ServerAddr>,
    pub(crate) bearer: Bearer,
    /// True if connections must use TLS.
    pub(crate) only_tls: bool,
}

/// The identity of this client, as far as the addresses contain it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Bearer {
    Anonymous,
    Token(String),
    User { name: String, password: String },
}

impl std::fmt::Debug for Bearer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Anonymous => "Anonymous",
            Self::Token(_) => "Token(..)",
            Self::User { .. } => "User(..)",
        })
    }
}

impl Addresses {
    /// Parses a comma-separated list of addresses. Errors do not repeat the addresses.
    pub(crate) fn read(url: &str) -> Result<Self, Error> {
        let read: Vec<_> = url
            .split(',')
            .enumerate()
            .map(|(index, text)| one(text.trim()).map_err(|why| refused(index, why)))
            .collect::<Result<_, _>>()?;
        let bearers = || read.iter().map(|(_, bearer)| bearer);
        let bearer = bearers().find(|bearer| **bearer != Bearer::Anonymous).unwrap_or(&Bearer::Anonymous);
        if bearers().any(|other| other != bearer && *other != Bearer::Anonymous) {
            return Err(wrong_usage(
                "the servers' URLs contain different users, passwords or tokens".to_owned(),
            ));
        }
        let bearer = bearer.clone();
        let with_tls = read.iter().filter(|(server, _)| server.tls_required()).count();
        if with_tls != 0 && with_tls != read.len() {
            let message = "some servers have `tls://` and some `nats://`; use one of them for all";
            return Err(wrong_usage(message.to_owned()));
        }
        let servers = read.into_iter().map(|(server, _)| server).collect();
        Ok(Self { servers, bearer, only_tls: with_tls != 0 })
    }

    /// True if the addresses contain no identity.
    pub(crate) fn is_anonymous(&self) -> bool {
        self.bearer == Bearer::Anonymous
    }
}

fn one(text: &str) -> Result<(ServerAddr, Bearer), &'static str> {
    let server: ServerAddr = text.parse().map_err(|_| "is not a URL of a NATS server")?;
    let mut url = server.into_inner();
    if !matches!(url.scheme(), "nats" | "tls") {
        return Err("begins neither with `nats://` nor with `tls://`");
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err("names no host");
    }
    if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
        return Err("has text after the port");
    }
    let decoded = |text: &str| {
        percent_decode_str(text).decode_utf8().map(|text| text.into_owned()).map_err(|_| "is not UTF-8")
    };
    let name = decoded(url.username())?;
    let bearer = match url.password() {
        Some(_) if name.is_empty() => return Err("has a password without a user name"),
        Some(password) => Bearer::User { name, password: decoded(password)? },
        None if name.is_empty() => Bearer::Anonymous,
        None => Bearer::Token(name),
    };
    // The rest of the address appears in messages.
    if url.set_username("").is_err() || url.set_password(None).is_err() {
        return Err("is not a URL of a NATS server");
    }
    Ok((ServerAddr::from_url(url).map_err(|_| "is not a URL of a NATS server")?, bearer))
}

fn refused(index: usize, why: &str) -> Error {
    wrong_usage(format!("the NATS server's URL number {} {why}: expected `nats://HOST:4222`", index + 1))
}

fn wrong_usage(message: String) -> Error {
    Error::new(codes::WRONG_USAGE, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_separated_from_addresses() {
        let user = |name: &str, password: &str| Bearer::User { name: name.into(), password: password.into() };
        for (text, servers, bearer, only_tls) in [
            ("nats://127.0.0.1:4222", 1, Bearer::Anonymous, false),
            ("localhost", 1, Bearer::Anonymous, false),
            ("tls://a.example, tls://b.example:5000", 2, Bearer::Anonymous, true),
            ("nats://[::1]:4222/", 1, Bearer::Anonymous, false),
            ("nats://me:s3cret@a", 1, user("me", "s3cret"), false),
            ("nats://me:s3cret@a,nats://b", 2, user("me", "s3cret"), false),
            ("nats://me%40home:p%3A%2Fss%25@a", 1, user("me@home", "p:/ss%"), false),
            ("nats://t0ken@a", 1, Bearer::Token("t0ken".into()), false),
        ] {
            let read = Addresses::read(text).unwrap();
            assert_eq!(
                (read.servers.len(), &read.bearer, read.only_tls),
                (servers, &bearer, only_tls),
                "{text}"
            );
            for secret in ["s3cret", "t0ken", "home"] {
                assert!(!format!("{read:?}").contains(secret), "{text}");
            }
        }
    }

    #[test]
    fn errors_do_not_repeat_invalid_addresses() {
        for text in [
            "",
            " ",
            "nats://",
            "nats://s3cret:s3cret@",
            "http://s3cret@a",
            "ws://s3cret@a",
            "wss://a",
            "nats://s3cret:x@a:99999",
            "nats://s3cret@a b",
            "nats://a/s3cret",
            "nats://a?s3cret",
            "nats://a#s3cret",
            "nats://a,",
            "nats://:s3cret@a",
            "nats://%ff:s3cret@a",
            "nats://me:s3cret@a,nats://me:other@b",
            "nats://a,tls://s3cret@b",
            "://s3cret",
        ] {
            let error = Addresses::read(text).unwrap_err();
            assert_eq!(error.code(), codes::WRONG_USAGE, "{text}");
            assert!(!error.message().contains("s3cret"), "{text}: {error}");
        }
    }
}
