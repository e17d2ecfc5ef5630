#!/usr/bin/python3 -SEB
"""Tests of tools/fixture, tools/avrotext, the golden runner and the base tables."""

import glob
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BASE = os.path.join(ROOT, "fixtures", "base")
sys.path.insert(0, os.path.join(ROOT, "tools", "lib"))
sys.path.insert(0, os.path.join(ROOT, "tools", "fixtures"))
import avro
import avrotext
import blockcodec
import fixture
import golden
import make_plain
import pointer
import tablealias

LOCATION = "s3://lake/wh/db/orders"


def read(path):
    with open(path, "rb") as f:
        return f.read()


def base_avro_files():
    return sorted(glob.glob(os.path.join(BASE, "*", "metadata", "*.avro")))


def sound_avro_files():
    """All but the manifest that a failing writer left cut."""
    return [p for p in base_avro_files() if "c7ab0b97" not in p]


class Case(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp(prefix="icefsck-tools-")
        self.addCleanup(shutil.rmtree, self.work)

    def build(self, edit, base="plain-v2", name="f"):
        """Build a fixture with these edit lines; return the table's directory."""
        folder = os.path.join(self.work, name)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "edit"), "w", encoding="utf-8") as f:
            f.write("base %s\n%s\n" % (base, edit) if base else edit)
        fixture.build(folder, os.path.join(self.work, "out"))
        return os.path.join(self.work, "out")

    def json_of(self, edit, file="metadata/v3.metadata.json", **kw):
        return json.loads(read(os.path.join(self.build(edit, **kw), file)))

    def avro_of(self, edit, file, **kw):
        return avro.Container.parse(read(os.path.join(self.build(edit, **kw), "metadata", file)))

    def fails(self, edit, *words, **kw):
        with self.assertRaises(fixture.FixtureError) as e:
            self.build(edit, **kw)
        text = str(e.exception)
        self.assertNotIn("\n", text)
        for word in words:
            self.assertIn(word, text)


class Numbers(unittest.TestCase):
    def test_long_round_trip(self):
        for n in (0, 1, -1, 63, 64, -64, -65, 2**31, -(2**31), avro.LONG_MAX, avro.LONG_MIN):
            self.assertEqual(avro.Cursor(avro.encode_long(n)).long(), n)
        self.assertEqual(avro.encode_long(-1), b"\x01")
        self.assertEqual(avro.encode_long(64), b"\x80\x01")

    def test_long_limits(self):
        with self.assertRaises(avro.AvroError):
            avro.encode_long(avro.LONG_MAX + 1)
        for bad in (b"", b"\x80", b"\x80" * 11, b"\xff" * 9 + b"\x7f"):
            with self.assertRaises(avro.AvroError):
                avro.Cursor(bad).long()

    def test_byte_forms(self):
        self.assertEqual(avro.to_bytes({"int": 5}), b"\5\0\0\0")
        self.assertEqual(avro.to_bytes({"long": -1}), b"\xff" * 8)
        self.assertEqual(avro.to_bytes({"text": "é"}), b"\xc3\xa9")
        for n, want in ((0, "00"), (127, "7f"), (128, "0080"), (-128, "80"), (-129, "ff7f")):
            self.assertEqual(avro.to_bytes({"decimal": n}).hex(), want)
        self.assertIsNone(avro.to_bytes({"hex": "00", "int": 1}))
        with self.assertRaises(avro.AvroError):
            avro.to_bytes({"hex": "0"})


class Codecs(unittest.TestCase):
    def test_round_trip(self):
        for data in (b"", b"a", b"x" * 60, b"x" * 61, b"abc" * 50000, bytes(range(256)) * 3):
            for codec in ("null", "deflate", "snappy", "zstandard", "bzip2", "xz"):
                packed = blockcodec.compress(codec, data)
                self.assertEqual(blockcodec.decompress(codec, packed), data, codec)

    def test_snappy_copies(self):
        # "abcd" then copies of 1 and 2 byte offsets: made by hand from the format's description
        self.assertEqual(blockcodec.snappy_decompress(bytes.fromhex("0c0c616263640104") + bytes.fromhex("0e0400")), b"abcd" * 3)

    def test_errors(self):
        for codec, data in (("snappy", b"\5\0abcd"), ("deflate", b"\xff\xff"), ("lz4", b"")):
            with self.assertRaises(blockcodec.CodecError):
                blockcodec.decompress(codec, data)


