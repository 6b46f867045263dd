import { type IdentityProvider, oauthApi, type OwnIdentity, profileApi } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { goToProvider, offeredProviders } from '#api/sign-in-provider.ts';
import { selfQuery } from '#api/self.ts';
import { useSite } from '#api/site.ts';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { Button } from '#ui/basic/button.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { identityIcons } from '#domain/identity/identity-icons.ts';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Time } from '#ui/format/time.tsx';
import { identitiesQuery, unbind } from './profile-api.ts';

const Confirm = lazy(async () => ({ default: (await import('#ui/overlay/confirm.tsx')).Confirm }));
const WeChatDialog = lazy(async () => ({ default: (await import('#domain/identity/wechat-dialog.tsx')).WeChatDialog }));
const TelegramDialog = lazy(async () => ({ default: (await import('./telegram-dialog.tsx')).TelegramDialog }));

const order = ['github', 'lark', 'wechat', 'telegram', 'oidc'] as const;

/** The account's connected identities, and the providers available. */
export function BindingsCard() {
  const { t } = useTranslation('elsewhere');
  const { data, error, isFetching, refetch } = useQuery(identitiesQuery);
  const offered = useOffered();
  const { bind, open, leavingFor, stop } = useBinding();
  const [leaving, setLeaving] = useState<OwnIdentity>();
  const again = useRefreshIdentities();
  const unbound = useMutation({
    mutationFn: ({ provider }: OwnIdentity) => unbind(provider),
    onSuccess: (_, { provider }) => toast.success(t('unbound', { provider: t(provider) })),
    onSettled: again,
  });
  const rows = order.filter(
    (provider) => offered[provider] || data?.some((identity) => identity.provider === provider),
  );
  if (rows.length === 0) return null;
  return (
    <Card aria-labelledby="profile-bindings">
      <CardHead
        id="profile-bindings"
        title={t('bindings')}
        aside={<span className="ml-auto text-13 text-text2">{t('oneStays')}</span>}
      />
      {error && !data ? (
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      ) : (
        <ul aria-busy={!data}>
          {rows.map((provider) => (
            <BindingRow
              key={provider}
              provider={provider}
              identity={data?.find((identity) => identity.provider === provider)}
              known={data !== undefined}
              busy={leavingFor === provider}
              onBind={() => bind(provider)}
              onUnbind={setLeaving}
            />
          ))}
        </ul>
      )}
      <Suspense>
        {leaving && (
          <Confirm
            title={t('unbindTitle', { provider: t(leaving.provider) })}
            text={leaving.provider === 'telegram' ? t('unbindTelegramText') : t('unbindText', { name: leaving.name })}
            action={t('unbindAction', { provider: t(leaving.provider) })}
            onConfirm={() => unbound.mutateAsync(leaving)}
            onClose={() => setLeaving(undefined)}
          />
        )}
        {open === 'wechat' && (
          <WeChatDialog
            title={t('wechatBindTitle')}
            action={t('bind')}
            onCode={async (code) => {
              await call(oauthApi.wechatBind, { query: { code } });
              toast.success(t('bound', { provider: t('wechat') }));
              await again();
            }}
            onClose={stop}
          />
        )}
        {open === 'telegram' && <TelegramDialog onClose={stop} />}
      </Suspense>
    </Card>
  );
}

function useOffered(): Record<IdentityProvider, boolean> {
  const site = useSite();
  return { ...offeredProviders(site), telegram: (site?.telegram_bot ?? '') !== '' };
}

/** Several endpoints report identities. */
function useRefreshIdentities(): () => Promise<unknown> {
  const client = useQueryClient();
  return () =>
    Promise.all([
      refresh(client, oauthApi.identities, profileApi.security),
      client.invalidateQueries({ queryKey: selfQuery.queryKey }),
    ]);
}

/** Starts to connect an account: in a dialog, or by leaving this page. */
function useBinding() {
  const site = useSite();
  const [open, setOpen] = useState<'wechat' | 'telegram'>();
  const leave = useMutation({
    mutationFn: async (provider: 'github' | 'lark' | 'oidc') => site && goToProvider(provider, site),
  });
  const bind = (provider: IdentityProvider) => {
    if (provider === 'wechat' || provider === 'telegram') setOpen(provider);
    else if (!leave.isPending) leave.mutate(provider);
  };
  return {
    bind,
    open,
    leavingFor: leave.isPending || leave.isSuccess ? leave.variables : undefined,
    stop: () => setOpen(undefined),
  };
}

interface Props {
  provider: IdentityProvider;
  /** The connected identity; undefined if none, or while loading. */
  identity: OwnIdentity | undefined;
  known: boolean;
  busy: boolean;
  onBind: () => void;
  onUnbind: (identity: OwnIdentity) => void;
}

/** A provider with the connected identity, or a button to connect. */
function BindingRow({ provider, identity, known, busy, onBind, onUnbind }: Props) {
  const { t } = useTranslation('elsewhere');
  const name = t(provider);
  return (
    <li className="flex min-h-14 items-center gap-3 border-t border-line py-2 pr-3 pl-4">
      <span className="grid size-7 flex-none place-items-center rounded-tile bg-fill text-text2">
        <Icon of={identityIcons[provider]} />
      </span>
      <div className="min-w-0 flex-1">
        <div className="truncate">{name}</div>
        <div className="truncate text-13 text-text2">
          {known ? (identity?.name ?? t('notBound')) : <Skeleton width={90} />}
          {identity?.last_way_in && ` · ${t('onlyWay')}`}
        </div>
      </div>
      {identity && (
        <span className="text-13 text-text2 max-sm:hidden">
          <Time at={identity.created_time} as="date" />
        </span>
      )}
      {identity
        ? !identity.last_way_in && (
            <Button size="sm" aria-label={t('unbindOf', { provider: name })} onClick={() => onUnbind(identity)}>
              {t('unbind')}
            </Button>
          )
        : known && (
            <Button size="sm" busy={busy} aria-label={t('bindOf', { provider: name })} onClick={onBind}>
              {t('bind')}
            </Button>
          )}
    </li>
  );
}
