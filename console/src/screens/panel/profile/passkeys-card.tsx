import { passkeyApi, type Passkey } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Ellipsis, Fingerprint, Pencil, Plus, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { canUsePasskeys } from '#api/passkey.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { Chip } from '#ui/basic/chip.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Time } from '#ui/format/time.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { passkeysQuery } from './second-factor-api.ts';

const Confirm = lazy(async () => ({ default: (await import('#ui/overlay/confirm.tsx')).Confirm }));
const PasskeyDialog = lazy(async () => ({ default: (await import('./passkey-dialog.tsx')).PasskeyDialog }));

/** The account's passkeys, with a button to add this device. */
export function PasskeysCard() {
  const { t } = useTranslation('secondFactor');
  const client = useQueryClient();
  const { data, error, isFetching, refetch } = useQuery(passkeysQuery);
  const [naming, setNaming] = useState<Passkey | 'new'>();
  const [removing, setRemoving] = useState<Passkey>();
  const able = canUsePasskeys();
  const remove = useMutation({
    mutationFn: ({ id }: Passkey) => call(passkeyApi.remove, { params: { id } }),
    onSuccess: (_, { name }) => toast.success(t('passkeyRemoved', { name })),
    onSettled: () => refresh(client, passkeyApi.list),
  });
  return (
    <Card aria-labelledby="profile-passkeys">
      <CardHead id="profile-passkeys" title={t('passkeys')}>
        {able && (
          <Button icon={Plus} disabled={!data} onClick={() => setNaming('new')}>
            {t('passkeyAdd')}
          </Button>
        )}
      </CardHead>
      <p className="px-4 pb-3 text-13 text-text2">{t(able ? 'passkeysText' : 'passkeyUnable')}</p>
      {error && !data && <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />}
      {/* As high as one passkey, so that loading moves nothing below. */}
      {!data?.length && !(error && !data) && (
        <div className="flex h-14 items-center border-t border-line px-4 text-13 text-text2">
          {data ? t('passkeysNone') : <Skeleton width="50%" />}
        </div>
      )}
      {data && data.length > 0 && (
        <ul>
          {data.map((row) => (
            <Row key={row.id} passkey={row} onRename={() => setNaming(row)} onRemove={() => setRemoving(row)} />
          ))}
        </ul>
      )}
      <Suspense>
        {naming && <PasskeyDialog passkey={naming} onClose={() => setNaming(undefined)} />}
        {removing && (
          <Confirm
            title={t('passkeyRemoveTitle', { name: removing.name })}
            text={t('passkeyRemoveText')}
            action={t('passkeyRemoveAction')}
            onConfirm={() => remove.mutateAsync(removing)}
            onClose={() => setRemoving(undefined)}
          />
        )}
      </Suspense>
    </Card>
  );
}

interface RowProps {
  passkey: Passkey;
  onRename: () => void;
  onRemove: () => void;
}

function Row({ passkey, onRename, onRemove }: RowProps) {
  const { t } = useTranslation('secondFactor');
  const { name, created_time: made, used_time: used, synced, host } = passkey;
  return (
    <li className="flex min-h-14 items-center gap-3 border-t border-line py-2 pr-3 pl-4">
      <span className="grid size-7 flex-none place-items-center rounded-tile bg-fill text-text2">
        <Icon of={Fingerprint} />
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-x-2">
          <span className="max-w-full truncate">{name}</span>
          {synced && <Chip>{t('passkeySynced')}</Chip>}
          {host !== location.hostname && <Chip tone="warn">{t('passkeyElsewhere', { host })}</Chip>}
        </div>
        <div className="truncate text-13 text-text2">
          <TextWithElements text={t('passkeyMade')} parts={{ date: <Time at={made} as="date" /> }} />
          {' · '}
          {used > 0 ? (
            <TextWithElements text={t('passkeyUsed')} parts={{ age: <Time at={used} as="relative" /> }} />
          ) : (
            t('passkeyUnused')
          )}
        </div>
      </div>
      <MenuButton
        label={t('passkeyMore', { name })}
        icon={Ellipsis}
        align="end"
        entries={() => [
          { label: t('passkeyRename'), icon: Pencil, onSelect: onRename },
          'line',
          { label: t('passkeyRemove'), icon: Trash2, danger: true, onSelect: onRemove },
        ]}
      />
    </li>
  );
}
