//! The command `token`.

use std::{
    fs::OpenOptions,
    io::{self, Write},
    path::{Path, PathBuf},
};

use adjudicate_host::{Role, Token};
use clap::{Args, Subcommand, ValueEnum};
use jiff::Timestamp;
use serde::Serialize;

use crate::{
    exit::{self, Exit},
    failure::Failure,
    layout,
    options::{self, Printed},
    output,
    place::{self, StorePlace},
    table::{BOLD, DIM, Line, PLAIN, Page, moment},
};

/// Create, list and revoke tokens of the server.
#[derive(Debug, Args)]
#[command(after_help = exit::TOKEN_HELP)]
pub(crate) struct TokenVerb {
    #[command(subcommand)]
    action: TokenAction,
}

/// A command on tokens.
#[derive(Debug, Subcommand)]
enum TokenAction {
    /// Create a token. It is shown once: the store keeps only its hash
    #[command(after_help = exit::TOKEN_HELP)]
    Create {
        /// The role of the token
        #[arg(long, value_enum)]
        role: TokenRole,
        /// The name of the token
        #[arg(long, value_name = "NAME")]
        name: String,
        /// The time at which it expires, such as 2027-01-31T12:00:00Z
        #[arg(long, value_name = "TIME", value_parser = options::moment)]
        expires: Option<Timestamp>,
        /// Write the token to this new file, which only its owner may read, instead of printing it
        #[arg(long, value_name = "FILE")]
        token_file: Option<PathBuf>,
        #[command(flatten)]
        place: StorePlace,
    },
    /// List the tokens, also those that are no longer valid
    #[command(after_help = exit::TOKEN_HELP)]
    List {
        #[command(flatten)]
        place: StorePlace,
        #[command(flatten)]
        printed: Printed,
    },
    /// Revoke a token
    #[command(after_help = exit::TOKEN_HELP)]
    Revoke {
        /// The token's id or name
        #[arg(value_name = "TOKEN")]
        token: String,
        #[command(flatten)]
        place: StorePlace,
    },
}

/// The role of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TokenRole {
    /// Calls: every operation, of the built-in engine and of slots
    Evaluate,
    /// Calls, and changes of modules, slots and trust
    Admin,
}

impl From<TokenRole> for Role {
    fn from(role: TokenRole) -> Self {
        match role {
            TokenRole::Evaluate => Self::Evaluate,
            TokenRole::Admin => Self::Admin,
        }
    }
}

#[derive(Serialize)]
struct Tokens<'a> {
    tokens: &'a [Token],
}

pub(crate) fn run(args: &TokenVerb) -> Result<Exit, Failure> {
    let now = Timestamp::now();
    match &args.action {
        TokenAction::Create { role, name, expires, token_file, place } => {
            let store = place::open(place)?;
            let ends = expires.map(Timestamp::as_millisecond);
            let (token, text) = store.create_token(name, (*role).into(), ends, now.as_millisecond())?;
            let told = match token_file {
                None => output::line(&text),
                Some(path) => write(path, &text).map_err(|error| output::unwritable(path, &error).into()),
            };
            if let Err(failure) = told {
                // Nobody has it, so it is nobody's.
                store.revoke_token(&token.id, now.as_millisecond())?;
                return Err(failure);
            }
            if token_file.is_some() {
                output::line(&layout::json(&token))?;
            }
        }
        TokenAction::List { place, printed } => {
            let tokens = place::open(place)?.tokens()?;
            printed.print(&Tokens { tokens: &tokens }, |_| page(&tokens, now))?;
        }
        TokenAction::Revoke { token, place } => {
            let revoked = place::open(place)?.revoke_token(token, now.as_millisecond())?;
            output::line(&layout::json(&revoked))?;
        }
    }
    Ok(Exit::Answered)
}

/// Writes a token to a file that was not there before, for its owner alone.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    writeln!(file, "{text}")?;
    file.sync_all()
}

fn page(tokens: &[Token], now: Timestamp) -> Page {
    let mut page = Page::default();
    if tokens.is_empty() {
        page.push(Line::at(0).text("no tokens", DIM));
    }
    for token in tokens {
        let state = match (token.revoked_at, token.expires_at) {
            (Some(at), _) => format!("revoked {}", moment(at)),
            (None, Some(at)) if token.is_valid(now.as_millisecond()) => format!("until {}", moment(at)),
            (None, Some(at)) => format!("expired {}", moment(at)),
            (None, None) => "valid".to_owned(),
        };
        let line = Line::at(0).text(&token.name, BOLD).text(token.role.as_str(), PLAIN);
        page.push(line.text(&token.id, DIM).text(&state, PLAIN));
    }
    page
}
