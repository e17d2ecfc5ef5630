/*
 * Iceberg Java as a reader of tools/oracle-refusals: one request a line on standard input, one answer a line on standard
 * output, both JSON. The JVM starts once. What an answer holds: tools/oracle/readers.py.
 */
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Files;
import org.apache.iceberg.IcebergBuild;
import org.apache.iceberg.ManifestContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StatisticsFile;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.SeekableInputStream;
import org.apache.iceberg.puffin.Puffin;
import org.apache.iceberg.puffin.PuffinReader;
import org.apache.iceberg.util.ContentFileUtil;

public class Reader {
  /** Locations below `from` are files below `root`; the root's own paths are read as they are. */
  private static final class Mapped implements FileIO {
    private final String from;
    private final String root;

    Mapped(String from, String root) {
      this.from = fold(from);
      this.root = root;
    }

    /** file:///x, file:/x and /x are one place; writers mix them within one table. */
    static String fold(String uri) {
      return uri.startsWith("file:///") ? "file:/" + uri.substring(8) : uri.startsWith("/") ? "file:" + uri : uri;
    }

    @Override
    public InputFile newInputFile(String uri) {
      String folded = fold(uri);
      String path = folded.startsWith(from + "/") ? root + folded.substring(from.length()) : uri;
      if (!path.startsWith(root + "/")) {
        throw new IllegalArgumentException("not mapped: " + uri);
      }
      InputFile file = Files.localInput(new File(path));
      return new InputFile() {
        @Override
        public long getLength() {
          return file.getLength();
        }

        @Override
        public SeekableInputStream newStream() {
          return file.newStream();
        }

        @Override
        public String location() {
          return uri;
        }

        @Override
        public boolean exists() {
          return file.exists();
        }
      };
    }

    @Override
    public OutputFile newOutputFile(String path) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void deleteFile(String path) {
      throw new UnsupportedOperationException();
    }
  }

  private final List<Object> errors = new ArrayList<>();
  private final Map<String, Object> snapshots = new TreeMap<>();
  private final Map<String, Object> plans = new TreeMap<>();

  private void failed(String stage, Throwable e) {
    errors.add(List.of(stage, e.getClass().getSimpleName(), String.valueOf(e.getMessage())));
  }

  private static <F extends ContentFile<F>> void rows(Iterable<F> files, List<Object> out) {
    for (F f : files) {
      out.add(List.of(f.location(), f.content().id(), f.recordCount()));
    }
  }

  private void snapshot(TableMetadata metadata, FileIO io, Snapshot s) {
    List<Object> live = new ArrayList<>();
    List<ManifestFile> manifests;
    try {
      manifests = s.allManifests(io);
    } catch (Exception | StackOverflowError | OutOfMemoryError | LinkageError e) {
      failed("list", e);
      return;
    }
    for (ManifestFile m : manifests) {
      try {
        if (m.content() == ManifestContent.DATA) {
          try (var reader = ManifestFiles.read(m, io, metadata.specsById())) {
            rows(reader, live);
          }
        } else {
          try (var reader = ManifestFiles.readDeleteManifest(m, io, metadata.specsById())) {
            rows(reader, live);
          }
        }
      } catch (Exception | StackOverflowError | OutOfMemoryError | LinkageError e) {
        failed("manifest", e);
        return;
      }
    }
    snapshots.put(String.valueOf(s.snapshotId()), live);
  }

  /** The bytes at content_offset, as the engines read them: no footer is asked. */
  private static long deleted(FileIO io, DeleteFile dv) throws Exception {
    byte[] bytes = new byte[Math.toIntExact(dv.contentSizeInBytes())];
    try (SeekableInputStream in = io.newInputFile(dv.location()).newStream()) {
      in.seek(dv.contentOffset());
      in.readNBytes(bytes, 0, bytes.length);
    }
    return PositionDeleteIndex.deserialize(bytes, dv).cardinality();
  }

