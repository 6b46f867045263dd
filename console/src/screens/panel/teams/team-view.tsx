import type { AccountLimits, ActivityDays, ManagedTeam, ManagedTeamDetail } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Ellipsis, Handshake, KeyRound, Wallet } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { AccountEntries, AccountTokens } from '#domain/account/account-lists.tsx';
import { ActivityBody } from '#domain/activity/activity-body.tsx';
import { FactList } from '#domain/activity/fact-list.tsx';
import { ObjectDrawer, ViewSkeleton } from '#domain/activity/object-drawer.tsx';
import { ViewFooter } from '#domain/activity/view-footer.tsx';
import { CapUseBar } from '#domain/token/cap-use-bar.tsx';
import { useTranslation } from '#i18n/use-translation.ts';
import { rowId } from '#list/use-list-screen.ts';
import { Button } from '#ui/basic/button.tsx';
import { Chip } from '#ui/basic/chip.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { Money } from '#ui/format/money.tsx';
import { Time } from '#ui/format/time.tsx';
import { DetailSection } from '#ui/overlay/detail-section.tsx';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { TeamOwner } from './team-owner.tsx';
import { teamById } from './team-record.ts';
import { teamsPage, type TeamsQuery } from './teams-api.ts';

interface Props {
  id: number;
  query: TeamsQuery;
  menu: (team: ManagedTeam) => MenuEntries;
  onGo: (id: number) => void;
  onAdjust: (team: ManagedTeam) => void;
  onClose: () => void;
}

const noRows: ManagedTeam[] = [];

/** The read view of a team: calls, members, their usage, limits, keys and movements. */
export function TeamView({ id, query, menu, onGo, onAdjust, onClose }: Props) {
  const { t } = useTranslation(['team', 'activity']);
  const [days, setDays] = useState<ActivityDays>('1');
  const rows = useQuery(teamsPage(query)).data?.data ?? noRows;
  const { data, error, isFetching, refetch } = useQuery(teamById(id));
  const retry = () => void refetch();
  return (
    <ObjectDrawer
      id={id}
      rows={rows}
      keyOf={rowId}
      onGo={(next) => onGo(Number(next))}
      record={data ?? rows.find((row) => row.id === id)}
      error={error}
      busy={isFetching}
      onRetry={retry}
      placeholder={t('title')}
      titleOf={({ name }) => name}
      tile={() => (
        <span className="grid size-8 flex-none place-items-center rounded-tile bg-fill text-text2">
          <Icon of={Handshake} />
        </span>
      )}
      subtitle={(team) => (
        <>
          <Status kind={team.status === 1 ? 'enabled' : 'disabled'} />#{team.id} · {team.group}
        </>
      )}
      footer={(team) => (
        <ViewFooter log={{ username: team.name }}>
          <MenuButton label={t('more', { name: team.name })} icon={Ellipsis} align="end" entries={() => menu(team)} />
          <Button variant="primary" icon={Wallet} saves={false} onClick={() => onAdjust(team)}>
            {t('adjust')}
          </Button>
        </ViewFooter>
      )}
      onClose={onClose}
    >
      {(team) => (
        <ActivityBody
          subject={{ of: 'user', id }}
          days={days}
          onDays={setDays}
          allTime={team.used_quota}
          log={{ username: team.name }}
          setup={<Setup team={team} />}
        >
          {data ? <Parts team={data} /> : error ? null : <ViewSkeleton />}
          {error && !data && <ErrorState text={error.message} busy={isFetching} onRetry={retry} />}
          <AccountTokens account={{ id, username: team.name }} />
          <AccountEntries account={{ id, username: team.name }} />
        </ActivityBody>
      )}
    </ObjectDrawer>
  );
}

function Setup({ team }: { team: ManagedTeam }) {
  const { t } = useTranslation('team');
  return (
    <FactList
      title={t('account')}
      facts={[
        [
          t('balance'),
          <Money key="balance" credits={team.quota} className={team.quota <= 0 ? 'text-warn' : undefined} />,
        ],
        [t('monthUsed'), <Money key="month" credits={team.month_quota} />],
        [t('owner'), <TeamOwner key="owner" team={team} />],
        [t('members'), team.members],
        [t('created'), <Time key="since" at={team.created_time} as="date" />],
      ]}
    />
  );
}

