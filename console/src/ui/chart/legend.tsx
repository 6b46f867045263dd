import { useTranslation } from '#i18n/use-translation.ts';
import { fewSeries, moreSeries, otherColor, type DrawnSeries } from './series.ts';

/** The colour of a series; "other" is pale with an edge, as in the chart. */
export function Swatch({ color }: { color: string }) {
  return (
    <span
      aria-hidden
      className="size-2 flex-none forced-color-adjust-none rounded-[2px]"
      style={
        color === otherColor
          ? { background: `color-mix(in srgb, ${color} 32%, transparent)`, boxShadow: `inset 0 0 0 1px ${color}` }
          : { background: color }
      }
    />
  );
}

interface Props {
  drawn: readonly DrawnSeries[];
  format: (value: number) => string;
  /** A switch between few and more series, after the last one. */
  more?: More | undefined;
}

export interface More {
  /** Whether more series are shown now. */
  on: boolean;
  onToggle: () => void;
}

/** Colour, name and total of each series. */
export function Legend({ drawn, format, more }: Props) {
  const { t } = useTranslation('shared');
  return (
    <ul className="mt-3 flex flex-wrap gap-x-6 gap-y-1.5 text-12 text-text2 max-sm:grid max-sm:grid-cols-2 max-sm:gap-x-4">
      {drawn.map((each) => (
        <li key={each.id} className="flex min-w-0 items-center gap-2">
          <Swatch color={each.color} />
          <span className="max-w-48 truncate">{each.label}</span>
          <span className="text-text tabular-nums max-sm:ml-auto">{format(each.total)}</span>
        </li>
      ))}
      {more && (
        <li>
          <button type="button" className="touch text-accent hover:underline" onClick={more.onToggle}>
            {t('showSeries', { total: more.on ? fewSeries : moreSeries })}
          </button>
        </li>
      )}
    </ul>
  );
}