class Schemas(unittest.TestCase):
    def encode(self, schema, value):
        out = bytearray()
        avro.encode(avro.parse_schema(schema), value, out)
        return bytes(out)

    def test_union_takes_natural_values(self):
        union = ["null", "long"]
        self.assertEqual(self.encode(union, None), b"\0")
        self.assertEqual(self.encode(union, 3), b"\2\6")
        with self.assertRaises(avro.AvroError):
            self.encode(union, "x")

    def test_ambiguous_branch_survives(self):
        union = avro.parse_schema(["int", "long"])
        value = avro.decode(union, avro.Cursor(b"\2\6"))
        self.assertEqual(value, {"branch": 1, "value": 3})
        self.assertEqual(self.encode(["int", "long"], value), b"\2\6")

    def test_odd_floats_and_text_survive(self):
        for schema, raw in (("double", "010000000000f87f"), ("float", "0000807f"), ("string", "02ff")):
            t = avro.parse_schema(schema)
            value = avro.decode(t, avro.Cursor(bytes.fromhex(raw)))
            out = bytearray()
            avro.encode(t, value, out)
            self.assertEqual(out.hex(), raw)

    def test_left_out_fields_take_defaults(self):
        fields = [{"name": "a", "type": "int", "default": 7}, {"name": "b", "type": ["null", "int"]}]
        self.assertEqual(self.encode({"type": "record", "name": "r", "fields": fields}, {}), b"\x0e\0")

    def test_union_of_records_goes_by_names(self):
        records = [{"type": "record", "name": n, "fields": [{"name": n, "type": "int"}]} for n in "ab"]
        self.assertEqual(self.encode(records, {"b": 1}), b"\2\2")

    def test_enum(self):
        t = {"type": "enum", "name": "e", "symbols": ["A", "B"]}
        self.assertEqual(self.encode(t, "B"), b"\2")
        self.assertEqual(avro.decode(avro.parse_schema(t), avro.Cursor(b"\2")), "B")
        with self.assertRaises(avro.AvroError):
            avro.decode(avro.parse_schema(t), avro.Cursor(b"\4"))

    def test_unknown_field_is_an_error(self):
        with self.assertRaises(avro.AvroError):
            self.encode({"type": "record", "name": "r", "fields": []}, {"x": 1})

    def test_convert(self):
        old = avro.parse_schema({"type": "record", "name": "r", "fields": [{"name": n, "type": "int"} for n in "ab"]})

        def to(*fields):
            new = avro.parse_schema({"type": "record", "name": "r", "fields": list(fields)})
            return avro.convert({"a": 1, "b": 2}, old, new)

        int_ = lambda n: {"name": n, "type": "int"}
        self.assertEqual(to(int_("b"), int_("a")), {"b": 2, "a": 1})
        self.assertEqual(to(int_("x"), int_("b")), {"x": 1, "b": 2})
        self.assertEqual(to(int_("b")), {"b": 2})
        self.assertEqual(to(int_("a"), int_("n"), int_("b")), {"a": 1, "n": 0, "b": 2})
        self.assertEqual(to({"name": "a", "type": ["null", "string"]}, int_("b")), {"a": "1", "b": 2})


class Containers(unittest.TestCase):
    def test_base_files_round_trip(self):
        self.assertGreater(len(sound_avro_files()), 100)
        for path in sound_avro_files():
            data = read(path)
            got = avro.Container.parse(data)
            self.assertEqual(got.encode(), data, path)
            for i in range(len(got.blocks)):
                rows = got.rows(i)
                self.assertEqual(len(rows), got.blocks[i].n, path)
                self.assertEqual(got.encode_rows(rows), got.datum(i), path)

    def test_touched_blocks_keep_their_rows(self):
        for path in sound_avro_files()[::7]:
            got = avro.Container.parse(read(path))
            rows = got.all_rows()
            for i in range(len(got.blocks)):
                got.touch(i)
            again = avro.Container.parse(got.encode())
            self.assertEqual(again.all_rows(), rows, path)

    def test_sized_pieces(self):
        got = avro.make({"type": "array", "items": "int"}, [[1, 2], []], [])
        got.sized = True
        again = avro.Container.parse(got.encode())
        self.assertEqual(again.all_rows(), [[1, 2], []])
        self.assertTrue(again.sized)
        self.assertEqual(again.datum(0).hex(), "03040204" + "00" + "00")

    def test_strict_and_lenient(self):
        data = read(os.path.join(BASE, "plain-v2", "metadata", "m1.avro"))
        with self.assertRaises(avro.AvroError):
            avro.Container.parse(data[:-1])
        self.assertNotEqual(avro.Container.parse(data[:-1], lenient=True).tail, b"")
        broken = data[:-1] + b"!"
        with self.assertRaises(avro.AvroError):
            avro.Container.parse(broken)
        self.assertEqual(avro.Container.parse(broken, lenient=True).blocks[0].sync[-1:], b"!")


class Text(unittest.TestCase):
    def test_exact_round_trip(self):
        for path in base_avro_files():
            data = read(path)
            self.assertEqual(avrotext.from_text(avrotext.to_text(data, exact=True)), data, path)

    def test_readable_round_trip(self):
        for path in sound_avro_files():
            data = read(path)
            text = avrotext.to_text(data)
            again = avro.Container.parse(avrotext.from_text(text))
            first = avro.Container.parse(data)
            self.assertEqual(again.header.pieces, first.header.pieces)
            self.assertEqual(again.all_rows(), first.all_rows())
            self.assertNotIn("hex: ", [line[:5] for line in text.split("\n")])

    def test_damage_round_trip(self):
        data = read(os.path.join(BASE, "plain-v2", "metadata", "snap-1.avro"))
        for at in range(0, len(data), 7):
            for damaged in (data[:at], data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :]):
                self.assertEqual(avrotext.from_text(avrotext.to_text(damaged, exact=True)), damaged, at)

    def test_damage_by_hand(self):
        data = read(os.path.join(BASE, "plain-v2", "metadata", "snap-1.avro"))
        text = avrotext.to_text(data)
        line = "block count=1 codec=null"
        self.assertIn(line, text)
        got = avrotext.from_text(text.replace(line, "block count=-5 size=9999 sync=%s" % ("ab" * 16)))
        self.assertEqual(got[-16:], b"\xab" * 16)
        self.assertIn(avro.encode_long(-5) + avro.encode_long(9999), got)
        self.assertEqual(avrotext.from_text(text + "cut -20\n"), data[:-20])
        self.assertEqual(avrotext.from_text(text + "tail: 0102\n"), data + b"\1\2")
        self.assertEqual(avrotext.from_text("avrotext 1\nhex: 4f62\n"), b"Ob")

    def test_errors_name_the_line(self):
        for text in ("", "avrotext 1\nnonsense\n", "avrotext 1\nheader 1\nx\n", "avrotext 1\nsync zz\n", "avrotext 1\ndatum: 00\n"):
            with self.assertRaises(avrotext.TextError) as e:
                avrotext.from_text(text)
            self.assertRegex(str(e.exception), r"^line \d+: ")


