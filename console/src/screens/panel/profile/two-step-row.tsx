import { totpApi, type TwoStep } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Ellipsis, KeyRound, ShieldCheck, ShieldOff, TriangleAlert } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Time } from '#ui/format/time.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { twoStepQuery } from './second-factor-api.ts';

const Confirm = lazy(async () => ({ default: (await import('#ui/overlay/confirm.tsx')).Confirm }));
const TotpDialog = lazy(async () => ({ default: (await import('./totp-dialog.tsx')).TotpDialog }));
const RecoveryDialog = lazy(async () => ({ default: (await import('./recovery-dialog.tsx')).RecoveryDialog }));

/** Number of recovery codes from which new ones are recommended. */
const few = 3;

/** Two-step verification: off, or on with the number of recovery codes left. */
export function TwoStepRow() {
  const { t } = useTranslation('secondFactor');
  const { data, error, isFetching, refetch } = useQuery(twoStepQuery);
  const { begin, renew, disable, seed, codes, forget, enabled } = useTwoStep();
  const [asking, setAsking] = useState<'off' | 'renew'>();
  if (error && !data) return <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />;
  const on = data?.enabled === true;
  return (
    <div className="flex min-h-14 items-center gap-3 border-t border-line py-2 pr-3 pl-4">
      <Icon of={ShieldCheck} className={on ? 'text-ok' : 'text-text2'} />
      <div className="min-w-0 flex-1">
        <div>{t('totp')}</div>
        <div className="text-13 text-text2">{data ? <State {...data} /> : <Skeleton width={180} />}</div>
      </div>
      {on ? (
        <MenuButton
          label={t('more')}
          icon={Ellipsis}
          align="end"
          entries={() => [
            { label: t('renew'), icon: KeyRound, onSelect: () => setAsking('renew') },
            'line',
            { label: t('turnOff'), icon: ShieldOff, danger: true, onSelect: () => setAsking('off') },
          ]}
        />
      ) : (
        <Button disabled={!data} busy={begin.isPending} onClick={() => begin.mutate()}>
          {t('turnOn')}
        </Button>
      )}
      <Suspense>
        {asking && (
          <Confirm
            title={t(`${asking}Title`)}
            text={t(`${asking}Text`)}
            action={t(`${asking}Action`)}
            danger={asking === 'off'}
            onConfirm={() => (asking === 'off' ? disable.mutateAsync() : renew.mutateAsync())}
            onClose={() => setAsking(undefined)}
          />
        )}
        {seed && !codes && <TotpDialog seed={seed} onEnabled={enabled} onClose={forget} />}
        {codes && !asking && <RecoveryDialog codes={codes} onClose={forget} />}
      </Suspense>
    </div>
  );
}

function State({ enabled, enabled_time: since, recovery_left: left }: TwoStep) {
  const { t } = useTranslation('secondFactor');
  if (!enabled) return t('totpOff');
  const codes = t('recoveryLeft', { count: left });
  return (
    <>
      <TextWithElements text={t('totpOn')} parts={{ date: <Time at={since} as="date" />, codes }} />
      {left <= few && (
        <span className="mt-0.5 flex items-start gap-1.5 text-12 text-warn">
          <Icon of={TriangleAlert} size={14} className="mt-px" />
          {t('recoveryFew')}
        </span>
      )}
    </>
  );
}

function useTwoStep() {
  const { t } = useTranslation('secondFactor');
  const client = useQueryClient();
  const [codes, setCodes] = useState<string[]>();
  const again = () => refresh(client, totpApi.get);
  // The answers hold secrets.
  const begin = useMutation({ mutationFn: () => call(totpApi.begin), gcTime: 0 });
  const renew = useMutation({
    mutationFn: () => call(totpApi.renew),
    gcTime: 0,
    onSuccess: (told) => {
      setCodes(told.recovery_codes);
      void again();
    },
  });
  const disable = useMutation({
    mutationFn: () => call(totpApi.disable),
    onSuccess: () => {
      toast.success(t('turnedOff'));
      void again();
    },
  });
  const forget = () => {
    begin.reset();
    renew.reset();
    setCodes(undefined);
  };
  const enabled = (fresh: string[]) => {
    setCodes(fresh);
    void again();
  };
  return { begin, renew, disable, seed: begin.data, codes, forget, enabled };
}
