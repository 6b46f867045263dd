import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { CallerLabel, ChannelLabel, type FlowProps } from './flow-drawing.tsx';
import { hatched, type NamedEnd } from './flow-ends.ts';

/** The flow where there is no room for bands: two lists with a bar by share. */
export function FlowList({ side, callers, channels }: FlowProps) {
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
