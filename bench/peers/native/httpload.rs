//! A closed-loop HTTP/1.1 load generator with one blocking thread per connection.
//! Standard library only: `setup.sh` compiles it.
//!
//!   httpload --port 4000 --path /v1/chat/completions --conc 16 --n 2000 --warm 100 \
//!            [--model fake] [--stream] [--auth sk-x] [--get] [--pid SERVERPID] [--tag t]
//!
//! Prints one JSON line: requests/s, latency percentiles (request sent -> last byte), for
//! streams also time to first body byte and the events seen; with --pid, the CPU time the
//! server process (all threads) spent per request, which is steady even on a busy machine.
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Instant;

fn sarg(name: &str) -> Option<String> {
    let a: Vec<String> = std::env::args().collect();
    a.iter().position(|x| x == name).and_then(|i| a.get(i + 1).cloned())
}
fn narg(name: &str, d: u64) -> u64 { sarg(name).and_then(|v| v.parse().ok()).unwrap_or(d) }
fn flag(name: &str) -> bool { std::env::args().any(|a| a == name) }
fn find(h: &[u8], n: &[u8], from: usize) -> Option<usize> {
    if h.len() < from { return None; }
    h[from..].windows(n.len()).position(|w| w == n).map(|p| p + from)
}

struct Conn { addr: std::net::SocketAddr, s: TcpStream, buf: Vec<u8>, tmp: Vec<u8> }
struct Res { status: u16, ttfb_ns: u64, total_ns: u64, events: usize, bytes: usize }

impl Conn {
    fn fill(&mut self) -> std::io::Result<()> {
        let n = self.s.read(&mut self.tmp)?;
        if n == 0 { return Err(std::io::Error::new(std::io::ErrorKind::UnexpectedEof, "closed")); }
        self.buf.extend_from_slice(&self.tmp[..n]);
        Ok(())
    }
    /// One request; a kept-alive connection that the server closed while it was idle (no byte of
    /// the answer seen) is opened anew and the request sent once more, as any HTTP client does.
    fn call(&mut self, req: &[u8]) -> std::io::Result<Res> {
        match self.once(req) {
            Err(_) if self.buf.is_empty() => {
                self.s = TcpStream::connect(self.addr)?;
                self.s.set_nodelay(true)?;
                self.once(req)
            }
            r => r,
        }
    }
    fn once(&mut self, req: &[u8]) -> std::io::Result<Res> {
        self.buf.clear();
        let t0 = Instant::now();
        self.s.write_all(req)?;
        let hdr = loop {
            if let Some(p) = find(&self.buf, b"\r\n\r\n", 0) { break p + 4; }
            self.fill()?;
        };
        let head = String::from_utf8_lossy(&self.buf[..hdr]).to_ascii_lowercase();
        let status: u16 = head.get(9..12).and_then(|x| x.parse().ok()).unwrap_or(0);
        let mut ttfb = 0u64;
        let mut events = 0usize;
        let mut bytes = 0usize;
        let mut tail: Vec<u8> = Vec::new(); // an event's first bytes may be split over two chunks
        if head.contains("transfer-encoding: chunked") {
            let mut pos = hdr;
            loop {
                let eol = loop {
                    if let Some(p) = find(&self.buf, b"\r\n", pos) { break p; }
                    self.fill()?;
                };
                let line = std::str::from_utf8(&self.buf[pos..eol]).unwrap_or("0").split(';').next().unwrap().trim().to_string();
                let len = usize::from_str_radix(&line, 16).unwrap_or(0);
                while self.buf.len() < eol + 2 + len + 2 { self.fill()?; }
                if ttfb == 0 { ttfb = t0.elapsed().as_nanos() as u64; }
                if len == 0 { break; }
                let data = &self.buf[eol + 2..eol + 2 + len];
                bytes += len;
                tail.extend_from_slice(data);
                events += tail.windows(6).filter(|w| w == b"data: ").count();
                let keep = tail.len().min(5);
                tail.drain(..tail.len() - keep);
                pos = eol + 2 + len + 2;
                if pos > 1 << 20 { self.buf.drain(..pos); pos = 0; }
            }
        } else {
            let len: usize = head.lines().find_map(|l| l.strip_prefix("content-length:")).and_then(|v| v.trim().parse().ok()).unwrap_or(0);
            while self.buf.len() < hdr + len { self.fill()?; }
            bytes = len;
            ttfb = t0.elapsed().as_nanos() as u64;
        }
        Ok(Res { status, ttfb_ns: ttfb, total_ns: t0.elapsed().as_nanos() as u64, events, bytes })
    }
}

fn pct(v: &[u64], q: f64) -> f64 {
    if v.is_empty() { return 0.0; }
    v[(((q / 100.0) * v.len() as f64) as usize).min(v.len() - 1)] as f64 / 1e6
}
/// utime+stime of a process and its direct and indirect children, in seconds.
fn cpu_s(root: u64) -> f64 {
    let mut kids: Vec<(u64, u64, f64)> = vec![];
    for e in std::fs::read_dir("/proc").unwrap().flatten() {
        if let Ok(pid) = e.file_name().to_string_lossy().parse::<u64>() {
            if let Ok(st) = std::fs::read_to_string(format!("/proc/{pid}/stat")) {
                if let Some(p) = st.rfind(')') {
                    let f: Vec<&str> = st[p + 2..].split(' ').collect();
                    let t: f64 = f[11].parse::<f64>().unwrap_or(0.0) + f[12].parse::<f64>().unwrap_or(0.0);
                    kids.push((pid, f[1].parse().unwrap_or(0), t / 100.0));
                }
            }
        }
    }
    let mut todo = vec![root];
    let mut sum = 0.0;
    while let Some(p) = todo.pop() {
        for k in &kids {
            if k.0 == p { sum += k.2; }
            if k.1 == p { todo.push(k.0); }
        }
    }
    sum
}

