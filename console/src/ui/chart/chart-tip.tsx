import { Swatch } from './legend.tsx';

export interface TipLine {
  id: string;
  label: string;
  /** Absent: it is not drawn. */
  color?: string | undefined;
  text: string;
}

interface Props {
  title: string;
  /** In the order in which they are to be read. */
  lines: readonly TipLine[];
  foot?: { label: string; text: string } | undefined;
  /** Middle of what it speaks of, within `width`. */
  x: number;
  width: number;
  /** Pixels to keep free at both sides of `x`. */
  gap: number;
}

/** Pixels of a letter, and of all that stands around the two texts of a line. */
const letter = 7;
const around = 64;

/** What one point is made of. */
export function ChartTip({ title, lines, foot, x, width, gap }: Props) {
  // On the side that has more room, and on a phone over what it speaks of rather than out of its card.
  const wide = Math.max(...lines.map(({ label, text }) => Math.min(160, label.length * letter) + text.length * letter));
  const most = Math.max(0, width - wide - around);
  const side = x < width / 2 ? { left: Math.min(x + gap + 12, most) } : { right: Math.min(width - x + gap + 12, most) };
  return (
    <div
      className="floating pointer-events-none absolute top-0 z-20 min-w-44 rounded-card p-3 text-12 shadow-menu"
      style={side}
    >
      <p className="mb-1.5 font-title tabular-nums">{title}</p>
      <table className="w-full tabular-nums">
        <tbody>
          {lines.map((line) => (
            <tr key={line.id}>
              <th
                scope="row"
                className="flex items-center gap-2 py-0.5 pr-4 text-left font-normal whitespace-nowrap text-text2"
              >
                {line.color && <Swatch color={line.color} />}
                <span className="max-w-40 truncate">{line.label}</span>
              </th>
              <td className="text-right whitespace-nowrap">{line.text}</td>
            </tr>
          ))}
          {foot && (
            <tr className="font-title">
              <th scope="row" className="border-t border-line pt-1.5 text-left font-title">
                {foot.label}
              </th>
              <td className="border-t border-line pt-1.5 text-right whitespace-nowrap">{foot.text}</td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}
