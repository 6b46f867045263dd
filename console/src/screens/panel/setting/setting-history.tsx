import { optionApi, type OptionChange } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
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
  return (
    <li className="border-t border-line py-3.5 first:border-t-0">
      <div className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-title">{name}</span>
        <code className="font-mono text-12 text-text3">{change.key}</code>
        <span className="ml-auto text-12 text-text2">
          {change.actor || t('someone')} · <Time at={change.created_time} />
        </span>
      </div>
      <dl className="mt-1.5 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-13">
        <Value label={t('settingTool:before')} text={inWords(change.before)} />
        <Value label={t('settingTool:after')} text={inWords(change.after)} />
      </dl>
      {change.secret ? (
        <p className="mt-1 text-12 text-text3">{t('settingTool:secretValue')}</p>
      ) : (
        <Button size="sm" className="mt-2" busy={restore.isPending} onClick={() => restore.mutate()}>
          {t('settingTool:restore')}
        </Button>
      )}
    </li>
  );
}

/** Whether the text does not fit on a phone. */
const isLong = (text: string): boolean => text.length > 300 || text.split('\n').length > 8;

function Value({ label, text }: { label: string; text: string | null }) {
  const { t } = useTranslation(['setting', 'settingTool']);
  const shown = text === null ? null : spread(text);
  return (
    <>
      <dt className="text-text2">{label}</dt>
      <dd
        className="max-h-40 overflow-auto font-mono text-12/5 break-words whitespace-pre-wrap"
        // Focusable, so that the keyboard can scroll it.
        tabIndex={shown && isLong(shown) ? 0 : -1}
      >
        {shown === null ? (
          <i className="font-sans text-text2 not-italic">{t('settingTool:default')}</i>
        ) : (
          shown || t('empty')
        )}
      </dd>
    </>
  );
}