class Pointers(unittest.TestCase):
    def test_numbers_stay(self):
        text = '{"a":1.0,"b":1e3,"c":-0,"d":9223372036854775808,"e":[],"f":{}}'
        self.assertEqual(pointer.dumps(pointer.loads(text)), text)

    def test_selectors(self):
        doc = {"s": [{"id": 1, "n": "x"}, {"id": 2, "n": "y"}], "a/b": {"~": 0}}
        self.assertEqual(pointer.get(doc, pointer.split("/s/id=2/n")), "y")
        self.assertEqual(pointer.get(doc, pointer.split("/s/n=x/id")), 1)
        self.assertEqual(pointer.get(doc, pointer.split("/s/-1/id")), 2)
        self.assertEqual(pointer.get(doc, pointer.split("/a~1b/~0")), 0)
        for bad in ("/s/2", "/s/id=9", "/s/-", "/q", "/s/x", "/s/0/id/deep"):
            with self.assertRaises(pointer.PointerError):
                pointer.get(doc, pointer.split(bad))

    def test_duplicate_keys_are_refused(self):
        for bad in ('{"a":1,"a":2}', "NaN", "{,}"):
            with self.assertRaises(ValueError):
                pointer.loads(bad)

    def test_layout_is_found(self):
        self.assertEqual(pointer.style('{\n    "a": 1}'), 4)
        self.assertIsNone(pointer.style('{"a": [\n1]}'))


class JsonEdits(Case):
    def test_set_remove_rename_copy(self):
        got = self.json_of(
            "json current set /current-snapshot-id 102\n"
            "json current remove /table-uuid\n"
            "json current rename /location place\n"
            "json current set /snapshots/snapshot-id=102/summary/operation \"x # y\"   # comment\n"
            "json current copy /snapshots/0 /snapshots/-\n"
            "json current move /refs/audit /refs/moved\n"
            "json current insert /schemas/0 {\"a\": []}\n"
            "json current remove /snapshot-log/-1\n"
        )
        self.assertEqual(got["current-snapshot-id"], 102)
        self.assertNotIn("table-uuid", got)
        self.assertEqual(list(got)[1], "place")
        self.assertEqual(got["snapshots"][1]["summary"]["operation"], "x # y")
        self.assertEqual(got["snapshots"][3], got["snapshots"][0])
        self.assertEqual(list(got["refs"]), ["main", "v1.0", "moved"])
        self.assertEqual(got["schemas"][0], {"a": []})
        self.assertEqual(len(got["snapshot-log"]), 2)

    def test_numbers_are_literal(self):
        out = self.build("json current set /last-column-id 1.50\njson current set /x 1e3")
        text = read(out + "/metadata/v3.metadata.json")
        self.assertIn(b'"last-column-id": 1.50,', text)
        self.assertIn(b'"x": 1e3', text)

    def test_untouched_parts_keep_their_bytes(self):
        before = read(os.path.join(BASE, "plain-v2", "metadata", "v3.metadata.json"))
        out = self.build('json current set /location "%s"' % LOCATION)
        self.assertEqual(read(out + "/metadata/v3.metadata.json"), before)

    def test_text(self):
        out = self.build("json current text s '\"table-uuid\": ' '\"table-uuid\": \"\\xff\\n\\'\", \"table-uuid\": '")
        self.assertIn(b'"table-uuid": "\xff\n\'", "table-uuid": ', read(out + "/metadata/v3.metadata.json"))
        out = self.build("json current text all '103' '7'")
        self.assertNotIn(b"103", read(out + "/metadata/v3.metadata.json"))
        self.fails("json current text s '103' '7'", "edit:2:", "times")
        self.fails("json current text s 'nowhere' '7'", "0 times")
        self.fails("json current text s 'open", "not closed")
        self.fails("json current text s '{' '{,'\njson current set /x 1", "edit:2:")
        self.fails("json current text s '\"refs\"' '\"refs\": 1, \"refs\"'\njson current set /x 1", "edit:3:", "last")

    def test_aliases_in_values(self):
        got = self.json_of('json current set /snapshots/0/manifest-list "@list2@"\njson current set /location "@location@/x"')
        self.assertEqual(got["snapshots"][0]["manifest-list"], LOCATION + "/metadata/snap-2.avro")
        self.assertEqual(got["location"], LOCATION + "/x")
        self.fails('json current set /x "@list9@"', "edit:2:", "list9")

    def test_heredoc(self):
        got = self.json_of("json current set /properties <<\n{\n \"a\": \"# b\"\n}\n>>\njson current set /z 1")
        self.assertEqual((got["properties"], got["z"]), ({"a": "# b"}, 1))
        self.fails("json current set /properties <<\n{", "edit:2:", ">>")

    def test_gzip_is_edited_through(self):
        out = self.build("gzip current\njson current set /x 1")
        data = read(out + "/metadata/v3.metadata.json")
        self.assertEqual(data[:2], b"\x1f\x8b")
        self.assertEqual(json.loads(fixture.gunzip(data))["x"], 1)

    def test_errors(self):
        self.fails("json current set /a/b/c 1", "edit:2:", "no key a")
        self.fails("json current set /x {", "edit:2:", "no JSON")
        self.fails("json current paint /x 1", "paint")
        self.fails("json nothing.json set /x 1", "no alias")
        self.fails("json metadata/v*.metadata.json set /x 1", "matches 3 files")
        self.fails("json current remove /x/", "edit:2:")
        self.fails("json current remove /location 5", "too much")