function Parts({ team }: { team: ManagedTeamDetail }) {
  const { t } = useTranslation('team');
  const { members, cost_centres: centres } = team.usage;
  return (
    <>
      <Members team={team} />
      <Limits team={team} />
      {members.length > 0 && (
        <DetailSection title={t('byMember')} aside={t('thisMonth')}>
          <Rows>
            {members.map(({ user_id: id, username, requests, quota }) => (
              <Used key={id} name={username || t('noHolder')} requests={requests} credits={quota} />
            ))}
          </Rows>
        </DetailSection>
      )}
      {centres.length > 0 && (
        <DetailSection title={t('byCostCentre')} aside={t('thisMonth')}>
          <Rows>
            {centres.map(({ name, requests, quota }) => (
              <Used key={name} name={name || t('noCostCentre')} requests={requests} credits={quota} />
            ))}
          </Rows>
        </DetailSection>
      )}
    </>
  );
}

function Members({ team: { list, orphans, groups } }: { team: ManagedTeamDetail }) {
  const { t } = useTranslation('team');
  return (
    <DetailSection title={t('members')}>
      <Rows>
        {list.map((member) => (
          <li key={member.user_id} className="flex min-h-9 items-center gap-x-3 px-3 py-1.5">
            <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1">
              <Link
                to="/panel/user"
                search={{ show: member.user_id }}
                className="touch max-w-full truncate text-accent hover:underline"
              >
                {member.username}
              </Link>
              <Chip tone={member.role === 'owner' ? 'accent' : 'neutral'}>{t(`role.${member.role}`)}</Chip>
              {member.cost_centre !== '' && <Chip>{member.cost_centre}</Chip>}
              {member.connection !== '' && <Chip>{t('managedBy', { name: member.connection })}</Chip>}
              {member.source !== '' && <Chip>{t('byGroup')}</Chip>}
              {!member.enabled && <Chip tone="warn">{t('disabled')}</Chip>}
            </span>
            <span className="flex-none text-text2">{t('keys', { count: member.tokens })}</span>
            <span className="w-20 flex-none text-right">
              <Money credits={member.used_quota} />
            </span>
          </li>
        ))}
        {orphans.map(({ id, name, key, username }) => (
          <li key={`key-${id}`} className="flex min-h-9 items-center gap-2 px-3 py-1.5">
            <Icon of={KeyRound} className="text-warn" />
            <span className="min-w-0 flex-1 truncate">
              {name} <span className="font-mono text-12 text-text2">{key}</span>
            </span>
            <span className="truncate text-text2">{t('orphan', { name: username })}</span>
          </li>
        ))}
      </Rows>
      {groups.length > 0 && (
        <p className="mt-2 text-12 text-text2">
          {t('groupsGive', { groups: groups.map(({ group, role }) => `${group} → ${t(`role.${role}`)}`).join(' · ') })}
        </p>
      )}
    </DetailSection>
  );
}

function Limits({ team: { limits, list } }: { team: ManagedTeamDetail }) {
  const { t } = useTranslation('team');
  const nameOf = (id: number) => list.find(({ user_id: user }) => user === id)?.username ?? `#${id}`;
  const all: [name: string, of: AccountLimits][] = [
    [t('wholeTeam'), limits.account],
    ...limits.members.map((of): [string, AccountLimits] => [nameOf(of.user_id), of]),
    ...limits.cost_centres.map((of): [string, AccountLimits] => [of.name, of]),
  ];
  const shown = all.filter(([, { use }]) => use.length > 0);
  return (
    <DetailSection title={t('limits')}>
      {shown.length === 0 && <p className="text-13 text-text2">{t('noLimits')}</p>}
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,248px),1fr))] gap-x-6 gap-y-3 text-13">
        {shown.flatMap(([name, { use }]) =>
          use.map((each) => (
            <li key={`${name} ${each.measure} ${each.period}`} className="min-w-0">
              <span className="block truncate text-12 text-text2">{name}</span>
              {each.amount !== null && each.left !== null && (
                <CapUseBar use={{ ...each, amount: each.amount, left: each.left }} />
              )}
            </li>
          )),
        )}
      </ul>
    </DetailSection>
  );
}

const Rows = ({ children }: { children: ReactNode }) => (
  <ul className="divide-y divide-line overflow-hidden rounded-card border border-line text-13">{children}</ul>
);

function Used({ name, requests, credits }: { name: string; requests: number; credits: number }) {
  const { t } = useTranslation('team');
  return (
    <li className="flex min-h-9 items-center gap-3 px-3">
      <span className="min-w-0 flex-1 truncate">{name}</span>
      <span className="text-text2 tabular-nums">{t('calls', { count: requests })}</span>
      <span className="w-24 text-right">
        <Money credits={credits} />
      </span>
    </li>
  );
}
