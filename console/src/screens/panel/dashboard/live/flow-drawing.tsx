import { Link } from '@tanstack/react-router';
import { useId, useRef } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { ChannelTile } from '#domain/channel/channel-tile.tsx';
import { markOf } from '#domain/model/mark-of.ts';
import { Mark } from '#ui/basic/mark.tsx';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { useWidth } from '#ui/chart/use-width.ts';
import { formatWhole } from '#ui/format/number.ts';
import { flowShape, type Band, type PlacedEnd } from './flow-shape.ts';
import type { FlowSide, NamedEnd } from './flow-ends.ts';
import { ChannelFacts, useEndText } from './flow-text.tsx';

export interface FlowProps {
  side: FlowSide;
  callers: readonly NamedEnd[];
  channels: readonly NamedEnd[];
}

const hubWidth = 48;
const barWidth = 4;
const labelGap = 12;

/** The flow as bands by share, with a label at each end. */
export function FlowDrawing({ side, callers, channels }: FlowProps) {
  const { t } = useTranslation('cockpit');
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const hatch = useId();
  const [leftLabel, rightLabel] = width < 900 ? [150, 210] : [200, 270];
  const left = leftLabel + labelGap;
  const right = width - rightLabel - labelGap;
  const hubLeft = (left + right - hubWidth) / 2;
  const places = { left: left + barWidth, hubLeft, hubRight: hubLeft + hubWidth, right };
  const shape = flowShape(callers, channels, places);
  return (
    <div className="px-4 pt-2 pb-2">
      <div ref={box} className="relative" style={{ height: shape.height }}>
        {width > 0 && (
          <>
            <svg aria-hidden width={width} height={shape.height} className="absolute inset-0 forced-color-adjust-none">
              <defs>
                <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                  <rect width="6" height="6" className="fill-ice-soft" />
                  <rect width="3" height="6" className="fill-ice-g" />
                </pattern>
              </defs>
              {callers.map((end, at) => (
                <EndBands key={end.key} end={end} placed={shape.left[at]} x={left} hatch={hatch} />
              ))}
              {channels.map((end, at) => (
                <EndBands key={end.key} end={end} placed={shape.right[at]} x={right} hatch={hatch} />
              ))}
              <rect
                x={hubLeft}
                y={shape.hub.top}
                width={hubWidth}
                height={shape.hub.height}
                rx="12"
                className="fill-accent-fill"
              />
              <HubSign x={hubLeft + hubWidth / 2} y={shape.height / 2} />
            </svg>
            <ul aria-label={t(side)}>
              {callers.map((end, at) => (
                <li
                  key={end.key}
                  className="absolute left-0 -translate-y-1/2 text-right"
                  style={{ top: shape.left[at]?.middle, width: leftLabel }}
                >
                  <CallerLabel end={end} side={side} />
                </li>
              ))}
            </ul>
            <ul aria-label={t('channels')}>
              {channels.map((end, at) => (
                <li
                  key={end.key}
                  className="absolute right-0 -translate-y-1/2"
                  style={{ top: shape.right[at]?.middle, width: rightLabel }}
                >
                  <ChannelLabel end={end} />
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </div>
  );
}

const fills: Record<Exclude<Band['look'], 'frozen'>, string> = {
  served: 'fill-flow',
  refused: 'fill-warn-g',
  slow: 'fill-warn-g',
  failed: 'fill-bad-g',
};

const bars = { frozen: 'fill-ice-g', slow: 'fill-warn-g' };

interface BandsProps {
  end: NamedEnd;
  placed: PlacedEnd | undefined;
  /** Left edge of the bar at the end. */
  x: number;
  hatch: string;
}

function EndBands({ end, placed, x, hatch }: BandsProps) {
  if (!placed) return null;
  const isFailing = end.channel ? end.channel.state === 'failing' : end.failed > end.size / 5;
  const bar = end.look ? bars[end.look] : isFailing ? 'fill-bad-g' : 'fill-control';
  const drawn = (
    <g className="transition-opacity motion-reduce:transition-none">
      {placed.bands.map(({ look, path }) => (
        <path key={look} d={path} {...(look === 'frozen' ? { fill: `url(#${hatch})` } : { className: fills[look] })} />
      ))}
      <rect x={x} y={placed.top} width={barWidth} height={placed.height} rx="1" className={bar} />
    </g>
  );
  if (!end.search) return drawn;
  // The label is the link for keyboards and readers.
  return (
    <Link to="/panel/log" search={logOf(end)} tabIndex={-1} className="hover:opacity-80">
      {drawn}
    </Link>
  );
}

/** The log of the last hour, only with the calls of an end. */
const logOf = ({ search }: NamedEnd) => ({ time: '1h', ...search });

const label = 'block rounded-tile text-13/4 outline-offset-4 hover:[&_.name]:underline';

export function CallerLabel({ end, side }: { end: NamedEnd; side: FlowSide }) {
  const { nameOf, factsOf } = useEndText(side);
  const facts = factsOf(end);
  const shown = (
    <>
      <span className="flex items-center justify-end gap-1.5 max-md:justify-between">
        {side === 'models' && end.search && <Mark name={end.name} mark={markOf(end.name)} size={20} />}
        <span className="name min-w-0 truncate max-md:flex-1">
          <MiddleCut text={nameOf(end)} />
        </span>
        <span className="flex-none font-title tabular-nums">{formatWhole(end.size)}</span>
      </span>
      {facts && (
        <span
          className={end.refused > 0 ? 'block truncate text-12/4 text-warn' : 'block truncate text-12/4 text-text3'}
        >
          {facts}
        </span>
      )}
    </>
  );
  if (!end.search) return <span className={label}>{shown}</span>;
  return (
    <Link to="/panel/log" search={logOf(end)} className={label}>
      {shown}
    </Link>
  );
}

export function ChannelLabel({ end }: { end: NamedEnd }) {
  const { t } = useTranslation('cockpit');
  const { nameOf } = useEndText('channels');
  const { troubled = 0 } = end;
  const shown = (
    <>
      <span className="flex items-center gap-1.5">
        {end.channel && <ChannelTile type={end.channel.type} name={end.name} size={20} />}
        <span className="name min-w-0 flex-1 truncate">
          <MiddleCut text={nameOf(end)} />
        </span>
        <span className="flex-none font-title tabular-nums">{formatWhole(end.size)}</span>
      </span>
      <span className="block truncate text-12/4">
        {troubled > 0 ? (
          <span className="text-bad">{t('troubled', { count: troubled, total: formatWhole(troubled) })}</span>
        ) : (
          <ChannelFacts end={end} />
        )}
      </span>
    </>
  );
  if (troubled > 0)
    return (
      <Link to="/panel/channel" search={{ trouble: 1 }} className={label}>
        {shown}
      </Link>
    );
  if (!end.search) return <span className={label}>{shown}</span>;
  return (
    <Link to="/panel/log" search={logOf(end)} className={label}>
      {shown}
    </Link>
  );
}

/** The mark of the hub: one way in, three ways out. */
function HubSign({ x, y }: { x: number; y: number }) {
  return (
    <g transform={`translate(${x - 17} ${y - 17}) scale(1.42)`} fill="none" stroke="#fff" strokeWidth="1.5">
      <path d="M7.5 12h2.2M9.7 12c3.6 0 2.6-5 6.3-5M9.7 12h6.3M9.7 12c3.6 0 2.6 5 6.3 5" strokeLinecap="round" />
      <g fill="#fff" stroke="none">
        <circle cx="6.4" cy="12" r="1.9" />
        <circle cx="17.2" cy="7" r="1.5" />
        <circle cx="17.2" cy="12" r="1.5" />
        <circle cx="17.2" cy="17" r="1.5" />
      </g>
    </g>
  );
}
