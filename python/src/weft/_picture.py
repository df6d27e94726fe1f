"""A graph as a picture for notebooks: SVG, nodes in rows by how far they are from the inputs. A value that a later row reads goes past the
rows between in a lane at their right, so that no box hides it."""
import html

_MOST = 80  # nodes; more are no picture
_WIDE, _HIGH, _GAP, _LANE = 168, 26, 26, 14


def picture(graph):
    """SVG of a C graph with at most 80 nodes; of larger ones a sentence."""
    nodes = graph.nodes()
    if len(nodes) > _MOST:
        return f"<p>{len(nodes)} nodes, too many for a picture here; <code>model.text(\"dot\")</code> is for graphviz.</p>"
    if not nodes:
        return ""
    row, maker, boxes, edges = {}, {}, [], []  # a box: row, text, colour
    for value in graph.inputs():
        row[value[0]] = 0
        maker[value[0]] = len(boxes)
        boxes.append((0, value[0], "#dbeafe"))
    for name, kind, inputs, outputs, _ in nodes:
        at = 1 + max((row[i] for i in inputs if i in row), default=0)
        edges += [(maker[i], len(boxes)) for i in dict.fromkeys(inputs) if i in maker]
        for value in outputs:
            row[value[0]] = at
            maker[value[0]] = len(boxes)
        boxes.append((at, name if name.startswith(kind) else f"{kind} {name}", "#ecfdf5"))
    for value in graph.outputs():
        if value[0] in maker:
            edges.append((maker[value[0]], len(boxes)))
            boxes.append((row[value[0]] + 1, value[0], "#fef3c7"))
    return _drawn(boxes, edges)


def _drawn(boxes, edges):
    places, lanes, wide = _places(boxes, edges)
    high = max(y for _, y in places) + _HIGH + 8
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" font-family="sans-serif" font-size="11">']
    parts += [_path(a, b, boxes, places, lanes) for a, b in edges]
    for (x, y), (_, text, colour) in zip(places, boxes):
        short = text if len(text) < 24 else text[:22] + "\u2026"
        parts.append(f'<rect x="{x}" y="{y}" width="{_WIDE}" height="{_HIGH}" rx="5" fill="{colour}" stroke="#94a3b8"><title>'
                     f'{html.escape(text)}</title></rect><text x="{x + _WIDE // 2}" y="{y + 17}" text-anchor="middle">{html.escape(short)}</text>')
    return "".join(parts) + "</svg>"


def _top(row):
    return 8 + row * (_HIGH + _GAP)


def _places(boxes, edges):
    """(left upper corner of each box, {(box, row): where its lane is in that row}, width)"""
    counts, places, lanes = {}, [], {}
    for at, _, _ in boxes:
        places.append((8 + counts.get(at, 0) * (_WIDE + 16), _top(at)))
        counts[at] = counts.get(at, 0) + 1
    ends = {at: 8 + n * (_WIDE + 16) for at, n in counts.items()}
    for a, b in edges:
        for at in range(boxes[a][0] + 1, boxes[b][0]):
            if (a, at) not in lanes:
                lanes[a, at] = ends[at]
                ends[at] += _LANE
    return places, lanes, max(ends.values())


def _path(a, b, boxes, places, lanes):
    (x, y), (end, _) = places[a], places[b]
    x, y, end = x + _WIDE // 2, y + _HIGH, end + _WIDE // 2
    text = f"M{x},{y}"
    for at in range(boxes[a][0] + 1, boxes[b][0] + 1):
        to, top = lanes.get((a, at), end) if at < boxes[b][0] else end, _top(at)
        text += f" C{x},{y + 18} {to},{top - 18} {to},{top}" + (f" V{top + _HIGH}" if at < boxes[b][0] else "")
        x, y = to, top + _HIGH
    return f'<path d="{text}" fill="none" stroke="#94a3b8"/>'
# SPDX-License-Identifier: Apache-2.0
