//! The dashboard as a browser gets it.

use amelia_server::Ui;
use reqwest::header::HeaderMap;
use reqwest::{Method, Response, StatusCode};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::world::{World, answer, code};

const INDEX: &str = "<meta name=\"csp-nonce\" content=\"__CSP_NONCE__\"><p>dashboard</p>";

async fn world() -> World {
    let files = [
        ("index.html", INDEX),
        ("index.html.gz", "packed page"),
        ("favicon.svg", "<svg/>"),
        ("favicon.svg.gz", "packed icon"),
        ("assets/app-1a2b.js.gz", "packed script"),
        ("assets/app-1a2b.js", "script"),
        ("assets/inter-3c.woff2", "font"),
    ];
    World::with_ui(Ui::new(files.map(|(name, text)| (name.to_owned(), text.into())))).await
}

async fn get(world: &World, path: &str) -> Response {
    world.bare(Method::GET, path).header("accept-encoding", "gzip, br").send().await.unwrap()
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).map_or("", |value| value.to_str().unwrap())
}

#[tokio::test]
async fn the_root_leads_to_the_dashboard() {
    let world = world().await;
    for path in ["/", "/ui"] {
        let response = get(&world, path).await;
        assert_eq!(response.status(), StatusCode::SEE_OTHER, "{path}");
        assert_eq!(response.headers()["location"], "/ui/", "{path}");
    }
}

