"""Every live file of many tables as one Spark DataFrame, with the wheel of icefsck on the executors; no catalog, no Iceberg runtime.

  spark-submit all_files.py TABLES OUTPUT.parquet
"""

import sys

import pyarrow
from pyspark.sql import SparkSession

SCHEMA = "path string, file_path string, record_count bigint, file_size_in_bytes bigint, trouble string"


def files(batches):
    """For mapInArrow: batches of one column, the paths of tables. A table that cannot be read wholly says so in a row of its own."""
    import icefsck  # on the executor

    for batch in batches:
        for path in batch.column(0).to_pylist():
            rows = icefsck.open(path).files(columns="file_path,record_count,file_size_in_bytes", partial=True)
            troubles = []
            try:
                for part in pyarrow.RecordBatchReader.from_stream(rows):
                    columns = [pyarrow.array([path] * part.num_rows, pyarrow.string()), *part.columns, pyarrow.nulls(part.num_rows, pyarrow.string())]
                    yield pyarrow.RecordBatch.from_arrays(columns, names=["path", *part.schema.names, "trouble"])
                troubles = rows.troubles
            except (OSError, ValueError) as error:  # nothing of the table is readable
                troubles = [str(error)]
            if troubles:
                nulls = [pyarrow.nulls(len(troubles), kind) for kind in (pyarrow.string(), pyarrow.int64(), pyarrow.int64())]
                yield pyarrow.RecordBatch.from_arrays([pyarrow.array([path] * len(troubles)), *nulls, pyarrow.array(troubles)],
                                                      names=["path", "file_path", "record_count", "file_size_in_bytes", "trouble"])


def main(tables, output):
    spark = SparkSession.builder.appName("icefsck files").getOrCreate()
    frame = spark.read.text(tables).mapInArrow(files, SCHEMA)
    frame.write.mode("overwrite").parquet(output)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
