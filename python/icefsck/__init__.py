"""icefsck: check Apache Iceberg tables from their metadata files, and read those files as Arrow.

    report = icefsck.check("warehouse/db/orders")          # as the command: exit_code, findings
    files = icefsck.open("warehouse/db/orders").files(ref="main")
    pyarrow.table(files); polars.DataFrame(files); duckdb.sql("select * from files")

No catalog, no network; nothing is written into a table.
"""

from ._check import Report, Usage, binary, check
from ._rows import Rows, Table, diff, open
from ._core import version as _version

__version__ = _version()
__all__ = ["Report", "Rows", "Table", "Usage", "binary", "check", "diff", "open"]
