//! The help of commands for authors of policies.

use super::Text;

pub(super) const TEXTS: &[Text] = &[
    Text {
        statuses: "  0   no errors
  2   errors, or warnings with `--deny warnings`, or a file cannot be read
  64  wrong usage
  74  the report could not be written
  141 the reader of the report closed it",
        ..Text::new(
            "check",
            &[
                "adjudicate check policy.yaml",
                "adjudicate check policies/*.yaml --deny warnings --format json",
            ],
        )
    },
    Text {
        notes: "\
`expect` is compared with the answer. An object matches if the answer has its fields, with values
that match; the answer may have more fields. A list matches if it has exactly these items.
If the input gets no answer, the test fails with the error (`no decision: ...`), unless `expect` is
{\"error\": ...} and matches the error. A rule is covered if it fired in one test and stayed quiet in
another.",
        statuses: "  0   all tests passed
  1   a test failed, no test ran, or the coverage is below `--min-coverage`
  2   a policy or a file of cases is invalid, or cannot be read
  64  wrong usage
  74  the report could not be written
  141 the reader of the report closed it",
        ..Text::new(
            "test",
            &[
                "adjudicate test policy.yaml",
                "adjudicate test policy.yaml --case cases.yaml --min-coverage 100",
                "adjudicate test policy.yaml --watch",
            ],
        )
    },
    Text {
        notes: "\
A policy is measured as the module that `build` makes of it, so its tests must pass. Each run has a
fresh instance, as each call has. Fuel is the same in every run on every machine, so a baseline
compares fuel. A case that the baseline has must still be measured.",
        statuses: "  0   all cases were measured
  1   the module failed in a case, a case takes more fuel than the baseline allows, or a case of the
      baseline was not measured
  2   an input is invalid, or cannot be read
  3   the module was rejected, or there is no engine for the policy
  64  wrong usage
  74  the report could not be written
  141 the reader of the report closed it",
        ..Text::new(
            "bench",
            &[
                "adjudicate bench --policy policy.yaml cases.yaml envelope.json",
                "adjudicate bench --module gate.wasm cases.yaml --format json > baseline.json",
                "adjudicate bench --module gate.wasm cases.yaml --baseline baseline.json --tolerance 5",
            ],
        )
    },
    Text {
        notes: "\
The module decides as the engine does with this policy. Its manifest has the policy's name, version,
rules, tests and digest; `inspect` shows them. The tests must pass. The same policy and engine give
the same bytes.",
        ..Text::new(
            "build",
            &[
                "adjudicate build policy.yaml -o policy.wasm",
                "adjudicate build policy.yaml -o gate.wasm --name release-gate --module-version 2.1.0",
                "adjudicate evaluate envelope.json --module policy.wasm",
            ],
        )
    },
    Text::new(
        "new",
        &[
            "adjudicate new --lang yaml review-gate",
            "adjudicate new --lang rust change-freeze",
            "adjudicate new --lang wat incident-brake",
        ],
    ),
    Text::new(
        "pack",
        &[
            "adjudicate pack build/module.wasm --manifest manifest.json --tests tests.json -o gate.wasm",
            "adjudicate pack policy.wat --manifest manifest.json --try-tests tests.json -o gate.wasm",
        ],
    ),
    Text::new("inspect", &["adjudicate inspect policy.wasm --format table"]),
    Text {
        statuses: "  0   the module meets all mandatory requirements, or the corpus was written
  2   the module cannot be read
  3   the module breaks a mandatory requirement
  64  wrong usage
  74  the report, or a file of the corpus, could not be written
  141 the reader of the report closed it",
        ..Text::new(
            "conformance",
            &[
                "adjudicate conformance policy.wasm",
                "adjudicate conformance policy.wasm --junit report.xml",
                "adjudicate conformance --export hostile-modules",
            ],
        )
    },
];
