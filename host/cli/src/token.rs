//! The verb `token`.

use std::{
    fs::OpenOptions,
    io::{self, Write},
    path::Path,
};

use adjudicate_host::Token;
use jiff::Timestamp;
use serde::Serialize;

use crate::{
    args::{TokenAction, TokenVerb},
    exit::Exit,
    failure::Failure,
    layout, output, store,
    table::{BOLD, DIM, Line, PLAIN, Page, moment},
};

#[derive(Serialize)]
struct Tokens<'a> {
    tokens: &'a [Token],
}

pub(crate) fn run(args: &TokenVerb) -> Result<Exit, Failure> {
    let now = Timestamp::now();
    match &args.action {
        TokenAction::Create { role, name, expires, token_file, place } => {
            let store = store::open(place)?;
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
            let tokens = store::open(place)?.tokens()?;
            let json = layout::json(&Tokens { tokens: &tokens });
            output::answer(&json, printed.format, printed.color, || Ok(page(&tokens, now)))?;
        }
        TokenAction::Revoke { token, place } => {
            let revoked = store::open(place)?.revoke_token(token, now.as_millisecond())?;
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
