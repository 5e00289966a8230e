//! The command `new`: creates a project for a policy, and prints the commands that build and test it.

mod name;
mod template;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use adjudicate_core::Error;

use crate::{codes, environment::Environment, exit::Exit, failure::Failure, output, replace};
use clap::Args;
use template::{Language, ProjectTemplate, SDK, SDK_MANIFEST};

/// The files in which the example's name becomes that of the project. In sources it is the name of a rule.
const NAMED: &[&str] = &[
    "Cargo.lock",
    "manifest.toml",
    "README.md",
    "manifest.json",
    "package-lock.json",
    "package.json",
    "policy.yaml",
];

/// Create a project for a policy, as a module or as a document.
#[derive(Debug, Args)]
pub(crate) struct New {
    /// The language of the policy
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub(crate) lang: Language,
    /// The name of the policy and of its folder: lower-case letters, digits and `-`
    #[arg(value_name = "NAME", allow_hyphen_values = true)]
    pub(crate) name: String,
}

pub(crate) fn run(args: &New, env: &Environment) -> Result<Exit, Failure> {
    name::check(&args.name)?;
    let template = args.lang.template();
    let target = Path::new(&args.name);
    write(&env.path(target), &template, &args.name)?;
    output::text(env, &farewell(&template, &args.name))?;
    Ok(Exit::Answered)
}

/// Returns the output: the commands of the project's README.
fn farewell(template: &ProjectTemplate, name: &str) -> String {
    let readme = template.files.iter().find(|file| file.path == "README.md").map_or("", |file| file.text);
    let commands = renamed(readme, template.name, name);
    let commands = commands
        .split_once("```sh\n")
        .and_then(|(_, rest)| rest.split_once("```"))
        .map_or("", |(block, _)| block);
    let mut text = format!("`{name}` contains a first policy. To build, test and use it:\n\n  cd {name}\n");
    for line in commands.lines() {
        text.push_str(&format!("  {line}\n"));
    }
    text.push_str(&format!("\n{name}/README.md describes the files.\n"));
    text
}

/// Replaces the example's name, in the spelling of files and of crates.
fn renamed(text: &str, from: &str, to: &str) -> String {
    text.replace(from, to).replace(&from.replace('-', "_"), &to.replace('-', "_"))
}

/// Writes the project to a temporary folder and moves it, so that it is complete or missing.
fn write(target: &Path, template: &ProjectTemplate, name: &str) -> Result<(), Error> {
    match fs::symlink_metadata(target) {
        Ok(there) if !there.is_dir() => return Err(occupied(target, "it exists, and is not a folder")),
        Ok(_)
            if fs::read_dir(target).map_err(|error| output::unwritable(target, error))?.next().is_some() =>
        {
            return Err(occupied(target, "it exists, and is not empty"));
        }
        _ => {}
    }
    let draft = draft(target).map_err(|error| output::unwritable(target, error))?;
    let written = files(template, name).into_iter().try_for_each(|(path, text)| {
        let path = draft.join(path);
        let parent = path.parent().unwrap_or(&draft);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| output::unwritable(&path, error))
    });
    // Renaming replaces an empty folder, and fails for one that was filled in the meantime.
    let moved = written.and_then(|()| {
        let _ = fs::remove_dir(target);
        fs::rename(&draft, target).map_err(|error| output::unwritable(target, error))
    });
    moved.inspect_err(|_| drop(fs::remove_dir_all(&draft)))
}

/// Returns the paths and texts of the project's files.
fn files(template: &ProjectTemplate, name: &str) -> Vec<(PathBuf, String)> {
    let own = template.files.iter().map(|file| {
        let text = if NAMED.contains(&file.path) {
            renamed(file.text, template.name, name)
        } else {
            file.text.to_owned()
        };
        let path = if file.path == "manifest.toml" { "Cargo.toml" } else { file.path };
        (PathBuf::from(path), text)
    });
    let mut files: Vec<_> = own.collect();
    if template.has_sdk {
        let sdk = Path::new(SDK);
        let source = adjudicate_guest::SOURCE.iter();
        files.extend(source.map(|(path, text)| (sdk.join("src").join(path), (*text).to_owned())));
        files.push((sdk.join("Cargo.toml"), SDK_MANIFEST.to_owned()));
    }
    files
}

/// Creates a new folder in the same directory, so that moving it is atomic.
fn draft(target: &Path) -> io::Result<PathBuf> {
    let draft = replace::temporary_path(target)?;
    fs::create_dir(&draft).map(|()| draft)
}

fn occupied(target: &Path, why: &str) -> Error {
    Error::new(codes::UNWRITABLE_OUTPUT, format!("cannot write `{}`: {why}", target.display()))
}
