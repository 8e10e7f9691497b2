//! A server with a script, and requests to it.

use amelia_scripted::{Script, ScriptedServer, serve};
use reqwest::Response;
use serde_json::{Value, json};

pub(crate) const PATHS: [&str; 3] = ["/v1/chat/completions", "/v1/responses", "/v1/messages"];

pub(crate) async fn play(script: &str) -> ScriptedServer {
    let script = Script::parse(script).unwrap_or_else(|error| panic!("{error}"));
    serve(script, ([127, 0, 0, 1], 0).into()).await.unwrap()
}

pub(crate) async fn post(server: &ScriptedServer, path: &str, body: &Value) -> Response {
    post_bytes(server, path, body.to_string().into_bytes()).await
}

pub(crate) async fn post_bytes(server: &ScriptedServer, path: &str, body: Vec<u8>) -> Response {
    let client = plain();
    client.post(format!("{}{path}", server.url())).body(body).send().await.unwrap()
}

/// The same question for each of the three APIs.
pub(crate) fn ask(path: &str, text: &str, stream: bool) -> Value {
    let said = json!([{"role": "user", "content": text}]);
    let mut body = json!({"model": "m", "stream": stream});
    body["messages"] = said.clone();
    match path {
        "/v1/responses" => {
            body = json!({"model": "m", "stream": stream, "input": said});
            body["include"] = json!(["reasoning.encrypted_content"]);
        }
        "/v1/messages" => body["max_tokens"] = json!(100),
        _ => body["stream_options"] = json!({"include_usage": true}),
    }
    body
}

/// A client for this machine only. Built beside a crate that speaks TLS, it wants a provider of cryptography too.
pub(crate) fn plain() -> reqwest::Client {
    // A second install is fine: somebody else was first.
    rustls::crypto::aws_lc_rs::default_provider().install_default().ok();
    reqwest::Client::builder().no_proxy().build().unwrap()
}
