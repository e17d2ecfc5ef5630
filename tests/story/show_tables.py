#!/usr/bin/python3 -SEB
"""The story of an empty SHOW TABLES. show_tables.py ICEFSCK WORK [TEST...]

The table is whole: examples/orders, as stale_reader.py tells. What is there of the rest is on paper: the answer of
`aws glue get-table`, the JSON of a Databricks cluster with a Glue catalog, the policy of its role. In each case one thing is
wrong, and one run of lint-conf names it, and names it first. `pointers` says that the table is there.
"""

import copy
import json
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import harness

LAKE = ["--map", "s3://lake/wh/shop/orders=orders", "--listing", "listing.json", "--base", "s3://lake/", "--now", "2026-11-30T06:00:00Z"]
CATALOG = "spark.sql.catalog.glue_catalog"
VERSION = "1.7.1"

CLUSTER = {
    "cluster_name": "reports",
    "spark_version": "15.4.x-scala2.12",
    "node_type_id": "m5.xlarge",
    "num_workers": 2,
    "autotermination_minutes": 60,
    "cluster_log_conf": {"s3": {"destination": "s3://lake-logs/clusters", "region": "eu-west-1"}},
    "aws_attributes": {"instance_profile_arn": "arn:aws:iam::111122223333:instance-profile/reports"},
    "spark_conf": {
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        CATALOG: "org.apache.iceberg.spark.SparkCatalog",
        CATALOG + ".catalog-impl": "org.apache.iceberg.aws.glue.GlueCatalog",
        CATALOG + ".warehouse": "s3://lake/wh/",
        CATALOG + ".io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
        CATALOG + ".cache-enabled": "false",
    },
}
REST = {
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    CATALOG: "org.apache.iceberg.spark.SparkCatalog",
    CATALOG + ".type": "rest",
    CATALOG + ".uri": "https://glue.eu-west-1.amazonaws.com/iceberg",
    CATALOG + ".warehouse": "111122223333",
    CATALOG + ".rest.sigv4-enabled": "true",
    CATALOG + ".rest.signing-name": "glue",
    CATALOG + ".rest.signing-region": "eu-west-1",
    CATALOG + ".client.region": "eu-west-1",
    CATALOG + ".cache-enabled": "false",
}
LIBRARIES = [  # as databricks libraries cluster-status prints it
    {"library": {"maven": {"coordinates": "org.apache.iceberg:%s:%s" % (name, VERSION)}}, "status": "INSTALLED", "is_library_for_all_clusters": False}
    for name in ("iceberg-spark-runtime-3.5_2.12", "iceberg-aws-bundle")
]
POLICY = {
    "Version": "2012-10-17",
    "Statement": [
        {"Effect": "Allow", "Action": ["glue:GetTable", "glue:GetTables", "glue:GetDatabase", "glue:GetDatabases", "glue:GetPartitions"],
         "Resource": ["arn:aws:glue:eu-west-1:111122223333:catalog", "arn:aws:glue:eu-west-1:111122223333:database/shop", "arn:aws:glue:eu-west-1:111122223333:table/shop/*"]},
        {"Effect": "Allow", "Action": ["s3:GetObject"], "Resource": "arn:aws:s3:::lake/*"},
        {"Effect": "Allow", "Action": ["s3:ListBucket", "s3:GetBucketLocation"], "Resource": "arn:aws:s3:::lake"},
    ],
}


class Setup:
    def __init__(self, metadata_location):
        self.cluster, self.libraries, self.policy = copy.deepcopy(CLUSTER), copy.deepcopy(LIBRARIES), copy.deepcopy(POLICY)
        self.conf, self.words = self.cluster["spark_conf"], []
        self.entry = {"Name": "orders", "DatabaseName": "shop", "CatalogId": "111122223333", "TableType": "EXTERNAL_TABLE", "PartitionKeys": [], "IsRegisteredWithLakeFormation": False,
                      "StorageDescriptor": {"Location": "s3://lake/wh/shop/orders", "Columns": []}, "Parameters": {"table_type": "ICEBERG", "metadata_location": metadata_location}}

    def use_rest(self):
        self.conf.clear()
        self.conf.update(REST)
        self.policy["Statement"][0]["Action"] += ["glue:GetCatalog"]
        self.policy["Statement"].append({"Effect": "Allow", "Action": "lakeformation:GetDataAccess", "Resource": "*"})

    def write(self, t):
        for name, value in (("cluster.json", self.cluster), ("library-status.json", self.libraries), ("role-policy.json", self.policy), ("get-table.json", {"Table": self.entry})):
            t.write(name, json.dumps(value, indent=2))


