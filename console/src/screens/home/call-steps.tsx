import { CircleCheck, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useOwners } from '#api/owners.ts';
import { ModelName } from '#domain/model/model-name.tsx';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { Chip } from '#ui/basic/chip.tsx';
import { formatSeconds } from '#ui/format/number.ts';
import type { TokenPricedModel } from './available-models.ts';
import { callTimes, shownAt, streamed } from './call-story.ts';
import { Shown } from './shown.tsx';

interface Props {
  model: TokenPricedModel;
  output: number;
  tokensPerSecond: number;
}

const endpoint = 'POST /v1/chat/completions';

/** The request, the refused first attempt, the second one and its streamed answer. */
export function CallSteps({ model: { name, owner }, output, tokensPerSecond }: Props) {
  const { t } = useTranslation('home');
  const icon = useOwners().find((each) => each.name === owner)?.icon;
  return (
    <div className="flex min-w-0 flex-col rounded-card border border-line bg-card px-5 text-14 max-sm:px-4">
      <div className="flex min-h-12 flex-wrap items-center justify-between gap-x-3 border-b border-line">
        <ModelName model={name} owner={owner} icon={icon} />
        <code className="font-mono text-12 text-text3">{endpoint}</code>
      </div>
      <ol className="flex flex-1 flex-col gap-3.5 py-4">
        <Step ms={0} at={0}>
          <p>{t('demo.question')}</p>
          <p className="text-13 text-text3">{t('demo.attached')}</p>
        </Step>
        <Step ms={callTimes.refused} at={shownAt.refused}>
          <Attempt name={t('demo.first')} tile={<OwnerTile name={owner} icon={icon} size={20} />}>
            <Chip tone="warn" icon={TriangleAlert}>
              429 {t('demo.tooMany')}
            </Chip>
          </Attempt>
          <p className="text-13 text-text3">{t('demo.next')}</p>
        </Step>
        <Step ms={callTimes.retried} at={shownAt.retried}>
          <Attempt name={t('demo.second')} tile={<OwnerTile name={owner} icon={icon} size={20} />}>
            <Chip tone="ok" icon={CircleCheck}>
              200 {t('demo.streams')}
            </Chip>
          </Attempt>
          <Shown at={shownAt.first} as="div" className="text-13 text-text3">
            {t('demo.firstToken', { time: formatSeconds(callTimes.first - callTimes.retried) })}
          </Shown>
        </Step>
        <Step ms={callTimes.first} at={shownAt.first}>
          <Answer />
        </Step>
        <Step ms={callTimes.end} at={shownAt.end}>
          <p className="text-text2">{t('demo.done', { count: output, speed: tokensPerSecond })}</p>
        </Step>
      </ol>
    </div>
  );
}

/** One line with its time since the request. */
function Step({ ms, at, children }: { ms: number; at: number; children: ReactNode }) {
  return (
    <Shown at={at} as="li" className="flex gap-4 max-sm:gap-3">
      <span className="w-12 flex-none pt-px text-right text-12 text-text3 tabular-nums">{formatSeconds(ms)}</span>
      <div className="min-w-0 flex-1">{children}</div>
    </Shown>
  );
}

function Attempt({ name, tile, children }: { name: string; tile: ReactNode; children: ReactNode }) {
  return (
    <div className="mb-0.5 flex flex-wrap items-center gap-x-2.5 gap-y-1">
      {tile}
      <span>{name}</span>
      {children}
    </div>
  );
}

/** Screen readers get the whole answer, not its pieces. */
function Answer() {
  const { t, i18n } = useTranslation('home');
  const answer = t('demo.answer');
  return (
    <div className="rounded-control bg-sunk px-3.5 py-2.5">
      <p className="sr-only">{answer}</p>
      <p aria-hidden>
        {streamed(answer, i18n.language.replace('_', '-')).map(({ text, at }) => (
          <Shown key={at} at={at} as="span">
            {text}
          </Shown>
        ))}
      </p>
    </div>
  );
}