class AvroEdits(Case):
    def test_records(self):
        got = self.avro_of(
            "avro list3 set /records/0/added_files_count 41\n"
            "avro list3 copy /records/1 /records/-\n"
            "avro list3 remove /records/1\n"
            "avro list3 remove /records/0/partitions\n",
            "snap-3.avro",
        )
        rows = got.all_rows()
        self.assertEqual([r["manifest_path"][-7:] for r in rows], ["m3.avro", "d1.avro", "m1.avro"])
        self.assertEqual((rows[0]["added_files_count"], rows[0]["partitions"]), (41, None))

    def test_nested_values(self):
        rows = self.avro_of(
            'avro m2 set /records/1/data_file/lower_bounds/key=1/value {"hex": "0102"}\n'
            'avro m2 add /records/0/data_file/lower_bounds/- {"key": 99, "value": {"int": 1}}\n'
            "avro m2 set /records/-1/data_file/partition/customer null\n"
            'avro m2 set /records/0/data_file/file_path "@f1@"\n'
            "avro m2 add /records/- {}\n",
            "m2.avro",
        ).all_rows()
        self.assertEqual(pointer.get(rows[1], ["data_file", "lower_bounds", "key=1", "value"]), {"hex": "0102"})
        self.assertEqual(rows[0]["data_file"]["lower_bounds"][-1], {"key": 99, "value": {"hex": "01000000"}})
        self.assertIsNone(rows[2]["data_file"]["partition"]["customer"])
        self.assertEqual(rows[0]["data_file"]["file_path"], LOCATION + "/data/f1.parquet")
        self.assertEqual(rows[3]["data_file"]["file_path"], "")

    def test_header(self):
        got = self.avro_of(
            "avro m2 set /header/partition-spec-id 7\n"
            "avro m2 set /header/empty\n"
            'avro m2 set /header/odd "a\\nb"\n'
            'avro m2 set /header/raw {"hex": "ff"}\n'
            "avro m2 set /header/partition-spec/0/field-id 1009\n"
            "avro m2 remove /header/partition-spec/1\n"
            "avro m2 remove /header/schema-id\n"
            "avro m2 add /header/content data\n"
            "avro m2 header-dup format-version 9\n",
            "m2.avro",
        ).header
        self.assertEqual(got.text(b"partition-spec-id"), "7")
        self.assertEqual((got.get(b"empty"), got.get(b"odd"), got.get(b"raw")), (b"", b"a\nb", b"\xff"))
        spec = json.loads(got.text(b"partition-spec"))
        self.assertEqual([f["field-id"] for f in spec], [1009, 1002, 1003])
        keys = [k for k, _ in got.items()]
        self.assertNotIn(b"schema-id", keys)
        self.assertEqual((keys.count(b"content"), keys.count(b"format-version")), (2, 2))
        self.assertEqual(got.text(b"format-version"), "9")

    def test_schema(self):
        got = self.avro_of(
            'avro m2 schema set /fields/field=0/name "state"\n'
            "avro m2 schema remove /fields/name=sequence_number\n"
            'avro m2 schema add /fields/- {"name": "extra", "type": "string", "default": "d"}\n'
            'avro m2 schema set /fields/field=2/type/fields/name=record_count/type ["null", "long"]\n',
            "m2.avro",
        )
        row = got.all_rows()[0]
        self.assertEqual((row["state"], row["extra"], row["data_file"]["record_count"]), (1, "d", 10))
        self.assertNotIn("sequence_number", row)
        text = self.avro_of("avro m2 set /header/avro.schema/fields/0/field-id 77", "m2.avro")
        self.assertEqual(text.schema.fields[0][2]["field-id"], 77)
        self.fails("avro m2 schema remove /fields/0/name", "edit:2:", "without name")

    def test_blocks_and_codecs(self):
        for codec in ("deflate", "zstandard", "snappy", "bzip2", "xz", "null"):
            got = self.avro_of("avro m2 codec %s\navro m2 blocks 1" % codec, "m2.avro")
            self.assertEqual((got.codec, [b.n for b in got.blocks]), (codec, [1, 1, 1]))
            self.assertEqual(len(got.all_rows()), 3)
        self.assertEqual(len(self.avro_of("avro m2 blocks 1\navro m2 compact", "m2.avro").blocks), 1)
        self.fails("avro m2 codec lz4", "lz4")

    def test_records_by_alias(self):
        rows = self.avro_of("avro list3 set /records/@d1@/content 0\navro list3 copy /records/@m1@ /records/-", "snap-3.avro").all_rows()
        self.assertEqual([(r["manifest_path"][-7:], r["content"]) for r in rows[1:]], [("m1.avro", 0), ("d1.avro", 0), ("m1.avro", 0)])
        rows = self.avro_of("avro m3 set /records/@f5@/status 0", "m3.avro").all_rows()
        self.assertEqual([r["status"] for r in rows], [1, 0, 0, 0])
        self.fails("avro list3 set /records/@m2@/content 0", "0 records")

    def test_records_count_over_blocks(self):
        edit = "avro m2 blocks 1\navro m2 set /records/1/status 2\navro m2 add /records/- {}\navro m2 insert /records/0 {}"
        got = self.avro_of(edit, "m2.avro")
        self.assertEqual([b.n for b in got.blocks], [2, 1, 2])
        self.assertEqual([r["status"] for r in got.all_rows()], [0, 1, 2, 1, 0])

    def test_removing_all_records(self):
        got = self.avro_of("avro m1 remove /records/0\navro m1 remove /records/0", "m1.avro")
        self.assertEqual(got.blocks, [])
        got = self.avro_of("avro m1 remove /records/0\navro m1 remove /records/0\navro m1 add /records/- {}", "m1.avro")
        self.assertEqual(len(got.all_rows()), 1)

    def test_damage(self):
        out = self.build(
            "avro m2 blocks 1\navro m2 count 1 -5\navro m2 size -1 99\navro m2 sync 0 %s\navro m2 magic 4f626a02\n" % ("cd" * 16)
        )
        data = read(out + "/metadata/m2.avro")
        self.assertEqual(data[:4], b"Obj\2")
        self.assertEqual(data.count(b"\xcd" * 16), 1)
        self.assertIn(b"\xcd" * 16 + avro.encode_long(-5), data)
        self.assertIn(avro.encode_long(1) + avro.encode_long(99), data)
        got = self.avro_of("avro m2 datum 0 0a0b", "m2.avro")
        self.assertEqual((got.blocks[0].n, got.blocks[0].stored), (3, b"\x0a\x0b"))
        got = self.avro_of("avro m2 codec deflate\navro m2 raw 0 ffff", "m2.avro")
        self.assertEqual(got.blocks[0].stored, b"\xff\xff")
        self.fails("avro m2 count 9 1", "no block 9")
        self.fails("cut m2 100\navro m2 set /records/0/status 1", "edit:3:")

    def test_errors(self):
        self.fails('avro list3 set /records/0/added_files_count "x"', "edit:2:", "added_files_count", "int")
        self.fails("avro list3 set /records/9/added_files_count 1", "no element 9")
        self.fails("avro list3 set /rows/0 1", "/header or /records")
        self.fails("avro list3 set /records/0/nothing 1", "nothing")
        self.fails("avro list3 remove /records/0/manifest_path", "string")
        self.fails("avro current set /records/0 1", "no Avro file")


