import { lazy, Suspense } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { useSelf } from '#api/self.ts';
import { NoBalanceText } from '#domain/quota/no-balance.tsx';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { cx } from '#ui/basic/cx.ts';
import { ProgressBar } from '#ui/feedback/progress-bar.tsx';
import { CallStep, ChannelStep, TestStep, TokenStep } from './first-step-parts.tsx';
import { oneLine, Step } from './first-step.tsx';
import type { FirstStepsState } from './use-first-steps.ts';

// Most accounts have credit, so the payment methods load only for the others.
const CreditStep = lazy(async () => ({ default: (await import('./credit-step.tsx')).CreditStep }));

const parts = { credit: CreditStep, channel: ChannelStep, tested: TestStep, token: TokenStep, called: CallStep };
const forAdmins = ['channel', 'tested', 'token', 'called'] as const;
const forUsers = ['token', 'called'] as const;
const forUsersWithoutCredit = ['credit', 'token', 'called'] as const;

interface Props {
  steps: FirstStepsState;
  onHide: () => void;
}

/** Steps for a new account; each checks itself off. */
export function FirstSteps({ steps, onHide }: Props) {
  const { t } = useTranslation('dashboard');
  const { isAdmin } = useSession();
  const { data: self } = useSelf();
  const { needsCredit } = steps;
  const names = isAdmin ? forAdmins : needsCredit ? forUsersWithoutCredit : forUsers;
  const known = names.every((name) => steps[name] !== undefined);
  const next = known ? names.find((name) => !steps[name]) : undefined;
  const done = names.filter((name) => steps[name]).length;
  const title = t(isAdmin ? 'steps.admin' : needsCredit ? 'steps.userThree' : 'steps.user');
  const waiting = (number: number) => (
    <Step number={number} next={false} done={undefined} title={t('steps.credit.todo')} text={oneLine} action={null} />
  );
  const progress = t('steps.progress', { done, total: names.length });
  return (
    <Card aria-labelledby="dashboard-steps" className="mb-4 max-sm:mb-2">
      {needsCredit && !steps.credit && self && (
        <p
          role="status"
          className="flex items-center gap-3 rounded-t-card border-b border-line bg-warn-soft px-4 py-2.5 text-13 text-warn"
        >
          <NoBalanceText credits={self.quota} />
        </p>
      )}
      <div className="flex min-h-14 items-center gap-3 px-4 py-1.5">
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
          <h2 id="dashboard-steps" className="text-14">
            {title}
          </h2>
          <span role="status" className={cx('text-13 tabular-nums', steps.called ? 'text-ok' : 'text-text3')}>
            {steps.called ? t('steps.finished') : progress}
          </span>
          <ProgressBar label={title} value={done} max={names.length} text={progress} className="w-30" />
        </div>
        <Button variant="ghost" size="sm" onClick={onHide}>
          {t('steps.hide')}
        </Button>
      </div>
      <ol
        className={cx(
          'grid overflow-hidden rounded-b-card border-t border-line',
          isAdmin ? 'sm:grid-cols-2 lg:grid-cols-4' : needsCredit ? 'sm:grid-cols-3' : 'sm:grid-cols-2',
        )}
      >
        {names.map((name, index) => {
          const Part = parts[name];
          const number = index + 1;
          return (
            <Suspense key={name} fallback={waiting(number)}>
              <Part steps={steps} number={number} next={name === next} />
            </Suspense>
          );
        })}
      </ol>
    </Card>
  );
}
