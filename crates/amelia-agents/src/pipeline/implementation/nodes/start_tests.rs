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

#[test]
fn the_files_of_an_issue_stand_at_the_end_of_its_text() {
    let file = Attachment {
        name: "a.png".to_owned(),
        size: 7,
        media_type: "image/png".to_owned(),
        hash: String::new(),
    };
    assert_eq!(described("text\n", &[]), "text\n");
    let all = [file];
    let list = described("text\n", &all);
    assert!(list.starts_with("text\n\nAttached files"), "{list}");
    assert!(list.ends_with("- `.amelia/attachments/a.png` (image/png, 7 bytes)"), "{list}");
    assert!(described("", &all).starts_with("Attached files"));
}
