import { launchApi, type LaunchItem, type LaunchList } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { call } from '#api/call.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { Step } from '#screens/panel/dashboard/first-steps/first-step.tsx';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { ProgressBar } from '#ui/feedback/progress-bar.tsx';

const setting = (tab: 'operation' | 'system', group: string): LinkProps => ({
  to: '/panel/setting',
  search: { tab },
  hash: `group-${group}`,
});

const places: Record<LaunchItem, LinkProps> = {
  address: setting('system', 'address'),
  tls: setting('system', 'address'),
  mail: setting('system', 'mail'),
  backup: setting('operation', 'backup'),
  gift: setting('operation', 'quota'),
  prices: { to: '/panel/model_price' },
  fees: { to: '/panel/pricing' },
  gateway: { to: '/panel/payment' },
  alerts: { to: '/panel/incident' },
  store: setting('operation', 'responses'),
};

interface Props {
  list: LaunchList;
  /** Called when the list is hidden. */
  onHide: () => void;
}

/** Steps before others can use the site; each item checks itself off. */
export function LaunchCard({ list: { items }, onHide }: Props) {
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: (body: { item?: LaunchItem; skipped?: boolean; dismissed?: boolean }) =>
      call(launchApi.update, { body }),
    onSuccess: (list) =>
      client.setQueryData([launchApi.get.path], (before: { list: LaunchList } | undefined) => ({ ...before, list })),
  });
  const hide = () => {
    onHide();
    mutate({ dismissed: true });
  };
  const { t } = useTranslation('launch');
  const done = items.filter(({ state }) => state !== 'open').length;
  const next = items.find(({ state }) => state === 'open')?.id;
  const progress = t('progress', { done, total: items.length });
  return (
    <Card aria-labelledby="dashboard-launch" className="mb-4 max-sm:mb-2">
      <div className="flex min-h-14 items-center gap-3 px-4 py-1.5">
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
          <h2 id="dashboard-launch" className="text-14">
            {t('title')}
          </h2>
          <span role="status" className="text-13 text-text3 tabular-nums">
            {progress}
          </span>
          <ProgressBar label={t('title')} value={done} max={items.length} text={progress} className="w-30" />
        </div>
        <Button variant="ghost" size="sm" saves onClick={hide}>
          {t('hide')}
        </Button>
      </div>
      <ol className="grid overflow-hidden rounded-b-card border-t border-line sm:grid-cols-2 lg:grid-cols-4">
        {items.map(({ id, state, count }, index) => (
          <Step
            key={id}
            number={index + 1}
            next={id === next}
            done={state !== 'open'}
            title={t(`items.${id}.title`)}
            text={state === 'skipped' ? t('skipped') : t(`items.${id}.${state}`, { count })}
            action={
              <span className="flex flex-wrap items-center gap-x-3">
                <Link
                  {...places[id]}
                  className="touch text-13 text-accent hover:underline"
                  aria-label={state === 'open' ? undefined : t('openOf', { name: t(`items.${id}.title`) })}
                >
                  {state === 'open' ? t(`items.${id}.open_link`) : t('open')}
                </Link>
                {state !== 'done' && (
                  <Button
                    variant="ghost"
                    size="sm"
                    saves
                    aria-label={t(state === 'open' ? 'skipOf' : 'needOf', { name: t(`items.${id}.title`) })}
                    onClick={() => mutate({ item: id, skipped: state === 'open' })}
                  >
                    {t(state === 'open' ? 'skip' : 'need')}
                  </Button>
                )}
              </span>
            }
          />
        ))}
      </ol>
    </Card>
  );
}
