//! The error codes that this crate raises, and the codes of the crates below.

pub use adjudicate_host::codes::*;

adjudicate_core::error_codes! {
    layer "adjudicate-serve" above Some(&adjudicate_host::codes::TABLE);

    METHOD_NOT_ALLOWED = "method_not_allowed" about Usage: "the address does not accept this method",
        "Use a method that the reply's header `allow` lists.";
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type" about Usage: "the server does not accept the body's content type or encoding",
        "Send the body uncompressed, with the content type that the message names.";
    REQUEST_TIMEOUT = "request_timeout" about Usage: "the request did not arrive in time",
        "Send the whole request without pauses, or a smaller one.";
}