class Follows(Case):
    def lengths(self, out, name="snap-3.avro"):
        rows = avro.Container.parse(read(out + "/metadata/" + name)).all_rows()
        return {os.path.basename(r["manifest_path"]): r["manifest_length"] for r in rows}

    def test_lengths_follow(self):
        out = self.build('avro m1 set /records/0/data_file/file_path "s3://a/longer/path/than/before/f1.parquet"')
        size = os.path.getsize(out + "/metadata/m1.avro")
        was = os.path.getsize(os.path.join(BASE, "plain-v2", "metadata", "m1.avro"))
        self.assertNotEqual(size, was)
        for name in ("snap-1.avro", "snap-2.avro", "snap-3.avro"):
            self.assertEqual(self.lengths(out, name)["m1.avro"], size, name)

    def test_untouched_lists_keep_their_bytes(self):
        out = self.build("cut d1 -1")
        for name in ("snap-1.avro", "snap-2.avro"):
            self.assertEqual(read(out + "/metadata/" + name), read(os.path.join(BASE, "plain-v2", "metadata", name)))
        self.assertEqual(self.lengths(out)["d1.avro"], os.path.getsize(out + "/metadata/d1.avro"))

    def test_keep(self):
        out = self.build("cut d1 -1\nkeep lengths")
        self.assertEqual(self.lengths(out)["d1.avro"], os.path.getsize(out + "/metadata/d1.avro") + 1)

    def test_own_values_win(self):
        out = self.build("cut d1 -1\navro list3 set /records/2/manifest_length 5")
        self.assertEqual(self.lengths(out)["d1.avro"], 5)

    def test_copies_follow(self):
        out = self.build(
            "copy m1 metadata/m9.avro\nalias m9 metadata/m9.avro\navro list3 copy /records/1 /records/-\n"
            'avro list3 set /records/3/manifest_path "@m9@"\navro m9 remove /records/0\nfollow counts'
        )
        row = avro.Container.parse(read(out + "/metadata/snap-3.avro")).all_rows()[3]
        self.assertEqual(row["manifest_length"], os.path.getsize(out + "/metadata/m9.avro"))
        self.assertEqual((row["added_files_count"], row["added_rows_count"]), (1, 8))

    def test_counts(self):
        edit = "avro m3 remove /records/0\navro m3 set /records/0/data_file/record_count 100"
        rows = self.avro_of(edit, "snap-3.avro").all_rows()
        self.assertEqual((rows[0]["added_files_count"], rows[0]["existing_rows_count"]), (1, 16))
        rows = self.avro_of(edit + "\nfollow counts", "snap-3.avro").all_rows()
        self.assertEqual((rows[0]["added_files_count"], rows[0]["existing_rows_count"]), (0, 106))
        self.assertEqual((rows[0]["deleted_files_count"], rows[0]["deleted_rows_count"]), (1, 4))

    def test_damaged_lists_stay(self):
        out = self.build("cut d1 -1\ncut list3 -3\nfollow counts")
        want = read(os.path.join(BASE, "plain-v2", "metadata", "snap-3.avro"))[:-3]
        self.assertEqual(read(out + "/metadata/snap-3.avro"), want)

    def test_engine_tables(self):
        out = self.build("avro m1 remove /records/0\nfollow counts", base="spark-v2-partitioned")
        with open(os.path.join(BASE, "spark-v2-partitioned", "aliases")) as f:
            names = {r[0]: r[1:] for r in (line.rstrip("\n").split("\t") for line in f)}
        row = avro.Container.parse(read(os.path.join(out, names["list1"][0]))).all_rows()[0]
        self.assertEqual(row["manifest_length"], os.path.getsize(os.path.join(out, names["m1"][0])))


