export const NODE = { width: 124, height: 32 };
const ROW_GAP = 26;
/** Between nodes side by side: room for the lines beside each of them. */
const COLUMN_GAP = 56;
/** From a node to the nearest line beside it, and from line to line. */
const CHANNEL = { first: 12, next: 8 };
const CORNER = 6;
/** Lines leave and arrive beside the middle of a node, so that the two do not touch. */
const PORT = 6;

/** Below the last node: the picture's maker is named there. */
const FOOT = 14;

/** Nodes in the order in which they are reached, and which follows which. */
export type Drawn = {
  readonly nodes: readonly string[];
  readonly edges: readonly { from: string; to: string }[];
};
type Place = { id: string; row: number; x: number; y: number };
type Line = { from: Place; to: Place };
type Box = { x: number; y: number; width: number; height: number };

export type EdgeLine = {
  from: string;
  to: string;
  path: string;
  /** Where it arrives, and the direction in degrees. */
  tip: { x: number; y: number; angle: number };
};

export type Layout = {
  nodes: { id: string; x: number; y: number }[];
  edges: EdgeLine[];
  /** Around everything, lines included. */
  box: Box;
};

/** From top to bottom, in one straight line as long as stages follow each other; what skips ahead runs along the right
 * side, what goes back along the left. */
export function layOut(pipeline: Drawn): Layout {
  const places = placesOf(pipeline);
  const lines = pipeline.edges.flatMap(({ from, to }): Line[] => {
    const [start, end] = [places.get(from), places.get(to)];
    return start && end && start !== end ? [{ from: start, to: end }] : [];
  });
  const direct = lines.filter(({ from, to }) => to.row - from.row === 1);
  const ahead = lines.filter(({ from, to }) => to.row - from.row > 1);
  const back = lines.filter(({ from, to }) => to.row <= from.row);
  // From the right of where it leads, a line must not cross what stands between.
  const isRight = ({ from, to }: Line) => from.x > to.x;
  const all = [...places.values()];
  const right = beside([...ahead, ...back.filter(isRight)], all, 1);
  const left = beside(
    back.filter((line) => !isRight(line)),
    all,
    -1,
  );
  const edges = [...direct.map(straight), ...right.edges, ...left.edges];
  return {
    nodes: all.map(({ id, x, y }) => ({ id, x, y })),
    edges,
    box: around(all, [...right.xs, ...left.xs]),
  };
}

const byName = new Intl.Collator('en', { numeric: true }).compare;

/** A row below all that lead there; what shares a row stands side by side around the middle. */
function placesOf({ nodes, edges }: Drawn): Map<string, Place> {
  const order = new Map(nodes.map((node, index) => [node, index]));
  const rowOf = new Map<string, number>();
  for (const node of nodes) {
    const before = edges.filter(
      ({ from, to }) => to === node && (order.get(from) ?? 0) < (order.get(node) ?? 0),
    );
    rowOf.set(node, Math.max(-1, ...before.map(({ from }) => rowOf.get(from) ?? -1)) + 1);
  }
  const places = nodes.map((id): Place => {
    const row = rowOf.get(id) ?? 0;
    const mates = nodes.filter((other) => rowOf.get(other) === row).sort(byName);
    const column = mates.indexOf(id) - (mates.length - 1) / 2;
    const x = column * (NODE.width + COLUMN_GAP) - NODE.width / 2;
    return { id, row, x, y: row * (NODE.height + ROW_GAP) };
  });
  return new Map(places.map((place) => [place.id, place]));
}

/** To the next row: straight down, or over to another column. */
function straight({ from, to }: Line): EdgeLine {
  const [x, y] = [from.x + NODE.width / 2, from.y + NODE.height];
  const [endX, endY] = [to.x + NODE.width / 2, to.y];
  const middle = (y + endY) / 2;
  const path =
    x === endX
      ? `M${x},${y} V${endY}`
      : `M${x},${y} C${x},${middle} ${endX},${middle} ${endX},${endY}`;
  return { from: from.id, to: to.id, path, tip: { x: endX, y: endY, angle: 90 } };
}

type Channel = { top: number; bottom: number; x: number };

/** Lines along one side, the shorter ones nearer to the nodes, none on top of another. */
function beside(lines: readonly Line[], places: readonly Place[], side: 1 | -1) {
  const used: Channel[] = [];
  const edges: EdgeLine[] = [];
  const span = ({ from, to }: Line) => Math.abs(to.row - from.row);
  for (const line of [...lines].sort((a, b) => span(a) - span(b))) {
    const top = Math.min(line.from.y, line.to.y);
    const bottom = Math.max(line.from.y, line.to.y);
    const isTaken = (x: number) =>
      used.some((one) => one.x === x && one.top <= bottom && one.bottom >= top);
    let x = edgeOf(line, places, side) + side * CHANNEL.first;
    while (isTaken(x)) x += side * CHANNEL.next;
    used.push({ top, bottom, x });
    edges.push(round(line, x, side));
  }
  return { edges, xs: used.map(({ x }) => x) };
}

/** The outer edge of what a line has to pass: its own column, or all that stands between two nodes in the middle. */
function edgeOf({ from, to }: Line, places: readonly Place[], side: 1 | -1): number {
  const outer = ({ x }: Place) => (side === 1 ? x + NODE.width : x);
  const [top, bottom] = [Math.min(from.row, to.row), Math.max(from.row, to.row)];
  const isLone = ({ row }: Place) => places.filter((other) => other.row === row).length === 1;
  const passed =
    isLone(from) && isLone(to)
      ? places.filter(({ row }) => row >= top && row <= bottom)
      : [from, to];
  const edges = passed.map(outer);
  return side === 1 ? Math.max(...edges) : Math.min(...edges);
}

/** Out at the side, along the channel, and in at the side, with round corners. */
function round({ from, to }: Line, x: number, side: 1 | -1): EdgeLine {
  const goesDown = to.row > from.row;
  const down = goesDown ? 1 : -1;
  const sideOf = (place: Place) => (side === 1 ? place.x + NODE.width : place.x);
  const start = { x: sideOf(from), y: from.y + NODE.height / 2 + down * PORT };
  const end = { x: sideOf(to), y: to.y + NODE.height / 2 - down * PORT };
  const path = [
    `M${start.x},${start.y}`,
    `H${x - side * CORNER}`,
    `Q${x},${start.y} ${x},${start.y + down * CORNER}`,
    `V${end.y - down * CORNER}`,
    `Q${x},${end.y} ${x - side * CORNER},${end.y}`,
    `H${end.x}`,
  ].join(' ');
  return { from: from.id, to: to.id, path, tip: { ...end, angle: side === 1 ? 180 : 0 } };
}

function around(places: readonly Place[], channels: readonly number[]): Box {
  const xs = [...places.flatMap(({ x }) => [x, x + NODE.width]), ...channels];
  const ys = places.flatMap(({ y }) => [y, y + NODE.height + FOOT]);
  const [x, y] = [Math.min(0, ...xs), Math.min(0, ...ys)];
  return { x, y, width: Math.max(0, ...xs) - x, height: Math.max(0, ...ys) - y };
}
