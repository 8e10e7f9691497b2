//! `amelia token`: what signs people and programs in at the server of this home.

use std::process::ExitCode;

use amelia_core::config::secret::Secret;
use amelia_host::home::Home;
use amelia_host::presence::{renew_token, token};
use amelia_wire::rest::health::NewToken;
use anyhow::Result;
use serde_json::json;

use crate::cli::{Global, TokenCommand};
use crate::reach;

pub(super) async fn run(args: &TokenCommand, home: &Home, global: &Global) -> Result<ExitCode> {
    let token = match args {
        TokenCommand::Show => match reach::running(home, global)? {
            Some(client) if global.server.is_some() => client.token(),
            Some(_) | None => token(home)?,
        },
        TokenCommand::Rotate => rotate(home, global).await?,
    };
    match global.json {
        true => anstream::println!("{}", json!({"token": token.reveal()})),
        false => anstream::println!("{}", token.reveal()),
    }
    Ok(ExitCode::SUCCESS)
}

/// By the server, when one is there: it must forget the old one at once.
async fn rotate(home: &Home, global: &Global) -> Result<Secret> {
    match reach::running(home, global)? {
        Some(client) => {
            let NewToken { token } = client.post("/session/rotate", &json!({})).await?;
            Ok(Secret::new(token))
        }
        None => {
            home.make()?;
            renew_token(home)
        }
    }
}