class Files(Case):
    def test_bytes(self):
        hint = lambda edit: read(self.build(edit) + "/metadata/version-hint.text")
        self.assertEqual(hint('write hint "17\\n"'), b"17\n")
        self.assertEqual(hint('write hint {"hex": "00ff"}'), b"\0\xff")
        self.assertEqual(hint('append hint "4"'), b"34")
        self.assertEqual(hint("append hint 0a0b"), b"3\x0a\x0b")
        self.assertEqual(hint('prepend hint "4"'), b"43")
        self.assertEqual(hint('write hint "abcdef"\nbyte hint 1 5a\nbyte hint -1 5b'), b"aZcde[")
        self.assertEqual(hint('write hint "abcdef"\ncut hint 4\ncut hint -1'), b"abc")
        self.assertEqual(hint("write hint <<\na # b\n\nc\n>>"), b"a # b\n\nc\n")
        self.assertEqual(hint("gzip hint\ngunzip hint"), b"3")
        self.fails("byte hint 1 00", "outside")
        self.fails("byte hint 0 0", "hexadecimal")

    def test_places(self):
        out = self.build(
            "rename m1 metadata/deep/m1.avro\navro m1 set /header/a b\ndelete hint\nmkdir data/x\n"
            "symlink metadata/link.avro ../gone\nfifo metadata/pipe.avro\nchmod m2 0400\ncopy m2 metadata/copy.avro\n"
            "mtime m3 2025-12-31T23:59:00Z\nwrite data/new.parquet \"x\""
        )
        meta = out + "/metadata/"
        self.assertEqual(avro.Container.parse(read(meta + "deep/m1.avro")).header.text(b"a"), "b")
        self.assertFalse(os.path.exists(meta + "m1.avro") or os.path.exists(meta + "version-hint.text"))
        self.assertTrue(os.path.isdir(out + "/data/x"))
        self.assertEqual(os.readlink(meta + "link.avro"), "../gone")
        self.assertTrue(stat.S_ISFIFO(os.stat(meta + "pipe.avro").st_mode))
        self.assertEqual(os.stat(meta + "m2.avro").st_mode & 0o777, 0o400)
        self.assertEqual(read(meta + "copy.avro"), read(meta + "m2.avro"))
        self.assertEqual(os.stat(meta + "m3.avro").st_mtime, 1767225540)
        self.assertEqual(os.stat(out + "/data/new.parquet").st_mtime, fixture.STAMP)

    def test_nothing_outside(self):
        for edit in ('write ../x "1"', 'write /etc/x "1"', "copy m1 ../../x", "mkdir ../y", "rename m1 /x"):
            self.fails(edit, "edit:2:", "not inside")

    def test_build_directory(self):
        self.build("")
        with open(self.work + "/out/mine", "w"):
            pass
        self.build("mkdir closed/inner\nchmod closed 0000")
        self.build("")
        self.assertFalse(os.path.exists(self.work + "/out/mine") or os.path.exists(self.work + "/out/closed"))
        os.unlink(self.work + "/out.built")
        self.fails("", "there already")

    def test_base_is_first(self):
        self.fails('write hint "1"\n', "edit:1:", "base NAME", base=None)
        self.fails("", "edit:1:", "plain-v1", base="no-such")
        self.fails("paint m1", "paint", "json")
        out = self.build("mkdir data\ndelete data")
        self.assertEqual(sorted(os.listdir(out)), ["metadata"])

    def test_whole_table(self):
        folder = os.path.join(self.work, "whole")
        shutil.copytree(os.path.join(BASE, "plain-v1", "metadata"), os.path.join(folder, "table", "metadata"))
        with open(os.path.join(folder, "edit"), "w") as f:
            f.write('write metadata/version-hint.text "2"\n')
        fixture.build(folder, os.path.join(self.work, "out"))
        self.assertEqual(read(os.path.join(self.work, "out", "metadata", "version-hint.text")), b"2")

    def test_whole_table_from_text(self):
        folder = os.path.join(self.work, "whole", "table", "metadata")
        os.makedirs(folder)
        source = read(os.path.join(BASE, "plain-v1", "metadata", "m1.avro"))
        with open(folder + "/m1.avrotext", "w", encoding="utf-8") as f:
            f.write(avrotext.to_text(source) + "cut -1\n")
        fixture.build(os.path.join(self.work, "whole"), os.path.join(self.work, "out"))
        self.assertEqual(os.listdir(os.path.join(self.work, "out", "metadata")), ["m1.avro"])
        self.assertEqual(read(os.path.join(self.work, "out", "metadata", "m1.avro")), source[:-1])

    def test_texts_equal_their_files(self):
        for path in glob.glob(os.path.join(ROOT, "fixtures", "**", "*.avrotext"), recursive=True):
            with open(path, encoding="utf-8", errors="surrogatepass") as f:
                data = avrotext.from_text(f.read())
            if os.path.exists(path[:-4]):
                self.assertEqual(data, read(path[:-4]), path)

    def test_deterministic(self):
        edit = "avro m2 codec deflate\navro m2 blocks 1\ngzip current\nfollow counts"
        first = {p: read(p) for p in glob.glob(self.build(edit) + "/metadata/*")}
        self.assertEqual({p: read(p) for p in glob.glob(self.build(edit) + "/metadata/*")}, first)


