//! Who listens where a server was to listen: another Amelia, or another program.

use std::time::Duration;

use amelia_wire::rest::health::Health;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A neighbour that has not answered by then is some other program.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);
/// More than any answer of ours to this question.
const LONGEST: u64 = 16 * 1024;

/// In words for a person; nothing when no server can be reached.
pub(super) async fn who(host: &str, port: u16) -> Option<String> {
    // Who listens everywhere is asked here.
    let host = match host {
        "0.0.0.0" => "127.0.0.1",
        "::" | "[::]" => "::1",
        other => other,
    };
    let answer = tokio::time::timeout(PROBE_TIMEOUT, ask(host, port)).await;
    Some(match answer {
        Ok(Ok(answer)) => described(&answer),
        Ok(Err(_)) => return None,
        Err(_) => OTHER.to_owned(),
    })
}

const OTHER: &str = "another program listens there";

async fn ask(host: &str, port: u16) -> std::io::Result<String> {
    let mut stream = TcpStream::connect((host, port)).await?;
    let question = format!("GET /health HTTP/1.0\r\nhost: {host}:{port}\r\n\r\n");
    stream.write_all(question.as_bytes()).await?;
    let mut answer = Vec::new();
    // A server that breaks off has said what it had to say.
    stream.take(LONGEST).read_to_end(&mut answer).await.ok();
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

fn described(answer: &str) -> String {
    let body = answer.split_once("\r\n\r\n").map(|(_, body)| body).unwrap_or_default();
    match serde_json::from_str::<Health>(body) {
        Ok(health) => format!(
            "an Amelia server (version {}, process {}) already listens there",
            health.version, health.process_id
        ),
        Err(_) => OTHER.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_health_of_ours_is_a_server_of_ours() {
        let ours = "HTTP/1.0 200 OK\r\n\r\n{\"status\":\"ok\",\"version\":\"1.2.3\",\"process_id\":7,\
            \"uptime_seconds\":1,\"active_workflows\":0,\"queued_workflows\":0}";
        assert_eq!(described(ours), "an Amelia server (version 1.2.3, process 7) already listens there");
        for other in
            ["", "SSH-2.0-x\r\n", "HTTP/1.1 200 OK\r\n\r\n{\"status\":\"ok\"}", "HTTP/1.1 404 x\r\n\r\n"]
        {
            assert_eq!(described(other), OTHER);
        }
    }
}
