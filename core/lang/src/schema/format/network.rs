//! Addresses, mailboxes and URIs.

pub(super) fn is_ipv4(text: &str) -> bool {
    let is_part = |part: &str| {
        let is_short =
            part == "0" || (!part.starts_with('0') && part.bytes().all(|byte| byte.is_ascii_digit()));
        is_short && part.parse::<u8>().is_ok()
    };
    text.split('.').count() == 4 && text.split('.').all(is_part)
}

pub(super) fn is_ipv6(text: &str) -> bool {
    let (before, after) = text.split_once("::").map_or((text, None), |(before, after)| (before, Some(after)));
    match after {
        None => groups(before, true) == Some(8),
        Some(after) => {
            let before = if before.is_empty() { Some(0) } else { groups(before, false) };
            let after = if after.is_empty() { Some(0) } else { groups(after, true) };
            before.zip(after).is_some_and(|(before, after)| before + after < 8)
        }
    }
}

/// Returns the number of 16-bit groups of a text. An IPv4 address at its end counts as two.
fn groups(text: &str, at_end: bool) -> Option<usize> {
    let mut count = 0;
    let mut parts = text.split(':').peekable();
    while let Some(part) = parts.next() {
        let is_group = (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        count += match is_group {
            true => 1,
            false if at_end && parts.peek().is_none() && is_ipv4(part) => 2,
            false => return None,
        };
    }
    Some(count)
}

pub(super) fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let quoted = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let is_local = match quoted {
        Some(quoted) => is_quoted(quoted),
        None => local.split('.').all(is_atom),
    };
    is_local && is_domain(domain)
}

fn is_atom(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_plain)
}

fn is_quoted(text: &str) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let byte = if byte == b'\\' { bytes.next() } else { Some(byte).filter(|byte| *byte != b'"') };
        if !byte.is_some_and(|byte| (b' '..=b'~').contains(&byte)) {
            return false;
        }
    }
    true
}

fn is_domain(text: &str) -> bool {
    if let Some(address) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return address.strip_prefix("IPv6:").map_or_else(|| is_ipv4(address), is_ipv6);
    }
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

pub(super) fn is_uri(text: &str) -> bool {
    is_uri_with(text, true)
}

pub(super) fn is_uri_reference(text: &str) -> bool {
    is_uri_with(text, false)
}

/// The characters of paths, in addition to those of [`consists`].
const PATH: &[u8] = b":@/";
const QUERY: &[u8] = b":@/?";

fn is_uri_with(text: &str, needs_scheme: bool) -> bool {
    let (text, fragment) = text.split_once('#').unwrap_or((text, ""));
    let (text, query) = text.split_once('?').unwrap_or((text, ""));
    if !(consists(fragment, QUERY) && consists(query, QUERY)) {
        return false;
    }
    let first = text.split('/').next().unwrap_or_default();
    let rest = match first.split_once(':') {
        Some((scheme, _)) if crate::schema::uri::is_scheme(scheme) => {
            text.get(scheme.len() + 1..).unwrap_or_default()
        }
        // A relative path has no colon before its first slash.
        Some(_) => return false,
        None if needs_scheme => return false,
        None => text,
    };
    match rest.strip_prefix("//") {
        None => consists(rest, PATH),
        Some(beyond) => {
            let (authority, path) =
                beyond.split_at_checked(beyond.find('/').unwrap_or(beyond.len())).unwrap_or_default();
            is_authority(authority) && consists(path, PATH)
        }
    }
}

fn is_authority(text: &str) -> bool {
    let (user, host) = text.split_once('@').unwrap_or(("", text));
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let is_host = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, port)) => {
            (is_ipv6(address) || is_future(address))
                && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port))
        }
        None => {
            let (name, port) = host.split_once(':').unwrap_or((host, ""));
            consists(name, b"") && is_port(port)
        }
    };
    is_host && consists(user, b":")
}

/// Returns whether a text is an address of a future IP version (RFC 3986 section 3.2.2).
fn is_future(text: &str) -> bool {
    let parts = text.strip_prefix(['v', 'V']).and_then(|rest| rest.split_once('.'));
    parts.is_some_and(|(version, address)| {
        let is_version = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_version && !address.is_empty() && !address.contains('%') && consists(address, b":")
    })
}

/// Returns whether a text has only unreserved characters, sub-delimiters, characters of `more`, and percent-encoded bytes.
fn consists(text: &str, more: &[u8]) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let is_allowed = match byte {
            b'%' => [bytes.next(), bytes.next()]
                .iter()
                .all(|digit| digit.is_some_and(|digit| digit.is_ascii_hexdigit())),
            _ => byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte) || more.contains(&byte),
        };
        if !is_allowed {
            return false;
        }
    }
    true
}
