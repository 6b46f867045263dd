import { scimApi, type ScimConnection } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Ellipsis, Plus, RefreshCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery, refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { Chip } from '#ui/basic/chip.tsx';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Time } from '#ui/format/time.tsx';
import { Confirm } from '#ui/overlay/confirm.tsx';
import { MenuButton } from '#ui/overlay/menu-button.tsx';

/** The list shows its own failure. */
const connectionsQuery = { ...apiQuery(scimApi.list), meta: { quiet: true } };

/** Identity providers that manage accounts by SCIM. */
export function ScimConnections() {
  const { t } = useTranslation('settingTool');
  const { data, error, isFetching, refetch } = useQuery(connectionsQuery);
  const [name, setName] = useState('');
  const [asking, setAsking] = useState<{ what: 'rotate' | 'remove'; row: ScimConnection }>();
  const { create, rotate, update, remove } = useChanges(() => setName(''));
  const made = rotate.data ?? create.data;
  return (
    <div className="border-t border-line px-5 py-3 max-sm:px-4">
      <h3 className="font-normal">{t('scim.title')}</h3>
      <p className="text-13/4.5 text-text2">{t('scim.text')}</p>
      {error && !data && <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />}
      <ul className="mt-2">
        {data?.map((row) => (
          <li key={row.id} className="flex min-h-12 items-center gap-3 border-t border-line py-1.5">
            <div className="min-w-0 flex-1">
              <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <span className="max-w-full break-words">{row.name}</span>
                <span className="font-mono text-12 text-text2">{row.hint}</span>
                {row.adopts && <Chip>{t('scim.adopts')}</Chip>}
                {row.admins && <Chip tone="warn">{t('scim.admins')}</Chip>}
              </div>
              <div className="text-13 text-text2">
                {t('scim.counts', { users: row.users, groups: row.groups })} ·{' '}
                {row.used_time > 0 ? <Time at={row.used_time} as="relative" /> : t('scim.unused')}
              </div>
            </div>
            <MenuButton
              label={t('scim.more', { name: row.name })}
              icon={Ellipsis}
              align="end"
              entries={() => [
                {
                  label: t('scim.adoptsAction'),
                  checked: row.adopts,
                  onCheck: (adopts) => update.mutate({ id: row.id, adopts }),
                },
                {
                  label: t('scim.adminsAction'),
                  checked: row.admins,
                  onCheck: (admins) => update.mutate({ id: row.id, admins }),
                },
                { label: t('scim.rotate'), icon: RefreshCw, onSelect: () => setAsking({ what: 'rotate', row }) },
                'line',
                {
                  label: t('scim.remove'),
                  icon: Trash2,
                  danger: true,
                  onSelect: () => setAsking({ what: 'remove', row }),
                },
              ]}
            />
          </li>
        ))}
      </ul>
      {made && (
        <Note>
          <span className="grid grid-cols-1 gap-1.5">
            {t('scim.once')}
            {[made.address, made.secret].map((text) => (
              <span key={text} className="flex items-center gap-2">
                <code className="min-w-0 font-mono text-12 break-all">{text}</code>
                <CopyButton text={text} name={t(text === made.secret ? 'scim.secret' : 'scim.address')} />
              </span>
            ))}
          </span>
        </Note>
      )}
      <form
        className="mt-2.5 flex gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') create.mutate(name);
        }}
      >
        <input
          type="text"
          autoComplete="off"
          aria-label={t('scim.name')}
          placeholder={t('scim.name')}
          maxLength={60}
          value={name}
          onChange={(event) => setName(event.target.value)}
          className="box w-60 min-w-0 max-sm:flex-1"
        />
        <Button icon={Plus} saves type="submit" busy={create.isPending} disabled={name.trim() === ''}>
          {t('scim.add')}
        </Button>
      </form>
      {asking && (
        <Confirm
          title={t(`scim.${asking.what}Title`, { name: asking.row.name })}
          text={t(`scim.${asking.what}Text`)}
          action={t(`scim.${asking.what}`)}
          onConfirm={() => (asking.what === 'rotate' ? rotate : remove).mutateAsync(asking.row.id)}
          onClose={() => setAsking(undefined)}
        />
      )}
    </div>
  );
}

function useChanges(onMade: () => void) {
  const client = useQueryClient();
  const onSettled = () => refresh(client, scimApi.list);
  const create = useMutation({
    mutationFn: (name: string) => call(scimApi.create, { body: { name: name.trim() } }),
    onMutate: () => rotate.reset(),
    onSuccess: onMade,
    onSettled,
    // The answer holds the secret.
    gcTime: 0,
  });
  const rotate = useMutation({
    mutationFn: (id: number) => call(scimApi.rotate, { params: { id } }),
    onSettled,
    gcTime: 0,
  });
  const update = useMutation({
    mutationFn: ({ id, ...body }: { id: number; adopts?: boolean; admins?: boolean }) =>
      call(scimApi.update, { params: { id }, body }),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: (id: number) => call(scimApi.remove, { params: { id } }),
    onSettled,
  });
  return { create, rotate, update, remove };
}
