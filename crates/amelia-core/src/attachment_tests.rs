use super::*;

fn file(name: &str, size: usize) -> AttachedFile {
    AttachedFile { name: name.to_owned(), data: vec![b'x'; size] }
}

fn names(given: &[&str]) -> Vec<String> {
    let files = given.iter().map(|name| file(name, 1)).collect();
    checked(files).unwrap().into_iter().map(|file| file.name).collect()
}

fn refusal(files: Vec<AttachedFile>) -> String {
    checked(files).unwrap_err().to_text()
}

fn image(name: &str, size: u64) -> Attachment {
    Attachment { name: name.to_owned(), size, media_type: "image/png".to_owned(), hash: "ab".repeat(32) }
}

#[test]
fn only_the_base_name_is_used_and_nothing_in_it_is_special() {
    assert_eq!(names(&["/etc/notes.txt", r"C:\a\b.png"]), ["notes.txt", "b.png"]);
    assert_eq!(names(&["../../.gitignore", "!a*[b]?.txt"]), ["gitignore", "a--b--.txt"]);
    assert_eq!(
        names(&["Bild (2) ü.png", "a\nb.txt", "trailing. "]),
        ["Bild (2) ü.png", "a-b.txt", "trailing"]
    );
    let long = names(&[&format!("{}.png", "ü".repeat(200))]).remove(0);
    assert!(long.len() <= MAX_NAME_BYTES && long.ends_with("ü.png"), "{long}");
}

#[test]
fn a_name_that_was_used_gets_a_number() {
    assert_eq!(
        names(&["a/log.txt", "b/log.txt", "LOG.txt", "log-2.txt"]),
        ["log.txt", "log-2.txt", "LOG-3.txt", "log-2-2.txt"]
    );
    assert_eq!(names(&["Makefile", "x/Makefile"]), ["Makefile", "Makefile-2"]);
}

#[test]
fn a_name_without_letters_is_refused() {
    for name in ["", "..", "/", "a/", "***", "."] {
        let said = refusal(vec![file(name, 1)]);
        assert!(said.contains("is not a valid name for an attachment"), "{name}: {said}");
    }
}

#[test]
fn too_many_and_too_large_files_are_refused() {
    let many = (0..11).map(|number| file(&format!("{number}.txt"), 1)).collect();
    assert!(refusal(many).contains("there are 11 attachments"));
    let large = refusal(vec![file("big.bin", MAX_ATTACHMENT_BYTES + 1)]);
    assert!(large.contains("`big.bin` is larger than 10 MB"), "{large}");
    assert!(checked(vec![file("big.bin", MAX_ATTACHMENT_BYTES)]).is_ok());
    let together = (0..3).map(|number| file(&format!("{number}.bin"), 8 * MB)).collect();
    assert!(refusal(together).contains("the attachments have 24 MB together"));
}

#[test]
fn a_file_is_what_its_first_bytes_say() {
    assert_eq!(media_type(b"\x89PNG\r\n\x1a\n..."), "image/png");
    assert_eq!(media_type(b"\xff\xd8\xff\xe0"), "image/jpeg");
    assert_eq!(media_type(b"GIF89a"), "image/gif");
    assert_eq!(media_type(b"RIFF\x01\x02\x03\x04WEBPVP8 "), "image/webp");
    assert_eq!(media_type(b"RIFF\xff\x02\x03\x04WAVE"), "application/octet-stream");
    assert_eq!(media_type(b"%PDF-1.7"), "application/pdf");
    assert_eq!(media_type("PNG, ü".as_bytes()), "text/plain");
    assert_eq!(media_type(b"a\0b"), "application/octet-stream");
}

#[test]
fn images_are_shown_as_far_as_models_take_them() {
    let text = Attachment { media_type: "text/plain".to_owned(), ..image("a.txt", 10) };
    let all = [text, image("huge.png", MAX_IMAGE_BYTES + 1), image("b.png", 10)];
    let shown = images(&all);
    assert_eq!(shown.len(), 1);
    let hash = "ab".repeat(32);
    assert_eq!(shown[0].url, format!("data:image/png;base64,amelia-attachment-{hash}"));
    assert_eq!(shown[0].alt_text.as_deref(), Some("b.png, in the file .amelia/attachments/b.png"));
    let many: Vec<_> = (0..5).map(|n| image(&format!("{n}.png"), MAX_IMAGE_BYTES)).collect();
    assert_eq!(images(&many).len(), 4);
}

#[test]
fn a_list_names_type_size_and_path() {
    assert_eq!(listed(&[]), "");
    let list = listed(&[image("b.png", 10)]);
    assert!(list.ends_with("\n- `.amelia/attachments/b.png` (image/png, 10 bytes)"), "{list}");
}

#[test]
fn a_file_is_not_written_into_a_log() {
    assert_eq!(format!("{:?}", file("a.bin", 3)), "a.bin (3 bytes)");
}
