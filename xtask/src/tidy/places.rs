//! No tracked file names a directory of one machine or a package mirror: a clone must build anywhere.

use super::finding::Finding;

pub(crate) fn check(path: &str, text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for place in places() {
            if names(line, &place) {
                found.push(Finding::error(path, index + 1, format!("names a place of one machine: {place}")));
            }
        }
    }
    found
}

/// In halves, or this file would flag itself.
fn places() -> [String; 3] {
    [["/wo", "rk/"], ["/ro", "ot/"], ["/artifac", "tory/"]].map(|halves| halves.concat())
}

/// Absolute paths only: the same letters inside a longer path or a web address are not a place of this machine.
fn names(line: &str, place: &str) -> bool {
    let is_mirror = place.contains("artifac");
    line.match_indices(place).any(|(at, _)| {
        let before = line.get(..at).and_then(|head| head.chars().next_back());
        is_mirror || !before.is_some_and(|c| c.is_alphanumeric() || "_-.~/}".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        check("x.md", text).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_machine_path_or_mirror_is_found() {
        let text = ["see /wo", "rk/x\nok\nHOME=/ro", "ot/.cargo\nhttps://host/artifac", "tory/api"].concat();
        assert_eq!(lines(&text), [1, 3, 4]);
    }

    #[test]
    fn the_same_letters_inside_another_path_are_not() {
        let text = ["https://example.com/wo", "rk/x ~/wo", "rk/y ${HOME}/wo", "rk/z"].concat();
        assert_eq!(lines(&text), [] as [usize; 0]);
    }
}
