//! The HTTP status of each error code.

use adjudicate_core::{ErrorCode, codes::Subject};
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
    use StatusCode as S;
    match code {
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
        codes::MODULE_DEADLINE => S::GATEWAY_TIMEOUT,
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
        codes::CLUSTER_FAULT | codes::HOST_OVERLOADED | codes::SLOT_EMPTY => S::SERVICE_UNAVAILABLE,
        codes::UNSUPPORTED_OPERATION => S::NOT_IMPLEMENTED,
        // The content of a document; a module as it is, or its signatures.
        code if code.subject() == Subject::Input || code.as_str().starts_with("module_") => {
            S::UNPROCESSABLE_ENTITY
        }
        _ => S::INTERNAL_SERVER_ERROR,
    }
}

#[cfg(test)]
mod tests {
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
            let (status, name) = (status_of(code).as_u16(), format!("`{code}`"));
            let found = documented.iter().filter(|(number, codes)| *number != 429 && codes.contains(&name));
            assert_eq!(found.map(|(number, _)| *number).collect::<Vec<_>>(), [status], "{name}");
        }
    }

    #[test]
    fn an_error_about_the_input_is_no_error_of_the_server() {
        for code in codes::TABLE.all() {
            let status = status_of(code);
            assert!(status.is_client_error() || status.is_server_error());
            assert!(code.subject() != Subject::Input || status.is_client_error(), "{code}");
        }
    }
}