  /** The deletion vectors of a snapshot; files that fixtures do not hold are left out. */
  private void vectors(TableMetadata metadata, FileIO io, Snapshot s) {
    List<Object> out = new ArrayList<>();
    for (ManifestFile m : s.deleteManifests(io)) {
      try (var reader = ManifestFiles.readDeleteManifest(m, io, metadata.specsById())) {
        for (DeleteFile dv : reader) {
          if (ContentFileUtil.isDV(dv) && isThere(io, dv.location())) {
            out.add(List.of(dv.referencedDataFile(), List.of(String.valueOf(deleted(io, dv)))));
          }
        }
      } catch (Exception | StackOverflowError | OutOfMemoryError | LinkageError e) {
        failed("vector", e);
      }
    }
    plans.put("vectors " + s.snapshotId(), out);
  }

  private void statistics(TableMetadata metadata, FileIO io) {
    List<Object> out = new ArrayList<>();
    for (StatisticsFile f : metadata.statisticsFiles()) {
      if (!isThere(io, f.path())) {
        continue;
      }
      try (PuffinReader reader = Puffin.read(io.newInputFile(f.path())).withFileSize(f.fileSizeInBytes())
              .withFooterSize(f.fileFooterSizeInBytes()).build()) {
        List<String> sizes = new ArrayList<>();
        for (var blob : reader.readAll(reader.fileMetadata().blobs())) {
          sizes.add(String.valueOf(blob.second().remaining()));
        }
        out.add(List.of(f.path(), sizes));
      } catch (Exception | StackOverflowError | OutOfMemoryError | LinkageError e) {
        failed("statistics", e);
      }
    }
    plans.put("statistics", out);
  }

  private static boolean isThere(FileIO io, String uri) {
    try {
      return io.newInputFile(uri).exists();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static Expression filter(JsonNode words) {
    String column = words.get(1).asText();
    switch (words.get(0).asText()) {
      case "null":
        return Expressions.isNull(column);
      case "nan":
        return Expressions.isNaN(column);
      default:
        JsonNode v = words.get(2);
        Object value = v.isTextual() ? v.asText() : v.isDouble() ? (Object) v.asDouble() : (Object) v.asLong();
        return Expressions.equal(column, value);
    }
  }

  private void plan(BaseTable table, String name, Expression filter) {
    List<Object> out = new ArrayList<>();
    TableScan scan = filter == null ? table.newScan() : table.newScan().filter(filter);
    try (CloseableIterable<FileScanTask> tasks = scan.planFiles()) {
      for (FileScanTask task : tasks) {
        List<String> deletes = new ArrayList<>();
        for (DeleteFile d : task.deletes()) {
          deletes.add(d.location());
        }
        out.add(List.of(task.file().location(), deletes));
      }
      plans.put(name, out);
    } catch (Exception | StackOverflowError | OutOfMemoryError | LinkageError e) {
      failed("plan", e);
    }
  }

  private void read(JsonNode request) {
    String file = request.get("metadata").asText();
    FileIO io = new Mapped(request.get("location").asText(), request.get("root").asText());
    TableMetadata metadata;
    try {
      metadata = TableMetadataParser.read(io.newInputFile(file));
    } catch (Exception | StackOverflowError | OutOfMemoryError | LinkageError e) {
      failed("load", e);
      return;
    }
    try {
      for (Snapshot s : metadata.snapshots()) {
        snapshot(metadata, io, s);
      }
      BaseTable table = new BaseTable(new StaticTableOperations(file, io), "table");
      plan(table, "all", null);
      for (JsonNode words : request.get("filters")) {
        plan(table, words.toString(), filter(words));
      }
      statistics(metadata, io);
      for (Snapshot s : metadata.snapshots()) {
        if (snapshots.containsKey(String.valueOf(s.snapshotId()))) {
          vectors(metadata, io, s);
        }
      }
    } catch (Exception | StackOverflowError | OutOfMemoryError | LinkageError e) {
      failed("scan", e);
    }
  }

  public static void main(String[] args) throws Exception {
    ObjectMapper json = new ObjectMapper();
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Reader reader = new Reader();
      reader.read(json.readTree(line));
      Map<String, Object> answer = new LinkedHashMap<>();
      answer.put("version", "Iceberg Java " + IcebergBuild.version());
      answer.put("errors", reader.errors);
      answer.put("snapshots", reader.snapshots);
      answer.put("plans", reader.plans);
      out.println(json.writeValueAsString(answer));
    }
  }
}
