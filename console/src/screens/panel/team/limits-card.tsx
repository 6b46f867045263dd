import type { AccountLimits, ReplyOf, Team, teamApi } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Gauge, Pencil } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { CapUseBar } from '#domain/token/cap-use-bar.tsx';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { limitsQuery, membersQuery } from './team-api.ts';

const LimitsDialog = lazy(async () => ({ default: (await import('./limits-dialog.tsx')).LimitsDialog }));

/** Whom limits concern. */
export interface LimitSubjectChoice {
  /** Name of the choice: `account`, `m` and the id of a member, or `c` and a cost centre. */
  key: string;
  label: string;
  of: AccountLimits;
}

/** The team, its members and the cost centres that are known, each with its limits. */
export function subjectsOf(
  limits: ReplyOf<typeof teamApi.limits>,
  members: ReplyOf<typeof teamApi.members>['members'],
  wholeTeam: string,
): LimitSubjectChoice[] {
  const none: AccountLimits = { limits: null, use: [] };
  const centres = new Set([
    ...limits.cost_centres.map(({ name }) => name),
    ...members.flatMap(({ cost_centre: name }) => (name === '' ? [] : [name])),
  ]);
  return [
    { key: 'account', label: wholeTeam, of: limits.account },
    ...members.map(({ user_id: id, username }) => ({
      key: `m${id}`,
      label: username,
      of: limits.members.find((each) => each.user_id === id) ?? none,
    })),
    ...[...centres].toSorted().map((name) => ({
      key: `c${name}`,
      label: name,
      of: limits.cost_centres.find((each) => each.name === name) ?? none,
    })),
  ];
}

/** Limits of the team, its members and cost centres with their use; leaders set them. */
export function LimitsCard({ team }: { team: Team }) {
  const { t } = useTranslation('team');
  const limits = useQuery({ ...limitsQuery(team.id), meta: { quiet: true } }).data;
  const members = useQuery({ ...membersQuery(team.id), meta: { quiet: true } }).data?.members;
  const [editing, setEditing] = useState<string>();
  const leads = team.role === 'owner' || team.role === 'admin';
  const subjects = limits && members ? subjectsOf(limits, members, t('wholeTeam')) : [];
  const limited = subjects.filter(({ of: { use } }) => use.length > 0);
  if (subjects.length === 0 || (limited.length === 0 && !leads)) return null;
  return (
    <Card aria-labelledby="team-limits">
      <CardHead id="team-limits" title={t('limits')}>
        {leads && (
          <Button icon={Gauge} onClick={() => setEditing('account')}>
            {t('setLimits')}
          </Button>
        )}
      </CardHead>
      {limited.length === 0 && <p className="border-t border-line p-4 text-13 text-text2">{t('noLimits')}</p>}
      <ul>
        {limited.map(({ key, label, of: { use } }) => (
          <li key={key} className="flex items-start gap-3 border-t border-line py-3 pr-3 pl-4">
            <div className="min-w-0 flex-1">
              <div className="truncate font-title">{label}</div>
              <ul className="mt-2 grid grid-cols-[repeat(auto-fill,minmax(min(100%,248px),1fr))] gap-x-6 gap-y-3 text-13">
                {use.map(
                  (each) =>
                    each.amount !== null &&
                    each.left !== null && (
                      <li key={`${each.measure} ${each.period}`} className="min-w-0">
                        <CapUseBar use={{ ...each, amount: each.amount, left: each.left }} />
                      </li>
                    ),
                )}
              </ul>
            </div>
            {leads && (
              <IconButton label={t('editLimits', { name: label })} icon={Pencil} onClick={() => setEditing(key)} />
            )}
          </li>
        ))}
      </ul>
      <Suspense>
        {editing !== undefined && (
          <LimitsDialog team={team} subjects={subjects} first={editing} onClose={() => setEditing(undefined)} />
        )}
      </Suspense>
    </Card>
  );
}
