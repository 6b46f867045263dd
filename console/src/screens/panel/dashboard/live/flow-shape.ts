/** A caller or channel at one side of the flow. */
export interface FlowEnd {
  /** Calls or attempts. */
  size: number;
  /** Parts of `size` that are drawn in another colour. */
  refused: number;
  failed: number;
  /** All of it is drawn in this look. */
  look?: 'slow' | 'frozen' | undefined;
}

/** A band between an end and the hub, as the `d` of a path. */
export interface Band {
  look: 'served' | 'refused' | 'failed' | 'slow' | 'frozen';
  path: string;
}

export interface PlacedEnd {
  /** Middle of the end and of its label. */
  middle: number;
  top: number;
  height: number;
  bands: Band[];
}

export interface FlowShape {
  height: number;
  hub: { top: number; height: number };
  left: PlacedEnd[];
  right: PlacedEnd[];
}

/** Horizontal places, in pixels: the ends of the bands and the sides of the hub. */
export interface FlowPlaces {
  left: number;
  hubLeft: number;
  hubRight: number;
  right: number;
}

/** Height of the larger side at the hub. */
const hubHeight = 176;
/** Room of a label of two lines. */
const labelHeight = 40;
const gap = 6;
const least = 240;
/** A band with a single call is still seen. */
const thinnest = 1.5;

/** Where each end, band and the hub are; both sides have the same scale. */
export function flowShape(left: readonly FlowEnd[], right: readonly FlowEnd[], places: FlowPlaces): FlowShape {
  const most = Math.max(1, sizeOf(left), sizeOf(right));
  const scale = hubHeight / most;
  const height = Math.max(least, roomOf(left, scale), roomOf(right, scale));
  const middle = height / 2;
  return {
    height,
    hub: { top: middle - hubHeight / 2 - 8, height: hubHeight + 16 },
    left: placed(left, { scale, height, x: places.left, hubX: places.hubLeft }),
    right: placed(right, { scale, height, x: places.right, hubX: places.hubRight }),
  };
}

const sizeOf = (ends: readonly FlowEnd[]): number => ends.reduce((all, { size }) => all + size, 0);

const thicknessOf = ({ size }: FlowEnd, scale: number): number => Math.max(thinnest, size * scale);

const roomOf = (ends: readonly FlowEnd[], scale: number): number =>
  ends.reduce((all, end) => all + Math.max(labelHeight, thicknessOf(end, scale)) + gap, -gap);

interface Side {
  scale: number;
  height: number;
  /** Where the bands meet their ends, and the hub. */
  x: number;
  hubX: number;
}

function placed(ends: readonly FlowEnd[], { scale, height, x, hubX }: Side): PlacedEnd[] {
  const spare = (height - roomOf(ends, scale)) / Math.max(1, ends.length);
  let y = spare / 2;
  let atHub = height / 2 - ends.reduce((all, end) => all + thicknessOf(end, scale), 0) / 2;
  return ends.map((end) => {
    const thickness = thicknessOf(end, scale);
    const room = Math.max(labelHeight, thickness);
    const middle = y + room / 2;
    const top = middle - thickness / 2;
    const bands: Band[] = [];
    let [from, to] = [top, atHub];
    for (const { look, share } of partsOf(end)) {
      const part = share * thickness;
      bands.push({ look, path: bandPath({ x, y: from }, { x: hubX, y: to }, part) });
      from += part;
      to += part;
    }
    y += room + gap + spare;
    atHub += thickness;
    return { middle, top, height: thickness, bands };
  });
}

function partsOf({ size, refused, failed, look }: FlowEnd): { look: Band['look']; share: number }[] {
  if (size === 0) return [];
  if (look) return [{ look, share: 1 }];
  const parts: { look: Band['look']; share: number }[] = [
    { look: 'served', share: (size - refused - failed) / size },
    { look: 'refused', share: refused / size },
    { look: 'failed', share: failed / size },
  ];
  return parts.filter(({ share }) => share > 0);
}

interface Point {
  x: number;
  y: number;
}

const bandPath = (from: Point, to: Point, size: number): string => {
  const bend = (from.x + to.x) / 2;
  const [f, t] = [round(from.y), round(to.y)];
  const [f2, t2] = [round(from.y + size), round(to.y + size)];
  return `M${from.x} ${f}C${bend} ${f} ${bend} ${t} ${to.x} ${t}V${t2}C${bend} ${t2} ${bend} ${f2} ${from.x} ${f2}z`;
};

const round = (value: number): number => Math.round(value * 10) / 10;
