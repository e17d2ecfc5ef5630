"""Check a list of tables on a Spark cluster: one line of results a table, in the order of the list, as one `icefsck batch` writes it.

  spark-submit check_tables.py TABLES RESULTS [--partitions N] [--icefsck "icefsck batch ..."]

TABLES has a line a table, as icefsck batch reads it: a path that every executor sees, or a JSON object. RESULTS is a file of the
driver. Each partition of the list is given to one command through a pipe; a lost executor's partitions run again elsewhere. The
command must be on the executors: as a package, or from the wheel in their Python environment.
"""

import argparse
import shlex

from pyspark.sql import SparkSession

# Bits 1 and 2 of the exit code stand in each line; 4 and 8 mean that lines are missing, and the task must fail.
SCRIPT = '%s; code=$?; [ $((code & 12)) -eq 0 ] && [ $code -lt 64 ]'


def check(context, lines, partitions, command):
    """An RDD of result lines, partition by partition."""
    script = SCRIPT % command
    return context.parallelize(lines, partitions).pipe("sh -c " + shlex.quote(script), checkCode=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tables")
    parser.add_argument("results")
    parser.add_argument("--partitions", type=int, default=64)
    parser.add_argument("--icefsck", default="icefsck batch --jobs 1 --quiet", help="one thread a task: Spark runs the tasks side by side")
    options = parser.parse_args()
    with open(options.tables) as source:
        lines = [line.rstrip("\n") for line in source if line.strip()]
    spark = SparkSession.builder.appName("icefsck").getOrCreate()
    partitions = max(1, min(options.partitions, len(lines)))
    with open(options.results, "w") as results:
        for line in check(spark.sparkContext, lines, partitions, options.icefsck).toLocalIterator():
            results.write(line + "\n")
    spark.stop()


if __name__ == "__main__":
    main()
