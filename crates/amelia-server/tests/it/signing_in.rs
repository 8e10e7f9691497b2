//! Who is let in.

use amelia_core::config::server::{AuthMode, ServerConfig};
use futures_util::StreamExt as _;
use reqwest::{Method, StatusCode};
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

use crate::world::{NEW_TOKEN, TOKEN, World, answer, code};

#[tokio::test]
async fn nothing_but_health_is_shown_without_the_token() {
    let world = World::new().await;
    for path in ["/health", "/health/live", "/health/ready", "/api/health", "/api/health/ready"] {
        assert_eq!(answer(world.bare(Method::GET, path)).await.0, StatusCode::OK, "{path}");
    }
    for path in
        ["/api/workflows", "/workflows", "/api/openapi.json", "/api/nothing", "/ws/events", "/api/inbox"]
    {
        let (status, body) = answer(world.bare(Method::GET, path)).await;
        assert_eq!((status, code(&body)), (StatusCode::UNAUTHORIZED, "UNAUTHORIZED"), "{path}");
    }
}

#[tokio::test]
async fn what_is_served_beside_has_its_own_rule() {
    let world = World::new().await;
    assert_eq!(answer(world.bare(Method::GET, "/proxy/open")).await.0, StatusCode::OK);
    for path in ["/proxy/other", "/api/proxy/open"] {
        assert_eq!(answer(world.bare(Method::GET, path)).await.0, StatusCode::UNAUTHORIZED, "{path}");
    }
}

