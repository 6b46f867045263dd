import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { BellRing, CalendarClock, Gauge, Lock, Mail, Megaphone } from 'lucide-react';
import { lazy, Suspense, useId, useState } from 'react';
import { type OwnSecurity, profileApi } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Time } from '#ui/format/time.tsx';
import { useSelf } from '#api/self.ts';
import { useSite } from '#api/site.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { Select } from '#ui/form/select.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { Money } from '#ui/format/money.tsx';
import { securityQuery } from './profile-api.ts';
import { TwoStepRow } from './two-step-row.tsx';

const loadReminder = () => import('./reminder-dialog.tsx');
const ReminderDialog = lazy(async () => ({ default: (await loadReminder()).ReminderDialog }));

/** The balance below which a reminder is mailed; nothing on sites that send no mails. */
function ReminderRow() {
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
        onPointerEnter={() => void loadReminder()}
        onFocus={() => void loadReminder()}
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

const kinds = {
  limit_mails: { icon: Gauge, title: 'limitMails', hint: 'limitMailsHint' },
  announcement_mails: { icon: Megaphone, title: 'announcementMails', hint: 'announcementMailsHint' },
} as const;

/** Turns a kind of mails on or off; nothing on sites that send no mails. */
function MailsRow({ kind }: { kind: keyof typeof kinds }) {
  const { t } = useTranslation('profile');
  const { data } = useQuery(securityQuery);
  const client = useQueryClient();
  const id = useId();
  const save = useMutation({
    mutationFn: (on: boolean) => call(profileApi.update, { body: { [kind]: on } }),
    onSettled: () => refresh(client, profileApi.security),
  });
  if (!useSite()?.mail) return null;
  const { icon, title, hint } = kinds[kind];
  return (
    <div className="flex min-h-14 items-center gap-3 border-t border-line py-2 pr-3 pl-4">
      <Icon of={icon} className="text-text2" />
      <label htmlFor={id} className="min-w-0 flex-1">
        <span className="block">{t(title)}</span>
        <span className="block text-13 text-text2">{t(hint)}</span>
      </label>
      <Switch
        id={id}
        disabled={!data || save.isPending}
        checked={save.variables !== undefined && save.isPending ? save.variables : (data?.[kind] ?? true)}
        onChange={(on) => save.mutate(on)}
      />
    </div>
  );
}

const choices = [0, 1, 3, 7, 14, 30];

/** How long before the expiry of a token a mail reminds of it; nothing on sites that send no mails. */
function ExpiryMailsRow() {
  const { t } = useTranslation('profile');
  const { data } = useQuery(securityQuery);
  const client = useQueryClient();
  const id = useId();
  const save = useMutation({
    mutationFn: (expiry_mail_days: number) => call(profileApi.update, { body: { expiry_mail_days } }),
    onSettled: () => refresh(client, profileApi.security),
  });
  if (!useSite()?.mail) return null;
  const days = save.isPending ? save.variables : (data?.expiry_mail_days ?? null);
  const options = days === null || choices.includes(days) ? choices : [...choices, days].toSorted((a, b) => a - b);
  return (
    <div className="flex min-h-14 items-center gap-3 border-t border-line py-2 pr-3 pl-4">
      <Icon of={CalendarClock} className="text-text2" />
      <label htmlFor={id} className="min-w-0 flex-1">
        <span className="block">{t('expiryMails')}</span>
        <span className="block text-13 text-text2">{t('expiryMailsHint')}</span>
      </label>
      <Select
        aria={{ id, 'aria-describedby': undefined, 'aria-invalid': undefined }}
        value={days}
        disabled={!data || save.isPending}
        options={options.map((value) => ({
          value,
          label: value === 0 ? t('expiryMailsOff') : t('expiryMailsDays', { count: value }),
        }))}
        onChange={(next) => save.mutate(next)}
        className="w-auto! min-w-36"
      />
    </div>
  );
}

const loadDialog = () => import('./email-dialog.tsx');
const EmailDialog = lazy(async () => ({ default: (await loadDialog()).EmailDialog }));

/** The address for mails; also a sign-in name. */
function EmailRow() {
  const { t } = useTranslation('profile');
  const { data: self } = useSelf();
  const site = useSite();
  const [binding, setBinding] = useState(false);
  return (
    <div className="flex min-h-14 items-center gap-3 border-t border-line py-2 pr-3 pl-4">
      <Icon of={Mail} className="text-text2" />
      <div className="min-w-0 flex-1">
        <div>{t('email')}</div>
        <div className="text-13 wrap-anywhere text-text2">
          {!self ? <Skeleton width={160} /> : self.email || t(site?.mail ? 'emailNone' : 'emailNoMail')}
        </div>
      </div>
      {site?.mail && (
        <Button
          disabled={!self}
          onPointerEnter={() => void loadDialog()}
          onFocus={() => void loadDialog()}
          onClick={() => setBinding(true)}
        >
          {t(self?.email ? 'emailChange' : 'emailBind')}
        </Button>
      )}
      {binding && (
        <Suspense>
          <EmailDialog before={self?.email ?? ''} onClose={() => setBinding(false)} />
        </Suspense>
      )}
    </div>
  );
}

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
