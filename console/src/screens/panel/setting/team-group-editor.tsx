import { givenTeamRoles, teamAdminApi, type TeamOfGroup } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from '#api/api-query.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import type { FieldAria } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import { teamGroupsIn } from './setting-values.ts';

interface Props {
  text: string;
  aria: FieldAria;
  onChange: (text: string) => void;
}

const query = { page: 1, size: 100, order: 'username', keyword: '' };

/** Groups of the identity provider with the team and role that they give; the setting holds a JSON list. */
export function TeamGroupEditor({ text, aria, onChange }: Props) {
  const { t } = useTranslation(['settingTool', 'team']);
  const { data } = useQuery({ ...apiQuery(teamAdminApi.list, { query }), meta: { quiet: true } });
  const rows = teamGroupsIn(text);
  const put = (next: TeamOfGroup[]) => onChange(next.length === 0 ? '' : JSON.stringify(next));
  const change = (at: number, part: Partial<TeamOfGroup>) =>
    put(rows.map((row, index) => (index === at ? { ...row, ...part } : row)));
  const teams = data?.data.map(({ id, name }) => ({ value: id, label: name })) ?? [];
  const withId = (id: number) =>
    id === 0 || teams.some(({ value }) => value === id) ? teams : [...teams, { value: id, label: `#${id}` }];
  return (
    <div id={aria.id} role="group" aria-describedby={aria['aria-describedby']} tabIndex={-1} className="outline-none">
      <ul className="grid grid-cols-1 gap-2">
        {rows.map(({ group, team, role }, at) => (
          <li
            key={at}
            className="flex items-center gap-2 max-sm:flex-wrap max-sm:border-b max-sm:border-line max-sm:pb-2"
          >
            <input
              type="text"
              autoComplete="off"
              spellCheck={false}
              aria-label={t('group')}
              placeholder={t('group')}
              maxLength={255}
              value={group}
              onChange={(event) => change(at, { group: event.target.value })}
              className="box min-w-0 flex-1 max-sm:basis-full"
            />
            <Select
              aria={{ 'aria-label': t('groupTeam') }}
              className="w-50 max-sm:w-auto max-sm:flex-1"
              searchable={teams.length > 10}
              value={team === 0 ? null : team}
              placeholder={t('groupTeam')}
              onChange={(id) => change(at, { team: id })}
              options={withId(team)}
            />
            <Select
              aria={{ 'aria-label': t('team:roleName') }}
              className="w-40 max-sm:w-auto max-sm:flex-1"
              value={role}
              onChange={(as) => change(at, { role: as })}
              options={givenTeamRoles.map((as) => ({ value: as, label: t(`team:role.${as}`) }))}
            />
            <IconButton
              label={t('groupRemove', { name: group })}
              icon={Trash2}
              onClick={() => put(rows.filter((_, index) => index !== at))}
            />
          </li>
        ))}
      </ul>
      {rows.length === 0 && <p className="text-13 text-text3">{t('groupEmpty')}</p>}
      <Button icon={Plus} className="mt-2.5" onClick={() => put([...rows, { group: '', team: 0, role: 'member' }])}>
        {t('groupAdd')}
      </Button>
    </div>
  );
}
