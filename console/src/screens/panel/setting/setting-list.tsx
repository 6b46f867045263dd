import { SearchX } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import type { Options } from './setting-api.ts';
import { GroupNav } from './group-nav.tsx';
import { settingGroups, type GroupName, type SettingGroup, type SettingTab } from './setting-groups.ts';
import { SettingSection } from './setting-section.tsx';
import type { Drafts } from './use-drafts.ts';

interface Props {
  options: Options;
  drafts: Drafts;
  tab: SettingTab;
  q: string;
  onHistory: (group: GroupName) => void;
  onClear: () => void;
}

/** The groups of a tab, or the search results from all tabs. */
export function SettingList({ options, drafts, tab, q, onHistory, onClear }: Props) {
  const { t } = useTranslation(['setting', 'settingNames']);
  const found = useSearchResults(q);
  const groups = found ?? settingGroups.filter((group) => group.tab === tab);
  if (groups.length === 0)
    return (
      <Card>
        <EmptyState
          icon={SearchX}
          title={t('noMatch')}
          text={t('noMatchText')}
          action={<Button onClick={onClear}>{t('clearSearch')}</Button>}
        />
      </Card>
    );
  return (
    <div className="grid grid-cols-[176px_minmax(0,1fr)] gap-x-7 max-lg:grid-cols-1">
      {/* The space stays reserved during a search, so that nothing shifts. */}
      <div className="max-lg:hidden">{!found && <GroupNav groups={groups} drafts={drafts} />}</div>
      <div className="flex max-w-220 min-w-0 flex-col gap-4.5 pb-6">
        {groups.map((group) => (
          <SettingSection key={group.id} {...{ group, options, drafts, onHistory }} searched={!isWhole(group)} />
        ))}
      </div>
    </div>
  );
}

/** Whether a search has found all settings of a group, as by its name. */
const isWhole = ({ id, fields }: SettingGroup): boolean =>
  settingGroups.find((group) => group.id === id)?.fields.length === fields.length;

/** The groups with their matching settings; undefined without a search. */
function useSearchResults(q: string): SettingGroup[] | undefined {
  const { t } = useTranslation(['setting', 'settingNames']);
  if (q === '') return undefined;
  const words = q.toLowerCase().split(/\s+/);
  const has = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  return settingGroups
    .map((group) => ({
      ...group,
      fields: group.fields.filter(({ key }) =>
        has([key, t(`settingNames:${key}`), t(`hints.${key}`), t(`groups.${group.id}`)].join(' ')),
      ),
    }))
    .filter((group) => group.fields.length > 0 || (isWhole(group) && has(`${group.id} ${t(`groups.${group.id}`)}`)));
}
