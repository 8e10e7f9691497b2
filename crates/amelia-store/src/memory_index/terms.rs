//! The terms by which a text is found: its words, the parts of its identifiers, and pairs of characters where words are not
//! separated. Pure.

/// The terms of a text in their order, in lower case. A query is read like a text.
pub(super) fn terms(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()) {
        for run in runs(word) {
            match run.chars().next() {
                Some(first) if is_unspaced(first) => pairs(run, &mut all),
                _ => identifier(run, &mut all),
            }
        }
    }
    all
}

/// The parts of a word that are written with or without spaces between words.
fn runs(word: &str) -> Vec<&str> {
    let (mut all, mut start) = (Vec::new(), 0);
    let mut before = None;
    for (place, c) in word.char_indices() {
        let is_unspaced = is_unspaced(c);
        if before.is_some_and(|before| before != is_unspaced) {
            all.extend(word.get(start..place));
            start = place;
        }
        before = Some(is_unspaced);
    }
    all.extend(word.get(start..));
    all
}

/// Chinese, Japanese and Korean.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c), 0x1100..=0x11ff | 0x3040..=0x30ff | 0x31f0..=0x31ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff
        | 0xac00..=0xd7af | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

fn pairs(run: &str, all: &mut Vec<String>) {
    let characters: Vec<char> = run.chars().collect();
    match characters.as_slice() {
        [one] => all.push(one.to_string()),
        several => all.extend(several.windows(2).map(|pair| pair.iter().collect())),
    }
}

/// An identifier as a whole and in its parts: `parseFile` is `parsefile`, `parse` and `file`.
fn identifier(word: &str, all: &mut Vec<String>) {
    let parts: Vec<String> = word.split('_').flat_map(humps).map(str::to_lowercase).collect();
    if parts.len() > 1 {
        all.push(parts.concat());
    }
    all.extend(parts);
}

/// `HTTPServer2` is `HTTP` and `Server2`.
fn humps(word: &str) -> Vec<&str> {
    let characters: Vec<(usize, char)> = word.char_indices().collect();
    let is = |place: usize, kind: fn(char) -> bool| characters.get(place).is_some_and(|(_, c)| kind(*c));
    let begins = |place: &usize| {
        let before = place - 1;
        let after_capitals = is(before, char::is_uppercase) && is(place + 1, char::is_lowercase);
        is(*place, char::is_uppercase) && (is(before, char::is_lowercase) || after_capitals)
    };
    let starts = (1..characters.len()).filter(begins).filter_map(|place| characters.get(place));
    let (mut all, mut from) = (Vec::new(), 0);
    for (start, _) in starts {
        all.extend(word.get(from..*start));
        from = *start;
    }
    all.extend(word.get(from..).filter(|rest| !rest.is_empty()));
    all
}

#[cfg(test)]
mod tests {
    use super::terms;

    #[test]
    fn identifiers_are_found_as_a_whole_and_by_their_parts() {
        assert_eq!(terms("Fix parseFile()"), ["fix", "parsefile", "parse", "file"]);
        assert_eq!(terms("max_retry_count"), ["maxretrycount", "max", "retry", "count"]);
        assert_eq!(terms("HTTPServer2"), ["httpserver2", "http", "server2"]);
        assert_eq!(terms("useX"), ["usex", "use", "x"]);
        assert_eq!(terms("X ab A_"), ["x", "ab", "a"]);
    }

    #[test]
    fn what_is_written_without_spaces_is_found_by_pairs() {
        assert_eq!(terms("東京都 x"), ["東京", "京都", "x"]);
        assert_eq!(terms("café東"), ["café", "東"]);
    }

    #[test]
    fn signs_are_no_terms() {
        assert!(terms(" \"'()* -- \u{0} ").is_empty());
    }
}
