//! Whether a caller on this machine still holds its end of a connection.
//!
//! "I have nothing more to say" and "I am gone" look the same from here: the end of what can be read. The system knows
//! the difference: a socket without an owner has no inode.

use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr};

/// Whether a process holds the other end. Where that cannot be known, none does: most that end their side are gone, and
/// work for no one costs money.
pub(super) fn is_held(peer: SocketAddr, own: SocketAddr) -> bool {
    let table = if peer.is_ipv4() || is_mapped(peer) { "/proc/net/tcp" } else { "/proc/net/tcp6" };
    std::fs::read_to_string(table).is_ok_and(|table| has_inode(&table, peer, own))
}

fn is_mapped(address: SocketAddr) -> bool {
    address.ip().to_canonical().is_ipv4()
}

/// `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …`, seen from the caller.
fn has_inode(table: &str, peer: SocketAddr, own: SocketAddr) -> bool {
    let (local, remote) = (shown(peer), shown(own));
    table.lines().any(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        fields.next() == Some(&local)
            && fields.next() == Some(&remote)
            && fields.nth(6).is_some_and(|inode| inode != "0")
    })
}

/// As the table writes it: words of four bytes, each as the machine has it in memory.
fn shown(address: SocketAddr) -> String {
    let bytes = match address.ip().to_canonical() {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    };
    let mut text = String::new();
    for word in bytes.chunks_exact(4) {
        let word = u32::from_ne_bytes(word.try_into().unwrap_or_default());
        write!(text, "{word:08X}").ok();
    }
    write!(text, ":{:04X}", address.port()).ok();
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_endian = "little")]
    #[test]
    fn a_socket_that_nobody_holds_has_no_inode() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
            0: 0100007F:1F90 0100007F:C001 08 00000000:00000000 00:00000000 00000000     0        0 7 1 0 20 4 30 10 -1\n\
            1: 0100007F:C001 0100007F:1F90 05 00000000:00000000 00:00000000 00000000     0        0 42 1 0 20 4 30 10 -1\n\
            2: 0100007F:C002 0100007F:1F90 05 00000000:00000000 03:00000000 00000000     0        0 0 1 0\n";
        let at = |port| SocketAddr::from(([127, 0, 0, 1], port));
        assert!(has_inode(table, at(0xC001), at(8080)));
        assert!(!has_inode(table, at(0xC002), at(8080)), "nobody holds it");
        assert!(!has_inode(table, at(0xC003), at(8080)), "it is not on this machine");
        assert_eq!(shown("[::1]:80".parse().unwrap()), "00000000000000000000000001000000:0050");
    }

    #[test]
    fn the_system_tells_who_is_there() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let caller = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, peer) = listener.accept().unwrap();
        let own = stream.local_addr().unwrap();
        caller.shutdown(std::net::Shutdown::Write).unwrap();
        assert_eq!(is_held(peer, own), cfg!(target_os = "linux"));
        drop(caller);
        assert!(!is_held(peer, own));
    }
}
