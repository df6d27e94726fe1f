"""A graph as a picture for notebooks: SVG, nodes in rows by how far they are from the inputs."""
import html

_MOST = 80  # nodes; more are no picture
_WIDE, _HIGH, _GAP = 150, 26, 26


def picture(graph):
    """SVG of a C graph with at most 80 nodes; of larger ones a sentence."""
    nodes = graph.nodes()
    if len(nodes) > _MOST:
        return f"<p>{len(nodes)} nodes, too many for a picture here; <code>model.text(\"dot\")</code> is for graphviz.</p>"
    if not nodes:
        return ""
    row, maker, boxes = {}, {}, []
    for value in graph.inputs():
        row[value[0]] = 0
        maker[value[0]] = len(boxes)
        boxes.append((0, value[0], "#dbeafe"))
    edges = []
    for name, kind, inputs, outputs, _ in nodes:
        at = 1 + max((row[i] for i in inputs if i in row), default=0)
        edges += [(maker[i], len(boxes)) for i in inputs if i in maker]
        for value in outputs:
            row[value[0]] = at
            maker[value[0]] = len(boxes)
        boxes.append((at, kind if kind == name else f"{kind} {name}", "#ecfdf5"))
    for value in graph.outputs():
        if value[0] in maker:
            edges.append((maker[value[0]], len(boxes)))
            boxes.append((row[value[0]] + 1, value[0], "#fef3c7"))
    counts, places = {}, []
    for at, _, _ in boxes:
        places.append((8 + counts.get(at, 0) * (_WIDE + 16), 8 + at * (_HIGH + _GAP)))
        counts[at] = counts.get(at, 0) + 1
    wide = max(x for x, _ in places) + _WIDE + 8
    high = max(y for _, y in places) + _HIGH + 8
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" font-family="sans-serif" font-size="11">']
    for a, b in edges:
        (x1, y1), (x2, y2) = places[a], places[b]
        parts.append(f'<path d="M{x1 + _WIDE // 2},{y1 + _HIGH} C{x1 + _WIDE // 2},{y1 + _HIGH + 18} {x2 + _WIDE // 2},{y2 - 18} '
                     f'{x2 + _WIDE // 2},{y2}" fill="none" stroke="#94a3b8"/>')
    for (x, y), (_, text, colour) in zip(places, boxes):
        short = text if len(text) < 25 else text[:23] + "\u2026"
        parts.append(f'<rect x="{x}" y="{y}" width="{_WIDE}" height="{_HIGH}" rx="5" fill="{colour}" stroke="#94a3b8"><title>'
                     f'{html.escape(text)}</title></rect><text x="{x + _WIDE // 2}" y="{y + 17}" text-anchor="middle">{html.escape(short)}</text>')
    return "".join(parts) + "</svg>"
# SPDX-License-Identifier: Apache-2.0
