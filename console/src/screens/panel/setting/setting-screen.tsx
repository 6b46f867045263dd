import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useLocation } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { lazy, Suspense, useEffect, useEffectEvent, useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { SearchField } from '#ui/table/search-field.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { TabPanel, Tabs } from '#ui/basic/tabs.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { useLeaveGuard } from '#ui/overlay/use-leave-guard.ts';
import type { SettingSearch } from './route.tsx';
import { byKey, type Options, optionsQuery } from './setting-api.ts';
import { groupOf, settingGroups, settingTabs } from './setting-groups.ts';
import { SettingList } from './setting-list.tsx';
import { showSetting } from './show-setting.ts';
import { useDrafts } from './use-drafts.ts';

const loadSaveBar = () => import('./save-bar.tsx');
// It appears with the first change, and loads after the page.
const SaveBar = lazy(async () => ({ default: (await loadSaveBar()).SaveBar }));
const LOAD_SAVE_BAR_MS = 1500;
const SettingHistory = lazy(async () => ({ default: (await import('./setting-history.tsx')).SettingHistory }));
const Confirm = lazy(async () => ({ default: (await import('#ui/overlay/confirm.tsx')).Confirm }));

const route = getRouteApi('/panel/setting');
const under = 'pt-5 max-sm:pt-3';

export function SettingScreen() {
  useEffect(() => {
    // Before the first change: the server may be away then. A failure is shown when the bar is needed.
    const timer = setTimeout(() => void loadSaveBar().catch(() => undefined), LOAD_SAVE_BAR_MS);
    return () => clearTimeout(timer);
  }, []);
  const { t } = useTranslation('setting');
  const { data, error, isFetching, refetch } = useQuery(optionsQuery);
  const options = useMemo(() => data && byKey(data), [data]);
  if (options) return <Settings options={options} />;
  return error ? (
    <>
      <PageHeader title={t('title')} />
      <Card>
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      </Card>
    </>
  ) : (
    <Waiting />
  );
}

function Settings({ options }: { options: Options }) {
  const { t } = useTranslation(['setting', 'shared']);
  const { tab, q, history } = route.useSearch();
  const navigate = route.useNavigate();
  // Tabs and searches replace the history entry: Back leaves the page.
  const go = (change: Partial<SettingSearch>) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace: true, resetScroll: false });
  const drafts = useDrafts(options);
  const count = Object.keys(drafts.values).length;
  const leaving = useLeaveGuard(count);
  const phone = useIsPhone();
  const show = (key: string) => {
    const group = groupOf(key);
    if (!group) return;
    go({ tab: group.tab, q: '' });
    showSetting(key);
  };
  // An address with the key of a setting, such as #SMTPServer, leads to it.
  const asked = useLocation({ select: ({ hash }) => hash });
  const showAsked = useEffectEvent(show);
  useEffect(() => {
    if (asked !== '') showAsked(asked);
  }, [asked]);
  const save = () => {
    if (drafts.saving) return;
    const wrong = Object.keys(drafts.problems)[0];
    if (wrong === undefined) drafts.save(show);
    else show(wrong);
  };
  useSaveKey(count > 0 || drafts.saving, save);
  const list = (
    <SettingList
      {...{ options, drafts, tab, q }}
      onHistory={(group) => go({ history: group })}
      onClear={() => go({ q: '' })}
    />
  );
  const dirtyIn = (name: string) =>
    settingGroups
      .filter((group) => group.tab === name)
      .flatMap(({ fields }) => fields.filter(({ key }) => key in drafts.values)).length;
  return (
    <>
      <PageHeader title={t('title')}>
        <div className="flex items-center gap-2 max-sm:w-[calc(100vw-2rem)]">
          <span className="max-sm:order-first max-sm:min-w-0 max-sm:flex-1 sm:order-last">
            <SearchField value={q} placeholder={t('search')} onChange={(next) => go({ q: next })} className="sm:w-65" />
          </span>
          {phone ? (
            <IconButton label={t('historyAll')} icon={History} onClick={() => go({ history: 'all' })} />
          ) : (
            <Button variant="ghost" icon={History} onClick={() => go({ history: 'all' })}>
              {t('history')}
            </Button>
          )}
        </div>
      </PageHeader>
      <Tabs
        id="setting"
        label={t('tabsLabel')}
        value={q === '' ? tab : undefined}
        tabs={settingTabs.map((value) => ({ value, label: t(`tabs.${value}`), badge: dirtyIn(value) || undefined }))}
        onChange={(value) => go({ tab: value, q: '' })}
      />
      {q === '' ? (
        <TabPanel id="setting" value={tab} className={under}>
          {list}
        </TabPanel>
      ) : (
        <div className={under}>{list}</div>
      )}
      <Suspense>
        {(count > 0 || drafts.saving) && <SaveBar {...{ options, drafts }} onShow={show} onSave={save} />}
      </Suspense>
      <Suspense>
        {history !== '' && <SettingHistory key={history} scope={history} onClose={() => go({ history: '' })} />}
        {leaving && (
          <Confirm
            title={t('shared:discardTitle')}
            text={t('shared:discardText', { count })}
            action={t('shared:discard')}
            safe={t('shared:keepEditing')}
            saves={false}
            onConfirm={leaving.leave}
            onClose={leaving.stay}
          />
        )}
      </Suspense>
    </>
  );
}

function Waiting() {
  const { t } = useTranslation('setting');
  return (
    <>
      <PageHeader title={t('title')} />
      <Skeleton className="h-10" />
      <Skeleton className="mt-5 h-60" />
    </>
  );
}

/** ⌘/Ctrl+Enter saves while there are changes. Part of the page, because the save bar may still be loading. */
function useSaveKey(isDirty: boolean, save: () => void) {
  useEffect(() => {
    if (!isDirty) return undefined;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || event.defaultPrevented) return;
      event.preventDefault();
      save();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}
