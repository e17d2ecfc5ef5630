"""How the cost of a check grows with each thing that a table may have much of, and the plot of it (plain SVG, no library)."""

import json

import benchrun

FACTORS = (1, 2, 4, 8)
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#6a51a3")
AXES = {  # what grows: options of gen-table at a factor, options of the check
    "files": (lambda f: ["-n", 5000 * f, "-m", 8, "-k", 16], ()),
    "manifests": (lambda f: ["-n", 6400, "-m", 100 * f, "-k", 1], ()),
    "snapshots": (lambda f: ["-J", "-k", 4000 * f, "-n", 100000], ("--depth", "metadata")),
    "columns": (lambda f: ["-n", 2000, "-m", 4, "-k", 8, "-w", 20 * f], ()),
    "partitions": (lambda f: ["-n", 10000, "-m", 4, "-k", 4, "-b", 32 * f], ()),
}
AT_ONE = {"files": "5 000 files", "manifests": "100 manifests of 6 400 files", "snapshots": "4 000 snapshots in metadata.json",
          "columns": "20 columns of 2 000 files", "partitions": "256 partitions of 10 000 files"}


def measure(steps):
    for axis, (options, how) in AXES.items():
        points = []
        for factor in FACTORS:
            path = steps.tables.make("growth-%s-%d" % (axis, factor), [str(option) for option in options(factor)])
            command = [steps.icefsck, "check", path, "-j", "1", "--no-config", *how]
            cpu = benchrun.Spread([benchrun.run(command).cpu for _ in range(max(3, steps.repeat))])
            read = json.loads(benchrun.run([*command, "-f", "ndjson"], keep=True).out.splitlines()[-1])["read"]
            points.append({"factor": factor, "cpu": cpu.median, "least": cpu.least, "most": cpu.most, "instructions": benchrun.instructions(command),
                           "bytes": read["bytes"]})
            first, last = points[0], points[-1]
            more = "%.2f ×" % (last["instructions"] / first["instructions"]) if last["instructions"] and first["instructions"] else "not counted"
            print("growth.%-13s %d ×: CPU %.3f s, %.2f ×; instructions %s; bytes %.2f ×" %
                  (axis, factor, last["cpu"], last["cpu"] / first["cpu"], more, last["bytes"] / first["bytes"]), flush=True)
        steps.measured.put("growth", axis, points=points, one=AT_ONE[axis])


# ---- the plot

WIDTH, HEIGHT, LEFT, TOP, SIDE = 760, 400, 56, 44, 280


def place(left, x, y, most):
    """Both ways from 0 to most, drawn to scale: a straight line is linear growth."""
    return left + SIDE * x / most, TOP + SIDE * (1 - y / most)


def panel(out, left, title, lines, most):
    out.append('<text x="%d" y="%d" font-weight="bold">%s</text>' % (left, TOP - 16, title))
    for tick in range(0, most + 1, 2):
        x, bottom = place(left, tick, 0, most)
        _, y = place(left, 0, tick, most)
        out.append('<path d="M%.1f %.1fH%.1fM%.1f %.1fV%.1f" stroke="#8884"/>' % (left, y, left + SIDE, x, TOP, TOP + SIDE))
        out.append('<text x="%.1f" y="%.1f" text-anchor="middle">%d×</text>' % (x, bottom + 18, tick))
        out.append('<text x="%.1f" y="%.1f" text-anchor="end">%d×</text>' % (left - 6, y + 4, tick))
    (x0, y0), (x1, y1) = place(left, 0, 0, most), place(left, most, most, most)
    out.append('<path d="M%.1f %.1fL%.1f %.1f" stroke="#888" stroke-dasharray="4 4"/>' % (x0, y0, x1, y1))
    for (name, points), colour in zip(lines, COLOURS):
        spots = [place(left, x, y, most) for x, y in points]
        out.append('<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/>' % (colour, " ".join("%.1f,%.1f" % spot for spot in spots)))
        for x, y in spots:
            out.append('<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>' % (x, y, colour))


def plot(growth):
    """SVG text: CPU time and instructions, as multiples of those at 1 ×."""
    kinds = [("CPU time of the check", "cpu"), ("instructions", "instructions")]
    drawn = [(title, [(axis, [(point["factor"], point[key] / growth[axis]["points"][0][key]) for point in growth[axis]["points"]])
                      for axis in AXES if axis in growth and all(point[key] for point in growth[axis]["points"])]) for title, key in kinds]
    most = 8
    while any(y > most for _, lines in drawn for _, points in lines for _, y in points):
        most += 2
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" fill="#333">' % (WIDTH, HEIGHT),
           "<title>Cost of a check at 1, 2, 4 and 8 times as much of each; dashed: linear</title>", '<rect width="100%" height="100%" fill="#fff"/>']
    for i, (title, lines) in enumerate(drawn):
        panel(out, LEFT + i * (SIDE + 80), title, lines, most)
    for i, (axis, colour) in enumerate(zip(AXES, COLOURS)):
        out.append('<path d="M%d %dh18" stroke="%s" stroke-width="2"/><text x="%d" y="%d">%s</text>' %
                   (LEFT + i * 110, HEIGHT - 22, colour, LEFT + i * 110 + 24, HEIGHT - 18, axis))
    return "\n".join([*out, "</svg>", ""])