/// The same bytes for every call.
fn request(port: u16, stream: bool) -> Vec<u8> {
    let path = sarg("--path").unwrap_or("/v1/chat/completions".into());
    let model = sarg("--model").unwrap_or("fake".into());
    let pad = "x".repeat(narg("--pad", 0) as usize);
    let body = format!("{{\"model\":\"{model}\",\"messages\":[{{\"role\":\"user\",\"content\":\"hello there {pad}\"}}]{}}}", if stream { ",\"stream\":true" } else { "" });
    let mut extra = String::new();
    if let Some(a) = sarg("--auth") { extra += &format!("authorization: Bearer {a}\r\n"); }
    if let Some(a) = sarg("--header") { extra += &format!("{a}\r\n"); }
    if flag("--get") {
        format!("GET {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n{extra}\r\n")
    } else {
        format!("POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{extra}\r\n{body}", body.len())
    }.into_bytes()
}

fn main() {
    let port = narg("--port", 80) as u16;
    let conc = narg("--conc", 1) as usize;
    let n = narg("--n", 1000);
    let warm = narg("--warm", 50);
    let stream = flag("--stream");
    let req = request(port, stream);
    let open = |_: usize| {
        let s = TcpStream::connect(("127.0.0.1", port)).expect("connect");
        s.set_nodelay(true).unwrap();
        Conn { addr: s.peer_addr().unwrap(), s, buf: Vec::with_capacity(1 << 16), tmp: vec![0; 1 << 16] }
    };
    // warm-up on every connection, then all start together
    let req = Arc::new(req);
    let left = Arc::new(AtomicU64::new(n));
    let bar = Arc::new(Barrier::new(conc + 1));
    let hs: Vec<_> = (0..conc).map(|i| {
        let (req, left, bar) = (req.clone(), left.clone(), bar.clone());
        let mut c = open(i);
        let w = (warm as usize / conc).max(1);
        std::thread::spawn(move || {
            let mut out: Vec<Res> = vec![];
            let mut err = 0u64;
            for _ in 0..w { if c.call(&req).is_err() { err += 1; } }
            bar.wait();
            bar.wait();
            loop {
                if left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |x| x.checked_sub(1)).is_err() { break; }
                match c.call(&req) {
                    Ok(r) => out.push(r),
                    Err(_) => { err += 1; if let Ok(s) = TcpStream::connect(("127.0.0.1", port)) { let _ = s.set_nodelay(true); c.s = s; } }
                }
            }
            (out, err)
        })
    }).collect();
    bar.wait();
    let pid = narg("--pid", 0);
    let c0 = if pid > 0 { cpu_s(pid) } else { 0.0 };
    let t0 = Instant::now();
    bar.wait();
    let mut all: Vec<Res> = vec![];
    let mut errs = 0;
    for h in hs { let (o, e) = h.join().unwrap(); all.extend(o); errs += e; }
    let wall = t0.elapsed().as_secs_f64();
    let cpu = if pid > 0 { cpu_s(pid) - c0 } else { 0.0 };
    let bad = all.iter().filter(|r| r.status != 200).count();
    let mut lat: Vec<u64> = all.iter().map(|r| r.total_ns).collect();
    let mut tt: Vec<u64> = all.iter().map(|r| r.ttfb_ns).collect();
    lat.sort(); tt.sort();
    let ev: usize = all.iter().map(|r| r.events).sum();
    let by: usize = all.iter().map(|r| r.bytes).sum();
    let k = all.len().max(1) as f64;
    println!("{{\"bench\":\"http\",\"tag\":\"{}\",\"conc\":{conc},\"n\":{},\"stream\":{stream},\"errors\":{errs},\"non200\":{bad},\"req_s\":{:.1},\"lat_ms\":{{\"min\":{:.3},\"p10\":{:.3},\"p50\":{:.3},\"p90\":{:.3},\"p99\":{:.3}}},\"ttfb_ms\":{{\"p10\":{:.3},\"p50\":{:.3},\"p99\":{:.3}}},\"events_per_req\":{:.1},\"events_s\":{:.0},\"bytes_per_req\":{:.0},\"server_cpu_us_per_req\":{:.1},\"wall_s\":{:.3}}}",
        sarg("--tag").unwrap_or_default(), all.len(), k / wall, pct(&lat, 0.0), pct(&lat, 10.0), pct(&lat, 50.0), pct(&lat, 90.0), pct(&lat, 99.0),
        pct(&tt, 10.0), pct(&tt, 50.0), pct(&tt, 99.0), ev as f64 / k, ev as f64 / wall, by as f64 / k, 1e6 * cpu / k, wall);
}
