//! Plays a script on a port: `cargo run -p amelia-scripted --example serve -- SCRIPT PORT`. Port 0 finds a free one.
//!
//! Prints the address, then serves until it is killed. `amelia model serve` is the command for people.

use std::error::Error;
use std::io::Write;
use std::path::Path;

use amelia_scripted::{Script, serve};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(script), Some(port)) = (args.next(), args.next()) else {
        return Err("usage: serve SCRIPT PORT".into());
    };
    let script = Script::from_file(Path::new(&script)).map_err(|error| error.to_string())?;
    let server = serve(script, ([127, 0, 0, 1], port.parse()?).into()).await?;
    println!("scripted model at {}", server.url());
    std::io::stdout().flush()?;
    server.run().await;
    Ok(())
}
