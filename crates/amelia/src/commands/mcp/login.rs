//! `amelia mcp login` and `logout`: a person signs in to a server in a browser, which comes back to this command.

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::time::Duration;

use amelia_host::mcp_servers::McpServers;
use amelia_host::mcp_servers::signing_in::{SignInOptions, refused};
use anyhow::{Context as _, Result};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::cli::{Global, McpLoginArgs};
use crate::cli_error::{CliError, Exit};
use crate::commands::dashboard::open;
use crate::ui::{self, say};

/// How long a person may take.
const SIGN_IN_TIMEOUT: Duration = Duration::from_mins(10);
/// More than any address that a browser comes back to.
const LONGEST: usize = 16 * 1024;

pub(super) async fn login(servers: &McpServers, args: &McpLoginArgs, global: &Global) -> Result<ExitCode> {
    let listener = TcpListener::bind(("127.0.0.1", args.port)).await;
    let listener = listener.with_context(|| format!("port {} cannot be used", args.port))?;
    let redirect = format!("http://127.0.0.1:{}/callback", listener.local_addr()?.port());
    let options = SignInOptions { client_id: args.client_id.clone(), scopes: args.scopes.clone() };
    let sign_in = servers.sign_in(&args.server, &redirect, options).await?;
    show(sign_in.address(), args.print, global);
    let came_back = tokio::select! {
        came_back = redirected(&listener, &redirect) => came_back?,
        pasted = pasted(&redirect, global) => pasted,
        () = tokio::time::sleep(SIGN_IN_TIMEOUT) => {
            let minutes = SIGN_IN_TIMEOUT.as_secs() / 60;
            return Err(CliError::new(Exit::Failed, format!("no sign-in within {minutes} minutes")).into());
        }
    };
    sign_in.complete(&came_back).await.map_err(refused)?;
    if global.json {
        anstream::println!("{}", json!({"server": args.server, "signed_in": true}));
    } else {
        say!("signed in to {}", args.server);
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn logout(servers: &McpServers, name: &str, global: &Global) -> Result<ExitCode> {
    let was_signed_in = servers.sign_out(name)?;
    if global.json {
        anstream::println!("{}", json!({"server": name, "signed_in": false}));
    } else if was_signed_in {
        say!("signed out of {name}; its token is deleted");
    } else {
        say!("you were not signed in to {name}");
    }
    Ok(ExitCode::SUCCESS)
}

/// The address goes to standard error: standard output is for the result.
fn show(address: &str, only_print: bool, global: &Global) {
    let is_opened = !only_print && !global.json && open(address);
    if is_opened {
        say!("your browser opens; this command waits until you have signed in");
        return;
    }
    anstream::eprintln!("{}", ui::dim("open this link in a browser and sign in:"));
    anstream::eprintln!("{address}");
    if std::io::stdin().is_terminal() && !global.json {
        let elsewhere =
            "if the browser is on another computer, the last page does not load: paste its address here";
        anstream::eprintln!("{}", ui::dim(elsewhere));
    }
}

/// Waits for the browser. Other requests (icons, curious programs) are answered and passed over.
async fn redirected(listener: &TcpListener, redirect: &str) -> Result<String> {
    loop {
        let (mut stream, _) = listener.accept().await?;
        let Ok(Some(target)) = tokio::time::timeout(Duration::from_secs(5), target(&mut stream)).await else {
            continue;
        };
        let is_callback = target.starts_with("/callback?");
        let (status, text) = match is_callback {
            true => ("200 OK", "Amelia has your answer. You can close this page."),
            false => ("404 Not Found", "Not here."),
        };
        let length = text.len();
        let answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}"
        );
        stream.write_all(answer.as_bytes()).await.ok();
        if is_callback {
            return Ok(whole(redirect, &target));
        }
    }
}

/// The path and query of a request.
async fn target(stream: &mut TcpStream) -> Option<String> {
    let mut read = Vec::new();
    while !read.windows(4).any(|end| end == b"\r\n\r\n") && read.len() < LONGEST {
        if stream.read_buf(&mut read).await.ok()? == 0 {
            return None;
        }
    }
    let text = String::from_utf8(read).ok()?;
    let mut words = text.lines().next()?.split(' ');
    (words.next() == Some("GET")).then(|| words.next().map(str::to_owned)).flatten()
}

/// Waits for a person who pastes an address; for ever where none can.
async fn pasted(redirect: &str, global: &Global) -> String {
    let (send, pasted) = oneshot::channel();
    if std::io::stdin().is_terminal() && !global.json {
        // A thread of its own: nothing waits for it when the browser comes first.
        std::thread::spawn(move || {
            let lines = std::io::stdin().lines().map_while(Result::ok);
            let address = lines.map(|line| line.trim().to_owned()).find(|line| line.contains("?"));
            address.map(|address| send.send(address))
        });
    }
    match pasted.await {
        Ok(address) => whole(redirect, &address),
        Err(_) => std::future::pending().await,
    }
}

/// The address that a browser was sent to, from any part of it that was pasted.
fn whole(redirect: &str, pasted: &str) -> String {
    let query = pasted.split_once('?').map_or("", |(_, query)| query);
    format!("{redirect}?{query}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_browser_that_comes_back_is_heard() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = tokio::spawn(async move {
            let mut answers = Vec::new();
            for request in [
                "GET /favicon.ico HTTP/1.1\r\n\r\n",
                "POST /callback?code=x HTTP/1.1\r\n\r\n",
                "GET /callback?code=c&state=s HTTP/1.1\r\nHost: x\r\n\r\n",
            ] {
                let mut stream = TcpStream::connect(address).await.unwrap();
                stream.write_all(request.as_bytes()).await.unwrap();
                let mut answer = String::new();
                stream.read_to_string(&mut answer).await.ok();
                answers.push(answer.split(' ').nth(1).unwrap_or_default().to_owned());
            }
            answers
        });
        let came_back = redirected(&listener, "http://127.0.0.1:1/callback").await.unwrap();
        assert_eq!(came_back, "http://127.0.0.1:1/callback?code=c&state=s");
        assert_eq!(asked.await.unwrap(), ["404", "", "200"]);
    }

    #[test]
    fn what_was_pasted_is_made_whole() {
        let pasted = "http://127.0.0.1:9/callback?code=c&state=s";
        assert_eq!(whole("http://127.0.0.1:9/callback", pasted), pasted);
        assert_eq!(whole("http://127.0.0.1:9/callback", "?code=c&state=s"), pasted);
    }
}
