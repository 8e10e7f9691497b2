//! Frames as bytes: those of one commit together, compressed. Every store writes them the same way. Pure.

use std::sync::Arc;

use amelia_core::recording::{Frame, FrameSource};

/// No commit holds more than this of frames, uncompressed: a damaged length must not take the memory.
const LARGEST: usize = 1 << 30;

/// The frames as they are stored. Nothing for none.
pub(crate) fn pack(frames: &[Frame]) -> Option<Vec<u8>> {
    if frames.is_empty() {
        return None;
    }
    let mut plain = Vec::with_capacity(frames.iter().map(|frame| frame.body.len() + 64).sum());
    for Frame { channel, source, body } in frames {
        plain.push(number(*source));
        put(&mut plain, channel.as_bytes());
        put(&mut plain, body);
    }
    Some(lz4_flex::compress_prepend_size(&plain))
}

/// The frames that were stored; `Err` says what is wrong with the bytes.
pub(crate) fn unpack(packed: &[u8]) -> Result<Vec<Frame>, String> {
    let (size, _) = lz4_flex::block::uncompressed_size(packed).map_err(|error| error.to_string())?;
    if size > LARGEST {
        return Err(format!("{size} bytes are more than there can be"));
    }
    let plain = lz4_flex::decompress_size_prepended(packed).map_err(|error| error.to_string())?;
    let mut rest = plain.as_slice();
    let mut frames = Vec::new();
    while let Some((number, after)) = rest.split_first() {
        rest = after;
        let source = FrameSource::ALL.get(usize::from(*number)).copied();
        let source = source.ok_or_else(|| format!("there is no source {number}"))?;
        let channel = String::from_utf8(take(&mut rest)?.to_vec()).map_err(|error| error.to_string())?;
        frames.push(Frame { channel: Arc::from(channel), source, body: take(&mut rest)?.to_vec() });
    }
    Ok(frames)
}

fn number(source: FrameSource) -> u8 {
    let place = FrameSource::ALL.iter().position(|known| *known == source);
    place.and_then(|place| u8::try_from(place).ok()).unwrap_or_default()
}

fn put(plain: &mut Vec<u8>, bytes: &[u8]) {
    plain.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    plain.extend_from_slice(bytes);
}

fn take<'b>(rest: &mut &'b [u8]) -> Result<&'b [u8], String> {
    let cut = || "it ends in the middle of a frame".to_owned();
    let (length, after) = rest.split_first_chunk::<8>().ok_or_else(cut)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|error| error.to_string())?;
    let (bytes, after) = after.split_at_checked(length).ok_or_else(cut)?;
    *rest = after;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn frame() -> impl Strategy<Value = Frame> {
        (0..FrameSource::ALL.len(), ".{0,8}", any::<Vec<u8>>()).prop_map(|(source, channel, body)| Frame {
            channel: Arc::from(channel),
            source: FrameSource::ALL[source],
            body,
        })
    }

    proptest! {
        #[test]
        fn frames_come_back_as_they_were(frames in proptest::collection::vec(frame(), 1..5)) {
            prop_assert_eq!(unpack(&pack(&frames).unwrap()).unwrap(), frames);
        }

        #[test]
        fn damaged_bytes_are_named(bytes: Vec<u8>) {
            // No panic, no endless memory: that is all.
            unpack(&bytes).ok();
        }
    }
}
