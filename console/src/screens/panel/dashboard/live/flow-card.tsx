import type { Cockpit } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { useIsNarrow } from '#ui/basic/use-media.ts';
import { callersOf, channelsOf, type FlowSide, flowSides, hatched, type NamedEnd } from './flow-ends.ts';
import { CallerLabel, ChannelLabel, FlowDrawing, type FlowProps } from './flow-drawing.tsx';
import { useEndText } from './flow-text.tsx';

/** Calls on their way from callers through the hub to channels. */
export function FlowCard({ state }: { state: Cockpit | undefined }) {
  const { t } = useTranslation('cockpit');
  const narrow = useIsNarrow();
  const [side, setSide] = useState<FlowSide>('users');
  const total = state?.total;
  return (
    <Card aria-labelledby="live-flow" className="min-w-0">
      <CardHead
        id="live-flow"
        title={t('flow')}
        twoLines
        aside={
          total && (
            <span className="text-13 text-text2 tabular-nums">
              {t('callsAndAttempts', { calls: formatWhole(total.calls), attempts: formatWhole(total.attempts) })}
            </span>
          )
        }
      >
        {!narrow && <Legend />}
        <Segmented
          label={t('side')}
          value={side}
          options={flowSides.map((value) => ({ value, label: t(value) }))}
          onChange={setSide}
        />
      </CardHead>
      {!state ? (
        <div className="h-80 px-4 py-6">
          <Skeleton width="100%" className="h-full!" />
        </div>
      ) : (
        <>
          {narrow ? (
            <FlowList side={side} callers={callersOf(state, side)} channels={channelsOf(state)} />
          ) : (
            <FlowDrawing side={side} callers={callersOf(state, side)} channels={channelsOf(state)} />
          )}
          <Sum total={state.total} />
          <FlowTable side={side} callers={callersOf(state, side)} channels={channelsOf(state)} />
        </>
      )}
    </Card>
  );
}

const swatches = { served: 'bg-flow', refused: 'bg-warn-g', failed: 'bg-bad-g', frozen: hatched } as const;

function Legend() {
  const { t } = useTranslation('cockpit');
  return (
    <ul aria-hidden className="mr-2 flex flex-wrap items-center gap-x-4 text-12 text-text2">
      {(['served', 'refused', 'failed', 'frozen'] as const).map((look) => (
        <li key={look} className="flex items-center gap-1.5">
          <span className={cx('h-2.5 w-3.5 rounded-[2px] forced-color-adjust-none', swatches[look])} />
          {t(`legend.${look}`)}
        </li>
      ))}
    </ul>
  );
}

/** Why calls and attempts differ: calls − refused − not sent + retries = attempts. */
function Sum({ total }: { total: Cockpit['total'] }) {
  const { t } = useTranslation('cockpit');
  const { refused, unsent, retries, failed } = total;
  const hour = { time: '1h' };
  return (
    <p className="flex flex-wrap justify-center gap-x-1.5 px-4 pb-4 text-12 tabular-nums">
      <Link to="/panel/log" search={{ ...hour, log_type: 5 }} className="touch text-warn hover:underline">
        {t('refusedOf', { calls: formatWhole(refused) })}
      </Link>
      {unsent > 0 && (
        <>
          <Dot />
          <span className="text-bad">{t('unsent', { calls: formatWhole(unsent) })}</span>
        </>
      )}
      <Dot />
      <span className="text-text2">{t('retries', { count: retries, total: formatWhole(retries) })}</span>
      <Dot />
      <Link to="/panel/log" search={{ ...hour, failed: 1 }} className="touch text-bad hover:underline">
        {t('failedOf', { calls: formatWhole(failed) })}
      </Link>
    </p>
  );
}

const Dot = () => (
  <span aria-hidden className="text-text3">
    ·
  </span>
);

/** The flow where there is no room for bands: two lists with a bar by share. */
function FlowList({ side, callers, channels }: FlowProps) {
  const { t } = useTranslation('cockpit');
  return (
    <div className="grid grid-cols-1 gap-5 px-4 pt-1 pb-4 sm:grid-cols-2">
      <Side title={t(side)} ends={callers} label={(end) => <CallerLabel end={end} side={side} />} />
      <Side title={t('channels')} ends={channels} label={(end) => <ChannelLabel end={end} />} />
    </div>
  );
}

interface SideProps {
  title: string;
  ends: readonly NamedEnd[];
  label: (end: NamedEnd) => ReactNode;
}

function Side({ title, ends, label }: SideProps) {
  const most = Math.max(1, ...ends.map(({ size }) => size));
  return (
    <section className="min-w-0">
      <h3 className="pb-2 text-12 font-normal text-text3">{title}</h3>
      <ul className="grid gap-3 [&_a]:text-left [&_span]:text-left">
        {ends.map((end) => (
          <li key={end.key} className="min-w-0">
            {label(end)}
            <Bar end={end} most={most} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Bar({ end: { size, refused, failed, look }, most }: { end: NamedEnd; most: number }) {
  const share = (part: number) => ({ width: `${(part / most) * 100}%` });
  const whole = look === 'frozen' ? hatched : look === 'slow' ? 'bg-warn-g' : undefined;
  return (
    <div aria-hidden className="mt-1 flex h-1.5 overflow-hidden rounded-full bg-sunk forced-color-adjust-none">
      {whole ? (
        <span className={whole} style={share(size)} />
      ) : (
        <>
          <span className="bg-flow" style={share(size - refused - failed)} />
          <span className="bg-warn-g" style={share(refused)} />
          <span className="bg-bad-g" style={share(failed)} />
        </>
      )}
    </div>
  );
}

/** The flow as numbers, for screen readers. */
function FlowTable({ side, callers, channels }: FlowProps) {
  const { t } = useTranslation('cockpit');
  const caller = useEndText(side);
  const channel = useEndText('channels');
  return (
    <div className="sr-only">
      <table>
        <caption>{t('tableOf', { side: t(side) })}</caption>
        <thead>
          <tr>
            <th scope="col">{t(side)}</th>
            <th scope="col">{t('calls')}</th>
            <th scope="col">{t('legend.refusedOnly')}</th>
            <th scope="col">{t('legend.failed')}</th>
          </tr>
        </thead>
        <tbody>
          {callers.map((end) => (
            <tr key={end.key}>
              <th scope="row">{caller.nameOf(end)}</th>
              <td>{formatWhole(end.size)}</td>
              <td>{formatWhole(end.refused)}</td>
              <td>{formatWhole(end.failed)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <table>
        <caption>{t('tableOf', { side: t('channels') })}</caption>
        <thead>
          <tr>
            <th scope="col">{t('channels')}</th>
            <th scope="col">{t('attempts')}</th>
            <th scope="col">{t('legend.failed')}</th>
            <th scope="col">{t('state')}</th>
          </tr>
        </thead>
        <tbody>
          {channels.map((end) => (
            <tr key={end.key}>
              <th scope="row">{channel.nameOf(end)}</th>
              <td>{formatWhole(end.size)}</td>
              <td>{formatWhole(end.failed)}</td>
              <td>{t(`states.${end.channel?.state ?? 'well'}`)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
