import type { ReplyOf, RouteStep, routeApi } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { Status } from '#ui/feedback/status.tsx';
import { formatPercent } from '#ui/format/number.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';

interface Props {
  virtual: NonNullable<ReplyOf<typeof routeApi.explain>['virtual']>;
  onStep: (number: number) => void;
}

/** The steps of a virtual model: which conditions hold for the call, and the step whose channels are listed. */
export function RouteSteps({ virtual: { steps, step: shown, version }, onStep }: Props) {
  const { t } = useTranslation('channelRoute');
  const first = steps.find(({ usable }) => usable)?.number;
  return (
    <DrawerSection
      title={t('stepsTitle')}
      text={t('stepsText')}
      aside={<span className="text-13 text-text2">{t('stepsVersion', { version })}</span>}
    >
      <ol className="divide-y divide-line rounded-control border border-line">
        {steps.map((step) => (
          <li
            key={step.number}
            className={cx('grid grid-cols-1 gap-1 px-3 py-2.5', step.number === shown && 'bg-sunk')}
          >
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <button
                type="button"
                aria-pressed={step.number === shown}
                onClick={() => onStep(step.number)}
                className="touch min-w-0 truncate text-left font-title text-14 hover:text-accent hover:underline"
              >
                {step.number}. <span className="font-mono text-13">{step.model}</span>
              </button>
              <span className="ml-auto">
                <Status
                  kind={step.usable ? 'enabled' : 'disabled'}
                  text={t(step.number === first ? 'stepFirst' : step.usable ? 'stepLater' : 'stepSkipped')}
                />
              </span>
            </div>
            <Facts step={step} />
          </li>
        ))}
      </ol>
    </DrawerSection>
  );
}

function Facts({ step: { models, conditions } }: { step: RouteStep }) {
  const { t } = useTranslation('channelRoute');
  const unserved = models.filter(({ served }) => !served).map(({ model }) => model);
  return (
    <ul className="grid gap-0.5 text-13 text-text2">
      {models.length > 1 && (
        <li>{models.map(({ model, share }) => `${model} ${formatPercent(share, 0)}`).join(' · ')}</li>
      )}
      {conditions.map(({ condition, holds, wanted, found }) => (
        <li key={condition} className={cx('break-words', !holds && 'text-bad')}>
          {holds ? '✓' : '✗'} {t(`condition.${condition}`)}: {wanted} (
          {t('callHas', { found: found === '' ? '–' : found })})
        </li>
      ))}
      {unserved.length > 0 && <li className="text-bad">{t('unserved', { models: unserved.join(', ') })}</li>}
    </ul>
  );
}
