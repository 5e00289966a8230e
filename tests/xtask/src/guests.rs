//! Policy modules in four languages. Each worked example is created by `adjudicate new`, then built, tested, installed,
//! activated and called with the commands that `adjudicate new` prints, and no others.
//!
//! The built modules are kept in `target/artifacts/guests/`. Tests in wasmtime, Node and Chromium run those bytes.

use std::{env, fs, path::PathBuf};

use crate::{
    failure::{Doing, Failure, read, write},
    log::Log,
    python,
    step::{Step, Work},
    tools::{Tool, WASM_TARGET},
    workspace::Workspace,
};

/// The most bytes of a minimal policy in Rust, as its own build writes it.
const MINIMAL_RUST: usize = 47 << 10;

/// A worked example: its language, its name, the file that its commands build, and the most bytes of that file.
struct Guest {
    language: &'static str,
    name: &'static str,
    module: &'static str,
    most_bytes: usize,
}

static GUESTS: [Guest; 4] = [
    Guest {
        language: "rust",
        name: "change-freeze",
        module: "target/wasm32-unknown-unknown/release/change_freeze.wasm",
        most_bytes: 58 << 10,
    },
    Guest {
        language: "assemblyscript",
        name: "cost-cap",
        module: "build/cost-cap.wasm",
        most_bytes: 16 << 10,
    },
    Guest { language: "zig", name: "secret-files", module: "build/secret-files.wasm", most_bytes: 72 << 10 },
    Guest { language: "wat", name: "incident-brake", module: "build/incident-brake.wasm", most_bytes: 1023 },
];

pub(crate) static STEP: Step = Step {
    name: "guests",
    about: "policy modules in Rust, AssemblyScript, Zig and WAT, by the commands that `adjudicate new` prints",
    tools: &[Tool::WasmTarget, Tool::Node, Tool::Python, Tool::Zig],
    after: &["command"],
    work: Work::Function(run),
};

fn run(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    GUESTS.iter().try_for_each(|guest| guest.make(workspace, log))?;
    check_size("minimal", built("minimal", workspace, log)?.len(), MINIMAL_RUST)?;
    write(&workspace.artifacts().join("guests/faulty.wasm"), built("faulty", workspace, log)?)
}

impl Guest {
    fn make(&self, workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
        let folder = workspace.scratch().join("guests");
        let (project, store) = (folder.join(self.name), folder.join(format!("{}.store", self.name)));
        for old in [&project, &store] {
            let _ = fs::remove_dir_all(old);
        }
        fs::create_dir_all(&folder).doing("creating", folder.display())?;
        let adjudicate = workspace.command();
        let mut new = workspace.program(&adjudicate, &["new", "--lang", self.language, self.name]);
        let printed = new.current_dir(&folder).output().doing("running", adjudicate.display())?;
        let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
        let commands: Vec<&str> = printed.lines().filter_map(|line| line.strip_prefix("  ")).collect();
        if commands.is_empty() {
            return Err(Failure::Broken(format!(
                "`adjudicate new --lang {}` prints no commands",
                self.language
            )));
        }
        let mut shell = workspace.program("sh", &["-e", "-c", &commands.join("\n")]);
        let programs = [workspace.built(None, "debug"), python::ZIG.programs(workspace)];
        let path = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths(programs.into_iter().chain(env::split_paths(&path)))
            .map_err(|error| Failure::Broken(format!("the path of programs: {error}")))?;
        shell.current_dir(&folder).env("PATH", path).env("ADJUDICATE_STORE", &store);
        // The commands name cargo's default target folder.
        shell.env_remove("CARGO_TARGET_DIR").env("CARGO_TERM_COLOR", "never");
        log.run(shell)?;
        let module = read(&project.join(self.module))?;
        self.check_size(module.len())?;
        let path = workspace.artifacts().join(format!("guests/{}.wasm", self.language));
        write(&path, module)?;
        let mut conformance = workspace.program(&adjudicate, &["conformance"]);
        conformance.arg(path);
        log.run(conformance).map(drop)
    }

    fn check_size(&self, bytes: usize) -> Result<(), Failure> {
        check_size(self.name, bytes, self.most_bytes)
    }
}

/// Builds a policy of the SDK's own tests.
fn built(name: &str, workspace: &Workspace, log: &mut Log<'_>) -> Result<Vec<u8>, Failure> {
    let target: PathBuf = workspace.scratch().join("guest-tests");
    let mut build = workspace.cargo(&["build", "--release", "--locked", "--target", WASM_TARGET]);
    build.current_dir(workspace.root().join("wasm/guest/tests").join(name)).arg("--target-dir").arg(&target);
    log.run(build)?;
    read(&target.join(WASM_TARGET).join(format!("release/{name}.wasm")))
}

fn check_size(name: &str, bytes: usize, most: usize) -> Result<(), Failure> {
    if bytes <= most {
        return Ok(());
    }
    Err(Failure::Broken(format!("the module `{name}` has {bytes} bytes, and {most} are allowed")))
}
