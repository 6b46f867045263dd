import type { OwnSecurity } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { BellRing } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSelf } from '#api/self.ts';
import { useSite } from '#api/site.ts';
import { Button } from '#ui/basic/button.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Money } from '#ui/format/money.tsx';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { securityQuery } from './profile-api.ts';

const loadDialog = () => import('./reminder-dialog.tsx');
const ReminderDialog = lazy(async () => ({ default: (await loadDialog()).ReminderDialog }));

/** The balance below which a reminder is mailed; nothing on sites that send no mails. */
export function ReminderRow() {
  const { t } = useTranslation('profile');
  const { data } = useQuery(securityQuery);
  const { data: self } = useSelf();
  const site = useSite();
  const [changing, setChanging] = useState(false);
  if (!site?.mail) return null;
  return (
    <div className="flex min-h-14 items-center gap-3 border-t border-line py-2 pr-3 pl-4">
      <Icon of={BellRing} className="text-text2" />
      <div className="min-w-0 flex-1">
        <div>{t('remind')}</div>
        <div className="text-13 text-text2">
          {data && self ? <State security={data} hasEmail={self.email !== ''} /> : <Skeleton width={160} />}
        </div>
      </div>
      <Button
        disabled={!data}
        onPointerEnter={() => void loadDialog()}
        onFocus={() => void loadDialog()}
        onClick={() => setChanging(true)}
      >
        {t('remindChange')}
      </Button>
      {changing && data && (
        <Suspense>
          <ReminderDialog security={data} onClose={() => setChanging(false)} />
        </Suspense>
      )}
    </div>
  );
}

function State({ security, hasEmail }: { security: OwnSecurity; hasEmail: boolean }) {
  const { t } = useTranslation('profile');
  const { remind_quota: own, site_remind_quota: usual } = security;
  const threshold = own ?? usual;
  if (threshold === 0) return t('remindOff');
  const text = t(hasEmail ? 'remindBelow' : 'remindNoEmail');
  return <TextWithElements text={text} parts={{ amount: <Money credits={threshold} /> }} />;
}