def key(name, value=None, new=None):
    """The property that ends so: another value, another name, or gone."""

    def change(setup):
        old = setup.conf.pop(CATALOG + name if name.startswith(".") or not name else name)
        if value is not None:
            setup.conf[CATALOG + name] = value
        if new is not None:
            setup.conf[new] = old

    return change


def jar(index, coordinates=None, status=None):
    def change(setup):
        library = setup.libraries[index]
        if status:
            library["status"] = status
        elif coordinates:
            library["library"]["maven"]["coordinates"] = coordinates
        else:
            del setup.libraries[index]

    return change


def without(*actions):
    def change(setup):
        for statement in setup.policy["Statement"]:
            statement["Action"] = [action for action in statement["Action"] if action not in actions]

    return change


def other_region(setup):
    setup.use_rest()
    setup.conf[CATALOG + ".uri"] = "https://glue.us-east-1.amazonaws.com/iceberg"
    setup.conf[CATALOG + ".rest.signing-region"] = "us-east-1"


def lake_formation(setup):
    setup.entry["IsRegisteredWithLakeFormation"] = True
    setup.policy["Statement"][0]["Action"].remove("glue:GetTable")


def bucket_only(setup):
    setup.policy["Statement"][1]["Resource"] = "arn:aws:s3:::lake"


def other_bucket(setup):
    for statement in setup.policy["Statement"][1:]:
        statement["Resource"] = statement["Resource"].replace(":::lake", ":::other")


# what is wrong, the rule that must come first
CASES = [
    ("no class", key("", None), "conf.catalog.not-defined"),
    ("class misspelt", key("", "org.apache.iceberg.spark.SparkCatalogue"), "conf.catalog.class-unknown"),
    ("no catalog-impl", key(".catalog-impl"), "conf.catalog.impl-missing"),
    ("catalog-impl misspelt", key(".catalog-impl", "org.apache.iceberg.aws.glue.GlueCatalogue"), "conf.catalog.impl-unknown"),
    ("another prefix", key(".catalog-impl", new="spark.sql.catalog.glue.catalog-impl"), "conf.catalog.prefix-typo"),
    ("type beside catalog-impl", lambda setup: setup.conf.update({CATALOG + ".type": "glue"}), "conf.catalog.type-and-impl"),
    ("no extensions", key("spark.sql.extensions"), "conf.extensions.missing"),
    ("no warehouse", key(".warehouse"), "conf.warehouse.missing"),
    ("warehouse with one slash", key(".warehouse", "s3:/lake/wh/"), "conf.warehouse.not-uri"),
    ("io-impl misspelt", key(".io-impl", "org.apache.iceberg.aws.s3.S3FileI0"), "conf.io-impl.unknown"),
    ("a key misspelt", key(".io-impl", new=CATALOG + ".io.impl"), "conf.catalog.key-near-miss"),
    ("no runtime", jar(0), "conf.jar.runtime-missing"),
    ("runtime of another Spark", jar(0, "org.apache.iceberg:iceberg-spark-runtime-3.4_2.12:" + VERSION), "conf.jar.spark-mismatch"),
    ("runtime of another Scala", jar(0, "org.apache.iceberg:iceberg-spark-runtime-3.5_2.13:" + VERSION), "conf.jar.scala-mismatch"),
    ("runtime failed to install", jar(0, status="FAILED"), "conf.jar.not-installed"),
    ("no bundle", jar(1), "conf.jar.aws-bundle-missing"),
    ("role without GetTable", without("glue:GetTable", "glue:GetTables"), "conf.iam.glue-read"),
    ("role without GetObject", without("s3:GetObject"), "conf.iam.s3-read"),
    ("GetObject on the bucket", bucket_only, "conf.iam.s3-resource-shape"),
    ("role for another bucket", other_bucket, "conf.iam.data-location"),
    ("endpoint of another region", other_region, "conf.rest.region-vs-table"),
]


