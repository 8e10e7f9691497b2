use super::*;

/// Has one tool, which reports what it is called with, and one thing to read.
struct Sample;

#[async_trait]
impl McpProvider for Sample {
    fn instructions(&self) -> &str {
        "use it"
    }

    fn tools(&self) -> Vec<Value> {
        vec![json!({"name": "echo", "inputSchema": {"type": "object"}})]
    }

    async fn call(&self, tool: &str, args: Object, progress: &ProgressReporter) -> Option<CallAnswer> {
        progress.report("halfway");
        progress.report("nearly");
        (tool == "echo").then(|| CallAnswer {
            text: "said".to_owned(),
            structured: Some(args.into()),
            is_error: false,
        })
    }

    async fn resources(&self) -> Result<Vec<Value>, String> {
        Err("the disk is gone".to_owned())
    }

    fn resource_templates(&self) -> Vec<Value> {
        Vec::new()
    }

    async fn read(&self, uri: &str) -> Result<Option<ResourceText>, String> {
        Ok((uri == "x://1").then(|| ResourceText { mime_type: "text/plain", text: "one".to_owned() }))
    }
}

fn server(handshake: Handshake) -> McpResponder {
    McpResponder::new(Arc::new(Sample), handshake)
}

async fn said(server: &McpResponder, message: Value) -> Value {
    let (notifications, _all) = mpsc::channel(9);
    server.answer(message, &notifications).await.unwrap_or_default()
}

fn request(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
}

#[tokio::test]
async fn versions_are_agreed_on_and_unknown_ones_become_the_newest() {
    for (asked, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let server = server(Handshake::Required);
        let answer = said(&server, request("initialize", &json!({"protocolVersion": asked}))).await;
        assert_eq!(answer["result"]["protocolVersion"], agreed, "{asked}");
        assert_eq!(answer["result"]["serverInfo"]["name"], "amelia");
    }
}

#[tokio::test]
async fn what_comes_before_the_handshake_is_refused_except_in_the_version_without_one() {
    let server = server(Handshake::Required);
    let early = said(&server, request("tools/list", &json!({}))).await;
    assert_eq!(early["error"]["code"], -32600, "{early}");
    assert_eq!(said(&server, request("ping", &json!({}))).await["result"], json!({}));
    let meta = |version: &str| json!({"_meta": {PROTOCOL_VERSION: version}});
    let listed = said(&server, request("tools/list", &meta(STATELESS))).await;
    let result = &listed["result"];
    assert_eq!((&result["resultType"], &result["ttlMs"]), (&json!("complete"), &json!(0)), "{listed}");
    let unknown = said(&server, request("tools/list", &meta("2099-01-01"))).await;
    assert_eq!(unknown["error"]["code"], -32022, "{unknown}");
    let discovered = said(&server, request("server/discover", &meta(STATELESS))).await;
    assert!(discovered["result"]["supportedVersions"].as_array().unwrap().contains(&json!(STATELESS)));
    said(&server, request("initialize", &json!({"protocolVersion": "2025-11-25"}))).await;
    let listed = said(&server, request("tools/list", &json!({}))).await;
    assert_eq!(
        listed["result"],
        json!({"tools": Sample.tools()}),
        "nothing that an older client does not know"
    );
}

#[tokio::test]
async fn messages_that_make_no_sense_are_answered_with_an_error_and_notifications_are_not() {
    let server = server(Handshake::Optional);
    for (message, code) in [
        (json!("x"), -32600),
        (json!([]), -32600),
        (Value::Array(vec![request("ping", &json!({})); LARGEST_BATCH + 1]), -32600),
        (json!({"jsonrpc": "2.0"}), -32600),
        (json!({"id": {}, "method": "ping"}), -32600),
        (request("fly", &json!({})), -32601),
        (request("tools/call", &json!({})), -32602),
        (request("tools/call", &json!({"name": "echo", "arguments": [1]})), -32602),
        (request("tools/call", &json!({"name": "fly"})), -32602),
        (request("resources/read", &json!({"uri": "x://2"})), -32002),
        (request("resources/list", &json!({})), -32603),
    ] {
        let answer = said(&server, message.clone()).await;
        assert_eq!(answer["error"]["code"], code, "{message}: {answer}");
    }
    for message in [json!({"method": "notifications/initialized"}), json!({"id": 1, "result": {}})] {
        assert_eq!(said(&server, message).await, Value::Null);
    }
    let batch = json!([request("ping", &json!({})), {"method": "notifications/initialized"}]);
    assert_eq!(said(&server, batch).await, json!([{"jsonrpc": "2.0", "id": 7, "result": {}}]));
}

#[tokio::test]
async fn a_call_is_answered_for_models_and_programs_and_reports_its_progress() {
    let server = server(Handshake::Optional);
    let (notifications, mut all) = mpsc::channel(9);
    let params = json!({"name": "echo", "arguments": {"a": 1}, "_meta": {"progressToken": "t"}});
    let answer = server.answer(request("tools/call", &params), &notifications).await.unwrap();
    assert_eq!(answer["result"]["structuredContent"], json!({"a": 1}));
    assert_eq!(answer["result"]["content"][0]["text"], "said");
    for (number, text) in [(1, "halfway"), (2, "nearly")] {
        let said = all.recv().await.unwrap();
        let expected = json!({"progressToken": "t", "progress": number, "message": text});
        assert_eq!((&said["method"], &said["params"]), (&json!("notifications/progress"), &expected));
    }
    let read = said(&server, request("resources/read", &json!({"uri": "x://1"}))).await;
    assert_eq!(read["result"]["contents"][0]["text"], "one");
}

#[test]
fn a_request_is_taken_back_by_its_id() {
    let message = json!({"method": "notifications/cancelled", "params": {"requestId": 7}});
    assert_eq!(cancelled_request(&message), Some(&json!(7)));
    assert_eq!(cancelled_request(&request("ping", &json!({"requestId": 7}))), None);
}
