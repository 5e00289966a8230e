//! The verb `new`: a project to write a policy module in, which builds, tests and installs with the commands that are printed.

mod name;
mod template;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use adjudicate_core::Error;

use crate::{
    codes,
    exit::{self, Exit},
    failure::Failure,
    output, replace,
};
use clap::Args;
use template::{Language, SDK, SDK_MANIFEST, Template};

/// Files in which the name of the example is that of the project. In sources it is that of a rule.
const NAMED: &[&str] =
    &["Cargo.lock", "manifest.toml", "README.md", "manifest.json", "package-lock.json", "package.json"];

/// Begin a policy module: a project that builds, tests and installs with the commands that are printed.
#[derive(Debug, Args)]
#[command(after_help = exit::NEW_HELP)]
pub(crate) struct New {
    /// What to write it in
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub(crate) lang: Language,
    /// The name of the module, and of the folder to make: lower-case letters and digits, in parts joined by `-`
    #[arg(value_name = "NAME", allow_hyphen_values = true)]
    pub(crate) name: String,
}

pub(crate) fn run(args: &New) -> Result<Exit, Failure> {
    name::check(&args.name)?;
    let template = args.lang.template();
    let target = Path::new(&args.name);
    write(target, &template, &args.name)?;
    output::text(&farewell(&template, &args.name))?;
    Ok(Exit::Answered)
}

/// What is printed: the commands of the project's own README.
fn farewell(template: &Template, name: &str) -> String {
    let readme = template.files.iter().find(|file| file.path == "README.md").map_or("", |file| file.text);
    let commands = renamed(readme, template.name, name);
    let commands = commands
        .split_once("```sh\n")
        .and_then(|(_, rest)| rest.split_once("```"))
        .map_or("", |(block, _)| block);
    let mut text = format!(
        "`{name}` is a policy to begin with. Build, test and install it, and put it in force in a slot:\n\n  cd {name}\n"
    );
    for line in commands.lines() {
        text.push_str(&format!("  {line}\n"));
    }
    text.push_str(&format!("\n{name}/README.md tells what is where.\n"));
    text
}

/// Puts the example's name away, as files and as crates spell it.
fn renamed(text: &str, from: &str, to: &str) -> String {
    text.replace(from, to).replace(&from.replace('-', "_"), &to.replace('-', "_"))
}

/// Writes the project beside its place and then moves it there, so that it is whole or not at all.
fn write(target: &Path, template: &Template, name: &str) -> Result<(), Error> {
    match fs::symlink_metadata(target) {
        Ok(there) if !there.is_dir() => return Err(occupied(target, "it is there already, and no folder")),
        Ok(_)
            if fs::read_dir(target).map_err(|error| output::unwritable(target, &error))?.next().is_some() =>
        {
            return Err(occupied(target, "there is a folder of this name, and it is not empty"));
        }
        _ => {}
    }
    let draft = draft(target).map_err(|error| output::unwritable(target, &error))?;
    let written = files(template, name).into_iter().try_for_each(|(path, text)| {
        let path = draft.join(path);
        let parent = path.parent().unwrap_or(&draft);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| output::unwritable(&path, &error))
    });
    // An empty folder is replaced; one that somebody filled meanwhile is not.
    let moved = written.and_then(|()| {
        let _ = fs::remove_dir(target);
        fs::rename(&draft, target).map_err(|error| output::unwritable(target, &error))
    });
    moved.inspect_err(|_| drop(fs::remove_dir_all(&draft)))
}

/// Paths and texts of the project's files.
fn files(template: &Template, name: &str) -> Vec<(PathBuf, String)> {
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

/// A new folder in the same place, so that moving it is one step.
fn draft(target: &Path) -> io::Result<PathBuf> {
    let draft = replace::beside(target)?;
    fs::create_dir(&draft).map(|()| draft)
}

fn occupied(target: &Path, why: &str) -> Error {
    Error::new(codes::UNWRITABLE_OUTPUT, format!("cannot write `{}`: {why}", target.display()))
}
