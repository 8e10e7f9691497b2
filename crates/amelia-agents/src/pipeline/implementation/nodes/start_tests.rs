use super::*;

#[test]
fn a_key_becomes_part_of_a_file_name() {
    let long = "x".repeat(100);
    for (key, name) in [
        ("PROJ-1", "PROJ-1"),
        ("#12", "12"),
        ("PROJ/1", "PROJ-1"),
        ("../../etc", "etc"),
        ("Größe ändern", "Gr--e--ndern"),
        ("a_b", "a_b"),
        ("###", "issue"),
        ("", "issue"),
        (long.as_str(), &long[..64]),
    ] {
        assert_eq!(file_name(key), name, "{key}");
    }
}
