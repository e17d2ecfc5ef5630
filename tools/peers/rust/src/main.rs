//! iceberg-rust: METADATA.json; entries and rows of the current snapshot, with all statistics.
use iceberg::io::FileIO;
use iceberg::spec::{ManifestList, TableMetadata};
use std::error::Error;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("read METADATA.json")?;
    let metadata: TableMetadata = serde_json::from_slice(&std::fs::read(path)?)?;
    let snapshot = metadata.current_snapshot().ok_or("no current snapshot")?;
    let bytes = std::fs::read(snapshot.manifest_list())?;
    let list = ManifestList::parse_with_version(&bytes, metadata.format_version())?;
    let files = FileIO::new_with_fs();
    let (mut entries, mut rows, mut statistics) = (0u64, 0u64, 0usize);
    for named in list.entries() {
        let manifest = named.load_manifest(&files).await?;
        for entry in manifest.entries().iter().filter(|entry| entry.is_alive()) {
            let file = entry.data_file();
            entries += 1;
            rows += file.record_count();
            statistics += file.column_sizes().len()
                + file.value_counts().len()
                + file.lower_bounds().len()
                + file.upper_bounds().len();
        }
    }
    println!("{entries} {rows} {statistics}");
    Ok(())
}
