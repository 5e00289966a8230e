package nine_rules

import rego.v1

fired contains "killed_by_policy" if input.evidence.validation.mechanical_outcome == "killed_policy"

fired contains "forbidden_event" if "forbidden_path" in input.evidence.policy_events

fired contains "forbidden_event" if "network_violation" in input.evidence.policy_events

fired contains "report_against_exit" if {
	input.evidence.harness_report.summary.failed == 0
	input.evidence.harness_report.summary.passed > 0
	input.evidence.validation.exit_codes.pytest != 0
}

fired contains "claim_against_exit" if {
	"tests_passed" in input.evidence.claims
	input.evidence.validation.exit_codes.pytest != 0
}

fired contains "refinement_used_up" if {
	input.evidence.harness_report.summary.failed > 0
	input.refinement.spent >= input.refinement.cap
}

fired contains "slow_and_flaky" if {
	input.evidence.harness_report.summary.flaky >= 2
	input.evidence.harness_report.summary.duration_ms > 60000
}

fired contains "report_missing" if not "reports/pytest.xml" in input.evidence.artifacts

fired contains "tests_fail" if input.evidence.validation.exit_codes.pytest != 0

fired contains "tests_fail" if input.evidence.harness_report.summary.failed > 0

fired contains "low_pass_rate" if {
	input.evidence.step_intent in ["fix", "implement"]
	passed := input.evidence.harness_report.summary.passed
	passed * 100 < (passed + input.evidence.harness_report.summary.failed) * 90
}
