//! Who is let in.

use amelia_core::config::server::{Auth, ServerConfig};
use reqwest::{Method, StatusCode};

use crate::world::{TOKEN, World, answer, code};

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
    let request = world.bare(Method::GET, "/api/workflows").header("cookie", "amelia_session=guess");
    assert_eq!(answer(request).await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(link("token=guess".to_owned()).await.unwrap().status(), StatusCode::UNAUTHORIZED);
    assert_eq!(link(format!("token={TOKEN}")).await.unwrap().status(), StatusCode::NO_CONTENT);
    for next in ["//evil.test", "https://evil.test", "/\\evil.test", "evil"] {
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
    let world = World::with(ServerConfig { auth: Auth::None, ..ServerConfig::default() }).await;
    assert_eq!(answer(world.bare(Method::GET, "/api/workflows")).await.0, StatusCode::OK);
    let request = world.bare(Method::GET, "/api/workflows").header("origin", "http://evil.test");
    assert_eq!(answer(request).await.0, StatusCode::FORBIDDEN);
    let request = world.bare(Method::GET, "/api/workflows").header("host", "evil.test");
    assert_eq!(answer(request).await.0, StatusCode::FORBIDDEN);
}
