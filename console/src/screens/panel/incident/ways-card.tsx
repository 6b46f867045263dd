import { role, wayApi, type DeliveryWay } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { useSelf } from '#api/self.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { refreshWays, siteWays } from './incident-api.ts';

const AddWay = lazy(async () => ({ default: (await import('./add-way.tsx')).AddWay }));

/** Delivery ways of the site. Each has a test message, whose arrival an operator confirms. */
export function WaysCard() {
  const { t } = useTranslation('incident');
  const ways = useQuery(siteWays).data?.filter(({ site }) => site) ?? [];
  const mayChange = (useSelf().data?.role ?? 0) >= role.root;
  const [adding, setAdding] = useState(false);
  return (
    <Card>
      <CardHead title={t('ways')}>
        {mayChange && (
          <Button size="sm" icon={Plus} saves onClick={() => setAdding(true)}>
            {t('add')}
          </Button>
        )}
      </CardHead>
      <p className="px-4 pb-3 text-13 text-text2">{t('waysText')}</p>
      <ul className="divide-y divide-line border-t border-line">
        {ways.map((way) => (
          <WayRow key={way.id} way={way} mayChange={mayChange} />
        ))}
      </ul>
      {adding && (
        <Suspense>
          <AddWay onClose={() => setAdding(false)} />
        </Suspense>
      )}
    </Card>
  );
}

function WayRow({ way, mayChange }: { way: DeliveryWay; mayChange: boolean }) {
  const { t } = useTranslation('incident');
  const client = useQueryClient();
  const { id, kind, name, hint, failure, confirmed_at: confirmed, tested_at: tested, enabled } = way;
  const onSettled = () => refreshWays(client);
  const test = useMutation({
    mutationFn: () => call(wayApi.test, { params: { id } }),
    onSuccess: ({ ok, answer }) =>
      ok ? toast.success(t('sent')) : toast.error(t('notSent'), answer === '' ? {} : { detail: answer }),
    onSettled,
  });
  const confirm = useMutation({ mutationFn: () => call(wayApi.confirm, { params: { id } }), onSettled });
  const remove = useMutation({ mutationFn: () => call(wayApi.remove, { params: { id } }), onSettled });
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
      <span className="font-title">{name || t(`kind.${kind}`)}</span>
      <span className="min-w-0 truncate text-13 text-text2">
        {kind === 'mail' && hint === '' ? t('operators') : hint}
      </span>
      <Status
        kind={!enabled ? 'disabled' : failure !== '' ? 'failing' : confirmed > 0 ? 'done' : 'unknown'}
        text={failure !== '' ? failure : t(confirmed > 0 ? 'confirmed' : 'unconfirmed')}
      />
      {mayChange && (
        <span className="ml-auto flex flex-wrap gap-2">
          <Button size="sm" saves busy={test.isPending} onClick={() => test.mutate()}>
            {t('test')}
          </Button>
          {tested > 0 && confirmed === 0 && (
            <Button size="sm" variant="primary" busy={confirm.isPending} onClick={() => confirm.mutate()}>
              {t('arrived')}
            </Button>
          )}
          <Button size="sm" variant="ghost" saves busy={remove.isPending} onClick={() => remove.mutate()}>
            {t('remove')}
          </Button>
        </span>
      )}
    </li>
  );
}
