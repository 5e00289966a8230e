//! What HTTP calls each error.

use adjudicate_core::ErrorCode;
use axum::http::StatusCode;

/// The status of a reply whose error has this code.
///
/// `400` is about the text, `422` about what it says or what a module is, `413` about its size, `404` about names, `409`
/// about a concurrent change or a module in use, `501` about what the engine or module does not offer, `502` and `504` about a module that
/// failed, `503` about now, `500` about the host.
///
/// ```
/// use adjudicate_core::ErrorCode;
/// assert_eq!(adjudicate_serve::status_of(ErrorCode::UnknownField), 422);
/// ```
#[must_use]
pub fn status_of(code: ErrorCode) -> StatusCode {
    row(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

fn row(code: ErrorCode) -> Option<StatusCode> {
    use ErrorCode as E;
    use StatusCode as S;
    Some(match code {
        E::MalformedJson | E::DuplicateKey | E::MalformedYaml | E::UnreadableInput | E::WrongUsage => {
            S::BAD_REQUEST
        }
        E::Unauthorized => S::UNAUTHORIZED,
        E::Forbidden => S::FORBIDDEN,
        E::NotFound | E::UnknownSlot | E::UnknownModule | E::UnknownVersion => S::NOT_FOUND,
        E::MethodNotAllowed => S::METHOD_NOT_ALLOWED,
        E::RequestTimeout => S::REQUEST_TIMEOUT,
        E::SlotChanged | E::InUse => S::CONFLICT,
        E::LimitExceeded | E::ModuleTooLarge | E::ModuleInputTooLarge => S::PAYLOAD_TOO_LARGE,
        E::UnsupportedMediaType => S::UNSUPPORTED_MEDIA_TYPE,
        E::UnknownField
        | E::MissingField
        | E::InvalidValue
        | E::InvalidPolicy
        | E::InvalidExpression
        | E::InvalidSchema
        | E::BrokenChain => S::UNPROCESSABLE_ENTITY,
        // What a module is, or who signed it.
        E::ModuleMalformed
        | E::ModuleManifest
        | E::ModuleNeeds
        | E::ModuleImports
        | E::ModuleExports
        | E::ModuleAbi
        | E::ModuleFeature
        | E::ModuleMemoryType
        | E::ModuleStart
        | E::ModuleCompile
        | E::ModuleTests
        | E::ModuleUnsigned
        | E::ModuleSignature
        | E::ModuleUntrustedKey
        | E::ModuleKeyExpired
        | E::ModuleKeyRevoked
        | E::ModuleBelowThreshold
        | E::ModuleNotPinned
        | E::ModuleDowngrade => S::UNPROCESSABLE_ENTITY,
        // What a module did.
        E::ModuleAllocRefused
        | E::ModuleOutOfFuel
        | E::ModuleMemory
        | E::ModuleStack
        | E::ModuleTrap
        | E::ModuleBadPointer
        | E::ModuleOutputTooLarge
        | E::ModuleNotUtf8
        | E::ModuleMalformedReply
        | E::ModuleInvalidDecision
        | E::ModuleIllegalNextStep => S::BAD_GATEWAY,
        E::ModuleDeadline => S::GATEWAY_TIMEOUT,
        E::ClusterFault | E::HostOverloaded | E::SlotEmpty => S::SERVICE_UNAVAILABLE,
        E::UnsupportedOperation => S::NOT_IMPLEMENTED,
        E::EngineLoad | E::Trap | E::HostFault | E::StoreFault | E::UnwritableOutput => {
            S::INTERNAL_SERVER_ERROR
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use adjudicate_core::codes::Subject;

    use super::*;

    #[test]
    fn the_documentation_has_the_same_table() {
        let documented: Vec<_> = include_str!("../SERVE.md")
            .lines()
            .filter_map(|line| line.strip_prefix("| ")?.split_once(" | "))
            .filter_map(|(status, codes)| Some((status.parse::<u16>().ok()?, codes)))
            .collect();
        for code in ErrorCode::ALL {
            let (status, name) = (status_of(*code).as_u16(), format!("`{}`", code.as_str()));
            let found = documented.iter().filter(|(number, codes)| *number != 429 && codes.contains(&name));
            assert_eq!(found.map(|(number, _)| *number).collect::<Vec<_>>(), [status], "{name}");
        }
    }

    #[test]
    fn every_code_has_a_row() {
        for code in ErrorCode::ALL {
            let status = row(*code).unwrap_or_else(|| panic!("`{}` has no status", code.as_str()));
            assert!(status.is_client_error() || status.is_server_error());
            // Who asked is never told that the server is at fault for what was asked, nor the other way round.
            if code.subject() == Subject::Input {
                assert!(status.is_client_error(), "{}", code.as_str());
            }
        }
    }
}
