import { Swatch } from './legend.tsx';

export interface TipLine {
  id: string;
  label: string;
  /** Undefined if the series is not drawn. */
  color?: string | undefined;
  text: string;
}

interface Props {
  title: string;
  /** In reading order. */
  lines: readonly TipLine[];
  foot?: { label: string; text: string } | undefined;
  /** Effect of a click. */
  hint?: string | undefined;
  /** Centre of the described point, in pixels within `width`. */
  x: number;
  width: number;
  /** Pixels to keep free on both sides of `x`. */
  gap: number;
}

/** Pixels per character, and around the two texts of a line; estimates the width. */
const letter = 7;
const around = 64;

/** The tooltip of one point. */
export function ChartTip({ title, lines, foot, hint, x, width, gap }: Props) {
  // On the side with more room; on a phone over the point rather than outside the card.
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
      {hint && <p className="mt-1.5 text-text3">{hint}</p>}
    </div>
  );
}
