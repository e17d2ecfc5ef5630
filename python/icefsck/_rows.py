"""Rows of a table as Arrow streams. pyarrow, polars, DuckDB and others take them without a copy."""

import os

from . import _core


def _maps(mapping):
    flat = []
    for source, target in (mapping or {}).items():
        flat += [os.fsencode(source), os.fsencode(target)]
    return flat


class Rows:
    """An answer, read anew each time it is handed to something that takes Arrow streams.

    Rows of broken files are missing: reading then ends with an error that names the first, or, with partial=True, ends
    quietly, and `troubles` says what is missing.
    """

    def __init__(self, path, what, columns=None, **query):
        self._path = os.fspath(path)
        self._what = what
        self._query = {key: value for key, value in query.items() if value is not None}
        self._query["maps"] = _maps(self._query.pop("map", None))
        if columns is not None:
            self._query["columns"] = columns if isinstance(columns, str) else ",".join(columns)
        self._troubles = None

    def __arrow_c_stream__(self, requested_schema=None):
        stream, self._troubles = _core.stream(os.fsencode(self._path), self._what, **self._query)
        return stream

    @property
    def troubles(self):
        """Broken places that the last reading met so far, as text: at most 100 of them."""
        return [] if self._troubles is None else _core.troubles(self._troubles)[0]

    @property
    def n_troubles(self):
        """How many there were in all."""
        return 0 if self._troubles is None else _core.troubles(self._troubles)[1]

    def __repr__(self):
        return "<icefsck.Rows %s of %r>" % (self._what, self._path)


class Table:
    """A table, or one of its metadata files. Nothing is read before rows are."""

    def __init__(self, path, metadata=None, map=None, jobs=None, max_memory=None):
        self._path = os.fspath(path)
        self._query = {"metadata": metadata, "map": map, "jobs": jobs, "max_memory": max_memory}

    def rows(self, what, ref=None, columns=None, readable_bounds=False, partial=False):
        """One of the tables of `icefsck inspect`, with the columns of Iceberg's metadata table of that name.

        ref: a snapshot id, a branch or tag, or an ISO time; without it the current snapshot. columns: names to keep.
        readable_bounds: bounds as JSON values instead of bytes. partial: see Rows.
        """
        if what not in _core.names():
            raise ValueError("no table is called %r: %s" % (what, ", ".join(_core.names())))
        snapshot = None if ref is None else str(ref)
        return Rows(self._path, what, columns, snapshot=snapshot, readable_bounds=readable_bounds, partial=partial,
                    **self._query)

    def files(self, ref=None, **options):
        return self.rows("files", ref, **options)

    def entries(self, ref=None, **options):
        return self.rows("entries", ref, **options)

    def manifests(self, ref=None, **options):
        return self.rows("manifests", ref, **options)

    def partitions(self, ref=None, **options):
        return self.rows("partitions", ref, **options)

    def snapshots(self, **options):
        return self.rows("snapshots", **options)

    def refs(self, **options):
        return self.rows("refs", **options)

    def history(self, **options):
        """The commits with what each changed, as the command `icefsck history`; rows("history") is Iceberg's table."""
        return Rows(self._path, "commits", **{**self._query, **options})

    def __repr__(self):
        return "<icefsck.Table %r>" % self._path


def open(path, metadata=None, map=None, jobs=None, max_memory=None):
    """The table in a directory, or a metadata.json, a manifest list, a manifest.

    metadata: which metadata file of the directory (name, number, "latest", "hint"). map: {"s3://bucket": "local/dir"}.
    jobs: threads, without it as many as there are cores. max_memory: bytes.
    """
    return Table(path, metadata, map, jobs, max_memory)


def diff(a, b=None, from_=None, columns=None, partial=False, map=None, jobs=None, max_memory=None):
    """What lies between two states of a table, as `icefsck diff`: one row a statement, in sections.

    a: the older metadata file, or a table with the state in from_. b: the newer state, without it the current one. A
    state is a metadata file, a snapshot id, a branch or tag, or an ISO time.
    """
    return Rows(a, "diff", columns, to=None if b is None else str(b), **{"from": None if from_ is None else str(from_)},
                partial=partial, map=map, jobs=jobs, max_memory=max_memory)
