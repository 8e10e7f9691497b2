//! Addresses on this machine. What is sent to them never goes through a proxy, and needs no certificate.

use std::net::IpAddr;

/// Whether the host of a URL is this machine.
#[must_use]
pub fn is_loopback_url(url: &str) -> bool {
    let Some((_, rest)) = url.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[') {
        Some(inside) => inside.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    is_loopback_host(host)
}

/// Whether a host, without port and brackets, is this machine.
#[must_use]
pub fn is_loopback_host(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The same, spoken to without TLS.
#[must_use]
pub fn is_plain_loopback_url(url: &str) -> bool {
    url.starts_with("http://") && is_loopback_url(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hosts_of_this_machine_are_loopback() {
        for url in [
            "http://127.0.0.1",
            "http://127.9.9.9:80/v1",
            "https://localhost?x",
            "http://LocalHost:1/",
            "http://[::1]:8080/v1",
            "http://user:word@127.0.0.1/",
        ] {
            assert!(is_loopback_url(url), "{url}");
        }
        for url in [
            "http://127.0.0.1.example.com/",
            "http://localhost.example.com",
            "http://localhost@example.com/",
            "http://10.0.0.1",
            "http://[2001:db8::1]/",
            "localhost",
            "",
        ] {
            assert!(!is_loopback_url(url), "{url}");
        }
        assert!(is_plain_loopback_url("http://localhost") && !is_plain_loopback_url("https://localhost"));
    }
}
