//! The macro that exports a policy as a module, and its helper macros.

/// Makes a module of a policy. In wasm, exports the interface (version 1) with the manifest, the allocator and a panic handler.
/// Defines `POLICY`, a [`Policy`](crate::Policy), for tests.
///
/// `decide` is a function from an [`Envelope`](crate::Envelope) to `Vec<Finding>`, `Option<Finding>`,
/// [`Decision`](crate::Decision), [`Verdict`](crate::Verdict), or a `Result` of one of them with an [`Error`](crate::Error).
///
/// | field | default |
/// | --- | --- |
/// | `name`, `version`, `description`, `license` | those of `Cargo.toml` |
/// | `tests`, the tests inside the module | none |
///
/// ```
/// use adjudicate_guest::{Envelope, Finding, Status};
///
/// fn decide(envelope: Envelope<'_>) -> Option<Finding<'_>> {
///     let codes = envelope.evidence().validation().exit_codes();
///     let failed = codes.filter(|(_, code)| *code != 0).map(|(id, _)| id).next()?;
///     Some(Finding::new("all-green", Status::Blocked, "a validator failed").actual(failed))
/// }
///
/// adjudicate_guest::policy! { decide: decide, name: "all-green", version: "1.0.0" }
/// # fn main() {
///
/// use adjudicate_guest::testing::{Ask, Sample};
/// let answer = POLICY.ask(&Sample::new().exit_code("lint", 1));
/// answer.assert_status(Status::Blocked);
/// # }
/// ```
#[macro_export]
macro_rules! policy {
    (decide: $decide:expr $(, $member:ident: $value:expr)* $(,)?) => {
        #[doc(hidden)]
        const __ADJUDICATE_LABEL: $crate::Label = $crate::Label {
            $($member: $value,)*
            ..$crate::Label {
                name: env!("CARGO_PKG_NAME"),
                version: env!("CARGO_PKG_VERSION"),
                description: env!("CARGO_PKG_DESCRIPTION"),
                license: env!("CARGO_PKG_LICENSE"),
                tests: "",
            }
        };

        /// The policy of this crate.
        pub static POLICY: $crate::Policy = $crate::Policy::new(
            __ADJUDICATE_LABEL,
            $crate::__manifest!(__ADJUDICATE_LABEL),
            |input, label| $crate::serve(input, label, |envelope| $crate::Verdict::from($decide(envelope))),
        );

        $crate::__module!(__ADJUDICATE_LABEL);
    };
}

/// Defines the exports, in the author's crate, because the linker keeps only exports of the crate that becomes the module.
#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
#[macro_export]
macro_rules! __module {
    ($label:expr) => {
        const _: () = {
            assert!(
                option_env!("ADJUDICATE_GUEST_LINKER").is_some(),
                "a policy module needs a build script: let `main` of build.rs call `adjudicate_guest::build::main()`, \
                 and name adjudicate-guest among the build-dependencies, too",
            );

            #[unsafe(link_section = "adjudicate.manifest")]
            static MANIFEST: [u8; $crate::manifest::length(&$label)] = $crate::manifest::bytes(&$label);

            #[unsafe(no_mangle)]
            extern "C" fn adjudicate_abi_1() -> i32 {
                0
            }

            #[unsafe(no_mangle)]
            extern "C" fn adjudicate_alloc(length: usize) -> usize {
                $crate::module::allocate(length)
            }

            #[unsafe(no_mangle)]
            extern "C" fn adjudicate_call(operation: i32, address: usize, length: usize) -> usize {
                $crate::module::call(&POLICY, operation, address, length)
            }
        };
    };
}

/// Returns the manifest, for tests.
#[cfg(not(target_arch = "wasm32"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __manifest {
    ($label:expr) => {
        &$crate::manifest::bytes::<{ $crate::manifest::length(&$label) }>(&$label)
    };
}

/// Returns no manifest: in wasm it is a custom section, and memory does not need a copy.
#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
#[macro_export]
macro_rules! __manifest {
    ($label:expr) => {
        &[]
    };
}

/// Defines nothing: on other targets only tests run the policy.
#[cfg(not(target_arch = "wasm32"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __module {
    ($label:expr) => {};
}
