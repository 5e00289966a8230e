//! The command `keygen`.

use std::path::{Path, PathBuf};

use adjudicate_core::Error;
use adjudicate_trust::SecretKey;
use clap::Args;

use super::{
    report::{KeyPair, PolicyKey},
    table,
};
use crate::{codes, environment::Environment, exit::Exit, failure::Failure, options::ReportOptions};

/// Create a key pair to sign policy modules.
#[derive(Debug, Args)]
pub(crate) struct Keygen {
    /// The name of the files NAME.key and NAME.pub, which must not exist
    ///
    /// Only the owner of NAME.key may read it.
    #[arg(long, value_name = "NAME")]
    pub(crate) out: PathBuf,
    /// The name of the key in trust policies [default: the last part of NAME]
    #[arg(long, value_name = "WHO")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) report_options: ReportOptions,
}

pub(crate) fn run(args: &Keygen, env: &Environment) -> Result<Exit, Failure> {
    let is_directory = args.out.to_string_lossy().ends_with(std::path::is_separator);
    let Some(last) = args.out.file_name().filter(|_| !is_directory) else {
        let message = format!("`{}` names a directory and no key in it", args.out.display());
        return Err(Error::new(codes::WRONG_USAGE, message).into());
    };
    let (private, public) = (with_ending(&args.out, "key"), with_ending(&args.out, "pub"));
    let name = args.name.clone().unwrap_or_else(|| last.to_string_lossy().into_owned());
    if name.is_empty() {
        let message = "the name of a key is not empty; give one by `--name`";
        return Err(Error::new(codes::WRONG_USAGE, message).into());
    }
    let key = SecretKey::generate()?;
    key.write_files(&env.path(&private), &env.path(&public))?;
    let public_key = key.public();
    let pair = KeyPair {
        key: PolicyKey { id: public_key.id(), name, public_key: public_key.to_string() },
        private_file: private.display().to_string(),
        public_file: public.display().to_string(),
    };
    args.report_options.print(&pair, table::key_pair, env)
}

/// Returns the path with a further ending.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(".");
    path.push(ending);
    path.into()
}