#[tokio::test]
async fn a_wrong_token_is_401_however_it_is_wrong() {
    let world = World::new().await;
    let longer = format!("{TOKEN}x");
    for value in [
        "Bearer ",
        "Bearer x",
        "Bearer",
        "Basic eDp4",
        TOKEN,
        &format!("Bearer {longer}"),
        &format!("Basic {TOKEN}"),
        &format!("Bearer {}", &TOKEN[1..]),
        &format!("Bearer {}", TOKEN.to_uppercase()),
    ] {
        let request = world.bare(Method::GET, "/api/workflows").header("authorization", value);
        assert_eq!(answer(request).await.0, StatusCode::UNAUTHORIZED, "{value}");
    }
    let request =
        world.bare(Method::GET, "/api/workflows").header("authorization", format!("bearer {TOKEN}"));
    assert_eq!(answer(request).await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_link_with_the_token_becomes_a_cookie_that_pages_cannot_read() {
    let world = World::new().await;
    let link = |query: String| world.bare(Method::GET, &format!("/api/session?{query}")).send();
    let response = link(format!("token={TOKEN}&next=/ui/")).await.unwrap();
    assert_eq!(response.status(), StatusCode::SEE_OTHER);
    assert_eq!(response.headers()["location"], "/ui/");
    let cookie = response.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let pair = cookie.split(';').next().unwrap().to_owned();
    let request = world.bare(Method::GET, "/api/workflows").header("cookie", format!("other=1; {pair}"));
    assert_eq!(answer(request).await.0, StatusCode::OK);
    let request = world
        .bare(Method::GET, "/api/workflows")
        .header("cookie", format!("amelia_session_{}=guess", world.address.port()));
    assert_eq!(answer(request).await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(link("token=guess".to_owned()).await.unwrap().status(), StatusCode::UNAUTHORIZED);
    assert_eq!(link(format!("token={TOKEN}")).await.unwrap().status(), StatusCode::NO_CONTENT);
    for next in ["//evil.test", "https://evil.test", "/\\evil.test", "/%09/evil.test", "evil"] {
        let response = link(format!("token={TOKEN}&next={next}")).await.unwrap();
        assert_eq!(response.status(), StatusCode::UNPROCESSABLE_ENTITY, "{next}");
    }
}

#[tokio::test]
async fn a_foreign_host_is_403_even_with_the_token() {
    let world = World::new().await;
    let port = world.address.port();
    let ask = |host: String| answer(world.request(Method::GET, "/api/workflows").header("host", host));
    for host in [
        "evil.test".to_owned(),
        format!("evil.test:{port}"),
        "8.8.8.8".to_owned(),
        "localhost.evil.test".to_owned(),
    ] {
        let (status, body) = ask(host.clone()).await;
        assert_eq!((status, code(&body)), (StatusCode::FORBIDDEN, "FORBIDDEN"), "{host}");
    }
    for host in [format!("localhost:{port}"), format!("[::1]:{port}"), "AMELIA.test".to_owned()] {
        assert_eq!(ask(host.clone()).await.0, StatusCode::OK, "{host}");
    }
    let request = world.bare(Method::GET, "/health").header("host", "evil.test");
    assert_eq!(answer(request).await.0, StatusCode::FORBIDDEN, "health too");
}

#[tokio::test]
async fn without_sign_in_everybody_on_this_machine_may_call_and_no_page_of_another_site() {
    let world = World::with(ServerConfig { auth: AuthMode::None, ..ServerConfig::default() }).await;
    assert_eq!(answer(world.bare(Method::GET, "/api/workflows")).await.0, StatusCode::OK);
    let request = world.bare(Method::GET, "/api/workflows").header("origin", "http://evil.test");
    assert_eq!(answer(request).await.0, StatusCode::FORBIDDEN);
    let request = world.bare(Method::GET, "/api/workflows").header("host", "evil.test");
    assert_eq!(answer(request).await.0, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_person_with_an_old_link_is_led_to_the_page_that_asks_for_the_token() {
    let world = World::new().await;
    let path = "/session?token=old&next=/ui/runs";
    let response = world.bare(Method::GET, path).header("accept", "text/html,*/*").send().await.unwrap();
    assert_eq!(response.status(), StatusCode::SEE_OTHER);
    assert_eq!(response.headers()["location"], "/ui/runs");
    assert!(response.headers().get("set-cookie").is_none());
    assert_eq!(answer(world.bare(Method::GET, path)).await.0, StatusCode::UNAUTHORIZED, "a program is told");
    // A link that works once, for the second time: the page can say so.
    let path = "/session?code=used&next=/ui/runs%23top";
    let response = world.bare(Method::GET, path).header("accept", "text/html,*/*").send().await.unwrap();
    assert_eq!(response.headers()["location"], "/ui/runs#used-link");
}

#[tokio::test]
async fn a_page_can_ask_whether_it_is_signed_in_and_sign_in_itself() {
    let world = World::new().await;
    let stranger = json!({
        "is_signed_in": false, "asks_for_token": true, "version": "1.2.3", "is_demo": false, "home": null,
        "is_default_home": true, "machine": null
    });
    assert_eq!(answer(world.bare(Method::GET, "/api/session/state")).await, (StatusCode::OK, stranger));
    let body = json!({"token": TOKEN});
    let response = world.bare(Method::POST, "/api/session").json(&body).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::NO_CONTENT);
    let cookie = response.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.starts_with(&format!("amelia_session_{}=", world.address.port())), "{cookie}");
    let known = world.bare(Method::GET, "/api/session/state").header("cookie", cookie);
    let (_, body) = answer(known).await;
    let home = world.home.path().to_str().unwrap();
    assert_eq!((&body["is_signed_in"], &body["home"]), (&json!(true), &json!(home)));
    assert_eq!(body["machine"], "toybox");
    let (status, body) = answer(world.bare(Method::POST, "/api/session").json(&json!({"tokn": "x"}))).await;
    assert_eq!((status, code(&body)), (StatusCode::UNPROCESSABLE_ENTITY, "INVALID"));
}

#[tokio::test]
async fn a_link_signs_one_browser_in_and_the_cookie_is_not_the_token() {
    let world = World::new().await;
    assert_eq!(answer(world.bare(Method::POST, "/api/session/link")).await.0, StatusCode::UNAUTHORIZED);
    let (status, body) = world.post("/api/session/link", json!({})).await;
    assert_eq!(status, StatusCode::CREATED);
    let path = format!("/api{}&next=/ui/", body["path"].as_str().unwrap());
    let response = world.bare(Method::GET, &path).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::SEE_OTHER);
    let cookie = response.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert!(!cookie.contains(TOKEN), "{cookie}");
    let list = |world: &World| world.bare(Method::GET, "/api/workflows").header("cookie", cookie.clone());
    assert_eq!(answer(list(&world)).await.0, StatusCode::OK);
    assert_eq!(answer(world.bare(Method::GET, &path)).await.0, StatusCode::UNAUTHORIZED, "it works once");
    let world = world.restart().await;
    let (_, id) = cookie.split_once('=').unwrap();
    let id = id.split(';').next().unwrap();
    let name = format!("amelia_session_{}", world.address.port());
    let list = || world.bare(Method::GET, "/api/workflows").header("cookie", format!("{name}={id}"));
    assert_eq!(answer(list()).await.0, StatusCode::OK, "a restart signs nobody out");
    let out = world.bare(Method::DELETE, "/api/session").header("cookie", format!("{name}={id}"));
    assert_eq!(answer(out).await.0, StatusCode::NO_CONTENT);
    assert_eq!(answer(list()).await.0, StatusCode::UNAUTHORIZED, "the id is worth nothing any more");
}

#[tokio::test]
async fn guesses_are_counted_and_keep_nobody_out_who_has_the_token() {
    let world = World::new().await;
    let guess = |token: &str| world.bare(Method::POST, "/session").json(&json!({"token": token}));
    for _ in 0..100 {
        assert_eq!(answer(guess(TOKEN)).await.0, StatusCode::NO_CONTENT, "the right one is no guess");
    }
    for _ in 0..20 {
        assert_eq!(answer(guess("guess")).await.0, StatusCode::UNAUTHORIZED);
    }
    let response = guess("guess").send().await.unwrap();
    assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(response.headers()["retry-after"].to_str().unwrap().parse::<u64>().unwrap() >= 1);
    assert_eq!(answer(guess(TOKEN)).await.0, StatusCode::NO_CONTENT);
    let link = world.bare(Method::GET, &format!("/session?token={TOKEN}"));
    assert_eq!(answer(link).await.0, StatusCode::NO_CONTENT);
    assert_eq!(world.get("/api/workflows").await.0, StatusCode::OK, "who is in stays in");
}

#[tokio::test]
async fn a_new_token_ends_everything_that_the_old_one_opened() {
    let world = World::new().await;
    *world.next_token.lock().unwrap() = NEW_TOKEN;
    let mut request = format!("ws://{}/api/ws/events", world.address).into_client_request().unwrap();
    request.headers_mut().insert("authorization", format!("Bearer {TOKEN}").parse().unwrap());
    let (mut socket, _) = tokio_tungstenite::connect_async(request).await.unwrap();
    assert_eq!(answer(world.bare(Method::POST, "/api/session/rotate")).await.0, StatusCode::UNAUTHORIZED);

    let response = world.request(Method::POST, "/api/session/rotate").send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    let cookie = response.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert_eq!(response.json::<serde_json::Value>().await.unwrap(), json!({"token": NEW_TOKEN}));
    let frame = loop {
        if let Message::Close(frame) = socket.next().await.unwrap().unwrap() {
            break frame.unwrap();
        }
    };
    assert_eq!(u16::from(frame.code), 1008, "{frame}");
    assert_eq!(world.get("/api/workflows").await.0, StatusCode::UNAUTHORIZED);
    let with_cookie = world.bare(Method::GET, "/api/workflows").header("cookie", cookie);
    assert_eq!(answer(with_cookie).await.0, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_rotations_at_once_the_token_that_was_kept_last_counts() {
    let kept = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let world = World::renewing({
        let kept = std::sync::Arc::clone(&kept);
        std::sync::Arc::new(move || {
            let token = format!("a-token-{}", uuid::Uuid::new_v4());
            kept.lock().unwrap().push(token.clone());
            // Another one may be quicker to be counted, if nothing holds it back.
            std::thread::sleep(std::time::Duration::from_millis(token.len() as u64 % 7));
            Ok(amelia_core::config::secret::Secret::new(token))
        })
    })
    .await;
    for _ in 0..5 {
        let token = kept.lock().unwrap().last().cloned().unwrap_or_else(|| TOKEN.to_owned());
        let rotate = || answer(world.bare(Method::POST, "/api/session/rotate").bearer_auth(&token));
        tokio::join!(rotate(), rotate(), rotate());
        let last = kept.lock().unwrap().last().cloned().unwrap();
        let list = world.bare(Method::GET, "/api/workflows").bearer_auth(&last);
        assert_eq!(answer(list).await.0, StatusCode::OK);
    }
}
