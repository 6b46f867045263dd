import { profileApi } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Gauge, Megaphone } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { useSite } from '#api/site.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { securityQuery } from './profile-api.ts';

const kinds = {
  limit_mails: { icon: Gauge, title: 'limitMails', hint: 'limitMailsHint' },
  announcement_mails: { icon: Megaphone, title: 'announcementMails', hint: 'announcementMailsHint' },
} as const;

/** Turns a kind of mails on or off; nothing on sites that send no mails. */
export function MailsRow({ kind }: { kind: keyof typeof kinds }) {
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
