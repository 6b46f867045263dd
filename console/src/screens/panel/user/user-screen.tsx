import type { User } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { CircleCheck, CircleMinus, UserPlus, Users, Wallet } from 'lucide-react';
import { lazy, Suspense, useCallback, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { loadTexts } from '#i18n/i18n.ts';
import { CreateButton } from '#list/create-button.tsx';
import { ListHeader, useToolbarWith } from '#list/list-header.tsx';
import { beside, rowId, stepping, useRecordScreen } from '#list/use-list-screen.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { useUserColumns } from './use-user-columns.tsx';
import { useUserMenu } from './use-user-menu.tsx';
import { useUserToolbar } from './use-user-toolbar.tsx';
import { allUsers, userPage, type UserSearch } from './user-api.ts';
import { outranks } from '#domain/quota/outranks.ts';
import { BulkAction } from '#ui/table/bulk-bar.tsx';
import type { Selection } from '#ui/table/use-selection.ts';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { RowActions } from '#ui/table/table-row.tsx';
import type { UserConfirmation } from './user-confirm.tsx';
import { useUserActions } from './user-actions.ts';
import { may } from './user-permissions.ts';
import { UserLastCall, UserMoney, UserName, UserRole, UserStatus } from './user-cells.tsx';

const loadDrawer = () => import('./user-drawer.tsx');
const UserDrawer = lazy(async () => ({ default: (await loadDrawer()).UserDrawer }));
const UserView = lazy(async () => ({ default: (await import('./view/user-view.tsx')).UserView }));
const UserBalance = lazy(async () => {
  const [{ UserBalance: drawer }] = await Promise.all([import('./user-balance.tsx'), loadTexts('quota')]);
  return { default: drawer };
});
const UserConfirm = lazy(async () => ({ default: (await import('./user-confirm.tsx')).UserConfirm }));

const route = getRouteApi('/panel/user');
const nameOf = ({ username }: User) => username;

export function UserScreen() {
  const { t } = useTranslation('user');
  const { edit, activeKey, go, find, open, create, closeForm, ...list } = useRecordScreen(
    route.useSearch(),
    route.useNavigate(),
  );
  const { show, adjust, ...query } = list.query;
  const { user: me } = useSession();
  const page = useQuery(userPage(query));
  const [question, setQuestion] = useState<UserConfirmation>();
  const menu = useUserMenu({ onEdit: open, onAdjust: ({ id }) => go({ adjust: id }), onAsk: setQuestion });
  const add = <CreateButton label={t('add')} preload={loadDrawer} onCreate={create} />;
  const toInviters = { icon: UserPlus, render: <Link to="/panel/user/inviters" /> };
  const actions = (
    <span className="flex flex-none gap-2">
      {useIsPhone() ? (
        <IconButton {...toInviters} label={t('inviters')} variant="default" />
      ) : (
        <Button {...toInviters}>{t('inviters')}</Button>
      )}
      {add}
    </span>
  );
  return (
    <>
      <ListHeader title={t('title')} text={t('text')} actions={actions} />
      <DataTable
        name="user"
        label={t('title')}
        columns={useUserColumns()}
        page={page}
        search={query}
        onSearch={go}
        keyOf={rowId}
        nameOf={nameOf}
        toolbar={useToolbarWith(useUserToolbar(query, page.data?.total_quota, find), actions)}
        empty={<EmptyState icon={Users} title={t('emptyTitle')} text={t('emptyText')} action={add} />}
        onOpen={(user) =>
          user.deleted_time === 0 && (user.id === me?.id || outranks(me, user)) && go({ show: user.id }, beside)
        }
        activeKey={activeKey ?? (adjust || show || undefined)}
        rowActions={useRowActions(go)}
        rowMenu={menu}
        actionsWidth={88}
        card={(user) => <UserCard user={user} menu={menu} />}
        bulk={(selection) => <UserBulk selection={selection} onAsk={setQuestion} />}
        allRows={() => allUsers(query)}
      />
      <Suspense>
        {show > 0 && edit === '' && adjust === 0 && (
          <UserView
            id={show}
            query={query}
            onGo={(id) => go({ show: id }, stepping)}
            onEdit={open}
            onAdjust={({ id }) => go({ adjust: id })}
            onClose={() => go({ show: 0 }, stepping)}
          />
        )}
        {edit !== '' && <UserDrawer key={edit} edit={edit} onClose={closeForm} />}
        {adjust > 0 && <UserBalance key={adjust} id={adjust} onClose={() => go({ adjust: 0 })} />}
        {question && <UserConfirm question={question} onClose={() => setQuestion(undefined)} />}
      </Suspense>
    </>
  );
}

/** The most frequent action on an account. */
function useRowActions(go: (change: Partial<UserSearch>) => void) {
  const { t } = useTranslation('user');
  const { user: me } = useSession();
  return useCallback(
    (user: User) =>
      outranks(me, user) &&
      user.deleted_time === 0 && (
        <IconButton label={t('adjust')} icon={Wallet} size="sm" onClick={() => go({ adjust: user.id })} />
      ),
    [t, me, go],
  );
}

interface Props {
  selection: Selection<User>;
  onAsk: (question: UserConfirmation) => void;
}

function UserBulk({ selection: { rows, clear }, onAsk }: Props) {
  const { t } = useTranslation('user');
  const act = useUserActions();
  const { user: me } = useSession();
  const toEnable = rows.filter((user) => may(me, 'enable', user));
  const toDisable = rows.filter((user) => may(me, 'disable', user));
  if (toEnable.length + toDisable.length === 0) return <span className="px-2 text-text2">{t('beyondYou')}</span>;
  return (
    <>
      {toEnable.length > 0 && (
        <BulkAction
          icon={CircleCheck}
          onClick={() => {
            void act('enable', ...toEnable);
            clear();
          }}
        >
          {t('enableMany', { count: toEnable.length })}
        </BulkAction>
      )}
      {toDisable.length > 0 && (
        <BulkAction
          icon={CircleMinus}
          danger
          onClick={() => onAsk({ about: 'disable', users: toDisable, onDone: clear })}
        >
          {t('disableMany', { count: toDisable.length })}
        </BulkAction>
      )}
    </>
  );
}

interface UserCardProps {
  user: User;
  menu: (user: User) => MenuEntries;
}

function UserCard({ user, menu }: UserCardProps) {
  return (
    <>
      <div className="-mt-1 flex items-center gap-2">
        <span className="min-w-0 flex-1">
          <UserName user={user} />
        </span>
        <UserMoney user={user} className="flex-none" />
        <span className="-mr-2">
          <RowActions row={user} nameOf={nameOf} menu={menu} />
        </span>
      </div>
      <div className="mt-1.5 -mb-0.5 flex items-center gap-3 text-13">
        <UserStatus user={user} />
        <UserRole user={user} />
        <span className="ml-auto truncate text-text2">
          <UserLastCall user={user} />
        </span>
      </div>
    </>
  );
}