def findings(t, *args):
    done = t.run(*args, "-f", "ndjson", "--no-config")
    return done.returncode, [row for row in t.lines(done.stdout) if row["kind"] == "finding"]


def known_rules(t):
    return {row["id"]: row for row in t.lines(t.run("rules", "-f", "ndjson", code=0).stdout)}


def setup_of(t):
    shutil.copytree(os.path.join(harness.ROOT, "examples", "orders"), t.work, dirs_exist_ok=True)
    os.remove(os.path.join(t.work, ".icefsck"))
    return Setup(json.loads(t.read("answers.json"))["current"]["metadata_location"])


def lint(t):
    return findings(t, "lint-conf", "cluster.json", "library-status.json", "role-policy.json", "get-table.json")


def pointers_say_it_is_there(t):
    """"Is the table gone?" No: the catalog is at its newest file, and all that it needs lies in storage."""
    found = [row for row in t.lines(t.run("pointers", "get-table.json", "orders", *LAKE, "-f", "ndjson", code=0).stdout) if row["kind"] == "pointer"]
    t.equal([(row["name"], row["state"]) for row in found], [("shop.orders", "current")])
    summary = t.lines(t.run("check", "orders", "--pointer", "get-table.json", *LAKE, "-f", "ndjson", code=0).stdout)[-1]
    t.equal((summary["complete"], summary["counts"]["error"]), (True, 0))


def test_the_table_is_there(t):
    setup_of(t).write(t)
    pointers_say_it_is_there(t)


def test_explain_lists_the_causes(t):
    """"SHOW TABLES is empty": the rules that may be, and the two commands that this story runs."""
    text = t.run("explain", "SHOW TABLES", code=0).stdout
    t.has(text, "icefsck pointers get-table.json")
    t.has(text, "icefsck lint-conf cluster.json")


def test_a_sound_setup(t):
    setup = setup_of(t)
    setup.write(t)
    t.equal([(row["severity"], row["rule"]) for row in lint(t)[1] if row["severity"] != "info"], [])
    setup.use_rest()
    setup.write(t)
    t.equal([(row["severity"], row["rule"]) for row in lint(t)[1] if row["severity"] != "info"], [])


def test_each_cause_comes_first(t):
    rules, wrong = known_rules(t), []
    for what, change, rule in CASES:
        shutil.rmtree(t.work)
        setup = setup_of(t)
        change(setup)
        setup.write(t)
        found = [row["rule"] for row in lint(t)[1] if row["severity"] != "info"]
        if rule not in rules or found[:1] != [rule]:
            wrong.append("%s: %s is not first in %s%s" % (what, rule, found, "" if rule in rules else " (no such rule)"))
    t.true(not wrong, "\n".join(wrong))


def test_the_page_shows_these_answers(t):
    """docs/HOWTO-LINT-CONF.md."""
    setup = setup_of(t)
    setup.write(t)
    t.on_page("HOWTO-LINT-CONF.md", "shop.orders  current", t.run("pointers", "get-table.json", "orders", *LAKE, code=0).stdout)
    dict((rule, change) for _, change, rule in CASES)["conf.jar.spark-mismatch"](setup)
    setup.write(t)
    found = t.run("lint-conf", "cluster.json", "library-status.json", "role-policy.json", "get-table.json", "--no-config").stdout
    t.on_page("HOWTO-LINT-CONF.md", "conf.jar.spark-mismatch  ", found)


def test_after_each_cause_the_table_is_there(t):
    setup = setup_of(t)
    for _, change, _ in CASES[:1] + CASES[-1:]:
        change(setup)
        setup.write(t)
        pointers_say_it_is_there(t)


def test_an_entry_of_another_type(t):
    """Without table_type=ICEBERG the entry is left out of the list, though its file is current: pointers names it, and nothing else."""
    setup = setup_of(t)
    setup.entry["Parameters"]["table_type"] = "EXTERNAL"
    setup.write(t)
    found = t.lines(t.run("pointers", "get-table.json", "orders", *LAKE, "-f", "ndjson", code=1).stdout)
    t.equal([row["state"] for row in found if row["kind"] == "pointer"], ["current"])
    t.equal([row["rule"] for row in found if row["kind"] == "finding"], ["catalog.table-type"])


if __name__ == "__main__":
    harness.main(globals())