class Bases(Case):
    def test_plain_is_reproduced(self):
        make_plain.main([self.work])
        for name in ("plain-v1", "plain-v2", "plain-v3"):
            files = [os.path.join(d, n) for d, _, names in os.walk(os.path.join(BASE, name)) for n in names]
            self.assertGreater(len(files), 10)
            made = [os.path.join(d, n) for d, _, names in os.walk(os.path.join(self.work, name)) for n in names]
            self.assertEqual(len(files), len(made))
            for path in files:
                self.assertEqual(read(os.path.join(self.work, os.path.relpath(path, BASE))), read(path), path)

    def test_aliases_are_reproduced(self):
        names = [n for n in sorted(os.listdir(BASE)) if os.path.isdir(os.path.join(BASE, n))]
        self.assertGreater(len(names), 15)
        for name in names:
            root = os.path.join(BASE, name)
            rows = [line.split("\t") for line in read(os.path.join(root, "aliases")).decode().splitlines()]
            known = {r[0]: r for r in rows}
            now = known["now"][2] if "now" in known else None
            want = [tuple(r) for r in rows]
            self.assertEqual([r for r in tablealias.find(root, known["current"][1], now)], want, name)
            self.assertTrue(read(os.path.join(root, "PROVENANCE")).startswith(b"writer: "), name)
            for row in rows:
                self.assertTrue(row[1] == "-" or os.path.isfile(os.path.join(root, row[1])), row)

    def test_buckets(self):
        # the values of the spec's appendix on hash requirements
        self.assertEqual(make_plain.murmur3((34).to_bytes(8, "little")), 2017239379)
        for number, entries in (("m2", 3), ("m3", 4)):
            rows = avro.Container.parse(read(os.path.join(BASE, "plain-v2", "metadata", number + ".avro"))).all_rows()
            self.assertEqual(len(rows), entries)
            for row in rows:
                data = row["data_file"]
                low = int.from_bytes(bytes.fromhex(pointer.get(data, ["lower_bounds", "key=1", "value", "hex"])), "little")
                self.assertEqual(make_plain.bucket4(low), data["partition"]["id_bucket"])


FAKE = """#!/bin/sh
echo "$@" > args
echo '{"kind":"finding","rule":"a.b","severity":"error","file":"metadata/x","pointer":"/a","block":0}'
echo '{"kind":"finding","rule":"a.c","severity":"info","file":null,"pointer":null}'
echo '{"kind":"finding","rule":"a.d","severity":"warn","file":"m","pointer":null,"block":3,"record":null}'
echo '{"kind":"finding","rule":"a.e","severity":"warn","file":"m","pointer":null,"block":null,"record":null}'
echo '{"kind":"summary","not_evaluated":[{"what":"storage.*","asked":true},{"what":"x","asked":false}]}'
exit 3
"""
FOUND = "error a.b metadata/x#/a\ninfo a.c\nwarn a.d m#\nwarn a.e m\nnot-evaluated storage.*\nexit 3\n"


