//! The HTTP status of each error code.

use adjudicate_core::ErrorCode;
use axum::http::StatusCode;

use crate::codes;

/// Returns the status of a reply whose error has this code; 500 for a code that the server does not raise.
///
/// | status | about |
/// | --- | --- |
/// | 400 | the text, or the form of the request |
/// | 404 | names |
/// | 409 | a concurrent change, or a module in use |
/// | 413 | sizes |
/// | 422 | the content of a document; a module as it is, or its signatures |
/// | 500 | the host |
/// | 501 | an operation that is not offered |
/// | 502, 504 | a module that failed in a call |
/// | 503 | the present moment |
///
/// ```
/// use adjudicate_serve::codes;
/// assert_eq!(adjudicate_serve::status_of(codes::UNKNOWN_FIELD), 422);
/// ```
#[must_use]
pub fn status_of(code: ErrorCode) -> StatusCode {
    row(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

fn row(code: ErrorCode) -> Option<StatusCode> {
    use StatusCode as S;
    Some(match code {
        codes::MALFORMED_JSON | codes::DUPLICATE_KEY | codes::UNREADABLE_INPUT | codes::WRONG_USAGE => {
            S::BAD_REQUEST
        }
        codes::UNAUTHORIZED => S::UNAUTHORIZED,
        codes::FORBIDDEN => S::FORBIDDEN,
        codes::NOT_FOUND | codes::UNKNOWN_SLOT | codes::UNKNOWN_MODULE | codes::UNKNOWN_VERSION => {
            S::NOT_FOUND
        }
        codes::METHOD_NOT_ALLOWED => S::METHOD_NOT_ALLOWED,
        codes::REQUEST_TIMEOUT => S::REQUEST_TIMEOUT,
        codes::SLOT_CHANGED | codes::IN_USE => S::CONFLICT,
        codes::LIMIT_EXCEEDED | codes::MODULE_TOO_LARGE | codes::MODULE_INPUT_TOO_LARGE => {
            S::PAYLOAD_TOO_LARGE
        }
        codes::UNSUPPORTED_MEDIA_TYPE => S::UNSUPPORTED_MEDIA_TYPE,
        codes::UNKNOWN_FIELD
        | codes::MISSING_FIELD
        | codes::INVALID_VALUE
        | codes::INVALID_POLICY
        | codes::INVALID_EXPRESSION
        | codes::INVALID_SCHEMA
        | codes::BROKEN_CHAIN => S::UNPROCESSABLE_ENTITY,
        // A module as it is, or its signatures.
        codes::MODULE_MALFORMED
        | codes::MODULE_MANIFEST
        | codes::MODULE_NEEDS
        | codes::MODULE_IMPORTS
        | codes::MODULE_EXPORTS
        | codes::MODULE_ABI
        | codes::MODULE_FEATURE
        | codes::MODULE_MEMORY_TYPE
        | codes::MODULE_START
        | codes::MODULE_COMPILE
        | codes::MODULE_TESTS
        | codes::MODULE_UNSIGNED
        | codes::MODULE_SIGNATURE
        | codes::MODULE_UNTRUSTED_KEY
        | codes::MODULE_KEY_EXPIRED
        | codes::MODULE_KEY_REVOKED
        | codes::MODULE_BELOW_THRESHOLD
        | codes::MODULE_NOT_PINNED
        | codes::MODULE_DOWNGRADE => S::UNPROCESSABLE_ENTITY,
        // A module that failed in a call.
        codes::MODULE_ALLOC_REFUSED
        | codes::MODULE_OUT_OF_FUEL
        | codes::MODULE_MEMORY
        | codes::MODULE_STACK
        | codes::MODULE_TRAP
        | codes::MODULE_BAD_POINTER
        | codes::MODULE_OUTPUT_TOO_LARGE
        | codes::MODULE_NOT_UTF8
        | codes::MODULE_MALFORMED_REPLY
        | codes::MODULE_INVALID_DECISION
        | codes::MODULE_ILLEGAL_NEXT_STEP => S::BAD_GATEWAY,
        codes::MODULE_DEADLINE => S::GATEWAY_TIMEOUT,
        codes::CLUSTER_FAULT | codes::HOST_OVERLOADED | codes::SLOT_EMPTY => S::SERVICE_UNAVAILABLE,
        codes::UNSUPPORTED_OPERATION => S::NOT_IMPLEMENTED,
        codes::HOST_FAULT | codes::STORE_FAULT | codes::UNWRITABLE_OUTPUT => S::INTERNAL_SERVER_ERROR,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use adjudicate_core::codes::Subject;

    use super::*;

    #[test]
    fn the_documentation_has_the_same_table() {
        // Read at run time, so that the tests of the packed crate compile.
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/http.md");
        let page = std::fs::read_to_string(page).unwrap();
        let documented: Vec<_> = page
            .lines()
            .filter_map(|line| line.strip_prefix("| ")?.split_once(" | "))
            .filter_map(|(status, codes)| Some((status.parse::<u16>().ok()?, codes)))
            .collect();
        for code in codes::TABLE.all() {
            let (status, name) = (status_of(code).as_u16(), format!("`{}`", code.as_str()));
            let found = documented.iter().filter(|(number, codes)| *number != 429 && codes.contains(&name));
            assert_eq!(found.map(|(number, _)| *number).collect::<Vec<_>>(), [status], "{name}");
        }
    }

    #[test]
    fn every_code_has_a_row() {
        for code in codes::TABLE.all() {
            let status = row(code).unwrap_or_else(|| panic!("`{}` has no status", code.as_str()));
            assert!(status.is_client_error() || status.is_server_error());
            // An error about the input is never an error of the server.
            if code.subject() == Subject::Input {
                assert!(status.is_client_error(), "{}", code.as_str());
            }
        }
    }
}
