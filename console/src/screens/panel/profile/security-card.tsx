import { useQuery } from '@tanstack/react-query';
import { Lock } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Time } from '#ui/format/time.tsx';
import { EmailRow } from './email-row.tsx';
import { ExpiryMailsRow } from './expiry-mails-row.tsx';
import { MailsRow } from './mails-row.tsx';
import { ReminderRow } from './reminder-row.tsx';
import { securityQuery } from './profile-api.ts';
import { TwoStepRow } from './two-step-row.tsx';

const loadDrawer = () => import('./password-drawer.tsx');
const PasswordDrawer = lazy(async () => ({ default: (await loadDrawer()).PasswordDrawer }));

export function SecurityCard() {
  const { t } = useTranslation('profile');
  const { data, error, isFetching, refetch } = useQuery(securityQuery);
  const [changing, setChanging] = useState(false);
  return (
    <Card aria-labelledby="profile-security">
      <CardHead id="profile-security" title={t('security')} />
      {error && !data ? (
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      ) : (
        <div className="flex min-h-14 items-center gap-3 border-t border-line py-2 pr-3 pl-4">
          <Icon of={Lock} className="text-text2" />
          <div className="min-w-0 flex-1">
            <div>{t('password')}</div>
            <div className="text-13 text-text2">
              {data ? <PasswordAge hasOne={data.has_password} at={data.password_time} /> : <Skeleton width={120} />}
            </div>
          </div>
          <Button
            disabled={!data}
            onPointerEnter={() => void loadDrawer()}
            onFocus={() => void loadDrawer()}
            onClick={() => {
              // The number of enabled tokens may have changed.
              void refetch();
              setChanging(true);
            }}
          >
            {t(data?.has_password === false ? 'passwordSet' : 'passwordChange')}
          </Button>
        </div>
      )}
      <EmailRow />
      <ReminderRow />
      <MailsRow kind="limit_mails" />
      <MailsRow kind="announcement_mails" />
      <ExpiryMailsRow />
      <TwoStepRow />
      {changing && data && (
        <Suspense>
          <PasswordDrawer hasOne={data.has_password} tokens={data.enabled_tokens} onClose={() => setChanging(false)} />
        </Suspense>
      )}
    </Card>
  );
}

function PasswordAge({ hasOne, at }: { hasOne: boolean; at: number }) {
  const { t } = useTranslation('profile');
  if (!hasOne) return t('passwordNone');
  if (at === 0) return t('passwordNever');
  return <TextWithElements text={t('passwordChanged')} parts={{ date: <Time at={at} as="date" /> }} />;
}
