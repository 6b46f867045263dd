import { teamApi, type Team, type TeamMember } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Crown, Ellipsis, KeyRound, List, LogOut, Pencil, UserPlus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { chooseAccount } from '#api/account.ts';
import { call } from '#api/call.ts';
import { useSession } from '#api/session.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { Chip } from '#ui/basic/chip.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Money } from '#ui/format/money.tsx';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import { limitsQuery, membersQuery, monthOf, refreshTeams } from './team-api.ts';

const Confirm = lazy(async () => ({ default: (await import('#ui/overlay/confirm.tsx')).Confirm }));
const MemberDialog = lazy(async () => ({ default: (await import('./member-dialog.tsx')).MemberDialog }));

interface Props {
  team: Team;
  onInvite: () => void;
}

/** Members with roles, keys, usage and budgets, and keys whose holders have left. */
export function MembersCard({ team, onInvite }: Props) {
  const { t } = useTranslation('team');
  const { user } = useSession();
  const { data, error, isFetching, refetch } = useQuery({ ...membersQuery(team.id), meta: { quiet: true } });
  const limits = useQuery({ ...limitsQuery(team.id), meta: { quiet: true } }).data;
  const [asking, setAsking] = useState<{ what: 'edit' | 'remove' | 'offer'; member: TeamMember }>();
  const { remove, offer, handOver } = useChanges(team);
  const leads = team.role === 'owner' || team.role === 'admin';
  const ofMember = (id: number) => limits?.members.find(({ user_id }) => user_id === id);
  return (
    <Card aria-labelledby="team-members">
      <CardHead id="team-members" title={t('members')}>
        {leads && (
          <Button icon={UserPlus} onClick={onInvite}>
            {t('invite')}
          </Button>
        )}
      </CardHead>
      {error && !data && <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />}
      {!data && !error && (
        <div className="flex h-14 items-center border-t border-line px-4">
          <Skeleton width="50%" />
        </div>
      )}
      <ul>
        {data?.members.map((member) => {
          const { user_id: id, username, display_name: name, role, cost_centre: centre, tokens, used_quota } = member;
          const month = monthOf(ofMember(id) ?? { use: [] });
          const mayEdit = leads && (team.role === 'owner' || role === 'member' || role === 'billing');
          return (
            <li key={id} className="flex min-h-14 items-center gap-3 border-t border-line py-2 pr-3 pl-4">
              <div className="min-w-0 flex-1">
                <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
                  <span className="max-w-full truncate font-title">{username}</span>
                  {name !== '' && name !== username && <span className="truncate text-text2">{name}</span>}
                  <Chip tone={role === 'owner' ? 'accent' : 'neutral'}>{t(`role.${role}`)}</Chip>
                  {centre !== '' && <Chip>{centre}</Chip>}
                  {member.source !== '' && <Chip>{t('byGroup')}</Chip>}
                  {!member.enabled && <Chip tone="warn">{t('disabled')}</Chip>}
                  {member.offered && <Chip tone="warn">{t('offered')}</Chip>}
                </div>
                <div className="text-13 text-text2">
                  {t('keys', { count: tokens })} · {t('used')} <Money credits={used_quota} />
                  {month && (
                    <>
                      {' · '}
                      {t('thisMonth')} <Money credits={month.used} /> / <Money credits={month.amount} />
                    </>
                  )}
                </div>
              </div>
              {(mayEdit || id === user?.id) && (
                <MenuButton
                  label={t('more', { name: username })}
                  icon={Ellipsis}
                  align="end"
                  entries={() => [
                    mayEdit && { label: t('edit'), icon: Pencil, onSelect: () => setAsking({ what: 'edit', member }) },
                    leads && {
                      label: t('usage'),
                      icon: List,
                      onSelect: () => user && chooseAccount(user.id, team, `/panel/log?member_id=${id}`),
                    },
                    team.role === 'owner' &&
                      role !== 'owner' && {
                        label: t(member.offered ? 'takeBackOffer' : 'offer'),
                        icon: Crown,
                        onSelect: () => (member.offered ? offer.mutate(0) : setAsking({ what: 'offer', member })),
                      },
                    role !== 'owner' && 'line',
                    role !== 'owner' && {
                      label: t(id === user?.id ? 'leave' : 'remove'),
                      icon: LogOut,
                      danger: true,
                      onSelect: () => setAsking({ what: 'remove', member }),
                    },
                  ]}
                />
              )}
            </li>
          );
        })}
        {data?.orphans.map(({ id, name, key, username }) => (
          <li key={`key-${id}`} className="flex min-h-14 items-center gap-3 border-t border-line py-2 pr-3 pl-4">
            <Icon of={KeyRound} className="text-warn" />
            <div className="min-w-0 flex-1">
              <div className="truncate">
                {name} <span className="font-mono text-12 text-text2">{key}</span>
              </div>
              <div className="text-13 text-text2">{t('orphan', { name: username })}</div>
            </div>
            {leads && (
              <MenuButton
                label={t('handOver')}
                icon={UserPlus}
                iconOnly={false}
                size="sm"
                align="end"
                entries={() =>
                  data.members
                    .filter(({ role }) => role !== 'billing')
                    .map((member) => ({
                      label: member.username,
                      saves: true,
                      onSelect: () => handOver.mutate({ token: id, user: member.user_id }),
                    }))
                }
              />
            )}
          </li>
        ))}
      </ul>
      <Suspense>
        {asking?.what === 'edit' && (
          <MemberDialog
            team={team}
            member={asking.member}
            limits={ofMember(asking.member.user_id)}
            onClose={() => setAsking(undefined)}
          />
        )}
        {asking && asking.what !== 'edit' && (
          <Confirm
            title={t(
              asking.what === 'offer'
                ? 'offerTitle'
                : asking.member.user_id === user?.id
                  ? 'leaveTitle'
                  : 'removeTitle',
              {
                name: asking.member.username,
                team: team.name,
              },
            )}
            text={t(asking.what === 'offer' ? 'offerText' : 'removeText')}
            action={t(asking.what === 'offer' ? 'offer' : asking.member.user_id === user?.id ? 'leave' : 'remove')}
            danger={asking.what === 'remove'}
            onConfirm={() => (asking.what === 'offer' ? offer : remove).mutateAsync(asking.member.user_id)}
            onClose={() => setAsking(undefined)}
          />
        )}
      </Suspense>
    </Card>
  );
}

function useChanges({ id }: Team) {
  const client = useQueryClient();
  const onSettled = () => refreshTeams(client);
  const remove = useMutation({
    mutationFn: (user: number) => call(teamApi.removeMember, { params: { id, user } }),
    onSettled,
  });
  const offer = useMutation({
    mutationFn: (user_id: number) => call(teamApi.offer, { params: { id }, body: { user_id } }),
    onSettled,
  });
  const handOver = useMutation({
    mutationFn: ({ token, user }: { token: number; user: number }) =>
      call(teamApi.handOver, { params: { id, token }, body: { user_id: user } }),
    onSettled,
  });
  return { remove, offer, handOver };
}
