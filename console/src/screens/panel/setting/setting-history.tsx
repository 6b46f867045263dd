import { optionApi, type OptionChange } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { DetailDrawer } from '#ui/overlay/detail-drawer.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Time } from '#ui/format/time.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { historyQuery, refreshOptions } from './setting-api.ts';
import { settingGroups } from './setting-groups.ts';
import { spread } from './setting-values.ts';
import { isSettingName, useSettingNames } from './use-setting-names.ts';

interface Props {
  /** A group, or `all`. */
  scope: string;
  onClose: () => void;
}

/** Changes with author and time; earlier values can be restored. */
export function SettingHistory({ scope, onClose }: Props) {
  const { t } = useTranslation(['setting', 'settingTool']);
  const [page, setPage] = useState(1);
  const group = settingGroups.find(({ id }) => id === scope);
  const keys = group?.fields.map(({ key }) => key).join(',') ?? '';
  const { data, error, refetch, isFetching } = useQuery(historyQuery(keys, page));
  const pages = data ? Math.ceil(data.total_count / data.size) : 0;
  return (
    <DetailDrawer
      title={group ? t('historyOf', { name: t(`groups.${group.id}`) }) : t('historyAll')}
      onClose={onClose}
      footer={
        pages > 1 && (
          <>
            <Button disabled={page <= 1} onClick={() => setPage(page - 1)}>
              {t('settingTool:newer')}
            </Button>
            <Button disabled={page >= pages} onClick={() => setPage(page + 1)}>
              {t('settingTool:older')}
            </Button>
          </>
        )
      }
    >
      {error && !data ? (
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      ) : data?.total_count === 0 ? (
        <EmptyState icon={History} title={t('settingTool:historyEmpty')} text={t('settingTool:historyEmptyText')} />
      ) : (
        <ul className="-my-4">
          {data?.data.map((change) => (
            <Change key={change.id} change={change} />
          ))}
        </ul>
      )}
    </DetailDrawer>
  );
}

function Change({ change }: { change: OptionChange }) {
  const { t } = useTranslation(['setting', 'settingNames', 'settingTool']);
  const client = useQueryClient();
  const named = useSettingNames();
  const [whole, setWhole] = useState(false);
  const name = isSettingName(change.key) ? t(`settingNames:${change.key}`) : change.key;
  const isSwitch = settingGroups.some(({ fields }) =>
    fields.some(({ key, kind }) => key === change.key && kind === 'switch'),
  );
  const inWords = (value: string | null) => {
    if (value === null) return change.secret ? '' : null;
    return isSwitch ? t(value === 'true' ? 'on' : 'off') : value;
  };
  const restore = useMutation({
    mutationFn: () => call(optionApi.restore, { params: { id: change.id } }),
    meta: { quiet: true },
    onSuccess: () => toast.success(t('settingTool:restored', { name })),
    onError: (error) => toast.error(named(error.message)),
    onSettled: () => refreshOptions(client),
  });
  const [before, after] = [inWords(change.before), inWords(change.after)].map((text) => text && spread(text));
  const isLong = [before, after].some((text) => text && (text.length > 90 || text.includes('\n')));
  return (
    <li className="border-t border-line py-3 first:border-t-0">
      <div className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-title">{name}</span>
        <code className="font-mono text-12 text-text3">{change.key}</code>
        <span className="ml-auto text-12 text-text2">
          {change.actor || t('someone')} · <Time at={change.created_time} />
        </span>
      </div>
      <div className="mt-1 flex items-center gap-3">
        <div className="min-w-0 flex-1 text-13">
          <p className="flex items-baseline gap-2 max-sm:flex-wrap">
            <Value label={t('settingTool:before')} text={before} whole={whole} />
            <span aria-hidden className="flex-none text-text3">
              →
            </span>
            <Value label={t('settingTool:after')} text={after} whole={whole} />
          </p>
          {change.secret && <p className="mt-0.5 text-12 text-text3">{t('settingTool:secretValue')}</p>}
          {isLong && (
            <button
              type="button"
              aria-expanded={whole}
              onClick={() => setWhole((now) => !now)}
              className="touch mt-0.5 rounded-tile text-12 text-accent hover:underline"
            >
              {t(whole ? 'settingTool:showLess' : 'settingTool:showAll')}
            </button>
          )}
        </div>
        {!change.secret && (
          <Button size="sm" className="flex-none" busy={restore.isPending} onClick={() => restore.mutate()}>
            {t('settingTool:restore')}
          </Button>
        )}
      </div>
    </li>
  );
}

interface ValueProps {
  label: string;
  text: string | null | undefined;
  /** Long values in full instead of two lines. */
  whole: boolean;
}

function Value({ label, text, whole }: ValueProps) {
  const { t } = useTranslation(['setting', 'settingTool']);
  return (
    <span
      className={cx(
        'font-mono text-12/5 break-words',
        // Only long values give way.
        (text?.length ?? 0) > 24 ? 'min-w-0' : 'flex-none',
        whole ? 'whitespace-pre-wrap' : 'line-clamp-2 whitespace-normal',
      )}
    >
      <span className="sr-only">{label}: </span>
      {text === null || text === undefined ? (
        <i className="font-sans text-13 text-text2 not-italic">{t('settingTool:default')}</i>
      ) : (
        text || t('empty')
      )}
    </span>
  );
}
