//! Collections: their own time without that of validators, and its growth with the files of a repository and the cases of a report.

use std::{fmt::Write as _, fs, path::Path, process::Command};

use adjudicate_collect::{CollectOptions, collect};
use adjudicate_evidence::collect::OwnedConfiguration;
use tempfile::TempDir;

use crate::{
    Failure, Values,
    contest::{Contest, Effort, timed},
};

/// The repositories, the smaller one of each pair first.
const SIZES: [RepositorySize; 4] = [
    RepositorySize { files: 1_000, cases: 0, key: "collect_files_1000_us" },
    RepositorySize { files: 10_000, cases: 0, key: "collect_files_10000_us" },
    RepositorySize { files: 1, cases: 100, key: "collect_cases_100_us" },
    RepositorySize { files: 1, cases: 5_000, key: "collect_cases_5000_us" },
];

/// Divides the number of rounds, because a collection takes much longer than a call.
const FEWER: usize = 16;

struct RepositorySize {
    files: usize,
    cases: usize,
    key: &'static str,
}

/// Milliseconds of a collection of 10,000 files, microseconds of each size, and the exponents by which the times grow.
pub(crate) fn measure(effort: Effort) -> Result<Values, Failure> {
    let repositories = SIZES.iter().map(repository).collect::<Result<Vec<_>, _>>()?;
    let mut contest = Contest::new(effort.with_fewer_rounds(FEWER));
    for (size, repository) in SIZES.iter().zip(&repositories) {
        let configuration = configuration(size)?;
        contest.enter(
            size.key,
            timed(move || {
                let envelope =
                    collect(repository.path(), &configuration, &CollectOptions::default())?.envelope;
                let evidence = envelope.evidence;
                let report = evidence.harness_report.flatten().and_then(|report| report.cases);
                let cases = report.map_or(0, |cases| cases.len());
                let changes = evidence.diff.map_or(0, |diff| diff.files.len());
                if (cases, changes, &evidence.uncollected) != (size.cases, 1, &None) {
                    return Err(format!("{}: {cases} cases, {changes} changes", size.key).into());
                }
                Ok(cases)
            }),
        )?;
    }
    let results = contest.hold()?;
    let mut values: Values =
        SIZES.iter().map(|size| (size.key.to_owned(), results.micros(size.key))).collect();
    let [few_files, many_files, few_cases, many_cases] = &SIZES;
    let power = |large: &RepositorySize, small: &RepositorySize, times: usize| {
        results.ratio(large.key, small.key).ln() / (times as f64).ln()
    };
    values.insert("collect_10000_ms".into(), results.micros(many_files.key) / 1e3);
    values.insert(
        "collect_files_growth".into(),
        power(many_files, few_files, many_files.files / few_files.files),
    );
    values.insert(
        "collect_cases_growth".into(),
        power(many_cases, few_cases, many_cases.cases / few_cases.cases),
    );
    Ok(values)
}

/// A repository with one changed file, whose validator takes no time.
fn repository(size: &RepositorySize) -> Result<TempDir, Failure> {
    let place = tempfile::tempdir()?;
    let root = place.path();
    for number in 0..size.files {
        let folder = root.join(format!("src/part_{:03}", number / 50));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(format!("file_{number}.rs")), format!("// {number}\n").repeat(40))?;
    }
    let mut report = String::from("<testsuite name=\"cart\">");
    for number in 0..size.cases {
        write!(report, "<testcase classname=\"cart\" name=\"case {number}\" time=\"0.001\"/>")?;
    }
    fs::write(root.join("report.xml"), report + "</testsuite>")?;
    git(root, &["init", "--quiet"])?;
    git(root, &["add", "--all"])?;
    git(root, &["commit", "--quiet", "--message", "first"])?;
    fs::write(root.join("src/part_000/file_0.rs"), "// changed\n")?;
    Ok(place)
}

fn git(root: &Path, arguments: &[&str]) -> Result<(), Failure> {
    let author = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgSign=false"];
    let status = Command::new("git").args(author).args(arguments).current_dir(root).status()?;
    if status.success() { Ok(()) } else { Err(format!("git {arguments:?}: {status}").into()) }
}

fn configuration(size: &RepositorySize) -> Result<OwnedConfiguration, Failure> {
    let validator = match size.cases {
        0 => r#"{"id": "unit", "run": ["true"]}"#,
        _ => {
            r#"{"id": "unit", "run": ["cp", "report.xml", ".adjudicate/reports/unit.xml"], "reports": [".adjudicate/reports/unit.xml"]}"#
        }
    };
    let text = format!(
        r#"{{"workflow": "change", "next_steps": [{{"id": "publish", "role": "forward"}}], "validators": [{validator}]}}"#
    );
    Ok(OwnedConfiguration::from_json(text.as_bytes())?)
}
