import { type DeliveryWay, role, wayApi } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { History, MoreHorizontal, Pencil, Plus, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { useSelf } from '#api/self.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import { refreshWays, waysQuery } from './way-api.ts';

const Confirm = lazy(async () => ({ default: (await import('#ui/overlay/confirm.tsx')).Confirm }));
const WayDrawer = lazy(async () => ({ default: (await import('./way-drawer.tsx')).WayDrawer }));
const DeliveryLog = lazy(async () => ({ default: (await import('./delivery-log.tsx')).DeliveryLog }));

/** Ways of the site or of the reader. Each has a test message, whose arrival is confirmed. */
export function WaysCard({ site }: { site: boolean }) {
  const { t } = useTranslation('way');
  const ways = useQuery(waysQuery).data?.filter((way) => way.site === site) ?? [];
  const rank = useSelf().data?.role ?? 0;
  const mayChange = !site || rank >= role.root;
  const [adding, setAdding] = useState(false);
  return (
    <Card>
      <CardHead title={t('title')}>
        {mayChange && (
          <Button icon={Plus} saves onClick={() => setAdding(true)}>
            {t('add')}
          </Button>
        )}
      </CardHead>
      <p className="px-4 pb-3 text-13 text-text2">{t(site ? 'siteText' : 'ownText')}</p>
      {ways.length > 0 && (
        <ul className="divide-y divide-line border-t border-line">
          {ways.map((way) => (
            <WayRow key={way.id} way={way} mayChange={mayChange} />
          ))}
        </ul>
      )}
      {adding && (
        <Suspense>
          <WayDrawer site={site} onClose={() => setAdding(false)} />
        </Suspense>
      )}
    </Card>
  );
}

function WayRow({ way, mayChange }: { way: DeliveryWay; mayChange: boolean }) {
  const { t } = useTranslation('way');
  const client = useQueryClient();
  const { id, site, kind, hint, failure, confirmed_at: confirmed, tested_at: tested, enabled } = way;
  const name = way.name || t(`kind.${kind}`);
  const [shown, setShown] = useState<'edit' | 'log' | 'remove'>();
  const close = () => setShown(undefined);
  const onSettled = () => refreshWays(client);
  const test = useMutation({
    mutationFn: () => call(wayApi.test, { params: { id } }),
    onSuccess: ({ ok, answer }) =>
      ok ? toast.success(t('sent')) : toast.error(t('notSent'), answer === '' ? {} : { detail: answer }),
    onSettled,
  });
  const confirm = useMutation({ mutationFn: () => call(wayApi.confirm, { params: { id } }), onSettled });
  const remove = useMutation({ mutationFn: () => call(wayApi.remove, { params: { id } }), onSettled });
  const state = !enabled ? 'disabled' : failure !== '' ? 'failing' : confirmed > 0 ? 'done' : 'unknown';
  const stateText = !enabled ? t('off') : failure || t(confirmed > 0 ? 'confirmed' : 'unconfirmed');
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
      <span className="font-title">{name}</span>
      <span className="min-w-0 truncate text-13 text-text2">
        {kind === 'mail' && hint === '' ? t(site ? 'operators' : 'ownAddress') : hint}
      </span>
      <Status kind={state} text={stateText} />
      {mayChange && (
        <span className="ml-auto flex flex-wrap items-center gap-2">
          <Button size="sm" saves busy={test.isPending} onClick={() => test.mutate()}>
            {t('test')}
          </Button>
          {tested > 0 && confirmed === 0 && (
            <Button size="sm" variant="primary" busy={confirm.isPending} onClick={() => confirm.mutate()}>
              {t('arrived')}
            </Button>
          )}
          <MenuButton
            label={t('more', { name })}
            icon={MoreHorizontal}
            size="sm"
            align="end"
            entries={() => [
              { label: t('edit'), icon: Pencil, saves: true, onSelect: () => setShown('edit') },
              { label: t('log'), icon: History, onSelect: () => setShown('log') },
              'line',
              { label: t('remove'), icon: Trash2, danger: true, onSelect: () => setShown('remove') },
            ]}
          />
        </span>
      )}
      <Suspense>
        {shown === 'edit' && <WayDrawer way={way} site={site} onClose={close} />}
        {shown === 'log' && <DeliveryLog way={way} mayChange={mayChange} onClose={close} />}
        {shown === 'remove' && (
          <Confirm
            title={t('removeTitle', { name })}
            text={t(!site && kind === 'mail' ? 'removeMailText' : 'removeText')}
            action={t('remove')}
            onConfirm={() => remove.mutateAsync()}
            onClose={close}
          />
        )}
      </Suspense>
    </li>
  );
}