class Golden(Case):
    def setUp(self):
        super().setUp()
        self.here = os.getcwd()
        self.addCleanup(os.chdir, self.here)
        self.folder = os.path.join(self.work, "f")
        os.makedirs(self.folder)
        self.put("edit", "base plain-v2\n")
        self.binary = os.path.join(self.work, "fake")
        self.script(FAKE)

    def put(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
            f.write(text)

    def script(self, text):
        with open(self.binary, "w") as f:
            f.write(text)
        os.chmod(self.binary, 0o755)

    def check(self, **kw):
        return golden.check(self.folder, os.path.join(self.work, "w"), self.binary, **kw)

    def test_bless_then_compare(self):
        status, text = self.check()
        self.assertEqual(status, "failed")
        self.assertIn("no file expect", text)
        self.assertEqual(self.check(bless=True)[0], "blessed")
        self.assertEqual(read(self.folder + "/expect").decode(), FOUND)
        self.assertEqual(self.check(), ("ok", ""))
        self.assertFalse(os.path.exists(self.work + "/w"))
        self.put("expect", FOUND.replace("error", "warn"))
        status, text = self.check()
        self.assertEqual(status, "failed")
        self.assertIn("-warn a.b metadata/x#/a\n+error a.b metadata/x#/a", text)
        self.assertTrue(os.path.isdir(self.work + "/w/table/metadata"))

    def test_min_severity(self):
        self.put("expect", "min-severity warn\n")
        self.check(bless=True)
        self.assertEqual(read(self.folder + "/expect").decode(), "min-severity warn\n" + FOUND.replace("info a.c\n", ""))
        self.assertEqual(self.check()[0], "ok")

    def args(self, options, base="plain-v2"):
        self.put("edit", "base %s\n" % base)
        self.put("options", options)
        self.check(bless=True, keep=True)
        return read(self.work + "/w/args").decode().split()

    def test_options(self):
        now = ["--now", golden.NOW]
        self.assertEqual(self.args(""), ["check", "table", "-f", "ndjson", "-S", "info"] + now)
        self.assertEqual(self.args("--depth list"), ["check", "table", "-f", "ndjson", "-S", "info"] + now + ["--depth", "list"])
        self.assertEqual(self.args("{table}/metadata/v2.metadata.json")[-1], "table/metadata/v2.metadata.json")
        self.assertNotIn("table", self.args("{table}/metadata/v2.metadata.json"))
        self.assertEqual(self.args("inspect files"), ["inspect", "table", "-f", "ndjson"] + now + ["files"])
        self.assertEqual(self.args("--now=2025-01-01T00:00:00Z")[-1], "--now=2025-01-01T00:00:00Z")
        self.assertEqual(self.args("--listing {fixture}/l")[-1], self.folder + "/l")
        self.assertIn("2026-12-31T00:00:00Z", self.args("", base="duckdb-v2-part"))

    def test_crashes_show(self):
        self.put("expect", "exit 0\n")
        self.script("#!/bin/sh\nkill -SEGV $$\n")
        self.assertIn("+exit signal 11", self.check()[1])
        self.script("#!/bin/sh\necho nonsense\n")
        self.assertIn("no JSON", self.check()[1])
        os.unlink(self.binary)
        self.assertEqual(self.check()[0], "failed")

    def test_bad_edit_is_a_failure(self):
        self.put("edit", "base plain-v2\npaint\n")
        status, text = self.check()
        self.assertEqual(status, "failed")
        self.assertIn("edit:2:", text)

    def test_commands(self):
        self.put("expect", FOUND)
        run = lambda *a: subprocess.run([sys.executable, "-SEB", *a], capture_output=True, text=True)
        runner = os.path.join(ROOT, "tests", "golden", "run_fixture.py")
        args = ["--icefsck", self.binary, "--fixture", self.folder, "--work", self.work + "/w"]
        self.assertEqual(run(runner, *args).returncode, 0)
        self.put("expect", "exit 0\n")
        got = run(runner, *args)
        self.assertEqual((got.returncode, "+exit 3" in got.stdout), (1, True))
        self.assertEqual(run(runner).returncode, 4)
        tool = os.path.join(ROOT, "tools", "fixture")
        self.assertEqual(run(tool, "build", self.folder, self.work + "/t").returncode, 0)
        self.assertEqual(run(tool, "build", self.work + "/none", self.work + "/t").returncode, 1)
        self.assertEqual(run(tool).returncode, 4)
        text = os.path.join(ROOT, "tools", "avrotext")
        source = os.path.join(BASE, "plain-v1", "metadata", "m1.avro")
        with open(self.work + "/t.avrotext", "w", encoding="utf-8") as f:
            f.write(run(text, "to", source).stdout)
        self.assertEqual(run(text, "from", self.work + "/t.avrotext", self.work + "/t.avro").returncode, 0)
        self.assertEqual(read(self.work + "/t.avro"), read(source))
        self.assertEqual(run(text, "to", self.work + "/none").returncode, 1)

    def test_find(self):
        for path in ("rules/a.b/one", "clean/two", "broken/three", "rules/a.b/note"):
            os.makedirs(os.path.join(self.work, "fixtures", path))
        for path in ("rules/a.b/one", "clean/two", "broken/three"):
            with open(os.path.join(self.work, "fixtures", path, "edit"), "w"):
                pass
        self.assertEqual([n for n, _ in golden.find(self.work)], ["rules/a.b/one", "clean/two", "broken/three"])


if __name__ == "__main__":
    unittest.main()
