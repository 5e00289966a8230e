//! The published crates as crates.io has them: packed, unpacked outside of the workspace, and compiled there together.
//! The npm package is installed in the same folder. A crate that reads a file outside of its own folder does not compile.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::{
    failure::{Doing, Failure, read, write},
    log::Log,
    members::{self, Member},
    step::{Step, Work},
    workspace::Workspace,
};

pub(crate) static STEP: Step = Step {
    name: "archives",
    about: "the published crates compile from their archives, outside of the workspace; the npm package installs there",
    tools: &[],
    // The step installs npm.
    after: &["npm-package"],
    work: Work::Function(archives),
};

/// The files that each archive has in addition to its sources.
const FILES: [&str; 3] = ["LICENSE-MIT", "LICENSE-APACHE", "README.md"];

fn archives(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let members = members::published(workspace)?;
    log.run(workspace.cargo(&["fetch", "--locked"]))?;
    let archives = pack(workspace, &members, log)?;

    let outside = outside(workspace);
    let _ = fs::remove_dir_all(&outside);
    fs::create_dir_all(&outside).doing("creating", outside.display())?;
    for member in &members {
        unpack(workspace, &archives, member, &outside, log)?;
    }
    let manifest = fs::read_to_string(workspace.root().join("Cargo.toml")).doing("reading", "Cargo.toml")?;
    write(&outside.join("Cargo.toml"), workspace_of(&members, &manifest))?;
    for file in ["Cargo.lock", "rust-toolchain.toml"] {
        write(&outside.join(file), read(&workspace.root().join(file))?)?;
    }
    // Uses the profiles and the target folder of this workspace, so that this check reuses clippy's dependencies.
    let mut check = workspace.cargo(&["check", "--workspace", "--offline", "--target-dir"]);
    check.arg(workspace.cargo_target()).current_dir(&outside);
    log.run(check)?;

    install(workspace, &outside.join("npm"), log)?;
    fs::remove_dir_all(&outside).doing("removing", outside.display())
}

/// Packs all crates in one call, because none of them is in the registry yet. Returns the folder of the archives.
fn pack(workspace: &Workspace, members: &[Member], log: &mut Log<'_>) -> Result<PathBuf, Failure> {
    let target = workspace.scratch().join("packages");
    let mut pack = workspace.cargo(&["package", "--no-verify", "--allow-dirty", "--offline", "--target-dir"]);
    pack.arg(&target);
    for member in members {
        pack.args(["--package", &member.name]);
    }
    log.run(pack)?;
    Ok(target.join("package"))
}

fn unpack(
    workspace: &Workspace,
    archives: &Path,
    member: &Member,
    outside: &Path,
    log: &mut Log<'_>,
) -> Result<(), Failure> {
    // `m`: archives give every file the same time, by which cargo would take an older build for a current one.
    let mut tar = workspace.program("tar", &["-xzmf"]);
    tar.arg(archives.join(format!("{}.crate", folder(member)))).arg("-C").arg(outside);
    log.run(tar)?;
    for file in FILES {
        let packed = read(&outside.join(folder(member)).join(file))?;
        if file.starts_with("LICENSE") && packed != read(&workspace.root().join(file))? {
            let name = &member.name;
            return Err(Failure::Broken(format!("`{file}` of {name} differs from that of the workspace")));
        }
    }
    Ok(())
}

/// The folder in a crate's archive.
fn folder(member: &Member) -> String {
    format!("{}-{}", member.name, member.version)
}

/// The folder of the unpacked archives. The path is the same every time, so that the target folder does not grow with each run.
fn outside(workspace: &Workspace) -> PathBuf {
    let name = workspace.root().to_string_lossy().replace(['/', '\\', ':'], "-");
    env::temp_dir().join(format!("adjudicate-packages{name}"))
}

/// The manifest of a workspace of the unpacked crates, in which they depend on each other by path.
fn workspace_of(members: &[Member], manifest: &str) -> String {
    let folders: Vec<String> = members.iter().map(|member| format!("{:?}", folder(member))).collect();
    let mut text =
        format!("[workspace]\nresolver = \"3\"\nmembers = [{}]\n\n[patch.crates-io]\n", folders.join(", "));
    for member in members {
        text.push_str(&format!("{} = {{ path = {:?} }}\n", member.name, folder(member)));
    }
    text + &profiles(manifest)
}

/// The tables of a manifest that define profiles.
fn profiles(manifest: &str) -> String {
    let tables = manifest.split("\n[").skip(1).filter(|table| table.starts_with("profile."));
    tables.map(|table| format!("\n[{table}\n")).collect()
}

/// Installs the npm package as a user does, and calls it once.
fn install(workspace: &Workspace, folder: &Path, log: &mut Log<'_>) -> Result<(), Failure> {
    write(&folder.join("package.json"), r#"{"private": true, "name": "installed", "type": "module"}"#)?;
    write(
        &folder.join("call.js"),
        r#"import { createEngine } from "adjudicate";
const engine = await createEngine();
try {
  engine.evaluateText("{}");
} catch ({ code }) {
  if (code === "missing_field") process.exit(0);
}
throw new Error("an empty envelope was evaluated");
"#,
    )?;
    let mut install = workspace.program("npm", &["install", "--no-audit", "--no-fund", "--offline"]);
    install.arg(workspace.npm_package()).current_dir(folder);
    log.run(install)?;
    let mut call = workspace.program("node", &["call.js"]);
    call.current_dir(folder);
    log.run(call).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profiles_of_the_workspace_are_those_of_the_unpacked_one() {
        let manifest = "[workspace]\na = 1\n\n[profile.dev]\ndebug = 1\n\n[x]\nb = 2\n\n[profile.dev.package]\nc = { d = 3 }\n";
        let expected = "\n[profile.dev]\ndebug = 1\n\n\n[profile.dev.package]\nc = { d = 3 }\n\n";
        assert_eq!(profiles(manifest), expected);
        assert!(profiles(include_str!("../../../Cargo.toml")).contains("[profile.dev.package]"));
    }
}