#[tokio::test]
async fn every_look_at_the_page_has_a_nonce_and_a_policy_of_its_own() {
    let world = world().await;
    let mut nonces = Vec::new();
    for path in ["/ui/", "/ui/index.html", "/ui/runs/0199a0de?tab=diff", "/ui/profiles/gpt-4.1"] {
        let response = get(&world, path).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        let headers = response.headers().clone();
        let body = response.text().await.unwrap();
        let nonce = body.split("content=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        assert_eq!(body, INDEX.replace("__CSP_NONCE__", &nonce), "{path}");
        assert_eq!(
            header(&headers, "content-security-policy"),
            format!(
                "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            )
        );
        assert_eq!(header(&headers, "content-type"), "text/html; charset=utf-8");
        assert_eq!(header(&headers, "cache-control"), "no-cache");
        assert_eq!(header(&headers, "x-content-type-options"), "nosniff");
        assert_eq!(header(&headers, "x-frame-options"), "DENY");
        assert_eq!(header(&headers, "referrer-policy"), "no-referrer");
        assert!(header(&headers, "permissions-policy").contains("camera=()"));
        nonces.push(nonce);
    }
    nonces.sort_unstable();
    nonces.dedup();
    assert_eq!(nonces.len(), 4);
}

#[tokio::test]
async fn a_page_that_the_browser_has_keeps_the_policy_it_came_with() {
    let world = world().await;
    let tag = get(&world, "/ui/").await.headers()["etag"].clone();
    let again = world.bare(Method::GET, "/ui/runs").header("if-none-match", tag).send().await.unwrap();
    assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    assert!(again.headers().get("content-security-policy").is_none());
}

#[tokio::test]
async fn files_are_sent_packed_and_kept_for_ever_when_their_name_changes_with_them() {
    let world = world().await;
    let cases = [
        ("assets/app-1a2b.js", "text/javascript; charset=utf-8", "gzip", "immutable", "packed script"),
        ("assets/inter-3c.woff2", "font/woff2", "", "immutable", "font"),
        ("favicon.svg", "image/svg+xml", "gzip", "no-cache", "packed icon"),
    ];
    for (path, kind, coding, cache, text) in cases {
        let path = format!("/ui/{path}");
        let response = get(&world, &path).await;
        let headers = response.headers().clone();
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        assert_eq!(header(&headers, "content-type"), kind, "{path}");
        assert_eq!(header(&headers, "content-encoding"), coding, "{path}");
        assert!(header(&headers, "cache-control").ends_with(cache), "{path}");
        assert_eq!(response.text().await.unwrap(), text, "{path}");
        let head = world.bare(Method::HEAD, &path).header("accept-encoding", "gzip").send().await.unwrap();
        assert_eq!(head.headers()["content-length"], text.len().to_string(), "{path}");
        assert_eq!(head.text().await.unwrap(), "", "{path}");
        let again = world.bare(Method::GET, &path).header("if-none-match", &headers["etag"]);
        assert_eq!(again.send().await.unwrap().status(), StatusCode::NOT_MODIFIED, "{path}");
    }
}

#[tokio::test]
async fn a_client_that_does_not_take_gzip_gets_the_plain_file() {
    use std::io::Write as _;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(b"let it = 1;").unwrap();
    let files = [("index.html", INDEX.into()), ("assets/app-1a2b.js.gz", packed.finish().unwrap().into())];
    let world = World::with_ui(Ui::new(files.map(|(name, body)| (name.to_owned(), body)))).await;
    for encoding in ["identity", "br"] {
        let request = world.bare(Method::GET, "/ui/assets/app-1a2b.js").header("accept-encoding", encoding);
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(header(response.headers(), "content-encoding"), "", "{encoding}");
        assert_eq!(response.text().await.unwrap(), "let it = 1;");
    }
}

#[tokio::test]
async fn a_file_that_is_not_there_is_404_and_not_the_page() {
    let world = world().await;
    for path in ["/ui/assets/old-9f.js", "/ui/assets/nothing", "/ui/theme.js", "/ui/runs/x.css"] {
        let (status, body) = answer(world.bare(Method::GET, path)).await;
        assert_eq!((status, code(&body)), (StatusCode::NOT_FOUND, "NOT_FOUND"), "{path}");
    }
    let (status, body) = answer(world.bare(Method::POST, "/ui/")).await;
    assert_eq!((status, code(&body)), (StatusCode::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED"));
}

/// What a server says to a path that no client of ours would send.
async fn raw(world: &World, path: &str) -> String {
    let mut stream = TcpStream::connect(world.address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", world.address);
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    text
}

#[tokio::test]
async fn no_path_leads_out_of_the_dashboard() {
    let world = world().await;
    std::fs::write(world.home.path().join("token"), "the-secret").unwrap();
    let home = world.home.path().display();
    for path in [
        "/ui/../token".to_owned(),
        "/ui/../../../../../../etc/passwd".to_owned(),
        "/ui/%2e%2e/token".to_owned(),
        "/ui/..%2ftoken".to_owned(),
        "/ui/assets/%2e%2e/%2e%2e/token".to_owned(),
        "/ui/assets/..%5c..%5ctoken".to_owned(),
        "/ui//etc/passwd".to_owned(),
        "/ui/%00".to_owned(),
        format!("/ui/{home}/token"),
        "/ui/../api/workflows".to_owned(),
    ] {
        let said = raw(&world, &path).await;
        assert!(!said.contains("the-secret") && !said.contains("root:"), "{path}: {said}");
        let is_page = said.contains("<p>dashboard</p>") || said.contains("\"NOT_FOUND\"");
        assert!(is_page || said.contains("\"UNAUTHORIZED\""), "{path}: {said}");
    }
}

#[tokio::test]
async fn a_foreign_host_gets_no_page_and_an_api_path_below_it_asks_for_the_token() {
    let world = world().await;
    let (status, _) = answer(world.bare(Method::GET, "/ui/").header("host", "evil.test")).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    for path in ["/api/ui/", "/api/", "/uix"] {
        assert_eq!(answer(world.bare(Method::GET, path)).await.0, StatusCode::UNAUTHORIZED, "{path}");
    }
}

#[tokio::test]
async fn a_build_without_the_dashboard_says_how_to_get_one() {
    let world = World::new().await;
    for path in ["/ui/", "/ui/runs/1"] {
        let response = get(&world, path).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        let policy = header(response.headers(), "content-security-policy").to_owned();
        let text = response.text().await.unwrap();
        assert!(text.contains("no dashboard") && text.contains("make"), "{text}");
        let nonce = text.split("nonce=\"").nth(1).unwrap().split('"').next().unwrap();
        assert!(policy.contains(nonce), "{policy}");
    }
}
