use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

/// A worktree beside things that must not be touched.
struct Place {
    dir: TempDir,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for path in ["tree/src", "tree/.git/hooks", "outside"] {
            fs::create_dir_all(dir.path().join(path)).unwrap();
        }
        fs::write(dir.path().join("outside/secret"), "secret").unwrap();
        fs::write(dir.path().join("tree/src/a.rs"), "a").unwrap();
        fs::write(dir.path().join("tree/.git/config"), "[core]").unwrap();
        let place = Self { dir };
        place.link("src", "into");
        place.link("src/a.rs", "a-link");
        place.link("../outside", "out");
        place.link("../outside/secret", "out-file");
        place.link("../outside/new", "out-dangling");
        place.link("../src/../../outside/secret", "src/winding");
        place.link(dir_of(&place).join("outside").to_str().unwrap(), "out-absolute");
        place.link(".git", "repository");
        place.link("circle-b", "circle-a");
        place.link("circle-a", "circle-b");
        place.link("/proc/self/root", "magic");
        place
    }

    fn link(&self, to: &str, name: &str) {
        symlink(to, self.dir.path().join("tree").join(name)).unwrap();
    }

    fn tree(&self) -> PathBuf {
        self.dir.path().join("tree")
    }

    fn root(&self) -> Root {
        Root::open(self.tree()).unwrap()
    }

    fn walking(&self) -> Root {
        Root { resolver: Resolver::Walk, ..self.root() }
    }

    /// Every name and content outside the tree.
    fn outside(&self) -> Vec<(PathBuf, String)> {
        let mut found: Vec<_> = fs::read_dir(self.dir.path().join("outside"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.clone(), fs::read_to_string(&path).unwrap()))
            .collect();
        found.sort();
        found
    }
}

fn dir_of(place: &Place) -> &Path {
    place.dir.path()
}

fn read(root: &Root, path: &str) -> Result<String, String> {
    let mut text = String::new();
    root.file(path).map_err(|refusal| refusal.to_string())?.read_to_string(&mut text).unwrap();
    Ok(text)
}

#[test]
fn what_stays_inside_is_read_however_it_is_written() {
    let place = Place::new();
    let root = place.root();
    assert_eq!(root.resolver, Resolver::Kernel);
    let absolute = place.tree().join("src/a.rs");
    for path in
        ["src/a.rs", "./src//a.rs", "src/../src/a.rs", "into/a.rs", "a-link", absolute.to_str().unwrap()]
    {
        assert_eq!(read(&root, path).as_deref(), Ok("a"), "{path}");
    }
    assert_eq!(read(&root, ".git/config").as_deref(), Ok("[core]"));
}

#[test]
fn what_leads_outside_is_refused_for_reading_and_writing() {
    let place = Place::new();
    let before = place.outside();
    for root in [place.root(), place.walking()] {
        for path in [
            "../outside/secret",
            "src/../../outside/secret",
            "/etc/passwd",
            "out/secret",
            "out-file",
            "out-dangling",
            "out-absolute/secret",
            "src/winding",
            "out/new/deep",
            "magic/etc/passwd",
            "circle-a",
            "a\0b",
            "",
        ] {
            assert!(read(&root, path).is_err(), "{path} was read");
            assert!(root.write(path, b"x").is_err(), "{path} was written");
        }
    }
    assert_eq!(place.outside(), before);
    let refusal = place.root().file("out/secret").unwrap_err().to_string();
    assert_eq!(
        refusal,
        format!(
            "`out/secret` leads outside the worktree `{}`: use a path inside it (links that leave it count as outside)",
            place.tree().canonicalize().unwrap().display()
        )
    );
}

#[test]
fn git_itself_is_read_only_under_any_name() {
    let place = Place::new();
    for root in [place.root(), place.walking()] {
        for path in
            [".git/config", ".git/hooks/new/post", ".GIT/x", ".git", "repository/config", "src/.git/x"]
        {
            let refused = root.write(path, b"x").unwrap_err();
            let walked_into_a_link = root.resolver == Resolver::Walk && path.starts_with("repository");
            assert!(matches!(refused, PathError::Git { .. }) || walked_into_a_link, "{path}: {refused}");
        }
        assert!(root.remove(".git/config").is_err());
    }
    assert_eq!(fs::read_to_string(place.tree().join(".git/config")).unwrap(), "[core]");
    assert!(!place.tree().join(".git/hooks/new").exists() && !place.tree().join("src/.git").exists());
}

