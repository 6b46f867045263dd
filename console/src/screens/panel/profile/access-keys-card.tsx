import { accessKeyApi, type AccessKey } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Ellipsis, KeyRound, Pencil, Plus, RefreshCw, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery, refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { Chip } from '#ui/basic/chip.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { Time } from '#ui/format/time.tsx';
import { useNow } from '#ui/format/use-now.ts';
import { MenuButton } from '#ui/overlay/menu-button.tsx';

const Confirm = lazy(async () => ({ default: (await import('#ui/overlay/confirm.tsx')).Confirm }));
const AccessKeyDrawer = lazy(async () => ({ default: (await import('./access-key-drawer.tsx')).AccessKeyDrawer }));
const AccessTokenDialog = lazy(async () => ({
  default: (await import('./access-token-dialog.tsx')).AccessTokenDialog,
}));

/** The card shows its own failure. */
const keysQuery = { ...apiQuery(accessKeyApi.list), meta: { quiet: true } };

/** Keys of the management API for programs, each with its scopes. */
export function AccessKeysCard() {
  const { t } = useTranslation('profile');
  const { data, error, isFetching, refetch } = useQuery(keysQuery);
  const [editing, setEditing] = useState<AccessKey | 'new'>();
  const [asking, setAsking] = useState<{ what: 'rotate' | 'removeKey'; row: AccessKey }>();
  const [fresh, setFresh] = useState<string>();
  const { rotate, remove } = useChanges(setFresh);
  return (
    <Card aria-labelledby="profile-access-keys">
      <CardHead id="profile-access-keys" title={t('accessKeys')}>
        <Button icon={Plus} disabled={!data} onClick={() => setEditing('new')}>
          {t('accessKeyAdd')}
        </Button>
      </CardHead>
      <p className="px-4 pb-3 text-13 text-text2">{t('accessKeysText')}</p>
      {error && !data && <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />}
      {!data?.length && !(error && !data) && (
        <div className="flex h-14 items-center border-t border-line px-4 text-13 text-text2">
          {data ? t('accessKeysNone') : <Skeleton width="50%" />}
        </div>
      )}
      {data && data.length > 0 && (
        <ul>
          {data.map((row) => (
            <Row
              key={row.id}
              row={row}
              onEdit={() => setEditing(row)}
              onRotate={() => setAsking({ what: 'rotate', row })}
              onRemove={() => setAsking({ what: 'removeKey', row })}
            />
          ))}
        </ul>
      )}
      <Suspense>
        {editing && (
          <AccessKeyDrawer
            row={editing === 'new' ? undefined : editing}
            onMade={setFresh}
            onClose={() => setEditing(undefined)}
          />
        )}
        {asking && (
          <Confirm
            title={t(`${asking.what}Title`, { name: asking.row.name })}
            text={t(`${asking.what}Text`)}
            action={t(`${asking.what}Action`)}
            onConfirm={() => (asking.what === 'rotate' ? rotate : remove).mutateAsync(asking.row)}
            onClose={() => setAsking(undefined)}
          />
        )}
        {fresh !== undefined && !asking && !editing && (
          <AccessTokenDialog
            token={fresh}
            name={t('accessKey')}
            title={t('accessKeyReady')}
            onClose={() => {
              setFresh(undefined);
              rotate.reset();
            }}
          />
        )}
      </Suspense>
    </Card>
  );
}

function useChanges(show: (key: string) => void) {
  const { t } = useTranslation('profile');
  const client = useQueryClient();
  const onSettled = () => refresh(client, accessKeyApi.list);
  const rotate = useMutation({
    mutationFn: ({ id }: AccessKey) => call(accessKeyApi.rotate, { params: { id } }),
    onSuccess: ({ key }) => show(key),
    onSettled,
    // The answer holds the key.
    gcTime: 0,
  });
  const remove = useMutation({
    mutationFn: ({ id }: AccessKey) => call(accessKeyApi.remove, { params: { id } }),
    onSuccess: (_, { name }) => toast.success(t('accessKeyRemoved', { name })),
    onSettled,
  });
  return { rotate, remove };
}

interface RowProps {
  row: AccessKey;
  onEdit: () => void;
  onRotate: () => void;
  onRemove: () => void;
}

function Row({ row, onEdit, onRotate, onRemove }: RowProps) {
  const { t } = useTranslation('profile');
  const now = useNow(60);
  const { name, hint, scopes, expired_time: end, used_time: used, used_ip: ip } = row;
  const isOver = end !== -1 && end <= now;
  return (
    <li className="flex min-h-14 items-center gap-3 border-t border-line py-2 pr-3 pl-4">
      <span className="grid size-7 flex-none place-items-center rounded-tile bg-fill text-text2">
        <Icon of={KeyRound} />
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-x-2">
          <span className="max-w-full truncate">{name}</span>
          <span className="font-mono text-12 text-text2">{hint}</span>
          {isOver && <Chip tone="warn">{t('accessKeyOver')}</Chip>}
        </div>
        <div className="text-13 text-text2">{scopes.map((scope) => t(`scope.${scope}`)).join(' · ')}</div>
        <div className="truncate text-12 text-text2">
          {used > 0 ? (
            <TextWithElements
              text={t('accessKeyUsed')}
              parts={{ age: <Time at={used} as="relative" />, ip: <span>{ip}</span> }}
            />
          ) : (
            t('accessTokenUnused')
          )}
          {end !== -1 && !isOver && (
            <>
              {' · '}
              <TextWithElements text={t('accessKeyEnds')} parts={{ date: <Time at={end} as="date" /> }} />
            </>
          )}
        </div>
      </div>
      <MenuButton
        label={t('accessKeyMore', { name })}
        icon={Ellipsis}
        align="end"
        entries={() => [
          { label: t('accessKeyEdit'), icon: Pencil, onSelect: onEdit },
          { label: t('rotateAction'), icon: RefreshCw, onSelect: onRotate },
          'line',
          { label: t('removeKeyAction'), icon: Trash2, danger: true, onSelect: onRemove },
        ]}
      />
    </li>
  );
}
