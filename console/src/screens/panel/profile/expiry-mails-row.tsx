import { profileApi } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CalendarClock } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { useSite } from '#api/site.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { Select } from '#ui/form/select.tsx';
import { securityQuery } from './profile-api.ts';

const choices = [0, 1, 3, 7, 14, 30];

/** How long before the expiry of a token a mail reminds of it; nothing on sites that send no mails. */
export function ExpiryMailsRow() {
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
