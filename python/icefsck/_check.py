"""The check itself, by the command: a process of its own, so that a limit or a signal there stays there."""

import json
import os
import shutil
import subprocess
import sysconfig


class Usage(ValueError):
    """The command refused its arguments (exit bit 4), or failed itself (bit 8); the text is what it said."""


def binary():
    """Path of the command `icefsck` that came with this package."""
    places = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", "%s_user" % os.name)]
    places.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin"))  # pip --target
    for place in places:
        candidate = os.path.join(place, "icefsck")
        if os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return candidate
    found = shutil.which("icefsck")
    if found is None:
        raise FileNotFoundError("the command icefsck is neither in %s nor on PATH" % " nor in ".join(places))
    return found


class Report:
    """What the check found: the JSON document of `icefsck check -f json`.

    exit_code: 0 sound; bit 1 findings at fail_on or above; bit 2 something could not be checked. tables: a dict each,
    with summary and findings.
    """

    def __init__(self, exit_code, document, messages):
        self.exit_code = exit_code
        self.document = document
        self.tables = document["tables"]
        self.messages = messages

    @property
    def findings(self):
        """Those of all tables."""
        return [finding for table in self.tables for finding in table["findings"]]

    @property
    def ok(self):
        """All that was asked was checked, and nothing at fail_on or above was found."""
        return self.exit_code == 0

    def __bool__(self):
        return self.ok

    def __repr__(self):
        return "<icefsck.Report exit_code=%d, %d findings>" % (self.exit_code, len(self.findings))


def _arguments(options):
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            yield option
        elif isinstance(value, dict):
            for source, target in value.items():
                yield from (option, "%s=%s" % (source, target))
        elif isinstance(value, (list, tuple)):
            for one in value:
                yield from (option, os.fspath(one) if isinstance(one, os.PathLike) else str(one))
        else:
            yield from (option, os.fspath(value) if isinstance(value, os.PathLike) else str(value))


# What would take the report away from stdout, or make it another one.
_OURS = {"format", "f", "output", "o", "list_files", "help", "h", "progress", "no_config"}


def check(path, *paths, **options):
    """Check tables. Options are those of `icefsck check`, with _ for -: max_age="24h", strict=True,
    map={"s3://lake": "lake"}, listing=["a.json", "b.json"]. Raises Usage if an option is wrong or the command failed.
    """
    ours = sorted(_OURS.intersection(name.rstrip("_") for name in options))
    if ours:
        raise Usage("check: %s is not for a caller to set: the report is JSON, and comes back as a Report" % ours[0])
    environment = {name: value for name, value in os.environ.items() if name != "ICEFSCK_OPTS"}
    command = [binary(), "check", "-f", "json", "--no-config", "--progress=off", *_arguments(options), "--", path, *paths]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=environment)
    messages = done.stderr.decode("utf-8", "replace")
    if done.returncode < 0 or done.returncode & 12 or not done.stdout:
        raise Usage(messages.strip() or "icefsck ended with %d" % done.returncode)
    return Report(done.returncode, json.loads(done.stdout), messages)
