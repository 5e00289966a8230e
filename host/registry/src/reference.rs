//! The name of a module in a registry: `REGISTRY/REPOSITORY:TAG`, with a digest, or both.

use std::fmt;

use adjudicate_core::Error;
use adjudicate_trust::{Digest, codes};

/// The longest repository and the longest tag that registries accept (OCI distribution specification 1.1).
const LONGEST_REPOSITORY: usize = 255;
const LONGEST_TAG: usize = 128;

/// The name of Docker Hub, and its host.
const HUB: &str = "docker.io";
const HUB_HOST: &str = "registry-1.docker.io";

/// A module in a registry: `REGISTRY/REPOSITORY:TAG`, with a digest, or both.
///
/// ```
/// use adjudicate_registry::Reference;
/// let reference = Reference::parse_tagged("registry.example:5000/policies/strict:1.0.0")?;
/// assert_eq!(reference.host(), "registry.example:5000");
/// assert!(Reference::parse_tagged("registry.example/policies/strict").is_err());
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
///
/// A reference always names the registry. There is no default registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    registry: String,
    repository: String,
    tag: Option<String>,
    digest: Option<Digest>,
}

impl Reference {
    /// Reads a reference.
    ///
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`] with the form that is expected. A text that may hold a password is not repeated.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let refusal = |what: &str| {
            let message = format!("`{text}`: {what}, as in `registry.example/policies/strict:1.0.0`");
            Err(Error::new(codes::WRONG_USAGE, message))
        };
        let (named, digest) = match text.split_once('@') {
            None => (text, None),
            // The text before `@` may be a password, so the message does not repeat it.
            Some((_, host)) if !host.starts_with("sha") || host.contains(['@', '/']) => {
                let message =
                    "a reference contains no name or password; pass `--username` and `--password-file`";
                return Err(Error::new(codes::WRONG_USAGE, message));
            }
            Some((named, digest)) => match digest.parse::<Digest>() {
                Ok(parsed) if parsed.to_string() == digest => (named, Some(parsed)),
                _ => return refusal("expected `sha256:` and 64 lower-case hexadecimal digits after `@`"),
            },
        };
        let Some((registry, path)) = named.split_once('/') else {
            return refusal("expected a registry and a repository");
        };
        if !is_registry(registry) {
            return refusal("expected a registry first, with a dot or a port in its name");
        }
        let (repository, tag) = match path.split_once(':') {
            None => (path, None),
            Some((repository, tag)) => (repository, Some(tag)),
        };
        if !is_repository(repository) {
            return refusal("expected a repository of lower-case letters and digits, in parts joined by `/`");
        }
        if tag.is_some_and(|tag| !is_tag(tag)) {
            return refusal("expected a tag of at most 128 letters, digits, `.`, `_` and `-`");
        }
        let repository = match registry == HUB && !repository.contains('/') {
            true => format!("library/{repository}"),
            false => repository.to_owned(),
        };
        Ok(Self { registry: registry.to_owned(), repository, tag: tag.map(str::to_owned), digest })
    }

    /// Reads a reference for a push: with a tag, and without a digest, which a push returns.
    ///
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`], as [`Reference::parse`].
    pub fn parse_tagged(text: &str) -> Result<Self, Error> {
        let reference = Self::parse(text)?;
        let what = match (&reference.tag, reference.digest) {
            (Some(_), None) => return Ok(reference),
            (_, Some(_)) => "unexpected digest; a push needs a tag, and prints the digest",
            (None, None) => "missing tag",
        };
        Err(Error::new(codes::WRONG_USAGE, format!("`{text}`: {what}")))
    }

    /// Reads a reference for a pull: with a tag or a digest. There is no default tag.
    ///
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`], as [`Reference::parse`].
    pub fn parse_pullable(text: &str) -> Result<Self, Error> {
        let reference = Self::parse(text)?;
        match reference.tag.is_some() || reference.digest.is_some() {
            true => Ok(reference),
            false => {
                let message = format!("`{text}`: missing tag or digest");
                Err(Error::new(codes::WRONG_USAGE, message))
            }
        }
    }

    /// Returns the host of the registry, with the port if the reference has one.
    #[must_use]
    pub fn host(&self) -> &str {
        if self.registry == HUB { HUB_HOST } else { &self.registry }
    }

    /// Returns the name of the registry in a docker config file.
    pub(crate) fn docker_config_name(&self) -> &str {
        if self.registry == HUB { "https://index.docker.io/v1/" } else { &self.registry }
    }

    pub(crate) fn repository(&self) -> &str {
        &self.repository
    }

    pub(crate) const fn digest(&self) -> Option<Digest> {
        self.digest
    }

    /// Returns the digest if there is one, else the tag.
    pub(crate) fn manifest_reference(&self) -> String {
        self.digest.map_or_else(|| self.tag.clone().unwrap_or_default(), |digest| digest.to_string())
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.registry, self.repository)?;
        self.tag.iter().try_for_each(|tag| write!(f, ":{tag}"))?;
        self.digest.iter().try_for_each(|digest| write!(f, "@{digest}"))
    }
}

/// Returns true for a host, with or without a port, that cannot be the first part of a repository.
fn is_registry(text: &str) -> bool {
    let (host, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, rest)) => {
            let is_address = address.parse::<std::net::Ipv6Addr>().is_ok();
            return is_address && (rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port));
        }
        None => text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port))),
    };
    let is_label = |label: &str| {
        let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !label.is_empty() && label.bytes().all(is_inner) && !label.starts_with('-') && !label.ends_with('-')
    };
    host.split('.').all(is_label)
        && (host.contains('.') || host == "localhost" || port.is_some())
        && port.is_none_or(is_port)
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok_and(|port| port > 0)
}

/// Returns true for parts of lower-case letters and digits, joined by one `.`, one or two `_`, or any number of `-`.
fn is_repository(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_part = |part: &str| {
        let ends_well = part.bytes().next().is_some_and(is_word) && part.bytes().last().is_some_and(is_word);
        let joints = part.split(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
        ends_well
            && joints
                .into_iter()
                .all(|joint| matches!(joint, "" | "." | "_" | "__") || joint.bytes().all(|byte| byte == b'-'))
    };
    text.len() <= LONGEST_REPOSITORY && text.split('/').all(is_part)
}

fn is_tag(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    (1..=LONGEST_TAG).contains(&text.len()) && text.bytes().all(is_inner) && !text.starts_with(['.', '-'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_references_are_read_and_written_back() {
        let digest = Digest::sha256(b"");
        for text in [
            "ghcr.io/acme/strict:1.0.0",
            "localhost/strict:1",
            "localhost:5000/a/b__c/d-e.f:v1_2-rc.1",
            "[::1]:5000/strict:1",
            "127.0.0.1:5000/strict",
            "docker.io/acme/strict:1",
        ] {
            assert_eq!(Reference::parse(text).unwrap().to_string(), text);
            let pinned = format!("{text}@{digest}");
            let reference = Reference::parse_pullable(&pinned).unwrap();
            assert_eq!((reference.to_string(), reference.manifest_reference()), (pinned, digest.to_string()));
        }
        let hub = Reference::parse("docker.io/strict:1").unwrap();
        assert_eq!((hub.host(), hub.repository()), (HUB_HOST, "library/strict"));
    }

    #[test]
    fn invalid_references_are_rejected() {
        let long = format!("a.b/{}:1", "a".repeat(256));
        let tag = format!("a.b/c:{}", "a".repeat(129));
        for text in [
            "",
            "strict",
            "strict:1",
            "acme/strict:1",
            "oci://ghcr.io/acme/strict:1",
            "https://ghcr.io/acme/strict:1",
            "user:pass@ghcr.io/acme/strict:1",
            "ghcr.io/",
            "ghcr.io//a:1",
            "ghcr.io/A:1",
            "ghcr.io/a..b:1",
            "ghcr.io/a___b:1",
            "ghcr.io/-a:1",
            "ghcr.io/a/../b:1",
            "ghcr.io/a:",
            "ghcr.io/a:.1",
            "ghcr.io/a:1/2",
            "ghcr.io/a:1?x=y",
            "ghcr.io/a:1#x",
            "ghcr.io:0/a:1",
            "ghcr.io:65536/a:1",
            "ghcr.io:+1/a:1",
            "-a.b/c:1",
            "a..b/c:1",
            "[::1/a:1",
            "[nobody]/a:1",
            "ghcr.io/a@sha256:00",
            "ghcr.io/a@sha512:00",
            &format!("ghcr.io/a@{}", Digest::sha256(b"").to_string().to_uppercase()),
            &long,
            &tag,
        ] {
            let error = Reference::parse(text).unwrap_err();
            assert_eq!(error.code(), codes::WRONG_USAGE, "{text}");
        }
        assert!(Reference::parse_tagged("ghcr.io/a").is_err());
        assert!(Reference::parse_tagged(&format!("ghcr.io/a:1@{}", Digest::sha256(b""))).is_err());
        assert!(Reference::parse_pullable("ghcr.io/a").is_err());
    }
    #[test]
    fn errors_do_not_repeat_a_password_in_a_reference() {
        for text in [
            "user:hunter2@ghcr.io/acme/strict:1",
            "https://user:hunter2@ghcr.io/acme/strict:1",
            "user:hunter2@sha.example/acme/strict:1",
            "user:hunter2@sha256:x@ghcr.io/acme/strict:1",
            "user:p@hunter2@ghcr.io/acme/strict",
        ] {
            let error = Reference::parse(text).unwrap_err();
            assert_eq!(error.code(), codes::WRONG_USAGE, "{text}");
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
        let error = Reference::parse("ghcr.io/a@sha256:00").unwrap_err();
        assert!(error.message().contains("64 lower-case hexadecimal digits"), "{error}");
    }
}
