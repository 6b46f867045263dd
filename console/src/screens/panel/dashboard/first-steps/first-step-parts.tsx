import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { formatSeconds } from '#ui/format/number.ts';
import { connectId } from '#screens/panel/dashboard/connect-card.tsx';
import { Step } from './first-step.tsx';
import { modelsOf } from '#screens/panel/dashboard/models.ts';
import type { FirstStepsState } from './use-first-steps.ts';
import { useTestChannel } from '#screens/panel/dashboard/use-test-channel.ts';

export interface StepProps {
  steps: FirstStepsState;
  number: number;
  next: boolean;
}

const look = (next: boolean) => ({ size: 'sm', variant: next ? 'primary' : 'default' }) as const;
const link = 'touch text-13 text-accent hover:underline';

export function ChannelStep({ steps: { channel: done, example }, number, next }: StepProps) {
  const { t } = useTranslation('dashboard');
  const fact = example && t('steps.channel.fact', { name: example.name, count: modelsOf(example).length });
  return (
    <Step
      {...{ number, next, done }}
      title={t(done ? 'steps.channel.done' : 'steps.channel.todo')}
      text={done ? fact : t('steps.channel.text')}
      action={
        done ? (
          <Link to="/panel/channel" className={link}>
            {t('steps.channel.open')}
          </Link>
        ) : (
          <Button {...look(next)} saves render={<Link to="/panel/channel" search={{ edit: 'new' }} />}>
            {t('steps.channel.todo')}
          </Button>
        )
      }
    />
  );
}

/** Tests without leaving the page; the result appears next to the step. */
export function TestStep({ steps: { channel, tested: done, example }, number, next }: StepProps) {
  const { t } = useTranslation('dashboard');
  const test = useTestChannel();
  const failed = example !== undefined && example.last_error !== '' && done === true;
  const fact = failed
    ? t('steps.test.failed', { reason: example.last_error })
    : example && example.response_time > 0 && t('steps.test.fact', { time: formatSeconds(example.response_time) });
  return (
    <Step
      {...{ number, next, done }}
      title={t(done ? 'steps.test.done' : 'steps.test.todo')}
      text={done ? fact : t(channel ? 'steps.test.text' : 'steps.test.first')}
      action={
        <Button
          {...look(next)}
          saves
          busy={test.isPending}
          disabled={!example}
          onClick={() => example && test.mutate(example)}
        >
          {t(done ? 'steps.test.again' : 'steps.test.todo')}
        </Button>
      }
    />
  );
}

export function TokenStep({ steps: { token: done }, number, next }: StepProps) {
  const { t } = useTranslation('dashboard');
  return (
    <Step
      {...{ number, next, done }}
      title={t(done ? 'steps.token.done' : 'steps.token.todo')}
      text={t('steps.token.text')}
      action={
        done ? (
          <Link to="/panel/token" className={link}>
            {t('steps.token.open')}
          </Link>
        ) : (
          <Button {...look(next)} saves render={<Link to="/panel/token" search={{ edit: 'new' }} />}>
            {t('steps.token.todo')}
          </Button>
        )
      }
    />
  );
}

export function CallStep({ steps: { called: done }, number, next }: StepProps) {
  const { t } = useTranslation('dashboard');
  return (
    <Step
      {...{ number, next, done }}
      title={t(done ? 'steps.call.done' : 'steps.call.todo')}
      text={t('steps.call.text')}
      action={
        done ? (
          <Link to="/panel/log" className={link}>
            {t('steps.call.open')}
          </Link>
        ) : (
          <Button {...look(next)} onClick={showExample}>
            {t('steps.call.show')}
          </Button>
        )
      }
    />
  );
}

function showExample() {
  const card = document.getElementById(connectId);
  card?.scrollIntoView({ block: 'nearest' });
  card?.focus({ preventScroll: true });
}
