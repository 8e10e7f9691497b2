//! What kind of file an artifact is, by its name, and the directory of that kind.

/// The media type that the ending of a name stands for.
#[must_use]
pub fn media_type(name: &str) -> Option<&'static str> {
    let (_, ending) = name.rsplit_once('.')?;
    Some(match ending.to_ascii_lowercase().as_str() {
        "md" | "markdown" => "text/markdown",
        "txt" | "log" => "text/plain",
        "html" | "htm" => "text/html",
        "rtf" => "text/rtf",
        "pdf" => "application/pdf",
        "csv" => "text/csv",
        "tsv" => "text/tab-separated-values",
        "json" | "jsonl" => "application/json",
        "yaml" | "yml" => "application/yaml",
        "toml" => "application/toml",
        "xml" => "application/xml",
        "py" => "text/x-python",
        "rs" => "text/x-rust",
        "go" => "text/x-go",
        "c" | "h" => "text/x-c",
        "cc" | "cpp" | "hpp" => "text/x-c++",
        "java" => "text/x-java",
        "rb" => "text/x-ruby",
        "php" => "text/x-php",
        "sql" => "text/x-sql",
        "css" => "text/css",
        "js" | "mjs" | "cjs" | "jsx" => "text/javascript",
        "ts" | "tsx" => "text/x-typescript",
        "sh" | "bash" => "text/x-sh",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "svg" => "image/svg+xml",
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        "ogg" => "audio/ogg",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        "zip" => "application/zip",
        "gz" => "application/gzip",
        _ => return None,
    })
}

/// The directory of a kind of file.
#[must_use]
pub fn directory(media_type: &str) -> &'static str {
    let media_type = media_type.split(';').next().unwrap_or_default().trim();
    let (kind, subkind) = media_type.split_once('/').unwrap_or((media_type, ""));
    match (kind, subkind) {
        ("image" | "audio" | "video", _) => "media",
        ("text", "plain" | "markdown" | "html" | "rtf") | ("application", "pdf" | "msword") => "documents",
        ("text", "csv" | "tab-separated-values") => "data",
        ("text", _) | ("application", "javascript" | "typescript" | "x-sh") => "code",
        _ => "data",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifacts_are_sorted_by_what_they_are() {
        for (name, expected) in [
            ("main.py", "code"),
            ("notes.MD", "documents"),
            ("a.png", "media"),
            ("a.csv", "data"),
            ("a.json", "data"),
            ("a.tar.gz", "data"),
        ] {
            assert_eq!(directory(media_type(name).unwrap()), expected, "{name}");
        }
        assert_eq!((media_type("Makefile"), media_type("a.unknown")), (None, None));
        assert_eq!(directory("text/html; charset=utf-8"), "documents");
    }
}
