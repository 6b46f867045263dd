import { useMemo } from 'react';
import { encode } from 'uqr';

interface Props {
  text: string;
  /** Accessible name. */
  label: string;
  /** Minimum size in pixels. */
  size?: number | undefined;
}

/** Quiet zone in modules, which readers require. */
const border = 3;

/** A QR code, drawn locally because the text is secret. Dark on light in both themes: not every reader accepts inverted codes. */
export function QrCode({ text, label, size = 176 }: Props) {
  const { path, side } = useMemo(() => draw(text), [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${side} ${side}`}
      width={size}
      height={size}
      shapeRendering="crispEdges"
      className="rounded-control"
    >
      <rect width={side} height={side} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

function draw(text: string): { path: string; side: number } {
  const { data, size: side } = encode(text, { ecc: 'M', border });
  const cells = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return { path: cells.join(''), side };
}
