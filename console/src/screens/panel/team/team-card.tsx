import { payerRoles, teamApi, type Team } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowDownToLine, ArrowUpFromLine, Ellipsis, Gauge, Pencil, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { chooseAccount } from '#api/account.ts';
import { call } from '#api/call.ts';
import { useSession } from '#api/session.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { Chip } from '#ui/basic/chip.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { ProgressBar } from '#ui/feedback/progress-bar.tsx';
import { Money } from '#ui/format/money.tsx';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import { limitsQuery, monthOf, refreshTeams } from './team-api.ts';

const Confirm = lazy(async () => ({ default: (await import('#ui/overlay/confirm.tsx')).Confirm }));
const MemberDialog = lazy(async () => ({ default: (await import('./member-dialog.tsx')).MemberDialog }));
const MoveDialog = lazy(async () => ({ default: (await import('./move-dialog.tsx')).MoveDialog }));
const NameDialog = lazy(async () => ({ default: (await import('./name-dialog.tsx')).NameDialog }));

type OpenDialog = 'rename' | 'payIn' | 'takeOut' | 'budget' | 'delete';

/** Balance and budget of a team, and what its owner does with it. */
export function TeamCard({ team }: { team: Team }) {
  const { t } = useTranslation('team');
  const client = useQueryClient();
  const { user, account } = useSession();
  const groups = useUserGroups();
  const limits = useQuery({ ...limitsQuery(team.id), meta: { quiet: true } }).data;
  const [opened, setOpened] = useState<OpenDialog>();
  const month = monthOf(limits?.account ?? { use: [] });
  const leads = team.role === 'owner' || team.role === 'admin';
  const onSettled = () => refreshTeams(client);
  const accept = useMutation({ mutationFn: () => call(teamApi.accept, { params: { id: team.id } }), onSettled });
  const remove = useMutation({
    mutationFn: () => call(teamApi.remove, { params: { id: team.id } }),
    onSuccess: () => account?.id === team.id && user && chooseAccount(user.id, undefined, '/panel/team'),
    onSettled,
  });
  const close = () => setOpened(undefined);
  return (
    <Card aria-labelledby="team-card">
      <CardHead
        id="team-card"
        title={team.name}
        aside={<Chip tone={team.role === 'owner' ? 'accent' : 'neutral'}>{t(`role.${team.role}`)}</Chip>}
      >
        {account?.id !== team.id && user && (
          <Button variant="primary" saves={false} onClick={() => chooseAccount(user.id, team)}>
            {t('use')}
          </Button>
        )}
        <MenuButton
          label={t('more', { name: team.name })}
          icon={Ellipsis}
          align="end"
          entries={() => [
            { label: t('payIn'), icon: ArrowDownToLine, onSelect: () => setOpened('payIn') },
            team.role === 'owner' && {
              label: t('takeOut'),
              icon: ArrowUpFromLine,
              onSelect: () => setOpened('takeOut'),
            },
            leads && { label: t('teamBudget'), icon: Gauge, onSelect: () => setOpened('budget') },
            leads && { label: t('rename'), icon: Pencil, onSelect: () => setOpened('rename') },
            team.role === 'owner' && 'line',
            team.role === 'owner' && {
              label: t('delete'),
              icon: Trash2,
              danger: true,
              onSelect: () => setOpened('delete'),
            },
          ]}
        />
      </CardHead>
      <div className="grid grid-cols-1 gap-3 border-t border-line p-4">
        {team.offered && (
          <Note tone="warn">
            <span className="flex flex-wrap items-center gap-2">
              {t('offeredToYou')}
              <Button size="sm" busy={accept.isPending} onClick={() => accept.mutate()}>
                {t('accept')}
              </Button>
            </span>
          </Note>
        )}
        <dl className="grid grid-cols-2 gap-4 sm:grid-cols-4">
          <Fact label={t('balance')}>
            <Money credits={team.quota} />
          </Fact>
          <Fact label={t('used')}>
            <Money credits={team.used_quota} />
          </Fact>
          <Fact label={t('members')}>{team.members}</Fact>
          <Fact label={t('group')}>{groups[team.group]?.name ?? team.group}</Fact>
        </dl>
        {month && (
          <div className="text-13">
            <div className="mb-1">
              {t('thisMonth')} <Money credits={month.used} /> / <Money credits={month.amount} />
            </div>
            <ProgressBar
              label={t('teamBudget')}
              value={month.amount === 0 ? 1 : Math.min(1, month.used / month.amount)}
            />
          </div>
        )}
        {team.quota === 0 && payerRoles.includes(team.role) && <Note>{t('emptyBalance')}</Note>}
      </div>
      <Suspense>
        {opened === 'rename' && <NameDialog team={team} onMade={close} onClose={close} />}
        {(opened === 'payIn' || opened === 'takeOut') && (
          <MoveDialog team={team} out={opened === 'takeOut'} onClose={close} />
        )}
        {opened === 'budget' && <MemberDialog team={team} limits={limits?.account} onClose={close} />}
        {opened === 'delete' && (
          <Confirm
            title={t('deleteTitle', { name: team.name })}
            text={t('deleteText')}
            action={t('delete')}
            onConfirm={() => remove.mutateAsync()}
            onClose={close}
          />
        )}
      </Suspense>
    </Card>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-12 text-text2">{label}</dt>
      <dd className="truncate text-16 font-title tabular-nums">{children}</dd>
    </div>
  );
}
