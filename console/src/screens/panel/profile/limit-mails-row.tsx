import { profileApi } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Gauge } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { useSite } from '#api/site.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { securityQuery } from './profile-api.ts';

/** Turns the mails about token limits on or off; nothing on sites that send no mails. */
export function LimitMailsRow() {
  const { t } = useTranslation('profile');
  const { data } = useQuery(securityQuery);
  const client = useQueryClient();
  const id = useId();
  const save = useMutation({
    mutationFn: (limit_mails: boolean) => call(profileApi.update, { body: { limit_mails } }),
    onSettled: () => refresh(client, profileApi.security),
  });
  if (!useSite()?.mail) return null;
  return (
    <div className="flex min-h-14 items-center gap-3 border-t border-line py-2 pr-3 pl-4">
      <Icon of={Gauge} className="text-text2" />
      <label htmlFor={id} className="min-w-0 flex-1">
        <span className="block">{t('limitMails')}</span>
        <span className="block text-13 text-text2">{t('limitMailsHint')}</span>
      </label>
      <Switch
        id={id}
        disabled={!data || save.isPending}
        checked={save.variables !== undefined && save.isPending ? save.variables : (data?.limit_mails ?? true)}
        onChange={(on) => save.mutate(on)}
      />
    </div>
  );
}
