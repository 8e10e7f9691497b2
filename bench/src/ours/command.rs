//! The command itself, as a person starts it: how long `--help` takes, and how long `amelia do` takes until its first
//! request has reached the model, in a small repository and a home that has been used before.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{CaseArgs, process, repository};

/// The first start is not counted: what it leaves is warm for the others.
const WARM_UP: usize = 2;
/// The whole answer of a model that has nothing to do.
const ANSWER: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n\
    data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"done\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let amelia = program()?;
    let checkout = args.dir.join("checkout");
    repository::make(&checkout, 10)?;
    let (mut helps, mut dos, mut rss_kib) = (Vec::new(), Vec::new(), 0);
    for round in 0..args.rounds + WARM_UP {
        let help = help(&amelia)?;
        // Another task each time, as people have: the branch is named after it.
        let task = format!("look around {round}");
        let (took, rss) = first_request(&amelia, &task, &checkout, &args.dir.join("home"))?;
        if round >= WARM_UP {
            helps.push(help);
            dos.push(took);
            rss_kib = rss_kib.max(rss);
        }
    }
    let rss_mb = f64::from(u32::try_from(rss_kib)?) * 1024.0 / 1e6;
    Ok(json!({ "help_ms": median(helps)?, "do_ms": median(dos)?, "do_rss_mb": rss_mb }))
}

/// Built beside this program.
fn program() -> Result<PathBuf> {
    let amelia = std::env::current_exe().context("while looking for this program")?.with_file_name("amelia");
    ensure!(amelia.is_file(), "{} is not built", amelia.display());
    Ok(amelia)
}

/// Milliseconds from start to end.
fn help(amelia: &Path) -> Result<f64> {
    let start = Instant::now();
    let output = Command::new(amelia).arg("--help").output()?;
    let took = start.elapsed();
    ensure!(output.status.success() && !output.stdout.is_empty(), "--help failed");
    Ok(1e3 * took.as_secs_f64())
}

/// Milliseconds until a request is here, and the most memory that the command has held by then.
fn first_request(amelia: &Path, task: &str, checkout: &Path, home: &Path) -> Result<(f64, u64)> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let url = format!("http://{}/v1", listener.local_addr()?);
    let start = Instant::now();
    let child = Command::new(amelia)
        .args(["do", task, "--model", "scripted", "--quiet", "--base-url", &url, "--home"])
        .arg(home)
        .current_dir(checkout)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (mut stream, _) = listener.accept()?;
    read_request(&mut stream)?;
    let took = start.elapsed();
    let rss = process::peak_resident_kib_of(&child.id().to_string())?;
    stream.write_all(ANSWER.as_bytes())?;
    drop(stream);
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
    Ok((1e3 * took.as_secs_f64(), rss))
}

/// To the end of its head and as much of its body as comes with it: then it has arrived.
fn read_request(stream: &mut TcpStream) -> Result<()> {
    let mut request: Vec<u8> = Vec::new();
    let mut piece = [0_u8; 65_536];
    while !request.windows(4).any(|window| window == b"\r\n\r\n") {
        let read = stream.read(&mut piece)?;
        ensure!(read > 0, "the command hung up");
        request.extend(piece.iter().take(read));
    }
    Ok(())
}

fn median(mut times: Vec<f64>) -> Result<f64> {
    times.sort_unstable_by(f64::total_cmp);
    times.get(times.len() / 2).copied().context("no rounds")
}
