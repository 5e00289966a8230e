//! The credentials for a registry: from the command line, or from the docker config file.

use std::{
    env,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use adjudicate_core::Error;
use adjudicate_trust::{codes, io_reason};
use docker_credential::{CredentialRetrievalError, DockerCredential, get_credential_from_reader};

/// The limits for a password and for a docker config file.
const PASSWORD_BYTES: u64 = 64 << 10;
const CONFIG_BYTES: u64 = 4 << 20;

/// A name at a registry, and its password.
#[derive(Clone, Debug)]
pub struct SignIn {
    /// The name, without a colon.
    pub username: String,
    /// The source of the password.
    pub password: Password,
}

/// The source of a password of at most 64 KiB. The end of the line is not part of the password.
#[derive(Clone, Debug)]
pub enum Password {
    /// A file.
    File(PathBuf),
    /// Standard input.
    StandardInput,
}

/// The credentials for one registry. The type has no `Debug`, so that they are not printed.
pub(crate) enum Credentials {
    Anonymous,
    Password {
        user: String,
        password: String,
    },
    /// An identity token, which a registry issues in place of a password to get other tokens.
    Identity(String),
}

impl Credentials {
    /// Returns the credentials of the command line, or of the docker config file.
    ///
    /// # Errors
    ///
    /// [`codes::UNREADABLE_INPUT`] for a file or a helper that cannot be read, [`codes::WRONG_USAGE`] for a name that cannot
    /// be sent.
    pub(crate) fn find(sign_in: Option<&SignIn>, docker_config_name: &str) -> Result<Self, Error> {
        let Some(SignIn { username: user, password: from }) = sign_in else {
            return from_docker_config(docker_config_name);
        };
        if user.contains(':') {
            // A colon ends the name in the header.
            let message = format!("`--username`: unexpected colon in `{user}`");
            return Err(Error::new(codes::WRONG_USAGE, message));
        }
        let password = match from {
            Password::File(path) => File::open(path)
                .and_then(password)
                .map_err(|error| unreadable(&format!("`{}`", path.display()), error))?,
            Password::StandardInput => {
                password(io::stdin()).map_err(|error| unreadable("standard input", error))?
            }
        };
        Ok(Self::Password { user: user.clone(), password })
    }

    /// Returns the texts that no message may contain.
    pub(crate) fn secrets(&self) -> Option<&str> {
        match self {
            Self::Anonymous => None,
            Self::Password { password: secret, .. } | Self::Identity(secret) => Some(secret),
        }
    }
}

/// Reads a password, without the end of its line.
fn password(from: impl Read) -> io::Result<String> {
    let mut text = String::new();
    from.take(PASSWORD_BYTES).read_to_string(&mut text)?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    match text.is_empty() {
        true => Err(io::Error::other("it has no password")),
        false => Ok(text.to_owned()),
    }
}

fn unreadable(what: &str, error: io::Error) -> Error {
    let message = format!("cannot read {what}: {}", io_reason(&error));
    Error::new(codes::UNREADABLE_INPUT, message).with_source(error)
}

/// Returns `$DOCKER_CONFIG/config.json`, or `~/.docker/config.json`.
fn config_file() -> Option<PathBuf> {
    let home = || Some(Path::new(&env::var_os("HOME").filter(|home| !home.is_empty())?).join(".docker"));
    let folder = env::var_os("DOCKER_CONFIG").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    Some(folder.or_else(home)?.join("config.json"))
}

/// Returns the credentials of the docker config file, or of its helper, for a registry.
fn from_docker_config(docker_config_name: &str) -> Result<Credentials, Error> {
    let Some(path) = config_file() else { return Ok(Credentials::Anonymous) };
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Credentials::Anonymous),
        Err(error) => return Err(unreadable(&format!("`{}`", path.display()), error)),
    };
    use CredentialRetrievalError as Reason;
    let reason = match get_credential_from_reader(file.take(CONFIG_BYTES), docker_config_name) {
        Ok(DockerCredential::UsernamePassword(user, password)) => {
            return Ok(Credentials::Password { user, password });
        }
        Ok(DockerCredential::IdentityToken(token)) => return Ok(Credentials::Identity(token)),
        Err(Reason::NoCredentialConfigured | Reason::ConfigNotFound) => return Ok(Credentials::Anonymous),
        // Helpers without credentials for the registry fail with this text.
        Err(Reason::HelperFailure { stdout, .. }) if stdout.contains("credentials not found") => {
            return Ok(Credentials::Anonymous);
        }
        // The error does not quote the output, which may contain a secret.
        Err(Reason::HelperFailure { helper, .. }) => format!("its helper `{helper}` fails"),
        Err(Reason::HelperCommunicationError) => "its helper cannot be run".to_owned(),
        Err(Reason::MalformedHelperResponse) => "its helper returns an invalid answer".to_owned(),
        Err(Reason::ConfigReadError) => "not a docker config file".to_owned(),
        Err(Reason::CredentialDecodingError | Reason::CredentialMismatchError) => {
            format!("its entry for `{docker_config_name}` is invalid")
        }
    };
    let message = format!("`{}`: {reason}; to ignore the file, pass `--username`", path.display());
    Err(Error::new(codes::UNREADABLE_INPUT, message))
}
