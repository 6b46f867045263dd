import { teamApi, type Team } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Handshake, Plus, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { loadTexts } from '#i18n/i18n.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { useSession } from '#api/session.ts';
import { useSite } from '#api/site.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Select } from '#ui/form/select.tsx';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { Time } from '#ui/format/time.tsx';
import { MembersCard } from './members-card.tsx';
import { invitesQuery, refreshTeams, teamsQuery } from './team-api.ts';
import { TeamCard } from './team-card.tsx';

const LimitsCard = lazy(async () => {
  const [{ LimitsCard: card }] = await Promise.all([import('./limits-card.tsx'), loadTexts('token')]);
  return { default: card };
});
const ChangesCard = lazy(async () => {
  const [{ ChangesCard: card }] = await Promise.all([
    import('./changes-card.tsx'),
    loadTexts('audit'),
    loadTexts('settingNames'),
  ]);
  return { default: card };
});
const InviteAnswer = lazy(async () => ({ default: (await import('./invite-answer.tsx')).InviteAnswer }));
const InviteDialog = lazy(async () => ({ default: (await import('./invite-dialog.tsx')).InviteDialog }));
const NameDialog = lazy(async () => ({ default: (await import('./name-dialog.tsx')).NameDialog }));

const route = getRouteApi('/panel/team');

/** Teams of the person: accounts that several people use. */
export function TeamScreen() {
  const { t } = useTranslation('team');
  const { team: wanted, invite } = route.useSearch();
  const navigate = route.useNavigate();
  const { account, isAdmin } = useSession();
  const { data: teams, error, isFetching, refetch } = useQuery({ ...teamsQuery, meta: { quiet: true } });
  const [isCreating, setCreating] = useState(false);
  const mayCreate = useSite()?.teams_by_users || isAdmin;
  const show = (team: number) => void navigate({ search: { team, invite: '' }, replace: true });
  const team = teams?.find(({ id }) => id === (wanted || account?.id)) ?? teams?.[0];
  const create = mayCreate && !account && (
    <Button icon={Plus} variant={team ? undefined : 'primary'} onClick={() => setCreating(true)}>
      {t('create')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('title')} text={t('text')}>
        {team && create}
      </PageHeader>
      {error && !teams && <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />}
      {!teams && !error && <Skeleton width="40%" />}
      {teams?.length === 0 && (
        <Card>
          <EmptyState
            icon={Handshake}
            title={t('emptyTitle')}
            text={t(mayCreate ? 'emptyText' : 'emptyTextClosed')}
            action={create}
          />
        </Card>
      )}
      {team && teams && (
        <div className="grid grid-cols-1 gap-4 max-sm:gap-2">
          {teams.length > 1 && (
            <Select
              aria={{ 'aria-label': t('title') }}
              value={team.id}
              options={teams.map(({ id, name }) => ({ value: id, label: name }))}
              onChange={show}
              className="sm:max-w-80"
            />
          )}
          <TeamCard key={team.id} team={team} />
          <TeamMembers key={`members-${team.id}`} team={team} />
        </div>
      )}
      <Suspense>
        {isCreating && <NameDialog onMade={({ id }) => show(id)} onClose={() => setCreating(false)} />}
        {invite !== '' && <InviteAnswer token={invite} onClose={(joined) => show(joined?.id ?? 0)} />}
      </Suspense>
    </>
  );
}

function TeamMembers({ team }: { team: Team }) {
  const [isInviting, setInviting] = useState(false);
  const leads = team.role === 'owner' || team.role === 'admin';
  return (
    <>
      <MembersCard team={team} onInvite={() => setInviting(true)} />
      <Suspense>
        <LimitsCard team={team} />
      </Suspense>
      {leads && <Invites team={team} />}
      <Suspense>{leads && <ChangesCard team={team} />}</Suspense>
      <Suspense>{isInviting && <InviteDialog team={team} onClose={() => setInviting(false)} />}</Suspense>
    </>
  );
}

/** Open invitations; nothing without one. */
function Invites({ team }: { team: Team }) {
  const { t } = useTranslation('team');
  const client = useQueryClient();
  const { data: invites = [] } = useQuery({ ...invitesQuery(team.id), meta: { quiet: true } });
  const remove = useMutation({
    mutationFn: (invite: number) => call(teamApi.removeInvite, { params: { id: team.id, invite } }),
    onSettled: () => refreshTeams(client),
  });
  if (invites.length === 0) return null;
  return (
    <Card aria-labelledby="team-invites">
      <CardHead id="team-invites" title={t('invites')} />
      <ul>
        {invites.map(({ id, email, role, cost_centre: centre, expires_time: end }) => (
          <li key={id} className="flex min-h-12 items-center gap-3 border-t border-line py-1.5 pr-3 pl-4">
            <div className="min-w-0 flex-1">
              <div className="truncate">{email === '' ? t('byLink') : email}</div>
              <div className="text-13 text-text2">
                {[t(`role.${role}`), centre].filter(Boolean).join(' · ')} ·{' '}
                <TextWithElements text={t('inviteEnds')} parts={{ date: <Time at={end} as="date" /> }} />
              </div>
            </div>
            <IconButton label={t('removeInvite')} icon={Trash2} saves onClick={() => remove.mutate(id)} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