#[test]
fn a_write_cuts_hard_links_keeps_links_and_modes_and_leaves_nothing_behind() {
    let place = Place::new();
    let (root, tree) = (place.root(), place.tree());
    fs::hard_link(dir_of(&place).join("outside/secret"), tree.join("hard")).unwrap();
    fs::set_permissions(tree.join("src/a.rs"), fs::Permissions::from_mode(0o755)).unwrap();
    root.write("hard", b"mine").unwrap();
    assert!(!root.write("a-link", b"b").unwrap().is_new);
    assert!(root.write("new dir/-rf/line\nbreak", b"c").unwrap().is_new);
    assert_eq!(place.outside()[0].1, "secret");
    assert_eq!(fs::read_to_string(tree.join("src/a.rs")).unwrap(), "b");
    assert!(fs::symlink_metadata(tree.join("a-link")).unwrap().is_symlink());
    assert_eq!(fs::metadata(tree.join("src/a.rs")).unwrap().mode() & 0o777, 0o755);
    assert_eq!(fs::read_to_string(tree.join("new dir/-rf/line\nbreak")).unwrap(), "c");
    let left = |dir: &Path| {
        fs::read_dir(dir)
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with(".amelia-"))
            .count()
    };
    assert_eq!(left(&tree) + left(&tree.join("src")), 0);
}

#[test]
fn what_is_not_a_file_is_named_without_waiting_for_it() {
    let place = Place::new();
    let root = place.root();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        place.tree().join("pipe"),
        FileType::Fifo,
        Mode::RUSR | Mode::WUSR,
        0,
    )
    .unwrap();
    assert_eq!(read(&root, "pipe").unwrap_err(), "`pipe` is a named pipe, not a file");
    assert_eq!(root.write("pipe", b"x").unwrap_err().to_string(), "`pipe` is a named pipe, not a file");
    assert_eq!(read(&root, "src").unwrap_err(), "`src` is a directory, not a file");
    assert_eq!(root.write("src", b"x").unwrap_err().to_string(), "`src` is a directory, not a file");
    assert_eq!(root.write(".", b"x").unwrap_err().to_string(), "`.` is a directory, not a file");
    assert!(root.write("src/a.rs/below", b"x").is_err());
    assert!(read(&root, &"x".repeat(300)).unwrap_err().contains("too long"));
}

#[test]
fn a_full_or_read_only_disk_keeps_the_old_content() {
    let place = Place::new();
    let mount = place.tree().join("disk");
    fs::create_dir(&mount).unwrap();
    let mounted = |options: &str| {
        let mut command = std::process::Command::new("mount");
        command.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(&mount).stderr(std::process::Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if !mounted("size=64k") {
        eprintln!("skipped: needs the right to mount");
        return;
    }
    // The tree is opened after the mount: RESOLVE_BENEATH crosses mounts, and so may a worktree.
    let root = place.root();
    root.write("disk/file", b"old").unwrap();
    let full = root.write("disk/file", &vec![b'x'; 1 << 20]).unwrap_err().to_string();
    let after_full = read(&root, "disk/file");
    let names = fs::read_dir(&mount).unwrap().count();
    assert!(mounted("remount,ro"));
    let read_only = root.write("disk/file", b"new").unwrap_err().to_string();
    let after = read(&root, "disk/file");
    assert!(std::process::Command::new("umount").arg(&mount).status().unwrap().success());
    assert!(full.contains("No space left"), "{full}");
    assert!(read_only.contains("Read-only"), "{read_only}");
    assert_eq!((after_full.as_deref(), after.as_deref(), names), (Ok("old"), Ok("old"), 1));
}

fn any_path() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        prop::sample::select(vec![
            "..",
            ".",
            "",
            "src",
            "a.rs",
            "into",
            "out",
            "out-file",
            "out-dangling",
            "out-absolute",
            "secret",
            "repository",
            ".git",
            "config",
            "magic",
            "circle-a",
            "winding",
            "new",
            "-rf",
            "a b",
            "é",
            "a-link",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,4}",
    ];
    (prop::collection::vec(part, 1..7), any::<bool>())
        .prop_map(|(parts, absolute)| format!("{}{}", if absolute { "/" } else { "" }, parts.join("/")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_path_ever_leads_outside(paths in prop::collection::vec(any_path(), 1..8)) {
        let place = Place::new();
        let before = place.outside();
        let git = fs::read_to_string(place.tree().join(".git/config")).unwrap();
        let top = place.tree().canonicalize().unwrap();
        for root in [place.root(), place.walking()] {
            for path in &paths {
                if let Ok(file) = root.file(path) {
                    let real = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).unwrap();
                    prop_assert!(real.starts_with(&top), "{path} opened {}", real.display());
                }
                if let Ok(dir) = root.directory(path) {
                    prop_assert!(top.join(dir.as_path()).canonicalize().unwrap().starts_with(&top));
                }
                root.write(path, b"changed").ok();
                root.remove(path).ok();
            }
        }
        prop_assert_eq!(place.outside(), before);
        prop_assert_eq!(fs::read_to_string(place.tree().join(".git/config")).unwrap(), git);
        prop_assert_eq!(fs::read_dir(place.tree().join(".git/hooks")).unwrap().count(), 0);
    }
}
