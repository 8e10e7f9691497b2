//! Crates known to be bad, with the reason. Small and kept by hand; not an advisory database.

enum Versions {
    All,
    Major(u64),
    /// Below this `major.minor`.
    Before(u64, u64),
}

const REFUSED: &[(&str, Versions, &str)] = &[
    ("bincode", Versions::Major(3), "3.0.0 is a tombstone without code"),
    ("libsql", Versions::All, "ships an SQLite with the WAL-reset corruption bug"),
    ("libsql-ffi", Versions::All, "ships an SQLite with the WAL-reset corruption bug"),
    (
        "libsqlite3-sys",
        Versions::Before(0, 37),
        "bundles an SQLite older than 3.51.3: WAL-reset corruption bug",
    ),
    ("rsa", Versions::All, "timing side channel, RUSTSEC-2023-0071, no fixed release"),
    ("serde_yaml", Versions::All, "deprecated since 2024"),
    ("serde_yml", Versions::All, "unsound and unmaintained, RUSTSEC-2025-0068"),
    ("sqlx-sqlite", Versions::Before(0, 9), "holds libsqlite3-sys at an SQLite older than 3.51.3"),
];

pub(crate) fn reason(name: &str, version: &str) -> Option<&'static str> {
    let mut numbers = version.split('.').map(|part| part.parse::<u64>().unwrap_or(0));
    let (major, minor) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    let matches = |versions: &Versions| match versions {
        Versions::All => true,
        Versions::Major(refused) => major == *refused,
        Versions::Before(first_major, first_minor) => (major, minor) < (*first_major, *first_minor),
    };
    REFUSED
        .iter()
        .find(|(refused, versions, _)| *refused == name && matches(versions))
        .map(|(_, _, reason)| *reason)
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn refused_versions() {
        for (name, version) in [
            ("serde_yaml", "0.9.34+deprecated"),
            ("bincode", "3.0.0"),
            ("libsqlite3-sys", "0.36.9"),
            ("rsa", "1.0.0"),
        ] {
            assert!(reason(name, version).is_some(), "{name} {version}");
        }
    }

    #[test]
    fn other_versions_and_names() {
        for (name, version) in
            [("bincode", "2.0.1"), ("libsqlite3-sys", "0.39.1"), ("sqlx-sqlite", "0.9.0"), ("serde", "1.0.0")]
        {
            assert!(reason(name, version).is_none(), "{name} {version}");
        }
    }
}
