//! A fake OpenAI-compatible upstream: `POST <any path>` answers a fixed chat completion,
//! or, when the body asks for `"stream": true`, an SSE stream of `--chunks` deltas.
//! Standard library only: `setup.sh` compiles it.
//!
//!   upstream --chunks 200 --delay-us 0 --latency-us 0 [--cork]
//!
//! Prints its port, which is any that is free.
//! One thread per connection, keep-alive, TCP_NODELAY. `--delay-us` sleeps between chunks
//! (a model that generates), `--latency-us` before the first byte (a model that thinks).
//! By default each SSE event is its own write(2) and its own HTTP chunk, as real upstreams
//! do it; `--cork` sends the whole stream in one write (the cheapest upstream possible).
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::sleep;
use std::time::Duration;

#[derive(Clone)]
struct Cfg { chunks: usize, delay: u64, latency: u64, cork: bool }

fn arg(name: &str, default: u64) -> u64 {
    let a: Vec<String> = std::env::args().collect();
    a.iter().position(|x| x == name).and_then(|i| a.get(i + 1)).and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn find(h: &[u8], n: &[u8]) -> Option<usize> { h.windows(n.len()).position(|w| w == n) }

fn event(i: usize) -> String {
    format!("data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"fake\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"tok{i} \"}},\"finish_reason\":null}}]}}\n\n")
}
fn last() -> String {
    "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"fake\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n".into()
}
fn chunk(s: &str) -> Vec<u8> { format!("{:x}\r\n{}\r\n", s.len(), s).into_bytes() }

fn serve(mut s: TcpStream, cfg: Cfg) -> std::io::Result<()> {
    s.set_nodelay(true)?;
    let body = "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion\",\"created\":1700000000,\"model\":\"fake\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Hello from the fake upstream, this is a short answer of ordinary length.\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":16,\"total_tokens\":26}}";
    let plain = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{}", body.len(), body).into_bytes();
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    let mut parts: Vec<Vec<u8>> = (0..cfg.chunks).map(|i| chunk(&event(i))).collect();
    parts.push(chunk(&last()));
    // Told when it is asked for, as real ones do.
    let usage = "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"fake\",\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":200,\"total_tokens\":210}}\n\n";
    parts.push(chunk(usage));
    let mut end = chunk("data: [DONE]\n\n");
    end.extend_from_slice(b"0\r\n\r\n");
    parts.push(end);
    let mut all = head.clone();
    for p in &parts { all.extend_from_slice(p); }

    let mut buf: Vec<u8> = Vec::with_capacity(65536);
    let mut tmp = [0u8; 65536];
    loop {
        let hdr = loop {
            if let Some(p) = find(&buf, b"\r\n\r\n") { break p + 4; }
            let n = s.read(&mut tmp)?;
            if n == 0 { return Ok(()); }
            buf.extend_from_slice(&tmp[..n]);
        };
        let low = String::from_utf8_lossy(&buf[..hdr]).to_ascii_lowercase();
        let len: usize = low.lines().find_map(|l| l.strip_prefix("content-length:")).and_then(|v| v.trim().parse().ok()).unwrap_or(0);
        if low.contains("expect: 100-continue") { s.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?; }
        while buf.len() < hdr + len {
            let n = s.read(&mut tmp)?;
            if n == 0 { return Ok(()); }
            buf.extend_from_slice(&tmp[..n]);
        }
        let req = &buf[hdr..hdr + len];
        let stream = find(req, b"\"stream\":true").is_some() || find(req, b"\"stream\": true").is_some();
        buf.drain(..hdr + len);
        if cfg.latency > 0 { sleep(Duration::from_micros(cfg.latency)); }
        if !stream {
            s.write_all(&plain)?;
        } else if cfg.cork {
            s.write_all(&all)?;
        } else {
            s.write_all(&head)?;
            for p in &parts {
                s.write_all(p)?;
                if cfg.delay > 0 { sleep(Duration::from_micros(cfg.delay)); }
            }
        }
    }
}

fn main() {
    let cfg = Cfg { chunks: arg("--chunks", 200) as usize, delay: arg("--delay-us", 0), latency: arg("--latency-us", 0),
        cork: std::env::args().any(|a| a == "--cork") };
    let l = TcpListener::bind(("127.0.0.1", 0)).expect("bind");
    println!("{}", l.local_addr().expect("address").port());
    for c in l.incoming().flatten() {
        let cfg = cfg.clone();
        let _ = std::thread::Builder::new().stack_size(256 * 1024).spawn(move || { let _ = serve(c, cfg); });
    }
}
