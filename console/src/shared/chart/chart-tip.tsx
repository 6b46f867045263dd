import { useTranslation } from 'react-i18next';
import { Swatch } from './legend.tsx';
import { sumAt, type Drawn } from './series.ts';

interface Props {
  drawn: readonly Drawn[];
  index: number;
  title: string;
  format: (value: number) => string;
  /** Middle of what it speaks of, within `width`. */
  x: number;
  width: number;
  /** Pixels to keep free at both sides of `x`. */
  gap: number;
}

/** What one point is made of, by value, with the total. */
export function ChartTip({ drawn, index, title, format, x, width, gap }: Props) {
  const { t } = useTranslation('shared');
  const lines = drawn
    .map((each) => ({ ...each, value: each.values[index] ?? 0 }))
    .toSorted((a, b) => b.value - a.value);
  // On the side that has more room.
  const side = x < width / 2 ? { left: x + gap + 12 } : { right: width - x + gap + 12 };
  return (
    <div
      role="status"
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
                <Swatch color={line.color} />
                <span className="max-w-40 truncate">{line.label}</span>
              </th>
              <td className="text-right">{format(line.value)}</td>
            </tr>
          ))}
          {lines.length > 1 && (
            <tr className="font-title">
              <th scope="row" className="border-t border-line pt-1.5 text-left font-title">
                {t('total')}
              </th>
              <td className="border-t border-line pt-1.5 text-right">{format(sumAt(drawn, index))}</td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}
