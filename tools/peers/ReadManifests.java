import org.apache.iceberg.DataFile;
import org.apache.iceberg.Files;
import org.apache.iceberg.IcebergBuild;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/** Iceberg Java: METADATA.json; entries and rows of the current snapshot, with all statistics. */
public final class ReadManifests {
  private static final class LocalFiles implements FileIO {
    @Override
    public InputFile newInputFile(String path) {
      return Files.localInput(path);
    }

    @Override
    public OutputFile newOutputFile(String path) {
      throw new UnsupportedOperationException("this only reads");
    }

    @Override
    public void deleteFile(String path) {
      throw new UnsupportedOperationException("this only reads");
    }
  }

  public static void main(String[] args) throws Exception {
    if (args[0].equals("--version")) {
      System.out.println(IcebergBuild.version());
      return;
    }
    FileIO io = new LocalFiles();
    TableMetadata metadata = TableMetadataParser.read(io, args[0]);
    long entries = 0;
    long rows = 0;
    long statistics = 0;
    for (ManifestFile manifest : metadata.currentSnapshot().dataManifests(io)) {
      try (ManifestReader<DataFile> files = ManifestFiles.read(manifest, io, metadata.specsById())) {
        for (DataFile file : files) {
          entries++;
          rows += file.recordCount();
          statistics += file.columnSizes().size() + file.valueCounts().size() + file.lowerBounds().size() + file.upperBounds().size();
        }
      }
    }
    System.out.println(entries + " " + rows + " " + statistics);
  }
}
